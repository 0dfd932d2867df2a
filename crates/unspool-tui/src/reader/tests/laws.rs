//! Properties that hold for any keys.

use proptest::prelude::*;
use unspool_testkit::random::{self, RandomShape};
use unspool_testkit::session;

use super::screens::{FORKED, IMPORTER, long};
use super::stage::ReadStage;
use crate::event::MouseKind;

/// One event.
#[derive(Clone, Debug)]
enum Step {
    Keys(&'static str),
    Resize(u16, u16),
    Mouse(u8, u16, u16),
    /// The log is written with this share of its lines.
    Write(u8),
    Delete,
}

const KEYS: [&str; 50] = [
    "j", "k", "j", "k", "␣", "b", "^d", "^u", "]", "[", "}", "{", "n", "N", "e", "E", "c", "C",
    "gg", "G", "⏎", "⏎", "o", "x", "T", "s", "t", "P", "<", ">", "gt", "go", "ga", "gf", "gi",
    "gr", "gw", "yy", "yb", "F", "⇥", "⇤", "⎋", "/a⏎", "/the⏎", "/", "a", "⌫", "?", "↓",
];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => proptest::sample::select(KEYS.to_vec()).prop_map(Step::Keys),
        2 => (1u16..220, 1u16..60).prop_map(|(columns, rows)| Step::Resize(columns, rows)),
        2 => (0u8..5, 0u16..220, 0u16..60).prop_map(|(kind, column, row)| Step::Mouse(kind, column, row)),
        2 => (0u8..=10).prop_map(Step::Write),
        1 => Just(Step::Delete),
    ]
}

fn mouse_kind(kind: u8) -> MouseKind {
    match kind {
        0 => MouseKind::Press,
        1 => MouseKind::Drag,
        2 => MouseKind::Release,
        3 => MouseKind::WheelUp,
        _ => MouseKind::WheelDown,
    }
}

fn share(log: &[u8], tenths: u8) -> &[u8] {
    &log[..log.len() * usize::from(tenths) / 10]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn nothing_that_happens_ends_in_a_panic_or_half_a_character(
        seed in any::<u64>(),
        which in 0u8..3,
        steps in proptest::collection::vec(step(), 0..40),
    ) {
        let log = match which {
            0 => session(IMPORTER),
            1 => session(FORKED),
            _ => random::session(seed, &RandomShape::any(seed, 40)),
        };
        let mut reading = ReadStage::of_log(&log, (80, 24), |_| {});
        for step in steps {
            match step {
                Step::Keys(keys) => { reading.keys(keys); }
                Step::Resize(columns, rows) => { reading.resize(columns, rows); }
                Step::Mouse(kind, column, row) => { reading.mouse(mouse_kind(kind), column, row); }
                Step::Write(tenths) => { reading.write(share(&log, tenths)); }
                Step::Delete => {
                    reading.write(&log);
                    reading.delete();
                    reading.write(&log);
                }
            }
            if reading.lab.outcome().is_some() {
                break;
            }
            reading.screen();
        }
    }

    #[test]
    fn what_is_added_moves_nothing(
        keys in proptest::collection::vec(proptest::sample::select(KEYS[..23].to_vec()), 0..12),
        before in 3usize..30,
        more in 1usize..6,
    ) {
        let mut reading = ReadStage::of(&long(before), 80, 24);
        for keys in keys {
            reading.keys(keys);
        }
        // The end is followed until a key moves up.
        reading.keys("k");
        let body = reading.body();
        let is_full = body.iter().all(|row| !row.is_empty());
        reading.write(session(&long(before + more)));
        let now = reading.body();
        for (was, is) in body.iter().zip(&now) {
            // Rows that were empty below the end may have text.
            prop_assert!(was == is || (!is_full && was.is_empty()), "{was:?} became {is:?}");
        }
    }

    #[test]
    fn the_first_line_and_the_cursor_stay_when_the_size_changes_and_comes_back(
        turns in 10usize..40,
        jumps in 0usize..8,
        columns in 60u16..200,
        rows in 12u16..50,
    ) {
        let mut reading = ReadStage::of(&long(turns), 80, 24);
        reading.keys("gg");
        for _ in 0..jumps {
            reading.keys("]");
        }
        let before = reading.body();
        reading.resize(columns, rows);
        reading.resize(80, 24);
        prop_assert_eq!(reading.body(), before);
    }

    #[test]
    fn folds_move_neither_the_cursor_nor_its_row(
        jumps in 0usize..6,
        folds in proptest::collection::vec(proptest::sample::select(vec!["x", "T", "o", "⏎"]), 1..6),
    ) {
        let mut reading = ReadStage::of(IMPORTER, 80, 24);
        reading.keys("gg");
        for _ in 0..jumps {
            reading.keys("}");
        }
        let before = reading.under();
        for fold in folds {
            reading.keys(fold);
        }
        let (Some((row, text)), Some((row_now, text_now))) = (before, reading.under()) else {
            return Err(TestCaseError::fail("no bar"));
        };
        prop_assert_eq!(&text[..14.min(text.len())], &text_now[..14.min(text_now.len())]);
        // Near the ends there may be too few rows to keep the cursor's row.
        prop_assert!(row_now <= row + 1 || row == 0, "{} {}", row, row_now);
    }
}
