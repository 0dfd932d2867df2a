//! Completion of commands and files in a prompt.

use unspool_testkit::{TestHome, uuid};

use super::stage::{DrivenStage, run_id, seen};
use crate::picker::tests::harbour;
use crate::testing::lab::TuiLab;
use crate::work::live::{LiveRequest, PromptWord};

const OFFERED: [(&str, &str); 5] = [
    ("/compact", "[instructions] Summarise the conversation"),
    ("/context", "Show what the context is filled with"),
    ("/cost", "Say what the session cost"),
    ("@src/main.rs", ""),
    ("@src/漢字.rs", ""),
];

/// Opens the prompt of the driven session.
fn open(home: &TestHome) -> TuiLab {
    let lab = DrivenStage::new().lab(home);
    lab.completing(&OFFERED).keys("ji")
}

/// Returns the saved draft.
fn typed(lab: TuiLab) -> String {
    let lab = lab.keys("⎋").keys("⎋");
    lab.draft(&uuid("photos")).unwrap_or_default()
}

#[test]
fn the_list_is_below_the_prompt() {
    let home = harbour();
    let open = || DrivenStage::new().lab(&home).completing(&OFFERED);
    insta::assert_snapshot!(seen(open, "ji /co↓"));
}

#[test]
fn what_is_chosen_takes_the_place_of_the_word() {
    let home = harbour();
    for (keys, text) in [
        ("/comp⇥", "/compact "),
        ("/co↓⇥", "/context "),
        ("/co↑⏎", "/cost "),
        ("/co↓↓↓⇥now", "/compact now"),
        ("see␣@src/m⇥please", "see @src/main.rs please"),
        ("see␣@src↓⇥", "see @src/漢字.rs "),
        ("one↵@src/m⏎", "one\n@src/main.rs "),
        // Without a match, Tab does nothing.
        ("/nothing⇥", "/nothing"),
        ("plain⇥", "plain"),
    ] {
        assert_eq!(typed(open(&home).keys(keys)), text, "{keys}");
    }
}

#[test]
fn enter_sends_what_is_typed_in_full() {
    let home = harbour();
    // The test's worker does not drive, and its error shows that the prompt was sent.
    let lab = open(&home).keys("/cost⏎");
    assert!(lab.row(23).contains("drives nothing"), "{}", lab.screen());
}

#[test]
fn escape_closes_the_list_and_then_the_prompt() {
    let home = harbour();
    let lab = open(&home).keys("/co");
    assert!(lab.screen().contains("Summarise"), "{}", lab.screen());
    let lab = lab.keys("⎋");
    assert!(lab.screen().contains("› /co"), "{}", lab.screen());
    assert!(!lab.screen().contains("Summarise"), "{}", lab.screen());
    assert!(!lab.keys("⎋").screen().contains("› /co"));
}

#[test]
fn the_client_of_the_run_is_asked() {
    let home = harbour();
    let lab = open(&home).keys("look␣@sr");
    let asked = lab.driven().iter().filter_map(|request| match request {
        LiveRequest::Complete(request) => Some((request.run.clone(), request.word.clone())),
        _ => None,
    });
    let word = |text: &str| (Some(run_id()), PromptWord::File(text.to_owned()));
    let asked: Vec<_> = asked.collect();
    assert_eq!(asked, [word(""), word("s"), word("sr")]);
}

#[test]
fn an_answer_about_another_word_is_dropped() {
    let home = harbour();
    let mut lab = open(&home).hold().keys("/co");
    lab.press("⌫⌫⌫plain");
    let lab = lab.release();
    assert!(!lab.screen().contains("Summarise"), "{}", lab.screen());
}

#[test]
fn what_a_client_offers_is_text() {
    let home = harbour();
    let hostile = [("/evil\u{1b}[2J\n\u{7}name", "says\u{1b}]0;x\u{7} what\nit likes")];
    let lab = DrivenStage::new().lab(&home).completing(&hostile);
    let lab = lab.keys("ji /e");
    assert!(lab.screen().contains("/evil"), "{}", lab.screen());
    let text = typed(lab.keys("⇥"));
    assert!(text.starts_with("/evil"), "{text:?}");
    assert!(!text.chars().any(char::is_control), "{text:?}");
}
