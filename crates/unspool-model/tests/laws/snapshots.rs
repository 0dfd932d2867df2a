//! Storing a log and continuing it.

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use unspool_model::log::{Log, SnapshotError};

use crate::portrait::{difference, portrait};

/// Length of the head of a snapshot: a version and a hash.
const HEAD: usize = 9;

/// Asserts that a log of the first `cut` bytes, stored and restored, is the same log, and that
/// it becomes the log of all `bytes` when the rest is added.
#[track_caller]
pub(crate) fn assert_goes_on(bytes: &[u8], cut: usize) {
    let kept = Log::read(&bytes[..cut]);
    let snapshot = kept.snapshot();
    let mut restored = Log::from_snapshot(&snapshot).expect("what was written can be read");
    assert_eq!(restored.snapshot(), snapshot, "the same log gives the same bytes");
    assert_eq!(restored.resume_offset(), kept.resume_offset());
    assert_eq!(restored.bytes(), kept.resume_offset());

    restored.push_tail(&bytes[restored.resume_offset() as usize..cut]);
    assert_same(&kept, &restored, bytes);
    assert_eq!(restored.snapshot(), snapshot, "a last line without newline is not kept");

    let fresh = &bytes[restored.resume_offset() as usize..];
    let newline = fresh.iter().rposition(|&byte| byte == b'\n');
    let (lines, tail) = fresh.split_at(newline.map_or(0, |newline| newline + 1));
    restored.push(lines);
    restored.push_tail(tail);
    assert_same(&Log::read(bytes), &restored, bytes);
}

#[track_caller]
fn assert_same(one: &Log, other: &Log, bytes: &[u8]) {
    if let Some(difference) = difference(&portrait(one), &portrait(other)) {
        panic!("{difference}\n{}", bytes.escape_ascii());
    }
}

/// Asserts that bytes are the snapshot of a sound log, or are refused.
pub(crate) fn assert_is_sound_or_refused(bytes: &[u8]) {
    if let Ok(mut log) = Log::from_snapshot(bytes) {
        portrait(&log);
        log.push(b"{\"type\":\"user\",\"uuid\":\"new\",\"message\":\"go on\"}\n");
        portrait(&log);
        let again = Log::from_snapshot(&log.snapshot());
        assert_eq!(again.err(), None::<SnapshotError>);
    }
}

/// Adds the head of a snapshot to a body, so that only the body can be wrong.
pub(crate) fn sealed(body: &[u8]) -> Vec<u8> {
    let version = Log::default().snapshot()[0];
    let hash = FixedState::default().hash_one(body);
    [&[version][..], &hash.to_le_bytes(), body].concat()
}

/// Returns the body of a snapshot.
pub(crate) fn body(snapshot: &[u8]) -> &[u8] {
    &snapshot[HEAD..]
}
