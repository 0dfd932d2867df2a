//! How long tests go on that look for rare faults.
//!
//! `cargo xtask soak` runs every ignored test and says in the environment where to begin and when
//! to stop. Each round has a seed of its own, which is printed before the round begins: with that
//! seed and one run the round happens again.

use std::env;
use std::time::{Duration, Instant};

/// The variable that contains the seed of the first round.
pub const SEED: &str = "UNSPOOL_SOAK_SEED";
/// The variable that says how many seconds to go on; the round under way is finished.
pub const SECONDS: &str = "UNSPOOL_SOAK_SECONDS";
/// The variable that says how many rounds there are.
pub const RUNS: &str = "UNSPOOL_SOAK_RUNS";

/// Calls for one round after the other, with the seed of each. Without a word in the environment
/// there is one round.
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
