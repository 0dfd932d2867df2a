//! Streams: events of a session, and events of all sessions, as server-sent events.
//!
//! A stream is a cursor, not a queue. A connection knows the position of its reader; after a change
//! it compares the session with that position, and sends what the reader does not have. So a late
//! reader, a slow one, and one that reconnects after a restart are the same case, and a connection
//! keeps no events in memory. The library's watcher wakes connections; it runs only while there is
//! one. The stream of a driven session also contains the changes of its run (`driving`).

mod approvals;
mod drive;
mod list;
mod session;
mod sse;

pub(crate) use self::list::{ListEventFormat, list_stream};
pub(crate) use self::session::{
    FeedPainter, SessionFeed, followed_session, session_events, session_stream,
};
pub(crate) use self::sse::EventText;
