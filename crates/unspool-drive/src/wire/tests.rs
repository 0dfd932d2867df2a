//! Tests of parsing and writing lines of the protocol.

use serde_json::{Value, json};

use super::*;
use crate::ids::PromptId;
use crate::state::{ApprovalKind, Decision, PermissionMode};

fn said(line: &str) -> ClientMessage {
    ClientFrame::read(line.as_bytes()).expect("an object").said
}

#[test]
fn lines_are_read_as_far_as_a_host_needs_them() {
    for (line, expected) in [
        (
            r#"{"type":"system","subtype":"session_state_changed","state":"requires_action"}"#,
            ClientMessage::State(ClientActivity::RequiresAction),
        ),
        (
            r#"{"type":"system","subtype":"background_tasks_changed","tasks":[{"id":"a"},7]}"#,
            ClientMessage::BackgroundTasks(2),
        ),
        (
            r#"{"type":"command_lifecycle","command_uuid":"p","state":"started","uuid":"u"}"#,
            ClientMessage::Prompt { id: "p".to_owned(), progress: PromptProgress::Started },
        ),
        (
            r#"{"type":"user","uuid":"p","isReplay":true,"message":{}}"#,
            ClientMessage::Prompt { id: "p".to_owned(), progress: PromptProgress::Started },
        ),
        (
            r#"{"type":"control_cancel_request","request_id":"r"}"#,
            ClientMessage::Withdraws { request_id: "r".to_owned() },
        ),
        (
            r#"{"type":"result","subtype":"success","is_error":false,"result":"done","user_message_uuids":["p","q"]}"#,
            ClientMessage::TurnEnd(ClientTurnEnd {
                prompts: vec!["p".to_owned(), "q".to_owned()],
                ..ClientTurnEnd::default()
            }),
        ),
        (
            r#"{"type":"system","subtype":"status","status":null,"permissionMode":"plan"}"#,
            ClientMessage::Setting { mode: Some("plan".to_owned()), model: None },
        ),
        (
            r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"hi"}}}"#,
            ClientMessage::Part(StreamPart::Text { text: "hi".to_owned(), parent: None }),
        ),
    ] {
        assert_eq!(said(line), expected, "{line}");
    }
}

#[test]
fn what_is_unknown_or_odd_is_other_and_what_is_no_object_is_nothing() {
    let deep = format!(r#"{{"type":"new","x":{}{}}}"#, "[".repeat(9000), "]".repeat(9000));
    for line in [
        r#"{"type":"system","subtype":"session_state_changed","state":"dreaming"}"#,
        r#"{"type":"system","subtype":7,"state":[]}"#,
        r#"{"type":"command_lifecycle","state":"started"}"#,
        r#"{"type":["user"],"isReplay":true,"uuid":"p"}"#,
        r#"{"type":"control_response","response":[]}"#,
        r#"{"x":"\ud800"}"#,
        "{}",
        &deep,
    ] {
        assert_eq!(said(line), ClientMessage::Other, "{line:.80}");
    }
    for line in ["", "7", "[1]", "{\"type\":\"sys", "not json", "{}{}"] {
        assert_eq!(ClientFrame::read(line.as_bytes()), None, "{line}");
    }
    assert_eq!(ClientFrame::read(b"{\"type\":\"\xff\"}"), None);
}

#[test]
fn a_line_names_the_session_that_the_client_is_in() {
    let frame = ClientFrame::read(br#"{"type":"assistant","session_id":"s2"}"#).expect("a frame");
    assert_eq!(frame.session.as_deref(), Some("s2"));
    let frame = ClientFrame::read(br#"{"type":"assistant","session_id":""}"#).expect("a frame");
    assert_eq!(frame.session, None);
}

#[test]
fn the_answer_to_initialize_lists_what_is_open() {
    let line = r#"{"type":"control_response","response":{"subtype":"success","request_id":"i","response":{"session_state":"requires_action","current_permission_mode":"default","claude_code_version":"2.1.325","models":[]},"pending_permission_requests":[{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash"}}],"pending_user_dialog_requests":[]}}"#;
    let ClientMessage::Answers(answer) = said(line) else { panic!("an answer") };
    assert_eq!(answer.request_id, "i");
    let fields = answer.outcome.expect("a success");
    assert_eq!(fields.state, Some(ClientActivity::RequiresAction));
    let pending = answer.pending.expect("a list");
    assert_eq!(pending[0].0, "r1");
    assert_eq!(pending[0].1.tool(), Some("Bash"));
    let line = r#"{"type":"control_response","response":{"subtype":"error","request_id":"m","error":"no such mode"}}"#;
    let ClientMessage::Answers(answer) = said(line) else { panic!("an answer") };
    assert_eq!(answer.outcome, Err("no such mode".to_owned()));
}

fn asked(request: &Value) -> AskedRequest {
    AskedRequest::read(&request.to_string())
}

fn bash() -> AskedRequest {
    asked(&json!({
        "subtype": "can_use_tool", "tool_name": "Bash", "tool_use_id": "toolu_1",
        "input": { "command": "touch x", "description": "Makes x" },
        "permission_suggestions": [
            { "type": "addRules", "destination": "localSettings" },
            { "type": "setMode", "mode": "bypassPermissions", "destination": "session" },
        ],
    }))
}

#[test]
fn a_request_says_what_it_is_about() {
    let tool = |name: &str| json!({ "subtype": "can_use_tool", "tool_name": name });
    for (request, expected) in [
        (tool("Bash"), Some(ApprovalKind::Tool)),
        (tool("AskUserQuestion"), Some(ApprovalKind::Question)),
        (tool("ExitPlanMode"), Some(ApprovalKind::Plan)),
        (json!({ "subtype": "elicitation" }), Some(ApprovalKind::Elicitation)),
        (json!({ "subtype": "hook_callback" }), None),
        (json!({}), None),
    ] {
        assert_eq!(asked(&request).kind(), expected, "{request}");
    }
    assert_eq!(bash().description(), Some("Makes x"));
    assert_eq!(bash().call(), Some("toolu_1"));
}

#[test]
fn a_request_that_cannot_be_decoded_can_be_refused() {
    let odd = AskedRequest::read(r#"{"subtype":"can_use_tool","input":{"command":"\ud800"}}"#);
    assert_eq!(odd.kind(), Some(ApprovalKind::Tool));
    assert!(odd.raw.contains("ud800"));
    let answer = odd.answer(&PersonChoice::deny("no"), false).expect("an answer");
    assert_eq!(answer, json!({ "behavior": "deny", "message": "no" }));
}

#[test]
fn an_allowed_call_keeps_its_input_and_takes_suggestions() {
    let allow = PersonChoice::allow;
    let answer = |choice: &PersonChoice| bash().answer(choice, false);
    assert_eq!(answer(&allow()), Ok(json!({ "behavior": "allow" })));
    let with_rule = PersonChoice { suggestions: vec![0], ..allow() };
    assert_eq!(
        answer(&with_rule),
        Ok(json!({ "behavior": "allow", "updatedPermissions": [
            { "type": "addRules", "destination": "localSettings" },
        ] }))
    );
    let changed = PersonChoice { input: Some(json!({ "command": "ls" })), ..allow() };
    assert_eq!(
        answer(&changed),
        Ok(json!({ "behavior": "allow", "updatedInput": { "command": "ls" } }))
    );
}

#[test]
fn an_answer_that_does_not_fit_is_refused() {
    let suggestions = |index| PersonChoice { suggestions: vec![index], ..PersonChoice::allow() };
    let fault = AnswerError::Suggestion { count: 2 };
    assert_eq!(bash().answer(&suggestions(2), true), Err(fault));
    assert_eq!(bash().answer(&suggestions(1), false), Err(AnswerError::Bypass));
    assert!(bash().answer(&suggestions(1), true).is_ok());
    let bypass =
        PersonChoice { mode: Some(PermissionMode::BypassPermissions), ..PersonChoice::allow() };
    let fault = AnswerError::Field("permission_mode");
    assert_eq!(bash().answer(&bypass, true), Err(fault));
    let plan = asked(&json!({ "subtype": "can_use_tool", "tool_name": "ExitPlanMode" }));
    assert_eq!(plan.answer(&bypass, false), Err(AnswerError::Bypass));
    let answers = PersonChoice { answers: Some(serde_json::Map::new()), ..PersonChoice::allow() };
    assert_eq!(bash().answer(&answers, false), Err(AnswerError::Field("answers")));
}

#[test]
fn questions_plans_and_forms_are_answered_in_their_own_way() {
    let question = asked(&json!({
        "subtype": "can_use_tool", "tool_name": "AskUserQuestion",
        "input": { "questions": [{ "question": "Which colour?" }] },
    }));
    let answers = json!({ "Which colour?": "Blue" });
    let choice = PersonChoice { answers: answers.as_object().cloned(), ..PersonChoice::allow() };
    assert_eq!(
        question.answer(&choice, false),
        Ok(json!({ "behavior": "allow", "updatedInput": {
            "questions": [{ "question": "Which colour?" }], "answers": answers,
        } }))
    );
    let plan = asked(&json!({ "subtype": "can_use_tool", "tool_name": "ExitPlanMode" }));
    let choice = PersonChoice { mode: Some(PermissionMode::AcceptEdits), ..PersonChoice::allow() };
    let answer = plan.answer(&choice, false).expect("an answer");
    assert_eq!(answer["updatedPermissions"][0]["mode"], "acceptEdits");
    let form = asked(&json!({ "subtype": "elicitation", "mcp_server_name": "m" }));
    let choice = PersonChoice { input: Some(json!({ "name": "x" })), ..PersonChoice::allow() };
    assert_eq!(
        form.answer(&choice, false),
        Ok(json!({ "action": "accept", "content": { "name": "x" } }))
    );
    assert_eq!(form.answer(&PersonChoice::deny("x"), false), Ok(json!({ "action": "decline" })));
    assert_eq!(unanswered(&question), (Decision::Allow, json!({ "behavior": "allow" })));
    assert_eq!(unanswered(&plan).1["behavior"], "deny");
    assert_eq!(unanswered(&form).1["action"], "cancel");
}

#[test]
fn a_line_for_the_client_is_one_line_of_json() {
    let id = PromptId::random();
    let content = PromptContent {
        text: "two\nlines \u{2028} \u{0} \"x\"".to_owned(),
        images: vec![PromptImage { media_type: "image/png".to_owned(), data: "AAAA".to_owned() }],
    };
    for line in [
        ClientLine::prompt(&id, &content),
        ClientLine::prompt(&id, &PromptContent::text("a\r\nb")),
        ClientLine::initialize("1"),
        ClientLine::interrupt("2"),
        ClientLine::cancel_prompt("3", &id),
        ClientLine::set_mode("4", PermissionMode::Plan),
        ClientLine::set_model("5", None),
        ClientLine::end_session("6"),
        ClientLine::answer("r\n", &json!({ "behavior": "deny", "message": "a\nb" })),
        ClientLine::refuse("r", "x\ny"),
    ] {
        let bytes = line.as_bytes();
        assert_eq!(memchr::memchr_iter(b'\n', bytes).count(), 1);
        assert!(bytes.ends_with(b"\n"));
        let value: Value = serde_json::from_slice(bytes).expect("valid JSON");
        assert!(value["type"].is_string());
    }
    let line = ClientLine::prompt(&id, &content);
    let value: Value = serde_json::from_str(line.as_str()).expect("valid JSON");
    assert_eq!(value["uuid"], id.as_str());
    assert_eq!(value["message"]["content"][0]["source"]["data"], "AAAA");
    assert_eq!(value["message"]["content"][1]["text"], content.text);
}

#[test]
fn a_failed_turn_says_why_and_one_that_was_cut_short_did_not_fail() {
    let end = |line: &str| match ClientFrame::read(line.as_bytes()).expect("a frame").said {
        ClientMessage::TurnEnd(end) => end.failure(),
        other => panic!("{other:?}"),
    };
    for (line, failure) in [
        (r#"{"type":"result","is_error":false,"result":"fine"}"#, None),
        (
            r#"{"type":"result","subtype":"success","is_error":true,"result":"Not logged in \u00b7 Please run /login"}"#,
            Some("Not logged in \u{b7} Please run /login"),
        ),
        (r#"{"type":"result","is_error":true,"errors":["one","two"]}"#, Some("one\ntwo")),
        (
            r#"{"type":"result","is_error":true,"errors":[],"startup_failure_reason":"session_held_by_background"}"#,
            Some("session held by background"),
        ),
        (r#"{"type":"result","is_error":true}"#, Some("the client gives no reason")),
        (
            r#"{"type":"result","is_error":true,"errors":["x"],"terminal_reason":"aborted_tools"}"#,
            None,
        ),
    ] {
        assert_eq!(end(line).as_deref(), failure, "{line}");
    }
}
