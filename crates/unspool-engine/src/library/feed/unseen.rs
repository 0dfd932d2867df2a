//! What came into a conversation after a position: what a person has not seen who writes a prompt.

use unspool_model::ids::EntryId;

use super::{FeedPosition, FeedReader, FeedStart, FeedTarget};
use crate::library::error::LibraryError;
use crate::library::open::OpenState;

/// Messages that a reader at a position does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnseenMessages {
    /// How many there are.
    pub count: usize,
    /// The ordinals of the first of them.
    pub ordinals: Vec<u32>,
    /// The last entry that the reader has; none if it has nothing.
    pub last_seen: Option<EntryId>,
}

impl OpenState {
    /// Returns what came after a position, with the ordinals of so many messages at most; none if
    /// nothing came.
    pub fn feed_unseen(
        &self,
        target: &FeedTarget,
        position: &FeedPosition,
        most: usize,
    ) -> Result<Option<UnseenMessages>, LibraryError> {
        let mut reader = FeedReader::new(target.clone(), FeedStart::After(*position));
        let count = reader.backlog(self)?.messages;
        if count == 0 {
            return Ok(None);
        }
        Ok(Some(UnseenMessages {
            count,
            ordinals: reader.step(self, most)?.ordinals(),
            last_seen: self.feed_last_seen(target, position)?,
        }))
    }
}
