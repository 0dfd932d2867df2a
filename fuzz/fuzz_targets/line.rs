//! Splits a line into records and fragments.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(|data: &[u8]| unspool_fuzz::check_line(data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    unspool_fuzz::mutate(data, size, max_size, seed)
});
