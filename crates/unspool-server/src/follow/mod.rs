//! Changes, for connections: a listener that the library's watcher notifies, and sessions that are
//! refreshed once for all connections that follow them.
//!
//! This module does not know HTTP. The watcher runs only while there is a listener.

mod changes;
mod session;

pub(crate) use self::changes::{ChangeListener, HomeChange};
pub(crate) use self::session::{FollowedSession, FollowedSessions};
