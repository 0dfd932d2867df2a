//! A restored log equals the log that was stored, and continues like it.

use proptest::prelude::*;
use proptest::sample::Index;
use unspool_model::log::{Log, SnapshotError};

use crate::sessions::{any_bytes, any_session, cases};
use crate::snapshots::{assert_goes_on, assert_is_sound_or_refused, body, sealed};

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn a_restored_log_goes_on_like_the_one_that_was_kept(
        bytes in any_session(50),
        cut in any::<Index>(),
    ) {
        assert_goes_on(&bytes, cut.index(bytes.len() + 1));
    }

    #[test]
    fn a_restored_log_of_any_bytes_goes_on(bytes in any_bytes(30), cut in any::<Index>()) {
        assert_goes_on(&bytes, cut.index(bytes.len() + 1));
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_damaged_snapshot_is_refused(
        bytes in any_session(20),
        at in any::<Index>(),
        change in 1..=u8::MAX,
    ) {
        let mut snapshot = Log::read(&bytes).snapshot();
        let at = at.index(snapshot.len());
        prop_assert!(Log::from_snapshot(&snapshot[..at]).is_err());
        snapshot[at] ^= change;
        prop_assert!(Log::from_snapshot(&snapshot).is_err());
    }

    #[test]
    fn a_forged_snapshot_is_a_sound_log_or_refused(
        bytes in any_session(20),
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4),
        end in any::<Index>(),
    ) {
        let mut forged = body(&Log::read(&bytes).snapshot()).to_vec();
        let cut = &forged[..end.index(forged.len())];
        prop_assert!(Log::from_snapshot(&sealed(cut)).is_err());
        for (at, byte) in changes {
            let at = at.index(forged.len());
            forged[at] = byte;
        }
        assert_is_sound_or_refused(&sealed(&forged));
    }

    #[test]
    fn no_bytes_at_all_are_taken_for_a_snapshot_by_chance(
        bytes in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        assert_is_sound_or_refused(&sealed(&bytes));
        prop_assert!(Log::from_snapshot(&bytes).is_err());
    }
}

#[test]
fn a_snapshot_of_another_version_says_so() {
    let mut snapshot = Log::default().snapshot();
    snapshot[0] += 1;
    let refused = Log::from_snapshot(&snapshot).err();
    assert_eq!(refused, Some(SnapshotError::OtherVersion(snapshot[0])));
}

#[test]
fn lines_that_are_too_long_are_kept_too() {
    let mut log = Log::default();
    log.push(b"\n{\"type\":\"user\",\"uuid\":\"a\"}\n");
    log.push_overlong(5_000_000_000);
    log.push(b" \n");
    let restored = Log::from_snapshot(&log.snapshot()).expect("what was written can be read");
    assert_eq!(restored.spans(), log.spans());
    assert_eq!(restored.diagnostics, log.diagnostics);
}

#[test]
fn counts_that_no_bytes_come_after_set_no_memory_aside() {
    // Bytes, lines, and then more symbols than any machine has memory for.
    let many = [0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    assert_eq!(Log::from_snapshot(&sealed(&many)).err(), Some(SnapshotError::Damaged));
}
