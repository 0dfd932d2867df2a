//! How many connections a server takes, and how long they may take.

use std::time::Duration;

/// How many connections a server takes, and how long it waits for one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectionLimits {
    /// Connections at the same time; another one is told that the server is busy.
    pub connections: usize,
    /// How long the head of a request may take.
    pub head: Duration,
    /// How many bytes the head of a request may have.
    pub head_bytes: usize,
    /// How long open answers may take when the server ends.
    pub drain: Duration,
    /// How many requests are worked on at the same time.
    pub workers: usize,
}

impl Default for ConnectionLimits {
    /// A thousand streams and a hundred more; heads of 64 KB within five seconds.
    fn default() -> Self {
        Self {
            connections: 1_100,
            head: Duration::from_secs(5),
            head_bytes: 64 * 1024,
            drain: Duration::from_secs(2),
            workers: std::thread::available_parallelism().map_or(2, std::num::NonZero::get),
        }
    }
}

/// Raises the number of files that this process may have open to what the connections take, as far
/// as the system lets it. Many systems begin with 1,024, and a thousand streams take more.
#[cfg(unix)]
pub(crate) fn raise_descriptors(connections: usize) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    /// Files besides connections: logs, the index, watches.
    const OTHERS: u64 = 1_024;
    let wanted = connections as u64 + OTHERS;
    let mut limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(u64::MAX);
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(wanted.min(most));
        // A server with fewer takes fewer connections.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}

/// This system has no such limit.
#[cfg(not(unix))]
pub(crate) fn raise_descriptors(_: usize) {}
