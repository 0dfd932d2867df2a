//! Properties that hold for any sequence of keys and events.

use proptest::collection::vec;
use proptest::prelude::*;
use unspool_testkit::{session, uuid};

use super::keys::changed;
use super::{DAYS, board, harbour, harbour_lab};
use crate::testing::lab::TuiLab;
use crate::work::live::LiveBoard;

/// An event of the picker.
#[derive(Clone, Debug)]
enum Happening {
    /// Keys that change the rows or the selection.
    Keys(&'static str),
    /// The screen is resized.
    Size(u16, u16),
    /// A session is added that ended some seconds ago.
    Added(u8, u16),
    /// A session is deleted.
    Removed(u8),
    /// Sessions start to run, or end.
    Board(bool),
    /// Time passes.
    Pause(u16),
    /// Workers answer late.
    Held(bool),
}

/// Keys for random sequences: letters, moves, modes, menus.
const KEYS: [&str; 26] = [
    "a",
    "r",
    "ti",
    "␣",
    "⌫",
    "^w",
    "↓",
    "↑",
    "↓↓↓",
    "⇟",
    "⇞",
    "⇥",
    "⎋",
    "^f",
    "/",
    "^t",
    "^s",
    "^o⏎⎋",
    "^v",
    "⇓",
    "⇑",
    "project:",
    "标",
    "^x⎋",
    "?⎋",
    "'",
];

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        8 => (0..KEYS.len()).prop_map(|key| Happening::Keys(KEYS[key])),
        1 => (30_u16..220, 6_u16..60).prop_map(|(columns, rows)| Happening::Size(columns, rows)),
        2 => (any::<u8>(), any::<u16>()).prop_map(|(name, ago)| Happening::Added(name % 6, ago)),
        1 => any::<u8>().prop_map(|name| Happening::Removed(name % 6)),
        1 => any::<bool>().prop_map(Happening::Board),
        3 => (0_u16..3_000).prop_map(Happening::Pause),
        1 => any::<bool>().prop_map(Happening::Held),
    ]
}

/// Tells whether an event may move the selection to another session.
fn moves_choice(happening: &Happening) -> bool {
    match happening {
        Happening::Keys(keys) => !matches!(*keys, "^v" | "⇓" | "⇑" | "^x⎋"),
        Happening::Removed(_) => true,
        _ => false,
    }
}

fn chosen_id(lab: &TuiLab) -> Option<String> {
    let subject = lab.program().subject()?;
    Some(subject.place.session.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_choice_keeps_its_session_and_frames_are_whole(
        happenings in vec(happening(), 1..24),
        size in (40_u16..220, 10_u16..60),
    ) {
        let home = harbour();
        let board = board(&home);
        let mut lab = harbour_lab(&home).size(size.0, size.1).open();
        let mut is_held = false;
        let mut may_have_moved = false;
        for happening in &happenings {
            let before = chosen_id(&lab);
            match happening {
                Happening::Keys(keys) => lab.press(keys),
                Happening::Size(columns, rows) => lab.set_size(*columns, *rows),
                Happening::Added(name, ago) => {
                    let at = DAYS - i64::from(*ago);
                    let log = format!("%cwd /srv/new\nu1 user @{at} \"Brand new {name}\"");
                    home.add_session("/srv/new", &uuid(&format!("new{name}")), session(&log));
                    lab = lab.news(changed());
                }
                Happening::Removed(name) => {
                    let id = uuid(&format!("new{name}"));
                    let log = home.project_dir("/srv/new").join(format!("{id}.jsonl"));
                    let _ = std::fs::remove_file(log);
                    lab = lab.news(changed());
                }
                Happening::Board(is_on) => {
                    lab.set_board(if *is_on { board.clone() } else { LiveBoard::default() });
                }
                Happening::Pause(millis) => lab.pass(i64::from(*millis)),
                Happening::Held(held) => {
                    is_held = *held;
                    lab = if is_held { lab.hold() } else { lab.release() };
                }
            }
            lab.check_widths();
            if lab.outcome().is_some() {
                break;
            }
            // Late answers belong to earlier keys.
            may_have_moved |= moves_choice(happening);
            if !may_have_moved {
                prop_assert_eq!(&chosen_id(&lab), &before, "{:?}", happening);
            }
            let is_quiet = !is_held && matches!(happening, Happening::Pause(1_001..));
            may_have_moved &= !is_quiet;
        }
    }
}
