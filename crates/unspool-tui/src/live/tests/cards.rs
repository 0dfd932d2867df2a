//! The cards of running sessions.

use unspool_drive::PromptState;

use super::stage::{DrivenStage, live_lab, seen};
use crate::picker::tests::{board, harbour};
use crate::work::live::LiveBoard;

#[test]
fn cards_say_what_sessions_do_and_wait_for() {
    let home = harbour();
    let board = board(&home);
    insta::assert_snapshot!(seen(|| live_lab(&home).board(board.clone()), ""));
}

#[test]
fn a_driven_session_says_how_full_it_is_and_what_is_queued() {
    let home = harbour();
    let stage = DrivenStage::new()
        .with_prompt("Scale them", PromptState::TakenUp)
        .with_prompt("Then the thumbnails", PromptState::Queued)
        .with_prompt("And the docs", PromptState::Queued)
        .with_prompt("Tag it", PromptState::Queued)
        .with_prompt("Ship it", PromptState::Queued);
    insta::assert_snapshot!(seen(|| stage.lab(&home), "j"));
}

#[test]
fn the_time_that_a_session_waits_is_whole_on_a_narrow_screen() {
    let home = harbour();
    for columns in [40, 50, 60, 70, 120] {
        let lab = live_lab(&home).board(board(&home)).size(columns, 24).open();
        let row = lab.row(2);
        assert!(row.contains("waits 2 min 10 s"), "{columns}: {row}");
        assert!(row.matches('…').count() <= 1, "{columns}: {row}");
    }
}

#[test]
fn sessions_that_ended_are_below_the_cards() {
    let home = harbour();
    let mut ended = board(&home);
    ended.done = ended.cards.drain(1..).map(|card| card.item).collect();
    ended.done_left = 3;
    let screen = live_lab(&home).board(ended).open().screen();
    let below = screen.split("Done since you looked").nth(1);
    let below = below.expect("a list of those that ended");
    for words in ["Scale the photos", "Reading list", "3 more"] {
        assert!(below.contains(words), "{screen}");
    }
}

#[test]
fn the_next_that_waits_is_always_answered() {
    let home = harbour();
    let said = |board: LiveBoard, keys: &str| live_lab(&home).board(board).keys(keys).row(23);
    assert_eq!(said(board(&home), "!"), " no other session waits");
    assert!(!said(board(&home), "j!").contains("waits for"), "it is gone to");
    let mut none = board(&home);
    none.cards.remove(0);
    assert_eq!(said(none, "!"), " no session waits");
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
