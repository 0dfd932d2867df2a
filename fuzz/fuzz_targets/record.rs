//! Reads the content of a record, with the calls and results of tools.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(|data: &[u8]| unspool_fuzz::check_record(data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    unspool_fuzz::mutate(data, size, max_size, seed)
});
