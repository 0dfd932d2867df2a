//! Bytes that are taken for a log that was kept.

use crate::snapshots::{assert_is_sound_or_refused, sealed};

/// Asserts that bytes after a right head are a log that nothing is wrong with, or refused.
pub fn check_snapshot(body: &[u8]) {
    assert_is_sound_or_refused(&sealed(body));
}
