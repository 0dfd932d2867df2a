//! The laws, for logs that real versions wrote.

use std::collections::HashSet;

use unspool_model::log::Log;
use unspool_testkit::reallogs::RealLogs;
use unspool_testkit::rng::Rng;

use crate::changes::assert_changes_are_told;
use crate::checks;
use crate::growth::assert_steps_do_not_matter;
use crate::numbers::assert_numbers_stay;
use crate::snapshots::assert_goes_on;
use crate::tally::{
    assert_counts_stay, assert_turns_last_as_counted, assert_views_tell_what_counts,
};

/// Calls `check` with the bytes of every real log.
fn for_each_log(check: impl Fn(&[u8])) {
    let collections = [Some(RealLogs::fixtures()), RealLogs::shared()];
    let mut files: Vec<_> = collections.iter().flatten().flat_map(RealLogs::files).collect();
    assert!(files.len() > 300, "the fixtures are there");
    files.sort();
    for path in files {
        let bytes = std::fs::read(&path).expect("a fixture can be read");
        let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&bytes)));
        assert!(checked.is_ok(), "in {}", path.display());
    }
}

#[test]
fn real_logs_are_sound() {
    for_each_log(checks::assert_sound);
}

#[test]
fn real_logs_may_be_read_in_steps() {
    for_each_log(|bytes| {
        let mut rng = Rng::new(bytes.len() as u64);
        let cuts: Vec<usize> = (0..7).map(|_| rng.below(bytes.len() + 1)).collect();
        assert_steps_do_not_matter(bytes, &cuts);
    });
}

#[test]
fn real_logs_may_be_kept_and_gone_on_with() {
    for_each_log(|bytes| {
        let mut rng = Rng::new(bytes.len() as u64);
        for cut in [rng.below(bytes.len() + 1), bytes.len()] {
            assert_goes_on(bytes, cut);
        }
    });
}

#[test]
fn real_logs_count_what_their_views_tell_and_never_less() {
    for_each_log(|bytes| {
        assert_views_tell_what_counts(&Log::read(bytes));
        assert_turns_last_as_counted(&Log::read(bytes));
        let mut rng = Rng::new(bytes.len() as u64);
        for _ in 0..3 {
            let newline = bytes[..rng.below(bytes.len() + 1)].iter().rposition(|&b| b == b'\n');
            assert_counts_stay(bytes, newline.map_or(0, |newline| newline + 1));
        }
    });
}

#[test]
fn real_results_say_how_many_lines_they_changed() {
    for_each_log(assert_changes_are_told);
}

/// Tells whether every entry comes after its parent. An entry before its parent looks like the
/// start of another conversation until the parent is read.
pub(crate) fn parents_are_above(log: &Log) -> bool {
    let mut seen = HashSet::new();
    log.entries.iter().all(|entry| {
        let above = entry.parent.is_none_or(|parent| seen.contains(&parent));
        seen.extend(entry.uuid);
        above
    })
}

#[test]
fn path_numbers_of_real_logs_stay() {
    for_each_log(|bytes| {
        if !parents_are_above(&Log::read(bytes)) {
            return;
        }
        let ends = (0..bytes.len()).filter(|&at| bytes[at] == b'\n').map(|at| at + 1);
        for end in ends {
            assert_numbers_stay(bytes, end);
        }
    });
}
