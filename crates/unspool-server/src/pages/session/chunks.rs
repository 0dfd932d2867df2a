//! Splits a transcript into chunks.
//!
//! The page of a long session contains the newest chunks, and empty elements for the others, which
//! are filled when they come near the viewport. Input: the size of each message. Output: ranges
//! that cover every message once. This module knows no session and no markup.
//!
//! Whether a chunk ends before a message depends only on this message and the ones before it, so
//! chunks stay in place while a session grows: all but the last one keep both ends. A chunk ends
//! when it is full, or before a turn if it is full enough, so that it mostly consists of whole
//! turns. Many short turns share a chunk, so that the number of chunks is proportional to the size
//! of the messages and not to the number of turns.

use std::ops::Range;

/// The maximum number of messages in a chunk: as many as can be filled in within one frame.
pub(super) const MOST_MESSAGES: u32 = 60;
/// The size at which a chunk is full, in bytes; its last message may exceed it.
pub(super) const MOST_BYTES: u32 = 32 * 1024;
/// The number of messages from which a chunk ends before the next turn.
const ENOUGH_MESSAGES: u32 = 30;
/// The size from which a chunk ends before the next turn, in bytes.
const ENOUGH_BYTES: u32 = 16 * 1024;

/// The estimated size of a message, from the tables of the log.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct MessageSize {
    /// Whether the message is the first of a turn.
    pub(super) begins_turn: bool,
    /// The estimated size of its markup, in bytes.
    pub(super) bytes: u32,
    /// Its estimated height on the page.
    pub(super) pixels: u32,
}

/// A range of messages that is fetched in one request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SheetChunk {
    /// The first message.
    pub(super) from: u32,
    /// The message after the last one.
    pub(super) to: u32,
    /// The estimated size, in bytes.
    pub(super) bytes: u32,
    /// The estimated height, in pixels.
    pub(super) pixels: u32,
}

impl SheetChunk {
    fn begin(from: u32) -> Self {
        Self { from, to: from, bytes: 0, pixels: 0 }
    }

    /// Returns the range of messages.
    pub(super) fn messages(&self) -> Range<u32> {
        self.from..self.to
    }

    /// Returns the number of messages.
    pub(super) fn len(&self) -> u32 {
        self.to - self.from
    }

    fn ends_before(&self, next: &MessageSize) -> bool {
        let is_full = self.len() >= MOST_MESSAGES || self.bytes >= MOST_BYTES;
        let is_enough = self.len() >= ENOUGH_MESSAGES || self.bytes >= ENOUGH_BYTES;
        is_full || (is_enough && next.begins_turn)
    }

    fn add(&mut self, message: &MessageSize) {
        self.to += 1;
        self.bytes = self.bytes.saturating_add(message.bytes);
        self.pixels = self.pixels.saturating_add(message.pixels);
    }
}

/// The maximum size of the chunks that are shown at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ChunkBudget {
    pub(super) messages: u32,
    pub(super) bytes: u32,
}

impl ChunkBudget {
    /// The budget of a page's first answer.
    pub(super) const FIRST: Self = Self { messages: 100, bytes: 128 * 1024 };

    fn fits(self, chunks: &[SheetChunk]) -> bool {
        let messages: u32 = chunks.iter().map(SheetChunk::len).sum();
        let bytes: u64 = chunks.iter().map(|chunk| u64::from(chunk.bytes)).sum();
        messages <= self.messages && bytes <= u64::from(self.bytes)
    }
}

/// All chunks of a transcript, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct ChunkPlan {
    chunks: Vec<SheetChunk>,
}

impl ChunkPlan {
    /// Splits messages into chunks.
    pub(super) fn of(sizes: impl IntoIterator<Item = MessageSize>) -> Self {
        let mut chunks: Vec<SheetChunk> = Vec::new();
        for (at, size) in (0u32..).zip(sizes) {
            if let Some(last) = chunks.last_mut().filter(|last| !last.ends_before(&size)) {
                last.add(&size);
            } else {
                let mut chunk = SheetChunk::begin(at);
                chunk.add(&size);
                chunks.push(chunk);
            }
        }
        Self { chunks }
    }

    /// Returns the chunks.
    pub(super) fn chunks(&self) -> &[SheetChunk] {
        &self.chunks
    }

    /// Returns the number of messages.
    pub(super) fn messages(&self) -> u32 {
        self.chunks.last().map_or(0, |last| last.to)
    }

    /// Returns the position of the chunk with a message; for a later message, that of the last chunk.
    pub(super) fn position_of(&self, message: u32) -> Option<usize> {
        let before = self.chunks.partition_point(|chunk| chunk.from <= message);
        before.checked_sub(1)
    }

    /// Returns the positions of the last chunks, as many as fit, and one at least.
    pub(super) fn newest(&self, budget: ChunkBudget) -> Range<usize> {
        let end = self.chunks.len();
        let mut start = end.saturating_sub(1);
        while start > 0 && budget.fits(&self.chunks[start - 1..end]) {
            start -= 1;
        }
        start..end
    }

    /// Returns the positions of the chunk with a message and of those around it, as many as fit:
    /// first one chunk before it, then those after it, then the others before it.
    pub(super) fn around(&self, message: u32, budget: ChunkBudget) -> Range<usize> {
        let Some(at) = self.position_of(message) else {
            return 0..0;
        };
        let (mut start, mut end) = (at, at + 1);
        if start > 0 && budget.fits(&self.chunks[start - 1..end]) {
            start -= 1;
        }
        while end < self.chunks.len() && budget.fits(&self.chunks[start..=end]) {
            end += 1;
        }
        while start > 0 && budget.fits(&self.chunks[start - 1..end]) {
            start -= 1;
        }
        start..end
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn size(begins_turn: bool, bytes: u32) -> MessageSize {
        MessageSize { begins_turn, bytes, pixels: 10 }
    }

    fn any_size() -> impl Strategy<Value = MessageSize> {
        let bytes = prop_oneof![4 => 0u32..2000, 1 => 0u32..40_000, 1 => Just(u32::MAX)];
        (prop::bool::weighted(0.2), bytes).prop_map(|(begins, bytes)| size(begins, bytes))
    }

    fn any_sizes() -> impl Strategy<Value = Vec<MessageSize>> {
        vec(any_size(), 0..600)
    }

    proptest! {
        #[test]
        fn every_message_is_in_one_chunk(sizes in any_sizes()) {
            let plan = ChunkPlan::of(sizes.iter().copied());
            let all: Vec<u32> = plan.chunks().iter().flat_map(SheetChunk::messages).collect();
            prop_assert_eq!(all, (0..sizes.len() as u32).collect::<Vec<_>>());
            prop_assert_eq!(plan.messages() as usize, sizes.len());
            for (at, chunk) in plan.chunks().iter().enumerate() {
                for message in chunk.messages() {
                    prop_assert_eq!(plan.position_of(message), Some(at));
                }
            }
        }

        #[test]
        fn borders_stay_when_a_session_grows(sizes in any_sizes(), more in any_sizes(), last in any_size()) {
            let before = ChunkPlan::of(sizes.iter().copied());
            // The last message may have grown as well.
            let mut grown = sizes.clone();
            if let Some(end) = grown.last_mut() {
                *end = MessageSize { begins_turn: end.begins_turn, ..last };
            }
            grown.extend(more);
            let after = ChunkPlan::of(grown);
            let settled = before.chunks().len().saturating_sub(1);
            prop_assert_eq!(&before.chunks()[..settled], &after.chunks()[..settled]);
            if let Some(open) = before.chunks().last() {
                prop_assert_eq!(after.chunks()[settled].from, open.from);
            }
        }

        #[test]
        fn chunks_are_bounded(sizes in any_sizes()) {
            let plan = ChunkPlan::of(sizes.iter().copied());
            for chunk in plan.chunks() {
                prop_assert!(chunk.len() <= MOST_MESSAGES);
                let before_last = &sizes[chunk.from as usize..chunk.to as usize - 1];
                let bytes: u64 = before_last.iter().map(|size| u64::from(size.bytes)).sum();
                prop_assert!(bytes < u64::from(MOST_BYTES), "only the last message may pass it");
            }
            // And there are few: each but the last has enough.
            for chunk in plan.chunks().iter().rev().skip(1) {
                prop_assert!(chunk.len() >= ENOUGH_MESSAGES || chunk.bytes >= ENOUGH_BYTES);
            }
        }

        #[test]
        fn what_is_shown_first_is_bounded(sizes in any_sizes(), at in 0u32..600) {
            let plan = ChunkPlan::of(sizes.iter().copied());
            let newest = plan.newest(ChunkBudget::FIRST);
            prop_assert_eq!(newest.end, plan.chunks().len());
            prop_assert_eq!(newest.is_empty(), sizes.is_empty());
            let around = plan.around(at, ChunkBudget::FIRST);
            for shown in [newest, around.clone()] {
                let chunks = &plan.chunks()[shown.clone()];
                prop_assert!(shown.len() <= 1 || ChunkBudget::FIRST.fits(chunks));
            }
            if let Some(place) = plan.position_of(at) {
                prop_assert!(around.contains(&place));
            }
        }
    }

    #[test]
    fn a_chunk_ends_where_a_turn_begins_once_it_has_enough() {
        let turn = |length: u32| (0..length).map(|at| size(at == 0, 10));
        let lengths = |turns: &[u32]| {
            let plan = ChunkPlan::of(turns.iter().flat_map(|&length| turn(length)));
            let chunks = plan.chunks().iter();
            chunks.map(SheetChunk::len).collect::<Vec<_>>()
        };
        assert_eq!(lengths(&[30, 20]), [30, 20]);
        assert_eq!(lengths(&[2, 2, 2, 20]), [26], "short turns share a chunk");
        assert_eq!(lengths(&[150]), [60, 60, 30]);
        assert_eq!(lengths(&[10, 90, 5]), [60, 40, 5]);
    }
}
