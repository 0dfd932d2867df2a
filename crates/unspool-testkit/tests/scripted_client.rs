//! Tests of the scripted client for behaviour that no scenario covers, and for its faults.

use std::fs;

use serde_json::{Value, json};
use unspool_testkit::client::{self, scripted_client};
use unspool_testkit::scenarios::{ClientDriver, ClientStage, StageTools, StagedProgram};
use unspool_testkit::uuid;

fn stage() -> ClientStage {
    let program = StagedProgram::Scripted(scripted_client());
    ClientStage::new(&StageTools { program, reader: None })
}

const SESSION: &str = "s";

fn new_session() -> String {
    format!("--session-id {}", uuid(SESSION))
}

fn resumed() -> String {
    format!("--resume {}", uuid(SESSION))
}

#[test]
fn the_log_is_a_chain_under_the_uuids_of_the_frames() {
    let stage = stage();
    let mut client = stage.start(&format!("{} --permission-mode bypassPermissions", new_session()));
    let prompt = client.prompt("[[bash: echo out]]");
    client.result();
    let end = client.close();
    let log = stage.log(&uuid(SESSION));
    let entries: Vec<&Value> = log.iter().filter(|line| line["uuid"].is_string()).collect();
    let kinds: Vec<&str> = entries.iter().filter_map(|entry| entry["type"].as_str()).collect();
    assert_eq!(kinds, ["user", "assistant", "user", "assistant"]);
    assert_eq!(entries[0]["uuid"], *prompt);
    for pair in entries.windows(2) {
        assert_eq!(pair[1]["parentUuid"], pair[0]["uuid"]);
    }
    for entry in &entries[1..] {
        assert!(end.frames.iter().any(|frame| frame["uuid"] == entry["uuid"]));
    }
    let pin = log.last().expect("a line");
    assert_eq!(pin["type"], "last-prompt");
    assert_eq!(pin["leafUuid"], entries[3]["uuid"]);
    assert_eq!(entries[2]["message"]["content"][0]["content"], "out");
}

#[test]
fn denials_are_results_and_the_turn_goes_on() {
    let stage = stage();
    let mut client = stage.start("");
    client.prompt("[[bash: touch no]] [[bash: touch no]] [[bash: touch no]] [[say: end]]");
    let request = client.permission();
    client.deny(&request, "not today");
    client.deny(&request, "late");
    let request = client.permission();
    client.send(&json!({"type": "control_response", "response": {
        "subtype": "error", "request_id": request["request_id"], "error": "broken",
    }}));
    let request = client.permission();
    client.answer(&request, &json!({"behavior": "perhaps"}));
    assert_eq!(client.result()["result"], "end");
    assert_eq!(
        stage.last_sent()[2..],
        [
            "error not today",
            "call Bash",
            "error Tool permission request failed: broken",
            "call Bash",
            "error Tool permission request failed: invalid permission result",
        ]
    );
    assert!(!stage.cwd().join("no").exists());
    client.close();
}

#[test]
fn a_question_and_a_plan_are_answered_in_their_input() {
    let stage = stage();
    let mut client = stage.start("--permission-mode plan");
    client.prompt(
        "[[ask: Which colour? | Red | Blue]] [[ask: Why? | A]] [[plan: do it]] [[edit: f]]",
    );
    let request = client.permission();
    assert_eq!(request["request"]["requires_user_interaction"], true);
    let mut input = request["request"]["input"].clone();
    assert_eq!(input["questions"][0]["options"][1]["label"], "Blue");
    input["answers"] = json!({"Which colour?": "Blue"});
    client.answer(&request, &json!({"behavior": "allow", "updatedInput": input}));
    let request = client.permission();
    client.allow(&request);
    let request = client.permission();
    assert_eq!(request["request"]["input"]["plan"], "do it");
    let mode = json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]);
    client.answer(&request, &json!({"behavior": "allow", "updatedPermissions": mode}));
    assert_eq!(client.frame("status")["permissionMode"], "acceptEdits");
    client.result();
    assert_eq!(fs::read_to_string(stage.cwd().join("f")).expect("a file"), "edited\n");
    let sent = stage.last_sent();
    assert!(sent[2].contains(r#""Which colour?"="Blue""#), "{sent:?}");
    assert_eq!(sent[4], "result The user did not answer the questions.");
    client.close();
}

#[test]
fn an_allowed_suggestion_is_not_asked_again() {
    let stage = stage();
    let mut client = stage.start("");
    client.prompt("[[bash: echo x >> runs]] [[bash: echo x >> runs]]");
    let request = client.permission();
    let suggestion = &request["request"]["permission_suggestions"][0];
    let answer = json!({"behavior": "allow", "updatedPermissions": [suggestion]});
    client.answer(&request, &answer);
    client.result();
    assert_eq!(fs::read_to_string(stage.cwd().join("runs")).expect("a file"), "x\nx\n");
    client.close();
}

#[test]
fn frames_may_be_torn_wrong_and_many() {
    let stage = stage();
    let mut client = stage.start("--include-partial-messages");
    client.prompt("[[torn]] [[wrong]] [[flood: 2]] [[say: end]]");
    assert_eq!(client.frame("status")["status"], "requesting");
    assert_eq!(client.frame("status")["torn"], "ä");
    client.frame("no_such_type");
    client.frame("not-json");
    assert_eq!(client.result()["result"], "end");
    let end = client.close();
    let text = end.frames.iter().filter_map(|frame| frame["event"]["delta"]["text"].as_str());
    assert!(text.map(str::len).sum::<usize>() > 2_000_000);
}

#[test]
fn a_turn_may_fail_for_no_reason_of_the_api() {
    let stage = stage();
    let mut client = stage.start("");
    client.prompt("[[result-error]]");
    let result = client.result();
    assert_eq!(result["is_error"], true);
    assert_eq!(result["subtype"], "error_during_execution");
    assert_eq!(result["api_error_status"], Value::Null);
    assert_eq!(client.close().status.code(), Some(1));
}

#[test]
fn background_tasks_are_told_as_a_set() {
    let stage = stage();
    let mut client = stage.start("");
    client.prompt("[[background: build]] [[wait-file: go]] [[background-done: build]]");
    let tasks = client.frame("background_tasks_changed")["tasks"].clone();
    assert_eq!(tasks[0]["task_id"], "build");
    fs::write(stage.cwd().join("go"), "").expect("a file");
    assert_eq!(client.frame("background_tasks_changed")["tasks"], json!([]));
    client.result();
    client.close();
}

#[test]
fn requests_about_settings_are_answered() {
    let stage = stage();
    let mut client = stage.start("");
    let mode = |mode: &str| json!({"subtype": "set_permission_mode", "mode": mode});
    assert_eq!(client.request(&mode("plan"))["response"]["mode"], "plan");
    assert_eq!(client.request(&mode("nope"))["error_code"], "invalid_mode");
    let bypass = client.request(&mode("bypassPermissions"));
    assert_eq!(bypass["error_code"], "bypass_not_launched");
    let model = json!({"subtype": "set_model", "model": "m"});
    assert_eq!(client.request(&model)["response"]["model"], "m");
    let unknown = client.request(&json!({"subtype": "no_such"}));
    assert_eq!(unknown["error_code"], "unsupported_request");
    client.prompt("hello");
    let init = client.frame("init");
    assert_eq!((&init["permissionMode"], &init["model"]), (&json!("plan"), &json!("m")));
    client.result();
    client.close();
}

#[test]
fn an_interrupt_stops_the_tool_that_runs() {
    let stage = stage();
    let mut client = stage.start("");
    client.prompt("[[bash: touch runs; sleep 1000]]");
    let request = client.permission();
    client.allow(&request);
    let runs = stage.cwd().join("runs");
    while !runs.exists() {
        client.request(&json!({"subtype": "get_status_is_unknown"}));
    }
    client.request(&json!({"subtype": "interrupt"}));
    assert_eq!(client.result()["terminal_reason"], "aborted_tools");
    let end = client.close();
    assert_eq!(end.status.code(), Some(1), "the last turn was interrupted");
}

#[test]
fn deaths_leave_what_they_should() {
    for (directive, is_torn, has_log) in [
        ("[[say: a]] [[die]]", false, true),
        ("[[half-line]]", false, true),
        ("[[half-log]]", true, true),
        ("[[die-unwritten: true]]", false, true),
    ] {
        let stage = stage();
        let mut client = stage.start(&new_session());
        client.prompt(directive);
        let end = client.end();
        assert!(end.status.code().is_none(), "{directive}: {}", end.status);
        let log = fs::read_to_string(stage.log_path(&uuid(SESSION)));
        assert_eq!(log.is_ok(), has_log, "{directive}");
        let log = log.unwrap_or_default();
        assert_eq!(!log.ends_with('\n'), is_torn, "{directive}");
        assert_eq!(log.contains("\"type\":\"user\""), !directive.contains("unwritten"));
        let mut client = stage.start(&resumed());
        client.prompt("[[say: again]]");
        client.result();
        client.close();
        let after = fs::read_to_string(stage.log_path(&uuid(SESSION))).expect("a log");
        assert!(after.starts_with(&log));
        assert_eq!(after[log.len()..].starts_with('\n'), is_torn, "{directive}");
    }
}

#[test]
fn what_cannot_start_says_why() {
    let stage = stage();
    let end = stage.start(&resumed()).end();
    assert_eq!(end.status.code(), Some(1));
    assert!(end.errors.contains("No conversation found"), "{}", end.errors);
    let elsewhere = tempfile::tempdir().expect("a folder");
    let config = [("CLAUDE_CONFIG_DIR", elsewhere.path().display().to_string())];
    let end = ClientDriver::start(&scripted_client(), stage.cwd(), "", &config).end();
    assert_eq!(end.status.code(), Some(1));
    assert!(end.errors.contains(client::MARKER), "{}", end.errors);
}
