//! Pending approvals of a driven session.

use serde_json::json;
use unspool_drive::{ApprovalKind, Decision, PersonChoice, Resolution};

use super::stage::{DrivenStage, seen};
use crate::picker::tests::harbour;
use crate::testing::lab::TuiLab;
use crate::work::live::LiveRequest;

fn edit() -> DrivenStage {
    let request = json!({
        "subtype": "can_use_tool",
        "tool_name": "Edit",
        "input": {
            "file_path": "/srv/lanterna/src/scale.rs",
            "old_string": "let width = 1200;\nscale(width);",
            "new_string": "let width = 1600;\nscale(width);",
        },
        "permission_suggestions": [
            { "type": "setMode", "mode": "acceptEdits", "destination": "session" },
        ],
    });
    DrivenStage::new().asks(ApprovalKind::Tool, &request)
}

fn questions() -> DrivenStage {
    let request = json!({
        "subtype": "can_use_tool",
        "tool_name": "AskUserQuestion",
        "input": { "questions": [
            {
                "question": "Which photos shall I scale?",
                "header": "photos",
                "multiSelect": true,
                "options": [
                    { "label": "Portraits", "description": "Those of people" },
                    { "label": "港口", "description": "Those of the harbour" },
                ],
            },
            {
                "question": "How wide?",
                "header": "width",
                "multiSelect": false,
                "options": [{ "label": "1600 px" }, { "label": "1200 px" }],
            },
        ] },
    });
    DrivenStage::new().asks(ApprovalKind::Question, &request)
}

fn plan() -> DrivenStage {
    let steps: Vec<String> =
        (1..=40).map(|step| format!("{step}. Do step {step} of the plan")).collect();
    let request = json!({
        "subtype": "can_use_tool",
        "tool_name": "ExitPlanMode",
        "input": { "plan": format!("# Scale the photos\n\n{}", steps.join("\n")) },
    });
    DrivenStage::new().asks(ApprovalKind::Plan, &request)
}

fn form() -> DrivenStage {
    let request = json!({
        "subtype": "elicitation",
        "mcp_server_name": "photos",
        "message": "Where are the photos?",
        "requested_schema": {
            "type": "object",
            "properties": { "folder": { "type": "string" }, "deep": { "type": "boolean" } },
            "required": ["folder"],
        },
    });
    DrivenStage::new().asks(ApprovalKind::Elicitation, &request)
}

/// Returns the answers that were given, with the ids of their requests.
fn given(lab: &TuiLab) -> Vec<(String, PersonChoice)> {
    let given = lab.driven().iter().filter_map(|request| match request {
        LiveRequest::Answer { approval, choice } => {
            Some((approval.to_string(), PersonChoice::clone(choice)))
        }
        _ => None,
    });
    given.collect()
}

#[test]
fn a_call_is_shown_whole() {
    let home = harbour();
    let stage = DrivenStage::new().asks_command("magick mogrify -resize 1600x1600 img/*.jpg");
    insta::assert_snapshot!(seen(|| stage.lab(&home), "ja"));
}

#[test]
fn an_edit_is_shown_as_a_change() {
    let home = harbour();
    insta::assert_snapshot!(seen(|| edit().lab(&home), "ja"));
}

#[test]
fn a_question_has_several_answers_and_one_in_own_words() {
    let home = harbour();
    insta::assert_snapshot!("several", seen(|| questions().lab(&home), "ja1"));
    insta::assert_snapshot!("own_words", seen(|| questions().lab(&home), "ja4all␣of␣them"));
}

#[test]
fn a_plan_is_read_to_its_end_first() {
    let home = harbour();
    insta::assert_snapshot!(seen(|| plan().lab(&home), "ja"));
    let lab = plan().lab(&home).keys("ja1");
    assert_eq!(given(&lab), Vec::new());
    assert_eq!(lab.row(23), " read it to its end first: Space goes on");
    let lab = lab.keys("␣␣␣␣␣1");
    assert_eq!(given(&lab).len(), 1);
}

#[test]
fn a_form_is_filled_in() {
    let home = harbour();
    insta::assert_snapshot!(seen(|| form().lab(&home), "ja1"));
    let lab = form().lab(&home).keys("ja1folder=img⏎");
    let given = given(&lab);
    assert_eq!(given[0].1.input, Some(json!({ "folder": "img" })));
}

#[test]
fn answers_go_to_the_request_that_was_shown() {
    let home = harbour();
    let lab = questions().lab(&home).keys("ja123").wait(300).keys("2");
    let answers = json!({
        "Which photos shall I scale?": "Portraits, 港口",
        "How wide?": "1200 px",
    });
    let given = given(&lab);
    assert_eq!(given[0].0, "approval-0");
    assert_eq!(given[0].1.answers.clone().map(Into::into), Some(answers));
}

#[test]
fn a_key_that_is_pressed_twice_does_not_answer_the_next_request() {
    let home = harbour();
    let stage = DrivenStage::new().asks_command("touch one").asks_command("touch two");
    let lab = stage.lab(&home).keys("ja11");
    assert_eq!(given(&lab).len(), 1);
    assert!(lab.screen().contains("touch two"), "{}", lab.screen());
    let lab = lab.wait(300).keys("3");
    let given = given(&lab);
    assert_eq!(given[1].0, "approval-1");
    assert_eq!(given[1].1.decision, Decision::Deny);
}

#[test]
fn what_was_answered_elsewhere_is_said_before_the_next_is_shown() {
    let home = harbour();
    let mut stage = DrivenStage::new().asks_command("touch one").asks_command("touch two");
    let mut lab = stage.lab(&home).keys("ja");
    stage.view.approvals[0].resolution = Some(Resolution::TimedOut);
    lab.set_board(stage.board(&home));
    assert!(lab.screen().contains("does not wait any more"), "{}", lab.screen());
    let lab = lab.keys("1");
    assert_eq!(given(&lab), Vec::new());
    assert!(lab.screen().contains("touch two"), "{}", lab.screen());
}
