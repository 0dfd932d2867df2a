//! Reads bytes as the snapshot of a log, which must give a sound log or an error.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(|data: &[u8]| unspool_fuzz::check_snapshot(data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    unspool_fuzz::mutate_snapshot(data, size, max_size, seed)
});
