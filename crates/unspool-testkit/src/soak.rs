//! The duration of tests that look for rare faults.
//!
//! `cargo xtask soak` runs every ignored test, with the first seed and the duration in the environment. Each
//! round prints its seed before it starts; that seed with one run repeats the round.

use std::env;
use std::time::{Duration, Instant};

/// The environment variable for the seed of the first round.
pub const SEED: &str = "UNSPOOL_SOAK_SEED";
/// The environment variable for the number of seconds; a running round is finished.
pub const SECONDS: &str = "UNSPOOL_SOAK_SECONDS";
/// The environment variable for the number of rounds.
pub const RUNS: &str = "UNSPOOL_SOAK_RUNS";

/// Calls `round` repeatedly, each time with another seed; once if the environment sets nothing.
#[expect(clippy::print_stderr, reason = "a round that fails is known by its seed")]
pub fn rounds(name: &str, mut round: impl FnMut(u64)) {
    let (seconds, runs) = (number(SECONDS), number(RUNS));
    let first = number(SEED).unwrap_or(1);
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let runs = runs.or(end.is_none().then_some(1)).unwrap_or(u64::MAX);
    for seed in (0..runs).map(|round| first.wrapping_add(round)) {
        if end.is_some_and(|end| Instant::now() >= end) {
            break;
        }
        eprintln!("{name}: seed {seed}");
        round(seed);
    }
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}
