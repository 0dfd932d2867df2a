//! What changes, for connections: a bell that the library's watcher rings, and sessions that are
//! refreshed once for all connections that follow them.
//!
//! Knows nothing of HTTP. The watcher runs while there is a listener, and not otherwise.

mod news;
mod session;

pub(crate) use self::news::{ChangeListener, ListedChange};
pub(crate) use self::session::{FollowedSession, FollowedSessions};
