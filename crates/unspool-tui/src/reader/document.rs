//! The content of the reader: messages as blocks. Only messages near the cursor are laid out.
//!
//! A position is a block and a line in it ([`ReadPlace`]), never a count of lines from the start, so text
//! that is added, folded or wrapped elsewhere does not move it. A message that is not laid out counts as
//! one block, with a height estimated from its marks. Stale lines are shown until the new ones arrive.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use unspool_engine::ops::marks::MessageMark;
use unspool_model::entry::MessageKind;
use unspool_render::terminal::{BlockKey, FoldLevel, ReaderBlock};
use unspool_text::style::Line;

use super::heights::MessageHeights;
use crate::work::reader::ReadPlace;

/// How many messages around the cursor stay laid out.
const KEPT: u32 = 600;

/// The direction in which a replacement for a missing position is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SearchDirection {
    Down,
    Up,
}

/// A message that was laid out.
#[derive(Clone, Debug)]
struct LaidMessage {
    blocks: Vec<ReaderBlock>,
    /// Set if the message has to be laid out again, because it changed, was folded, or has another width.
    is_stale: bool,
}

/// A row of the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadRow<'d> {
    pub(super) place: ReadPlace,
    /// The block; `None` if it is not laid out.
    pub(super) block: Option<&'d ReaderBlock>,
    /// The line; `None` for a gap, and if the block is not laid out.
    pub(super) line: Option<&'d Line>,
}

/// A block, or a message that is not laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct UnitAt {
    message: u32,
    /// The index of the block; `None` if the message is not laid out.
    block: Option<usize>,
}

/// A conversation, partly laid out.
#[derive(Clone, Default, Debug)]
pub(super) struct ReadDocument {
    marks: Arc<Vec<MessageMark>>,
    heights: MessageHeights,
    laid: BTreeMap<u32, LaidMessage>,
    folds: Arc<HashMap<BlockKey, FoldLevel>>,
    /// The fold level of calls that were not folded individually.
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

    /// Replaces the marks of the conversation. Unchanged messages stay laid out.
    pub(super) fn set_marks(&mut self, marks: Arc<Vec<MessageMark>>) {
        let before = std::mem::replace(&mut self.marks, marks);
        let last = (before.len() as u32).saturating_sub(1);
        self.laid.retain(|&message, laid| {
            let now = self.marks.get(message as usize);
            let was = before.get(message as usize);
            // A line about other paths may have been added below the last message.
            laid.is_stale |= was != now || message == last;
            now.zip(was).is_some_and(|(now, was)| now.id == was.id)
        });
        self.measure();
    }

    /// Marks everything as stale, and sets the fold level of calls.
    pub(super) fn invalidate(&mut self, calls: FoldLevel) {
        self.calls = calls;
        self.mark_all_stale();
        self.measure();
    }

    /// Marks everything as stale.
    pub(super) fn mark_all_stale(&mut self) {
        for laid in self.laid.values_mut() {
            laid.is_stale = true;
        }
    }

    /// Sets the fold level of a block, or resets it to the default.
    pub(super) fn fold(&mut self, key: BlockKey, level: Option<FoldLevel>) {
        let folds = Arc::make_mut(&mut self.folds);
        match level {
            Some(level) => folds.insert(key, level),
            None => folds.remove(&key),
        };
        // The gap above the next message depends on the last block of this one.
        for message in [key.message, key.message + 1] {
            if let Some(laid) = self.laid.get_mut(&message) {
                laid.is_stale = true;
            }
        }
    }

    /// Resets the fold levels of all blocks.
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

    /// Estimates the height of a message that is not laid out.
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
    pub(super) fn take_layout(&mut self, laid: Vec<(u32, Vec<ReaderBlock>)>) {
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

    /// Drops the lines of messages that are far away.
    pub(super) fn forget_far(&mut self, from: u32) {
        let near = from.saturating_sub(KEPT)..=from.saturating_add(KEPT);
        // The measured heights are kept.
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

    /// Tells whether a message is laid out and not stale.
    pub(super) fn is_fresh(&self, message: u32) -> bool {
        self.laid.get(&message).is_some_and(|laid| !laid.is_stale)
    }

    /// Returns the block with a key.
    pub(super) fn block(&self, key: BlockKey) -> Option<&ReaderBlock> {
        let mut blocks = self.blocks(key.message)?.iter();
        blocks.find(|block| block.key == key)
    }

    /// Returns the ranges of messages that are stale or not laid out.
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

    fn unit(&self, message: u32, lean: SearchDirection) -> Option<UnitAt> {
        match self.blocks(message) {
            None => Some(UnitAt { message, block: None }),
            Some(blocks) => {
                let block = match lean {
                    SearchDirection::Down => (!blocks.is_empty()).then_some(0),
                    SearchDirection::Up => blocks.len().checked_sub(1),
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
        (unit.message + 1..self.len()).find_map(|message| self.unit(message, SearchDirection::Down))
    }

    fn previous_unit(&self, unit: UnitAt) -> Option<UnitAt> {
        if let Some(block) = unit.block.filter(|&block| block > 0) {
            return Some(UnitAt { block: Some(block - 1), ..unit });
        }
        let before = (0..unit.message.min(self.len())).rev();
        before.into_iter().find_map(|message| self.unit(message, SearchDirection::Up))
    }

    fn block_at(&self, unit: UnitAt) -> Option<&ReaderBlock> {
        self.blocks(unit.message)?.get(unit.block?)
    }

    /// Returns the number of rows of a block, including the gap below it.
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

    fn unit_of(&self, place: ReadPlace, lean: SearchDirection) -> Option<(UnitAt, usize)> {
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
        // If the block does not exist any more, its line number means nothing in the block before it.
        let line = if blocks[at].key == place.key { place.line } else { 0 };
        Some((unit, line))
    }

    /// Finds the block nearest to a message that has none.
    fn nearest(&self, message: u32, lean: SearchDirection) -> Option<(UnitAt, usize)> {
        let down = || (message..self.len()).find_map(|it| self.unit(it, SearchDirection::Down));
        let up = || {
            let mut before = (0..=message).rev();
            before.find_map(|it| self.unit(it, SearchDirection::Up))
        };
        let unit = match lean {
            SearchDirection::Down => down().or_else(up),
            SearchDirection::Up => up().or_else(down),
        }?;
        let line = match lean {
            SearchDirection::Up if unit.message < message => self.rows_of(unit) - 1,
            _ => 0,
        };
        Some((unit, line))
    }

    /// Returns the current position for a position that may be outdated; `None` in an empty document.
    pub(super) fn resolve(&self, place: ReadPlace, lean: SearchDirection) -> Option<ReadPlace> {
        let (unit, line) = self.unit_of(place, lean)?;
        let last = self.rows_of(unit).saturating_sub(1);
        Some(self.place_at(unit, line.min(last)))
    }

    /// Returns the position one row below.
    pub(super) fn below(&self, place: ReadPlace) -> Option<ReadPlace> {
        let (unit, line) = self.unit_of(place, SearchDirection::Down)?;
        if line + 1 < self.rows_of(unit) {
            return Some(self.place_at(unit, line + 1));
        }
        let next = self.next_unit(unit)?;
        Some(self.place_at(next, 0))
    }

    /// Returns the position one row above.
    pub(super) fn above(&self, place: ReadPlace) -> Option<ReadPlace> {
        let (unit, line) = self.unit_of(place, SearchDirection::Up)?;
        if let Some(line) = line.checked_sub(1) {
            return Some(self.place_at(unit, line));
        }
        let previous = self.previous_unit(unit)?;
        Some(self.place_at(previous, self.rows_of(previous).saturating_sub(1)))
    }

    /// Walks some rows down, or up if negative; returns the position and the number of rows walked.
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

    /// Returns the last position.
    pub(super) fn end(&self) -> Option<ReadPlace> {
        let last = self.len().checked_sub(1)?;
        let (unit, _) = self.nearest(last, SearchDirection::Up)?;
        let rows = match self.block_at(unit) {
            // The cursor does not go to the blank line at the end.
            Some(block) => block.body().max(1),
            None => self.rows_of(unit),
        };
        Some(self.place_at(unit, rows - 1))
    }

    /// Returns rows from a position on.
    pub(super) fn rows(&self, from: ReadPlace, count: usize) -> Vec<ReadRow<'_>> {
        let mut rows = Vec::with_capacity(count);
        let Some((mut unit, mut line)) = self.unit_of(from, SearchDirection::Down) else {
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

    /// Estimates the rows above a position, and the rows of the whole document.
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

    /// Estimates the rows above a message.
    pub(super) fn rows_above(&self, message: u32) -> u64 {
        self.heights.above(message as usize)
    }

    /// Returns the position at an estimated row.
    pub(super) fn place_of_row(&self, row: u64) -> Option<ReadPlace> {
        let (message, within) = self.heights.find(row)?;
        let start = self.resolve(ReadPlace::of_message(message as u32), SearchDirection::Down)?;
        Some(self.walk(start, within as isize).0)
    }
}

fn laid_height(laid: &LaidMessage) -> u32 {
    let rows = laid.blocks.iter().map(|block| block.lines.len() + usize::from(block.gap.is_some()));
    rows.sum::<usize>() as u32
}
