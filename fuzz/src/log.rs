//! Checks whole files.

use unspool_model::log::Log;

use crate::checks::assert_sound;
use crate::portrait::{difference, portrait};
use crate::snapshots::assert_goes_on;
use crate::steps::read_in_steps;

/// Asserts the laws for a file, that reading it in two steps gives the same log, and that a snapshot of the
/// first step can be continued.
///
/// The last two bytes determine the position of the cut.
pub fn check_log(bytes: &[u8]) {
    assert_sound(bytes);
    let end = bytes.last_chunk().copied().unwrap_or_default();
    let cut = usize::from(u16::from_be_bytes(end)) % (bytes.len() + 1);
    let at_once = portrait(&Log::read(bytes));
    let in_steps = portrait(&read_in_steps(bytes, &[cut]));
    if let Some(difference) = difference(&at_once, &in_steps) {
        panic!("cut at {cut}:\n{difference}");
    }
    assert_goes_on(bytes, cut);
}
