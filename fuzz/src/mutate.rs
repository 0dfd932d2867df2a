//! Generates inputs.

use libfuzzer_sys::fuzzer_mutate;
use unspool_model::log::Log;
use unspool_testkit::random::{self, RandomShape};
use unspool_testkit::rng::Rng;

use crate::snapshots::body;

/// The maximum number of lines in a random session; a longer one would be cut off.
const LINES: usize = 12;

/// Changes the input in `data[..size]` and returns its new size, at most `max_size`.
///
/// Sometimes replaces the input by a random session, or appends a line of one; otherwise libFuzzer changes
/// it.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut rng = Rng::new(u64::from(seed));
    let (kept, keeps_lines) = match rng.below(64) {
        0 => (0, true),
        1 => (0, false),
        2 | 3 => (size, false),
        _ => return fuzzer_mutate(data, size, max_size),
    };
    let drawn_seed = rng.next_u64();
    let mut drawn = random::session(drawn_seed, &RandomShape::any(drawn_seed, LINES));
    if !keeps_lines {
        let lines: Vec<&[u8]> = drawn.split_inclusive(|&byte| byte == b'\n').collect();
        drawn = lines.get(rng.below(lines.len())).copied().unwrap_or_default().to_vec();
    }
    let added = drawn.len().min(max_size.saturating_sub(kept));
    data[kept..kept + added].copy_from_slice(&drawn[..added]);
    kept + added
}

/// Changes the body of a snapshot in `data[..size]` and returns its new size, at most `max_size`.
///
/// Sometimes replaces it by the snapshot of a random session; otherwise libFuzzer changes it.
pub fn mutate_snapshot(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut rng = Rng::new(u64::from(seed));
    if rng.below(64) > 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let drawn_seed = rng.next_u64();
    let lines = random::session(drawn_seed, &RandomShape::any(drawn_seed, LINES));
    let snapshot = Log::read(&lines).snapshot();
    let drawn = body(&snapshot);
    let size = drawn.len().min(max_size);
    data[..size].copy_from_slice(&drawn[..size]);
    size
}
