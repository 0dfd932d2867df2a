//! Streams of a session's messages: a cursor, not a queue.
//!
//! A feed tells a reader everything that it needs to have the messages of a conversation, and to
//! keep having them while the log grows: [`FeedEvent`]s, each a function of the log as it is now
//! and of a [`FeedPosition`], which says what the reader has. The position is made from the log's
//! bytes, so it needs no memory of a server: replay of any length, a restart, a reader that comes
//! late and a slow one are the same thing.
//!
//! # What a reader does
//!
//! It keeps messages by their ordinals (places on the path, counted from zero), and its position: the
//! last id, or the one that came with `Hello`, `Path` or `Reset` since.
//!
//! | event | the reader |
//! |---|---|
//! | `Hello` | notes the position |
//! | `Message`, `Change` | puts the message at its ordinal, in place of what was there |
//! | `Path { keeps }` | forgets the messages from the ordinal `keeps` on; those of the path follow |
//! | `Reset` | forgets all messages; they follow from the start |
//! | `Status` | shows it |
//! | `Gone` | knows that the log is no longer there |
//!
//! Messages come in the order of their first entries in the file, which is nearly always the order of
//! the path. Events without an id belong to the next event that has one: a reader that loses the
//! connection in between forgets the messages that came without one, and gets them again. Otherwise
//! no message comes twice but as a `Change`.
//!
//! # Why a reader ends with the right messages
//!
//! A position names a place in the log (the end of a whole line), the number of messages that
//! the reader has, and a print of them: which entries of the log made each of them, and where each
//! is on the path. Lines that were added since can do three things:
//!
//! - They begin messages. These have no rank among those that the reader has, and are sent.
//! - They are parts of messages that the reader has: the index has a touch after the place for each of
//!   these messages, and it is sent as a `Change`.
//! - They make another path the active one, or change otherwise what entries before them mean. Then the
//!   print without the touches after the place is not the print of the position. Positions also have the
//!   prints of a few shorter lists. The longest one that is right is what the reader keeps (`Path`).
//!
//! So nothing has to be known of the conversation as it was. Prints of the log's first line and of the
//! bytes before the place tell whether it is still the same log (`Reset`).
//!
//! What a message says also depends on two facts outside its log: whether a process owns the session (a
//! call without a result is pending or interrupted), and which agent a call started. Positions have both,
//! and where they differ from now, the messages that may depend on them are sent as a `Change`.

mod followed;
mod index;
mod links;
mod mixing;
mod position;
mod strand;
mod sums;

use unspool_model::conversation::{Liveness, RecordCounts};
use unspool_model::positions::PathNumber;
use unspool_store::home::LiveSession;

pub(crate) use self::followed::FollowedLog;
pub(crate) use self::links::LinkedCalls;
pub use self::position::{FeedPosition, NotAPosition};
pub use self::strand::FeedTarget;
pub(crate) use self::strand::{FeedStrand, StrandSource};

/// Where a reader begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FeedStart {
    /// With what comes after now.
    Now,
    /// With what comes after a position; with everything after [`FeedPosition::start`].
    After(FeedPosition),
}

/// Something that a reader is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FeedEvent {
    /// What the session is like now; the first event.
    Hello(FeedHello),
    /// A message that the reader does not have.
    Message {
        /// Its place on the path, counted from zero.
        ordinal: u32,
    },
    /// A message that the reader has and that is another one now.
    Change {
        /// Its place on the path, counted from zero.
        ordinal: u32,
    },
    /// The messages of the path are other ones now, mostly because another path is the active one.
    Path {
        /// The number of the path; none without a conversation.
        path: Option<PathNumber>,
        /// The messages before this ordinal are the ones that the reader has; it forgets the others,
        /// and the path's messages from there on follow.
        keeps: u32,
        /// The position of a reader that has done so.
        position: FeedPosition,
    },
    /// Whether a process owns the session, and what it does.
    Status(FeedStatus),
    /// The position is not one of the log as it is now. The reader forgets all messages, and they
    /// follow from the start; after [`super::FeedReader::reset_to_now`] they do not.
    Reset {
        /// The position of a reader that has done so.
        position: FeedPosition,
    },
    /// The log is no longer there.
    Gone,
}

/// An event, with the position that a reader has after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedItem {
    /// The event.
    pub event: FeedEvent,
    /// The position after it; none if more events belong to it, or if it is not about a message.
    pub id: Option<FeedPosition>,
}

/// The next events of a feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedStep {
    /// The events, in order.
    pub items: Vec<FeedItem>,
    /// Whether nothing is left to tell until the session changes.
    pub is_last: bool,
}

impl FeedStep {
    /// Returns the ordinals of the messages in it, in the order of their events.
    pub fn ordinals(&self) -> Vec<u32> {
        let events = self.items.iter().map(|item| &item.event);
        let ordinals = events.filter_map(|event| match event {
            FeedEvent::Message { ordinal } | FeedEvent::Change { ordinal } => Some(*ordinal),
            _ => None,
        });
        ordinals.collect()
    }
}

/// What a conversation is like when a reader begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedHello {
    /// Where the records of the log belong.
    pub counts: RecordCounts,
    /// The number of the path; none without a conversation.
    pub path: Option<PathNumber>,
    /// How many messages the path has.
    pub messages: u32,
    /// The position that the events begin after.
    pub position: FeedPosition,
}

/// Whether a process owns a session, and what it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedStatus {
    /// Whether a process owns the session.
    pub live: Liveness,
    /// What the process says of itself; none if there is no process.
    pub process: Option<LiveSession>,
}

/// How much a reader does not have yet.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FeedBacklog {
    /// Messages to send.
    pub messages: usize,
    /// Bytes of the log that they are in.
    pub bytes: u64,
}
