//! Changes, for connections: a listener that the library's watcher notifies, and sessions that are
//! refreshed once for all connections that follow them.
//!
//! This module does not know HTTP. The watcher runs only while there is a listener.

mod news;
mod session;

pub(crate) use self::news::{ChangeListener, ListedChange};
pub(crate) use self::session::{FollowedSession, FollowedSessions};
