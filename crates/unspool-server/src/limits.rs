//! Limits on the number and duration of connections.

use std::time::Duration;

/// Limits on connections and requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectionLimits {
    /// The number of connections at the same time; a further one is told that the server is busy.
    pub connections: usize,
    /// How long the head of a request may take to arrive.
    pub head: Duration,
    /// The maximum size of the head of a request, in bytes.
    pub head_bytes: usize,
    /// How long open answers may take after the server is stopped.
    pub drain: Duration,
    /// The number of requests that are processed at the same time.
    pub workers: usize,
}

impl Default for ConnectionLimits {
    /// A thousand streams and a hundred other connections; heads of 64 KB within five seconds.
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

/// Raises the process's limit on open files to what the connections need, as far as the system
/// permits. Many systems start with 1,024, and a thousand streams need more.
#[cfg(unix)]
pub(crate) fn raise_descriptors(connections: usize) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    /// Files other than connections: logs, the index, watches.
    const OTHERS: u64 = 1_024;
    let wanted = connections as u64 + OTHERS;
    let mut limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(u64::MAX);
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(wanted.min(most));
        // With a lower limit, the server accepts fewer connections.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}

/// Does nothing: this system has no such limit.
#[cfg(not(unix))]
pub(crate) fn raise_descriptors(_: usize) {}
