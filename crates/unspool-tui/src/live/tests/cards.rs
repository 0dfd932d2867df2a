//! The sessions that run, by key scripts. Answers to driven ones are tried with a scripted client, in the
//! tests of the binary.

use std::fmt::Write as _;

use unspool_testkit::TestHome;

use crate::picker::tests::{board, harbour, harbour_lab};
use crate::settings::StartScreen;
use crate::testing::lab::{LabSetup, SIZES};
use crate::work::live::LiveBoard;

fn live_lab(home: &TestHome) -> LabSetup<'_> {
    harbour_lab(home).start(StartScreen::Live)
}

/// Shows a state at all sizes, and without colour at the usual one.
fn seen(open: impl Fn() -> LabSetup<'static>, keys: &str) -> String {
    let mut shown = String::new();
    for (columns, rows) in SIZES {
        let screen = open().size(columns, rows).keys(keys).screen();
        let _ = writeln!(shown, "{columns} x {rows}\n{screen}");
    }
    let plain = open().monochrome().keys(keys).screen();
    let _ = writeln!(shown, "no colour\n{plain}");
    shown
}

#[test]
fn cards_say_what_sessions_do_and_wait_for() {
    let home = Box::leak(Box::new(harbour()));
    let board = board(home);
    insta::assert_snapshot!(seen(|| live_lab(home).board(board.clone()), ""));
}

#[test]
fn nothing_that_runs_is_said() {
    let home = harbour();
    let screen = live_lab(&home).board(LiveBoard::default()).open().screen();
    assert!(screen.contains("Nothing is running"), "{screen}");
}

#[test]
fn keys_choose_cards_and_open_them() {
    let home = harbour();
    let lab = || live_lab(&home).board(board(&home));
    let second = lab().keys("j⏎").screen();
    let first = lab().keys("j!⏎").screen();
    let title = |screen: &str| screen.lines().next().map(str::to_owned);
    assert_ne!(title(&first), title(&second));
    let opened = lab().keys("!⏎").screen();
    assert_eq!(title(&opened), title(&first), "the one that waits");
}

#[test]
fn a_session_of_another_terminal_is_answered_there() {
    let home = harbour();
    let screen = live_lab(&home).board(board(&home)).keys("a").screen();
    assert!(screen.contains("answer it there"), "{screen}");
}

#[test]
fn the_chosen_card_stays_chosen_when_others_come_and_go() {
    let home = harbour();
    let whole = board(&home);
    let mut lab = live_lab(&home).board(whole.clone()).keys("jj");
    let chosen = |screen: &str| {
        let line = screen.lines().find(|line| line.starts_with('▌'));
        line.map(str::to_owned)
    };
    let before = chosen(&lab.screen());
    let mut fewer = whole.clone();
    fewer.cards.remove(0);
    lab.set_board(fewer);
    assert_eq!(chosen(&lab.screen()), before);
    lab.set_board(whole);
    assert_eq!(chosen(&lab.screen()), before);
}
