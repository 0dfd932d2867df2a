//! Checks snapshots of logs.

use crate::snapshots::{assert_is_sound_or_refused, sealed};

/// Asserts that a body after a valid head gives a sound log or an error.
pub fn check_snapshot(body: &[u8]) {
    assert_is_sound_or_refused(&sealed(body));
}
