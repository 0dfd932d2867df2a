//! Every state of the picker, in four sizes and without colour.

use unspool_engine::library::LibrarySettings;
use unspool_store::home::Home;
use unspool_testkit::{TestHome, session, uuid};

use super::keys::changed;
use super::{board, harbour, harbour_lab};
use crate::settings::{PickerUse, StartScreen};
use crate::testing::lab::{LabSetup, TuiLab, given, screens};
use crate::work::picker::saved::PickerScope;
use crate::work::picker::text::{self, TextResults};
use crate::work::picker::{PickerReply, PickerRequest};
use crate::work::{WorkReply, WorkRequest};

/// Compares the screens of a state with the approved snapshot.
fn check(name: &str, setup: impl Fn() -> LabSetup<'static>, keys: &str) {
    check_labs(name, |(columns, rows)| setup().size(columns, rows).keys(keys));
}

fn check_labs(name: &str, lab: impl FnMut((u16, u16)) -> TuiLab) {
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!(name, screens(lab));
    });
}

/// Leaks a home, so that every lab of a test can borrow it.
fn kept(home: TestHome) -> &'static TestHome {
    Box::leak(Box::new(home))
}

const HERE: &str = r#"{"picker": {"scope": "here"}}"#;

#[test]
fn keys_lead_to_states() {
    let home = kept(harbour());
    let board = board(home);
    for (name, keys) in [("groups", ""), ("query", "readings")] {
        check(name, || harbour_lab(home).board(board.clone()), keys);
    }
    for (name, keys) in [
        ("full_text", "/readings"),
        ("marks", "⇥⇥↓⇥"),
        ("filters", "^o↓↓⏎"),
        ("sorted", "^s^s^v^v"),
    ] {
        check(name, || harbour_lab(home), keys);
    }
}

#[test]
fn nothing_fits() {
    let home = kept(harbour());
    check("scope_is_empty", || harbour_lab(home).here("/srv/elsewhere").kept(HERE), "");
    // No title has these letters, but one session contains the word. Until the full text is complete, no
    // number is shown.
    for (name, keys) in [
        ("nothing_fits_here", "photos"),
        ("nothing_fits", "median"),
        ("nothing_fits_but_text", "/⎋median"),
    ] {
        check(name, || harbour_lab(home).kept(HERE), keys);
    }
}

#[test]
fn a_home_without_sessions() {
    let home = kept(TestHome::new());
    check("empty_home", || given(home), "");
}

#[test]
fn no_home() {
    let home = kept(TestHome::new());
    let elsewhere =
        |settings: &mut LibrarySettings| settings.homes = vec![Home::new("/nowhere/.claude")];
    check("no_home", || given(home).library(elsewhere), "");
}

#[test]
fn no_index_yet() {
    let home = kept(harbour());
    check_labs("no_index", |(columns, rows)| {
        let setup = harbour_lab(home).size(columns, rows);
        let setup = setup.library(|settings| {
            // Each size starts with an empty index.
            settings.index = unspool_engine::library::IndexPlace::Memory;
        });
        let mut lab = setup.begin();
        let check = until_check(&mut lab);
        let (read, total) = (40_000_000, 593_000_000);
        let reply = PickerReply::Checking { read, total };
        lab.reply(&check, WorkReply::Picker(reply));
        lab
    });
}

#[test]
fn another_process_writes_the_index() {
    let home = kept(harbour());
    // The index exists from an earlier run.
    drop(harbour_lab(home).open());
    check_labs("index_busy", |(columns, rows)| {
        let setup = harbour_lab(home).size(columns, rows);
        let mut lab = setup.begin();
        let check = until_check(&mut lab);
        lab.reply(&check, WorkReply::Picker(PickerReply::Waiting));
        lab
    });
}

#[test]
fn the_index_was_damaged() {
    let home = kept(harbour());
    check_labs("index_damaged", |(columns, rows)| {
        drop(harbour_lab(home).open());
        for item in std::fs::read_dir(home.user_home().join("index")).expect("an index") {
            let file = item.expect("a file").path();
            if file.is_file() {
                std::fs::write(file, "this is not a database").expect("a file");
            }
        }
        let setup = harbour_lab(home).size(columns, rows);
        setup.open()
    });
}

/// Answers requests until a refresh is requested.
fn until_check(lab: &mut TuiLab) -> crate::work::WorkQuestion {
    loop {
        let is_check =
            |request: &WorkRequest| matches!(request, WorkRequest::Picker(PickerRequest::Check(_)));
        if let Some(check) = lab.take_question(is_check) {
            while lab.answer_next() {}
            return check;
        }
        assert!(lab.answer_next(), "the picker looks at the homes");
    }
}

#[test]
fn the_full_text_is_not_whole() {
    let home = kept(harbour());
    check_labs("text_partial", |(columns, rows)| {
        let setup = harbour_lab(home).size(columns, rows);
        let mut lab = setup.keys("/reading").hold();
        lab.press("s");
        let is_search = |request: &WorkRequest| {
            matches!(request, WorkRequest::Picker(PickerRequest::Search { .. }))
        };
        let search = lab.take_question(is_search).expect("a search");
        let found = Box::new(TextResults {
            coverage: Some(83),
            ..text::search(lab.settings(), "readings", PickerScope::Everywhere).expect("hits")
        });
        lab.reply(&search, WorkReply::Picker(PickerReply::Found(Ok(found))));
        lab.release()
    });
}

#[test]
fn choosing_for_a_script() {
    let home = kept(harbour());
    let usage = || PickerUse::Choose { several: true, query: "readings".to_owned() };
    let setup = || harbour_lab(home).start(StartScreen::Picker(usage()));
    check("choose", setup, "⇥");
}

#[test]
fn choosing_for_a_prompt() {
    let home = kept(harbour());
    let setup = || harbour_lab(home).start(StartScreen::Picker(PickerUse::Insert));
    for (name, keys) in [("insert", ""), ("insert_menu", "⏎"), ("insert_turns", "⏎4 2..3")] {
        check(name, setup, keys);
    }
}

#[test]
fn the_smallest_screen() {
    let home = harbour();
    let lab = harbour_lab(&home).size(40, 10).open();
    lab.check_widths();
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("smallest", lab.screen());
    });
    let lab = lab.resize(39, 10);
    assert!(lab.screen().contains("needs 40 columns"));
}

#[test]
fn the_index_is_not_refreshed() {
    let home = kept(harbour());
    // The index exists from an earlier run and lacks the session that is added below.
    drop(harbour_lab(home).open());
    home.add_session("/srv/new", &uuid("late"), session("u1 user \"Too late\""));
    check("no_refresh", || harbour_lab(home).no_refresh(), "");
    let empty = kept(TestHome::new());
    check("no_refresh_empty", || given(empty).no_refresh(), "");
}

#[test]
fn without_refresh_no_key_and_no_change_walks_the_homes() {
    let home = harbour();
    drop(harbour_lab(&home).open());
    let lab = harbour_lab(&home).no_refresh().open().hold();
    let mut lab = lab.news(changed()).keys("/readings");
    lab.pass(10_000);
    let is_walk = |request: &WorkRequest| {
        let WorkRequest::Picker(request) = request else {
            return false;
        };
        matches!(request, PickerRequest::Check(_) | PickerRequest::CheckText)
    };
    assert!(lab.take_question(is_walk).is_none());
}
