//! One open conversation: its position, and the movements of the cursor.
//!
//! A conversation stores two positions, the first row of the screen and the cursor, each as a block and a
//! line. Only the user moves them. After a jump to messages that are not laid out, the cursor has a
//! [`Goal`], which is resolved as they arrive. `jump` finds the next turn, error, change or match.

mod jump;

use std::sync::Arc;

use unspool_engine::ops::find::FoundMessage;
use unspool_engine::ops::marks::MessageMark;
use unspool_model::ids::EntryId;
use unspool_model::positions::PathNumber;
use unspool_render::terminal::ReaderBlock;

pub(super) use self::jump::JumpKind;
use super::document::{ReadDocument, SearchDirection};
use crate::work::reader::FindText;
use crate::work::reader::ReadPlace;
use crate::work::reader::aside::OutlineRow;
use crate::work::reader::{ReadFacts, ReadProblem, ReadTarget};

/// How many messages above and below the screen are laid out.
const AROUND: u32 = 30;

/// The target of the cursor, for messages that may not be laid out yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goal {
    /// The first block of a kind in a message, or the last one.
    Block(u32, JumpKind, SearchDirection),
    /// A line.
    Place(ReadPlace),
    /// The end of the conversation.
    End,
}

/// A search in the conversation.
#[derive(Clone, Debug)]
pub(super) struct ReadSearch {
    pub(super) text: String,
    pub(super) find: FindText,
    /// The messages that contain the text; `None` until a worker has answered.
    pub(super) found: Option<Vec<FoundMessage>>,
}

impl ReadSearch {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), find: FindText::new(text), found: None }
    }
}

/// An open conversation.
#[derive(Clone, Debug)]
pub(super) struct OpenConversation {
    pub(super) target: ReadTarget,
    pub(super) facts: Option<ReadFacts>,
    pub(super) document: ReadDocument,
    pub(super) top: ReadPlace,
    pub(super) cursor: ReadPlace,
    goal: Option<Goal>,
    /// The row of the screen on which the cursor is kept until everything around it is laid out.
    pinned_row: Option<usize>,
    /// The height of the text.
    pub(super) height: usize,
    /// Set while the end is followed.
    pub(super) follows: bool,
    /// The number of messages when the end was last visible.
    seen: u32,
    pub(super) search: Option<ReadSearch>,
    pub(super) outline: Vec<OutlineRow>,
    /// The fingerprint of the outline's facts.
    pub(super) outline_print: Option<u64>,
    /// The fingerprint of the facts of the pane and the matches.
    pub(super) aside_print: Option<u64>,
    pub(super) problem: Option<ReadProblem>,
    /// The new active path, if the session continued on another path than this one.
    pub(super) flipped_to: Option<PathNumber>,
}

impl OpenConversation {
    pub(super) fn new(target: ReadTarget, height: usize) -> Self {
        let start = ReadPlace::of_message(0);
        Self {
            target,
            facts: None,
            document: ReadDocument::default(),
            top: start,
            cursor: start,
            goal: None,
            pinned_row: None,
            height,
            follows: false,
            seen: 0,
            search: None,
            outline: Vec::new(),
            outline_print: None,
            aside_print: None,
            problem: None,
            flipped_to: None,
        }
    }

    /// Returns the entry at the cursor, if it is laid out.
    pub(super) fn entry(&self) -> Option<EntryId> {
        self.document.block(self.cursor.key)?.entry.clone()
    }

    /// Returns the number of messages added since the end was visible.
    pub(super) fn unseen(&self) -> u32 {
        self.document.len().saturating_sub(self.seen)
    }

    /// Returns the number of the current turn, and the number of turns.
    pub(super) fn turn(&self) -> (usize, usize) {
        let turns = self.turns();
        let at = turns.partition_point(|&start| start <= self.cursor.message());
        (at, turns.len())
    }

    /// Returns the first entry of the current turn, if it is laid out.
    pub(super) fn turn_entry(&self) -> Option<EntryId> {
        let at = self.turn().0.checked_sub(1)?;
        let blocks = self.document.blocks(*self.turns().get(at)?)?;
        blocks.first()?.entry.clone()
    }

    fn turns(&self) -> &[u32] {
        self.facts.as_ref().map_or(&[], |facts| &facts.turns)
    }

    // Changes of the conversation.

    /// Takes new facts.
    pub(super) fn set_facts(&mut self, facts: ReadFacts) {
        let was_empty = self.facts.is_none();
        let ids = |marks: &[MessageMark]| marks.iter().map(|mark| mark.id).collect::<Vec<_>>();
        let before = ids(self.document.marks());
        let is_other_path = self.facts.as_ref().is_some_and(|known| known.path != facts.path);
        let active = facts.paths.iter().find(|path| path.is_active);
        let active = active.map(|path| path.number);
        if self.target.path.is_none() && facts.path.is_some() && facts.path != active {
            // The session continued on another path: the reader stays on this one.
            self.target.path = facts.path;
            self.flipped_to = active.filter(|_| !was_empty);
        }
        self.document.set_marks(Arc::clone(&facts.marks));
        // Lines about other paths and about agents do not depend on the marks.
        let around = |facts: &ReadFacts| (facts.path, facts.path_count, facts.agent_messages);
        if self.facts.as_ref().is_some_and(|known| around(known) != around(&facts)) {
            self.document.mark_all_stale();
        }
        let count = self.document.len();
        self.facts = Some(facts);
        if was_empty && before.is_empty() {
            return self.go_to_end();
        }
        if is_other_path || was_empty {
            self.seen = count;
        }
        self.move_with_messages(&before);
        if self.follows {
            self.go_to_end();
        }
    }

    /// Moves the positions along with their messages, which may have other indices.
    fn move_with_messages(&mut self, before: &[u64]) {
        let marks = self.document.marks();
        let now: Vec<u64> = marks.iter().map(|mark| mark.id).collect();
        let same = before.iter().zip(&now).take_while(|(was, is)| was == is).count() as u32;
        if self.cursor.message() < same && self.top.message() < same {
            return;
        }
        let moved = |place: ReadPlace| {
            let id = before.get(place.message() as usize)?;
            let message = now.iter().position(|now| now == id)?;
            let mut place = place;
            place.key.message = message as u32;
            Some(place)
        };
        match (moved(self.top), moved(self.cursor)) {
            (Some(top), Some(cursor)) => (self.top, self.cursor) = (top, cursor),
            (None, Some(cursor)) => {
                self.cursor = cursor;
                self.pinned_row = Some(self.height / 4);
                self.scroll_to_pinned_row();
            }
            // The message is not on this path: go to the fork, the nearest common position.
            _ => {
                let last = self.document.len().saturating_sub(1);
                self.go(Goal::Block(same.min(last), JumpKind::Message, SearchDirection::Down), 2);
            }
        }
    }

    /// Takes messages that were laid out.
    pub(super) fn take_layout(&mut self, laid: Vec<(u32, Vec<ReaderBlock>)>) {
        self.document.take_layout(laid);
        self.document.forget_far(self.cursor.message());
        self.reach();
        self.scroll_to_pinned_row();
        self.clear_reached_goal();
    }

    /// Clears the goal and the fixed row once all messages around are laid out.
    fn clear_reached_goal(&mut self) {
        if self.missing().is_empty() {
            self.pinned_row = None;
            self.goal = None;
        }
        self.note_end();
    }

    /// Records that the end is visible, if it is.
    fn note_end(&mut self) {
        if self.shows_end() {
            self.seen = self.document.len();
        }
    }

    /// Tells whether the last line is visible.
    pub(super) fn shows_end(&self) -> bool {
        let end = self.document.end();
        let rows = self.document.rows(self.top, self.height);
        end.is_none_or(|end| rows.iter().any(|row| row.place == end))
    }

    /// Returns the messages to lay out next.
    pub(super) fn missing(&self) -> Vec<std::ops::Range<u32>> {
        let rows = self.document.rows(self.top, self.height.max(1));
        let first = rows.first().map_or(0, |row| row.place.message());
        let last = rows.last().map_or(0, |row| row.place.message());
        let cursor = self.cursor.message();
        let (first, last) = (first.min(cursor), last.max(cursor));
        // Visible messages have priority.
        let seen = self.document.missing(first..last + 1);
        if !seen.is_empty() {
            return seen;
        }
        let around = first.saturating_sub(AROUND)..last.saturating_add(AROUND + 1);
        self.document.missing(around)
    }

    // Moving.

    /// Moves the cursor to its goal, as far as that is laid out.
    fn reach(&mut self) {
        let Some(goal) = self.goal else {
            return;
        };
        let place = match goal {
            Goal::Block(message, kind, lean) => self.block_place(message, kind, lean),
            Goal::Place(place) => Some(place),
            Goal::End => self.document.end(),
        };
        if let Some(place) =
            place.and_then(|place| self.document.resolve(place, SearchDirection::Down))
        {
            self.cursor = place;
        }
    }

    /// Moves the cursor to a goal. It stays on the screen where it is if it is visible at `row` or below,
    /// else it is put on `row`.
    pub(super) fn go(&mut self, goal: Goal, row: usize) {
        self.goal = Some(goal);
        self.reach();
        let is_there = goal != Goal::End && self.cursor_row().is_some_and(|at| at >= row);
        self.pinned_row = Some(match self.cursor_row() {
            Some(at) if is_there => at,
            _ => row,
        });
        self.scroll_to_pinned_row();
        self.clear_reached_goal();
    }

    /// Goes to the end.
    pub(super) fn go_to_end(&mut self) {
        self.go(Goal::End, self.height.saturating_sub(1));
        self.seen = self.document.len();
    }

    /// Goes to the start.
    pub(super) fn go_to_start(&mut self) {
        self.follows = false;
        let start = ReadPlace::of_message(0);
        self.go(Goal::Place(start), 0);
    }

    /// Keeps the cursor on its row of the screen during the next layout.
    pub(super) fn pin_cursor_row(&mut self) {
        self.goal = None;
        self.pinned_row = self.cursor_row();
    }

    /// Scrolls such that the cursor is on its fixed row.
    fn scroll_to_pinned_row(&mut self) {
        let Some(row) = self.pinned_row else {
            return;
        };
        let row = row.min(self.height.saturating_sub(1));
        self.top = self.document.walk(self.cursor, -(row as isize)).0;
        self.fill_screen();
    }

    /// Scrolls up if there is free space below the end.
    fn fill_screen(&mut self) {
        let rows = self.document.rows(self.top, self.height).len();
        if rows < self.height {
            let lacking = (self.height - rows) as isize;
            self.top = self.document.walk(self.top, -lacking).0;
        }
    }

    /// Returns the row of the screen that shows the cursor.
    pub(super) fn cursor_row(&self) -> Option<usize> {
        let cursor = self.document.resolve(self.cursor, SearchDirection::Down)?;
        let rows = self.document.rows(self.top, self.height);
        rows.iter().position(|row| row.place == cursor)
    }

    /// Moves the cursor by rows, and scrolls if it leaves the screen.
    pub(super) fn move_cursor(&mut self, rows: isize) {
        self.begin_move(rows);
        self.cursor = self.document.walk(self.cursor, rows).0;
        self.show_cursor();
    }

    /// Scrolls by rows; the cursor stays on its row of the screen.
    pub(super) fn scroll(&mut self, rows: isize) {
        self.begin_move(rows);
        let row = self.cursor_row().unwrap_or(0);
        let (top, gone) = self.document.walk(self.top, rows);
        let before = self.top;
        self.top = top;
        self.fill_screen();
        if self.top == before || gone == 0 {
            // The screen cannot scroll further, so only the cursor moves.
            self.cursor = self.document.walk(self.cursor, rows).0;
        } else {
            self.cursor = self.document.walk(self.top, row as isize).0;
        }
        self.show_cursor();
    }

    /// Scrolls by rows; the cursor stays in its line, unless it leaves the screen.
    pub(super) fn wheel(&mut self, rows: isize) {
        self.begin_move(rows);
        self.top = self.document.walk(self.top, rows).0;
        self.fill_screen();
        if self.cursor_row().is_none() {
            let last = self.height.saturating_sub(1) as isize;
            let row = if rows > 0 { 0 } else { last };
            self.cursor = self.document.walk(self.top, row).0;
        }
        self.clear_reached_goal();
    }

    fn begin_move(&mut self, rows: isize) {
        self.goal = None;
        self.pinned_row = None;
        self.follows &= rows > 0;
        let cursor = self.document.resolve(self.cursor, SearchDirection::Down);
        self.cursor = cursor.unwrap_or(self.cursor);
        // A new layout may have moved the cursor off the screen.
        if self.cursor_row().is_none() {
            let rows = self.document.rows(self.top, self.height);
            let near = if self.cursor < self.top { rows.first() } else { rows.last() };
            self.cursor = near.map_or(self.cursor, |row| row.place);
        }
    }

    /// Scrolls as little as needed to show the cursor.
    pub(super) fn show_cursor(&mut self) {
        if self.cursor_row().is_none() {
            let is_above = self.cursor < self.top;
            let row = if is_above { 0 } else { self.height.saturating_sub(1) };
            self.top = self.document.walk(self.cursor, -(row as isize)).0;
        }
        self.clear_reached_goal();
    }

    /// Moves the cursor to a row of the screen.
    pub(super) fn click(&mut self, row: usize) {
        self.begin_move(1);
        let place = self.document.rows(self.top, self.height).get(row).map(|it| it.place);
        self.cursor = place.unwrap_or(self.cursor);
    }

    /// Goes to a fraction of the whole, as on a scroll bar.
    pub(super) fn go_to_share(&mut self, part: usize, of: usize) {
        let (_, total) = self.document.position(self.top);
        let of = of.saturating_sub(1).max(1) as u64;
        let row = total.saturating_sub(1) * (part as u64).min(of) / of;
        if let Some(place) = self.document.place_of_row(row) {
            self.follows = false;
            self.goal = Some(Goal::Place(place));
            self.cursor = place;
            self.pinned_row = Some(self.height / 2);
            self.scroll_to_pinned_row();
            self.clear_reached_goal();
        }
    }

    /// Sets the height of the text.
    pub(super) fn resize(&mut self, height: usize) {
        self.height = height.max(1);
        if self.follows {
            self.go_to_end();
        }
    }
}
