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
