//! What the reader shows: messages in blocks, of which those near the place are laid out.
//!
//! A place is a block and a line in it ([`ReadPlace`]), never a number of lines from the beginning: what is
//! added, folded or wrapped elsewhere does not move it. Messages that are not laid out yet count as one
//! block each, of a height that is guessed from their marks. Lines of an older layout are shown until the
//! new ones are there.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use unspool_engine::ops::marks::MessageMark;
use unspool_model::entry::MessageKind;
use unspool_render::terminal::{BlockKey, FoldLevel, ReaderBlock};
use unspool_text::style::Line;

use super::heights::MessageHeights;
use crate::work::reader::ReadPlace;

/// How many messages stay laid out around the place.
const KEPT: u32 = 600;

/// Where to go from a place that is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lean {
    Down,
    Up,
}

/// A message that was laid out.
#[derive(Clone, Debug)]
struct LaidMessage {
    blocks: Vec<ReaderBlock>,
    /// Whether it is to be laid out again: it was changed, folded, or is of another width.
    is_stale: bool,
}

/// A row of the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadRow<'d> {
    pub(super) place: ReadPlace,
    /// The block; none if it is not laid out.
    pub(super) block: Option<&'d ReaderBlock>,
    /// The line; none for a gap, and for what is not laid out.
    pub(super) line: Option<&'d Line>,
}

/// A block, or a message that is not laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct UnitAt {
    message: u32,
    /// Which block; none if the message is not laid out.
    block: Option<usize>,
}

/// A conversation, partly laid out.
#[derive(Clone, Default, Debug)]
pub(super) struct ReadDocument {
    marks: Arc<Vec<MessageMark>>,
    heights: MessageHeights,
    laid: BTreeMap<u32, LaidMessage>,
    folds: Arc<HashMap<BlockKey, FoldLevel>>,
    /// How much is shown of calls that were not folded one by one.
    calls: FoldLevel,
}

impl ReadDocument {
    pub(super) fn marks(&self) -> &[MessageMark] {
        &self.marks
    }

    pub(super) fn len(&self) -> u32 {
        self.marks.len() as u32
    }

    pub(super) fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    pub(super) fn folds(&self) -> Arc<HashMap<BlockKey, FoldLevel>> {
        Arc::clone(&self.folds)
    }

    /// Takes the marks of the conversation as it is now. Messages that are what they were stay laid out.
    pub(super) fn set_marks(&mut self, marks: Arc<Vec<MessageMark>>) {
        let before = std::mem::replace(&mut self.marks, marks);
        let last = (before.len() as u32).saturating_sub(1);
        self.laid.retain(|&message, laid| {
            let now = self.marks.get(message as usize);
            let was = before.get(message as usize);
            // Below the last message there may be a line about other paths now.
            laid.is_stale |= was != now || message == last;
            now.zip(was).is_some_and(|(now, was)| now.id == was.id)
        });
        self.measure();
    }

    /// Says that everything has to be laid out again, and how much of calls is shown now.
    pub(super) fn invalidate(&mut self, calls: FoldLevel) {
        self.calls = calls;
        self.spoil();
        self.measure();
    }

    /// Says that everything has to be laid out again.
    pub(super) fn spoil(&mut self) {
        for laid in self.laid.values_mut() {
            laid.is_stale = true;
        }
    }

    /// Folds a block, or forgets how it was folded.
    pub(super) fn fold(&mut self, key: BlockKey, level: Option<FoldLevel>) {
        let folds = Arc::make_mut(&mut self.folds);
        match level {
            Some(level) => folds.insert(key, level),
            None => folds.remove(&key),
        };
        // The gap above the next message depends on how this one ends.
        for message in [key.message, key.message + 1] {
            if let Some(laid) = self.laid.get_mut(&message) {
                laid.is_stale = true;
            }
        }
    }

    /// Forgets how blocks were folded one by one.
    pub(super) fn forget_folds(&mut self) {
        self.folds = Arc::default();
    }

    fn measure(&mut self) {
        let heights = (0..).zip(self.marks.iter()).map(|(message, mark)| {
            let laid = self.laid.get(&message);
            laid.map_or_else(|| self.guess(mark), laid_height)
        });
        self.heights = MessageHeights::of(heights.collect());
    }

    /// Guesses how high a message is that is not laid out.
    fn guess(&self, mark: &MessageMark) -> u32 {
        let per_call = match self.calls {
            FoldLevel::Line => 1,
            FoldLevel::Summary => 5,
            FoldLevel::Full => 16,
        };
        match mark.kind {
            MessageKind::Prompt | MessageKind::Queued | MessageKind::Reply => 4,
            MessageKind::Answer if mark.calls > 0 => mark.calls * per_call,
            MessageKind::Answer => (mark.bytes / 160).clamp(2, 30) as u32,
            _ => 1,
        }
    }

    /// Takes messages that were laid out.
    pub(super) fn lay(&mut self, laid: Vec<(u32, Vec<ReaderBlock>)>) {
        let count = self.len();
        let laid = laid.into_iter().filter(|(message, _)| *message < count);
        let heights = laid.map(|(message, blocks)| {
            let laid = LaidMessage { blocks, is_stale: false };
            let height = laid_height(&laid);
            self.laid.insert(message, laid);
            (message as usize, height)
        });
        self.heights.change(heights);
    }

    /// Forgets the lines of messages that are far from one.
    pub(super) fn forget_far(&mut self, from: u32) {
        let near = from.saturating_sub(KEPT)..=from.saturating_add(KEPT);
        // Heights stay as they were measured.
        self.laid.retain(|message, _| near.contains(message));
    }

    /// Returns the blocks of a message, if it is laid out.
    pub(super) fn blocks(&self, message: u32) -> Option<&[ReaderBlock]> {
        self.laid.get(&message).map(|laid| laid.blocks.as_slice())
    }

    /// Tells whether any message is laid out.
    pub(super) fn has_lines(&self) -> bool {
        !self.laid.is_empty()
    }

    /// Tells whether a message is laid out as it is wanted.
    pub(super) fn is_fresh(&self, message: u32) -> bool {
        self.laid.get(&message).is_some_and(|laid| !laid.is_stale)
    }

    /// Returns the block of a key.
    pub(super) fn block(&self, key: BlockKey) -> Option<&ReaderBlock> {
        let mut blocks = self.blocks(key.message)?.iter();
        blocks.find(|block| block.key == key)
    }

    /// Returns the messages of a range that are not laid out as they are wanted, as ranges.
    pub(super) fn missing(&self, range: Range<u32>) -> Vec<Range<u32>> {
        let mut missing: Vec<Range<u32>> = Vec::new();
        for message in range.start..range.end.min(self.len()) {
            if self.is_fresh(message) {
                continue;
            }
            match missing.last_mut() {
                Some(last) if last.end == message => last.end += 1,
                _ => missing.push(message..message + 1),
            }
        }
        missing
    }

    // Rows.

    fn unit(&self, message: u32, lean: Lean) -> Option<UnitAt> {
        match self.blocks(message) {
            None => Some(UnitAt { message, block: None }),
            Some(blocks) => {
                let block = match lean {
                    Lean::Down => (!blocks.is_empty()).then_some(0),
                    Lean::Up => blocks.len().checked_sub(1),
                };
                Some(UnitAt { message, block: Some(block?) })
            }
        }
    }

    fn next_unit(&self, unit: UnitAt) -> Option<UnitAt> {
        let blocks = self.blocks(unit.message).map_or(0, <[ReaderBlock]>::len);
        if let Some(block) = unit.block.filter(|block| block + 1 < blocks) {
            return Some(UnitAt { block: Some(block + 1), ..unit });
        }
        (unit.message + 1..self.len()).find_map(|message| self.unit(message, Lean::Down))
    }

    fn previous_unit(&self, unit: UnitAt) -> Option<UnitAt> {
        if let Some(block) = unit.block.filter(|&block| block > 0) {
            return Some(UnitAt { block: Some(block - 1), ..unit });
        }
        let before = (0..unit.message.min(self.len())).rev();
        before.into_iter().find_map(|message| self.unit(message, Lean::Up))
    }

    fn block_at(&self, unit: UnitAt) -> Option<&ReaderBlock> {
        self.blocks(unit.message)?.get(unit.block?)
    }

    /// Counts the rows of a block, with the gap below it.
    fn rows_of(&self, unit: UnitAt) -> usize {
        let Some(block) = self.block_at(unit) else {
            let mark = &self.marks[unit.message as usize];
            return self.guess(mark).max(1) as usize;
        };
        let next = self.next_unit(unit).and_then(|next| self.block_at(next));
        let gap = next.is_some_and(|next| next.gap.is_some());
        block.lines.len() + usize::from(gap)
    }

    fn place_at(&self, unit: UnitAt, line: usize) -> ReadPlace {
        let key = match self.block_at(unit) {
            Some(block) => block.key,
            None => BlockKey::first_of(unit.message),
        };
        ReadPlace { key, line }
    }

    fn unit_of(&self, place: ReadPlace, lean: Lean) -> Option<(UnitAt, usize)> {
        if self.is_empty() {
            return None;
        }
        let message = place.message().min(self.len() - 1);
        let Some(blocks) = self.blocks(message) else {
            let unit = UnitAt { message, block: None };
            return Some((unit, place.line));
        };
        if blocks.is_empty() || message != place.message() {
            return self.nearest(message, lean);
        }
        let after = blocks.partition_point(|block| block.key <= place.key);
        let at = after.saturating_sub(1);
        let unit = UnitAt { message, block: Some(at) };
        // The line of a block that is not there any more is not a line of the one before it.
        let line = if blocks[at].key == place.key { place.line } else { 0 };
        Some((unit, line))
    }

    /// Finds a block next to a message that has none.
    fn nearest(&self, message: u32, lean: Lean) -> Option<(UnitAt, usize)> {
        let down = || (message..self.len()).find_map(|it| self.unit(it, Lean::Down));
        let up = || {
            let mut before = (0..=message).rev();
            before.find_map(|it| self.unit(it, Lean::Up))
        };
        let unit = match lean {
            Lean::Down => down().or_else(up),
            Lean::Up => up().or_else(down),
        }?;
        let line = match lean {
            Lean::Up if unit.message < message => self.rows_of(unit) - 1,
            _ => 0,
        };
        Some((unit, line))
    }

    /// Returns the place that is there now for a place: itself, if it is; none in an empty document.
    pub(super) fn resolve(&self, place: ReadPlace, lean: Lean) -> Option<ReadPlace> {
        let (unit, line) = self.unit_of(place, lean)?;
        let last = self.rows_of(unit).saturating_sub(1);
        Some(self.place_at(unit, line.min(last)))
    }

    /// Returns the place a row further down.
    pub(super) fn below(&self, place: ReadPlace) -> Option<ReadPlace> {
        let (unit, line) = self.unit_of(place, Lean::Down)?;
        if line + 1 < self.rows_of(unit) {
            return Some(self.place_at(unit, line + 1));
        }
        let next = self.next_unit(unit)?;
        Some(self.place_at(next, 0))
    }

    /// Returns the place a row further up.
    pub(super) fn above(&self, place: ReadPlace) -> Option<ReadPlace> {
        let (unit, line) = self.unit_of(place, Lean::Up)?;
        if let Some(line) = line.checked_sub(1) {
            return Some(self.place_at(unit, line));
        }
        let previous = self.previous_unit(unit)?;
        Some(self.place_at(previous, self.rows_of(previous).saturating_sub(1)))
    }

    /// Goes some rows, as far as there are rows; returns how far it went.
    pub(super) fn walk(&self, from: ReadPlace, rows: isize) -> (ReadPlace, usize) {
        let mut place = from;
        for gone in 0..rows.unsigned_abs() {
            let next = if rows > 0 { self.below(place) } else { self.above(place) };
            match next {
                Some(next) => place = next,
                None => return (place, gone),
            }
        }
        (place, rows.unsigned_abs())
    }

    /// Returns the last place.
    pub(super) fn end(&self) -> Option<ReadPlace> {
        let last = self.len().checked_sub(1)?;
        let (unit, _) = self.nearest(last, Lean::Up)?;
        let rows = match self.block_at(unit) {
            // Not on the blank line at the end.
            Some(block) => block.body().max(1),
            None => self.rows_of(unit),
        };
        Some(self.place_at(unit, rows - 1))
    }

    /// Returns rows from a place on.
    pub(super) fn rows(&self, from: ReadPlace, count: usize) -> Vec<ReadRow<'_>> {
        let mut rows = Vec::with_capacity(count);
        let Some((mut unit, mut line)) = self.unit_of(from, Lean::Down) else {
            return rows;
        };
        while rows.len() < count {
            let block = self.block_at(unit);
            for line in line..self.rows_of(unit) {
                rows.push(ReadRow {
                    place: self.place_at(unit, line),
                    block,
                    line: block.and_then(|block| block.lines.get(line)),
                });
            }
            match self.next_unit(unit) {
                Some(next) => (unit, line) = (next, 0),
                None => break,
            }
        }
        rows.truncate(count);
        rows
    }

    // The scroll bar.

    /// Returns how many rows are above a place, about, and how many there are.
    pub(super) fn position(&self, place: ReadPlace) -> (u64, u64) {
        let above = self.heights.above(place.message() as usize);
        let within = match self.blocks(place.message()) {
            Some(blocks) => blocks
                .iter()
                .take_while(|block| block.key < place.key)
                .map(|block| block.lines.len())
                .sum::<usize>(),
            None => 0,
        };
        (above + (within + place.line) as u64, self.heights.total())
    }

    /// Returns how many rows are above a message, about.
    pub(super) fn rows_above(&self, message: u32) -> u64 {
        self.heights.above(message as usize)
    }

    /// Returns the place about so many rows from the beginning.
    pub(super) fn place_of_row(&self, row: u64) -> Option<ReadPlace> {
        let (message, within) = self.heights.find(row)?;
        let start = self.resolve(ReadPlace::of_message(message as u32), Lean::Down)?;
        Some(self.walk(start, within as isize).0)
    }
}

fn laid_height(laid: &LaidMessage) -> u32 {
    let rows = laid.blocks.iter().map(|block| block.lines.len() + usize::from(block.gap.is_some()));
    rows.sum::<usize>() as u32
}
