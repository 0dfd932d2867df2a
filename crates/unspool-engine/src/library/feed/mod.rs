//! Streams of a session's messages: a cursor, not a queue.
//!
//! A feed sends a reader everything that it needs to have the messages of a conversation, and to
//! follow them while the log grows: [`FeedEvent`]s, each computed from the current log and from a
//! [`FeedPosition`], which describes what the reader has. The position is made from the bytes of the
//! log, so a server keeps no state for it: a replay of any length, a restart, a late reader and a slow
//! one are the same case.
//!
//! # What a reader does
//!
//! It keeps messages by their ordinals (positions on the path, counted from zero), and its position:
//! the last id, or the position in the last `Hello`, `Path` or `Reset` if that came later.
//!
//! | event | the reader |
//! |---|---|
//! | `Hello` | stores the position |
//! | `Message`, `Change` | stores the message at its ordinal, replacing an earlier one |
//! | `Path { keeps }` | drops the messages from the ordinal `keeps` on; those of the path follow |
//! | `Reset` | drops all messages; all of them follow |
//! | `Status` | shows it |
//! | `Gone` | learns that the log was removed |
//!
//! Messages come in the order of their first entries in the file, which is nearly always the order of
//! the path. Events without an id belong to the next event with one: a reader that loses the connection
//! in between drops the messages that came without an id, and receives them again. Otherwise a message
//! is only sent again as a `Change`.
//!
//! # Why a reader ends with the right messages
//!
//! A position contains an offset in the log (the end of a whole line), the number of messages that the
//! reader has, and a print of them: which entries of the log made each message, and the ordinal of each.
//! Lines that were appended since can do three things:
//!
//! - They begin messages. These have a rank after those that the reader has, and are sent.
//! - They are parts of messages that the reader has. For each of these messages the index has a touch
//!   after the offset, and the message is sent as a `Change`.
//! - They make another path the active one, or otherwise change what earlier entries mean. Then the
//!   print without the touches after the offset differs from the print of the position. Positions also
//!   have the prints of a few shorter lists; the reader keeps the longest one that still matches (`Path`).
//!
//! So the earlier state of the conversation need not be known. Prints of the log's first line and of the
//! bytes before the offset detect a log that was replaced (`Reset`).
//!
//! A message also depends on two facts outside its log: whether a process owns the session (a call
//! without a result is pending or interrupted), and which agent a call started. A position contains both;
//! where they differ from the current ones, the messages that may depend on them are sent as a `Change`.

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
    /// At the end: only later changes are sent.
    Now,
    /// After a position; [`FeedPosition::start`] sends everything.
    After(FeedPosition),
}

/// An event that a feed sends to its reader.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FeedEvent {
    /// The current state of the session; the first event.
    Hello(FeedHello),
    /// A message that the reader does not have.
    Message {
        /// Its ordinal: the position on the path, counted from zero.
        ordinal: u32,
    },
    /// A message that the reader has and that has changed.
    Change {
        /// Its ordinal: the position on the path, counted from zero.
        ordinal: u32,
    },
    /// The path has other messages than before, mostly because another path became the active one.
    Path {
        /// The number of the path; `None` without a conversation.
        path: Option<PathNumber>,
        /// The number of first messages that the reader keeps; it drops the others, and the
        /// messages of the path from this ordinal on follow.
        keeps: u32,
        /// The position of the reader after that.
        position: FeedPosition,
    },
    /// Whether a process owns the session, and what the process does.
    Status(FeedStatus),
    /// The position does not match the current log. The reader drops all messages, and all messages
    /// follow, except after [`super::FeedReader::reset_to_now`].
    Reset {
        /// The position of the reader after that.
        position: FeedPosition,
    },
    /// The log was removed.
    Gone,
}

/// An event with the position of the reader after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedItem {
    /// The event.
    pub event: FeedEvent,
    /// The position after the event; `None` if later events belong to it, or if it is not about a message.
    pub id: Option<FeedPosition>,
}

/// The next events of a feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedStep {
    /// The events, in order.
    pub items: Vec<FeedItem>,
    /// Whether nothing is left to send until the session changes.
    pub is_last: bool,
}

impl FeedStep {
    /// Returns the ordinals of the messages in this step, in the order of their events.
    pub fn ordinals(&self) -> Vec<u32> {
        let events = self.items.iter().map(|item| &item.event);
        let ordinals = events.filter_map(|event| match event {
            FeedEvent::Message { ordinal } | FeedEvent::Change { ordinal } => Some(*ordinal),
            _ => None,
        });
        ordinals.collect()
    }
}

/// The state of a conversation when a reader begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedHello {
    /// How many records of the log are in which place of the conversation.
    pub counts: RecordCounts,
    /// The number of the path; `None` without a conversation.
    pub path: Option<PathNumber>,
    /// How many messages the path has.
    pub messages: u32,
    /// The position after which the events begin.
    pub position: FeedPosition,
}

/// Whether a process owns a session, and what the process does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedStatus {
    /// Whether a process owns the session.
    pub live: Liveness,
    /// The state that the process reports; `None` if there is no process.
    pub process: Option<LiveSession>,
}

/// The messages that a reader does not have yet.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FeedBacklog {
    /// The number of messages to send.
    pub messages: usize,
    /// The number of bytes of the log that contain them.
    pub bytes: u64,
}
