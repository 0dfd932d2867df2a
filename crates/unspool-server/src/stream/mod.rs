//! Streams: events of a session, and events of all sessions, as server-sent events.
//!
//! A stream is a cursor, not a queue. A connection knows where its reader is; when something
//! changed it looks at the session as it is and sends what the reader does not have. So a reader
//! that comes late, one that is slow and one that comes back after a restart are the same thing,
//! and a connection keeps no events in memory. What wakes a connection is the library's watcher,
//! which runs only while there is a connection. Of a session that is driven, the stream tells the
//! run too, by comparing what was told with what is (`driving`).

mod asked;
mod drive;
mod list;
mod session;
mod sse;

pub(crate) use self::list::{ListWords, list_stream};
pub(crate) use self::session::{
    FeedPainter, SessionFeed, followed_session, session_events, session_stream,
};
pub(crate) use self::sse::EventText;
