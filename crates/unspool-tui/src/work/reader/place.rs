//! A position in a laid-out conversation.

use unspool_render::terminal::BlockKey;

/// A line of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ReadPlace {
    pub(crate) key: BlockKey,
    /// The line of the block; one past the last is the gap below it.
    pub(crate) line: usize,
}

impl ReadPlace {
    /// Returns the first line of a message.
    pub(crate) fn of_message(message: u32) -> Self {
        Self { key: BlockKey::first_of(message), line: 0 }
    }

    /// Returns the first line of a block.
    pub(crate) fn of_block(key: BlockKey) -> Self {
        Self { key, line: 0 }
    }

    pub(crate) fn message(self) -> u32 {
        self.key.message
    }
}
