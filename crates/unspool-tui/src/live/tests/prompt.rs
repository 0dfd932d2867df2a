//! Prompts that are typed, saved, held and sent.

use serde_json::json;
use unspool_drive::PromptState;
use unspool_testkit::{TestHome, uuid};

use super::stage::{DrivenStage, run_id, seen};
use crate::picker::tests::harbour;
use crate::testing::lab::{LabSetup, TuiLab, screens};
use crate::work::live::{LiveRequest, PromptRequest, PromptWay};

/// Opens the prompt of the driven session.
fn open(home: &TestHome) -> LabSetup<'_> {
    let stage = DrivenStage::new().with_prompt("Scale them", PromptState::TakenUp);
    stage.lab(home)
}

fn sent(lab: &TuiLab) -> Vec<&PromptRequest> {
    let sent = lab.driven().iter().filter_map(|request| match request {
        LiveRequest::Prompt(request) => Some(&**request),
        _ => None,
    });
    sent.collect()
}

fn draft(lab: &TuiLab) -> Option<String> {
    lab.draft(&uuid("photos"))
}

/// Adds a message to the log of the driven session.
fn add_message(home: &TestHome, lab: &mut TuiLab, text: &str) {
    let log = home.project_dir("/srv/lanterna").join(format!("{}.jsonl", uuid("photos")));
    let mut written = json!({
        "type": "assistant",
        "uuid": uuid("a2"),
        "parentUuid": uuid("a1"),
        "sessionId": uuid("photos"),
        "timestamp": "2026-02-04T09:00:00.000Z",
        "cwd": "/srv/lanterna",
        "message": {
            "id": "msg_2",
            "role": "assistant",
            "model": "claude-opus-4-5",
            "content": [{ "type": "text", "text": text }],
        },
    })
    .to_string();
    written.push('\n');
    let mut file = std::fs::OpenOptions::new().append(true).open(log).expect("a log");
    std::io::Write::write_all(&mut file, written.as_bytes()).expect("a line");
    lab.set_board(DrivenStage::new().board(home));
}

/// Sends a prompt before a message that came meanwhile is on the screen.
fn held(home: &TestHome, setup: LabSetup<'_>) -> TuiLab {
    let mut lab = setup.keys("ji go␣on").hold();
    add_message(home, &mut lab, "I have changed my mind.");
    // The board and the end of the conversation are still requested when Enter is pressed.
    lab.press("⏎");
    lab.release()
}

#[test]
fn the_prompt_is_below_the_conversation() {
    let home = harbour();
    let long =
        "ji Also␣scale␣the␣thumbnails,␣and␣tell␣me␣how␣many␣there␣are␣before␣you␣begin.↵Thanks!";
    insta::assert_snapshot!(seen(|| open(&home), long));
}

#[test]
fn a_program_that_cannot_drive_says_why() {
    let home = harbour();
    let mut board = DrivenStage::new().board(&home);
    let ended = board.cards.remove(1);
    board.done = vec![ended.item];
    let lab = super::stage::live_lab(&home).board(board);
    let said = lab.keys("Gi").row(23);
    assert!(said.contains("cannot drive"), "{said}");
}

#[test]
fn what_was_typed_comes_back() {
    let home = harbour();
    let lab = open(&home).keys("ji half␣a␣prompt↵ and␣more⎋");
    assert_eq!(draft(&lab).as_deref(), Some("half a prompt\nand more"));
    let screen = lab.keys("i").screen();
    assert!(screen.contains("› half a prompt"), "{screen}");
}

#[test]
fn a_prompt_that_could_not_be_sent_is_not_lost() {
    let home = harbour();
    let lab = open(&home).keys("ji go␣on⏎");
    assert_eq!(lab.row(23), " this test drives nothing");
    assert!(lab.screen().contains("› go on"), "{}", lab.screen());
    assert_eq!(draft(&lab).as_deref(), Some("go on"));
}

#[test]
fn a_draft_is_kept_when_no_key_is_pressed_and_when_the_program_ends() {
    let home = harbour();
    let lab = open(&home).keys("ji one");
    assert_eq!(draft(&lab), None, "not at each key");
    let lab = lab.wait(1_000);
    assert_eq!(draft(&lab).as_deref(), Some("one"));
    let lab = lab.keys("two^c");
    assert!(lab.outcome().is_some());
    assert_eq!(draft(&lab).as_deref(), Some("onetwo"));
    let lab = open(&home).keys("ji one⎋i ⌫⌫⌫⎋");
    assert_eq!(draft(&lab), None, "an empty prompt is not a draft");
}

#[test]
fn a_prompt_that_was_written_while_messages_came_is_held() {
    let home = harbour();
    let lab = held(&home, open(&home));
    let screen = lab.screen();
    assert!(screen.contains("came since you looked"), "{screen}");
    assert!(screen.contains("I have changed my mind."), "{screen}");
    let lab = lab.keys("1");
    let went = sent(&lab);
    assert_eq!(went.len(), 1);
    assert_eq!(went[0].text, "go on");
    let is_queued = matches!(&went[0].way, PromptWay::Queue { run, .. } if *run == run_id());
    assert!(is_queued, "{went:?}");
}

#[test]
fn a_held_prompt_goes_on_in_a_copy_or_is_discarded() {
    let home = harbour();
    let lab = held(&home, open(&home)).keys("2");
    let went = sent(&lab);
    let PromptWay::Begin { at, options, .. } = &went[0].way else {
        panic!("{went:?}");
    };
    let at = at.as_ref().map(unspool_model::ids::EntryId::as_str);
    let last = uuid("a1");
    assert_eq!(at, Some(last.as_str()), "the last that was seen");
    assert_eq!(options.folder.as_deref(), Some("/srv/lanterna"));
    let home = harbour();
    let lab = held(&home, open(&home)).keys("3");
    assert_eq!((sent(&lab).len(), draft(&lab)), (0, None));
    let home = harbour();
    let lab = held(&home, open(&home)).keys("⎋");
    assert!(lab.screen().contains("› go on"), "{}", lab.screen());
}

#[test]
fn a_held_prompt_at_all_sizes() {
    insta::assert_snapshot!(screens(|(columns, rows)| {
        // The message stays in the log, so each size has a home of its own.
        let home = harbour();
        held(&home, open(&home).size(columns, rows))
    }));
}

#[test]
fn what_came_while_it_was_on_the_screen_is_seen() {
    let home = harbour();
    let mut lab = open(&home).keys("ji go␣on");
    add_message(&home, &mut lab, "I have changed my mind.");
    assert!(lab.screen().contains("I have changed my mind."), "{}", lab.screen());
    let lab = lab.keys("⏎");
    assert!(!lab.screen().contains("came since"), "{}", lab.screen());
}
