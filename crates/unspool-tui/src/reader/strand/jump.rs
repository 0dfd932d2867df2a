//! Jumps: to the next turn, message, call, error, change or match.

use unspool_engine::ops::marks::MessageMark;
use unspool_render::terminal::{ReaderBlock, ReaderBlockKind};

use super::{Goal, OpenConversation};
use crate::reader::document::SearchDirection;
use crate::work::reader::ReadPlace;

/// The target of a jump.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::reader) enum JumpKind {
    Turn,
    Message,
    Call,
    Error,
    Change,
}

impl JumpKind {
    fn fits(self, block: &ReaderBlock) -> bool {
        match self {
            Self::Turn => matches!(block.kind, ReaderBlockKind::Prompt { turn: Some(_), .. }),
            Self::Message => !matches!(block.kind, ReaderBlockKind::Rule),
            Self::Call => matches!(block.kind, ReaderBlockKind::Call(_)),
            Self::Error => block.kind.is_error(),
            Self::Change => block.kind.is_change(),
        }
    }

    fn may_be_in(self, mark: &MessageMark) -> bool {
        match self {
            Self::Turn | Self::Message => true,
            Self::Call => mark.calls > 0,
            Self::Error => mark.is_error(),
            Self::Change => mark.changes > 0,
        }
    }

    /// Returns a message that there is none.
    pub(in crate::reader) fn none(self, lean: SearchDirection) -> String {
        let what = match self {
            Self::Turn => "turn",
            Self::Message => "message",
            Self::Call => "call",
            Self::Error => "error",
            Self::Change => "change",
        };
        match lean {
            SearchDirection::Down => format!("no {what} further down"),
            SearchDirection::Up => format!("no {what} further up"),
        }
    }
}

impl OpenConversation {
    /// Returns the position of the first block of a kind in a message, or of the last one.
    pub(super) fn block_place(
        &self,
        message: u32,
        kind: JumpKind,
        lean: SearchDirection,
    ) -> Option<ReadPlace> {
        let Some(blocks) = self.document.blocks(message) else {
            return Some(ReadPlace::of_message(message));
        };
        let fitting = || blocks.iter().filter(|block| kind.fits(block));
        let found = match lean {
            SearchDirection::Down => fitting().next(),
            SearchDirection::Up => fitting().next_back(),
        };
        let found = found.or_else(|| blocks.first());
        let none = || self.document.resolve(ReadPlace::of_message(message), lean);
        found.map_or_else(none, |block| Some(ReadPlace::of_block(block.key)))
    }

    /// Jumps to the next block of a kind; returns whether there is one.
    pub(in crate::reader) fn jump(&mut self, kind: JumpKind, lean: SearchDirection) -> bool {
        self.follows = false;
        let from = self.cursor.message();
        let goal = match kind {
            JumpKind::Turn => self.next_turn(lean),
            JumpKind::Message => self.next_message(lean),
            _ => self.next_block(kind, lean).map(Goal::Place).or_else(|| {
                let marks = self.document.marks();
                let fits = |message: &u32| kind.may_be_in(&marks[*message as usize]);
                let message = match lean {
                    SearchDirection::Down => (from + 1..self.document.len()).find(fits),
                    SearchDirection::Up => (0..from.min(self.document.len())).rev().find(fits),
                };
                message.map(|message| Goal::Block(message, kind, lean))
            }),
        };
        let Some(goal) = goal else {
            return false;
        };
        let row = match kind {
            JumpKind::Turn => 1,
            _ => (self.height / 4).max(1),
        };
        self.go(goal, row);
        if kind == JumpKind::Turn {
            // A turn starts at the top of the screen.
            self.pinned_row = Some(row);
            self.scroll_to_pinned_row();
            self.clear_reached_goal();
        }
        true
    }

    fn next_turn(&self, lean: SearchDirection) -> Option<Goal> {
        let (at, _) = self.turn();
        let turns = self.turns();
        let goal = |message: u32| Goal::Block(message, JumpKind::Turn, SearchDirection::Down);
        match lean {
            SearchDirection::Down => turns.get(at).copied().map(goal),
            SearchDirection::Up => {
                let own = *turns.get(at.checked_sub(1)?)?;
                let start = self.block_place(own, JumpKind::Turn, SearchDirection::Down)?;
                let is_below = self.cursor > start;
                let message = if is_below { own } else { *turns.get(at.checked_sub(2)?)? };
                Some(goal(message))
            }
        }
    }

    /// Finds the next message that has visible blocks.
    fn next_message(&self, lean: SearchDirection) -> Option<Goal> {
        let from = self.cursor.message();
        let is_shown = |message: &u32| {
            let blocks = self.document.blocks(*message);
            blocks.is_none_or(|blocks| blocks.iter().any(|it| JumpKind::Message.fits(it)))
        };
        let message = match lean {
            SearchDirection::Down => (from + 1..self.document.len()).find(is_shown)?,
            SearchDirection::Up => {
                let start = self.block_place(from, JumpKind::Message, SearchDirection::Down);
                if start.is_some_and(|start| self.cursor > start) {
                    from
                } else {
                    (0..from).rev().find(is_shown)?
                }
            }
        };
        Some(Goal::Block(message, JumpKind::Message, SearchDirection::Down))
    }

    /// Finds the next block of a kind in the current message.
    fn next_block(&self, kind: JumpKind, lean: SearchDirection) -> Option<ReadPlace> {
        let mut blocks = self.document.blocks(self.cursor.message())?.iter();
        let key = self.cursor.key;
        let found = match lean {
            SearchDirection::Down => blocks.find(|block| block.key > key && kind.fits(block)),
            SearchDirection::Up => blocks.rfind(|block| block.key < key && kind.fits(block)),
        };
        Some(ReadPlace::of_block(found?.key))
    }

    /// Finds the next line of the current message that matches the search.
    pub(in crate::reader) fn next_matching_line(&self, lean: SearchDirection) -> Option<ReadPlace> {
        let find = &self.search.as_ref()?.find;
        let mut place = self.cursor;
        loop {
            place = match lean {
                SearchDirection::Down => self.document.below(place)?,
                SearchDirection::Up => self.document.above(place)?,
            };
            if place.message() != self.cursor.message() {
                return None;
            }
            let block = self.document.block(place.key)?;
            if block.lines.get(place.line).is_some_and(|line| find.is_in(line)) {
                return Some(place);
            }
        }
    }

    /// Finds the next message that matches the search.
    pub(in crate::reader) fn next_matching_message(&self, lean: SearchDirection) -> Option<u32> {
        let found = self.search.as_ref()?.found.as_ref()?;
        let from = self.cursor.message() as usize;
        let message = match lean {
            SearchDirection::Down => found.iter().find(|found| found.message > from)?.message,
            SearchDirection::Up => found.iter().rfind(|found| found.message < from)?.message,
        };
        Some(message as u32)
    }
}
