//! The scripted client speaks the protocol as it was measured with the real one.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use unspool_testkit::client::{self, INTERRUPTED_CALL, NO_RESPONSE, RAN, SENT};
use unspool_testkit::home::project_folder;
use unspool_testkit::scenarios::{ClientDriver, DriverOptions};
use unspool_testkit::{TestHome, uuid};

/// A home and a folder for one test.
struct Place {
    home: TestHome,
    cwd: PathBuf,
}

impl Place {
    fn new() -> Self {
        let home = TestHome::new();
        client::allow_in(home.path());
        let cwd = home.user_home().join("work");
        fs::create_dir_all(&cwd).expect("a folder");
        Self { home, cwd }
    }

    fn options(&self, args: &str) -> DriverOptions {
        DriverOptions::new(&client::scripted_client(), &self.cwd)
            .env("CLAUDE_CONFIG_DIR", self.home.path().display().to_string())
            .env("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1")
            .args(args)
    }

    fn start(&self, args: &str) -> ClientDriver {
        self.options(args).start()
    }

    fn log_path(&self, session: &str) -> PathBuf {
        let folder = project_folder(&self.cwd.display().to_string());
        let folder = self.home.path().join("projects").join(folder);
        folder.join(format!("{session}.jsonl"))
    }

    fn log(&self, session: &str) -> Vec<Value> {
        lines(&self.log_path(session))
    }

    fn ran(&self) -> usize {
        fs::read_to_string(self.home.path().join(RAN)).map_or(0, |text| text.lines().count())
    }

    /// What would have been sent with the last request, as texts.
    fn sent(&self) -> Vec<String> {
        let requests = lines(&self.home.path().join(SENT));
        let messages = requests.last().expect("a request")["messages"].clone();
        let blocks = messages.as_array().expect("messages").iter();
        let blocks = blocks.flat_map(|message| message["content"].as_array().expect("blocks"));
        blocks.map(brief).collect()
    }

    fn running(&self) -> Vec<Value> {
        let files = fs::read_dir(self.home.path().join("sessions")).expect("a folder");
        let files = files.map(|file| fs::read(file.expect("a file").path()).expect("text"));
        files
            .map(|text| serde_json::from_slice(&text).expect("JSON"))
            .collect()
    }
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("a file of lines");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn brief(block: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match block["type"].as_str() {
        Some("text") => text(&block["text"]),
        Some("tool_use") => format!("call {}", text(&block["name"])),
        _ => format!("result {}", text(&block["content"])),
    }
}

fn states(frames: &[Value]) -> Vec<&str> {
    let changes = frames
        .iter()
        .filter(|frame| frame["subtype"] == "session_state_changed");
    changes
        .filter_map(|frame| frame["state"].as_str())
        .collect()
}

fn lifecycle<'a>(frames: &'a [Value], uuid: &str) -> Vec<&'a str> {
    let own = frames.iter().filter(|frame| frame["command_uuid"] == *uuid);
    own.filter_map(|frame| frame["state"].as_str()).collect()
}

const SESSION: &str = "s";

fn new_session() -> String {
    format!("--session-id {}", uuid(SESSION))
}

fn resumed() -> String {
    format!("--resume {}", uuid(SESSION))
}

#[test]
fn a_turn_with_a_call_that_is_allowed() {
    let place = Place::new();
    let mut client = place.start(&format!("{} --include-partial-messages", new_session()));
    let answer = client.request(&json!({"subtype": "initialize"}));
    assert_eq!(answer["response"]["session_state"], "idle");
    assert_eq!(answer["pending_permission_requests"], json!([]));
    assert!(
        !place.log_path(&uuid(SESSION)).exists(),
        "no log before a prompt"
    );
    let prompt = client.prompt("[[say: hello]] [[bash: echo out; touch made]]");
    let request = client.permission();
    assert_eq!(request["request"]["tool_name"], "Bash");
    assert!(!place.cwd.join("made").exists());
    client.allow(&request);
    let result = client.result();
    assert_eq!(result["subtype"], "success");
    assert_eq!(result["result_index"], 0);
    assert_eq!(result["user_message_uuids"], json!([prompt]));
    assert!(place.cwd.join("made").exists());
    let end = client.close();
    assert_eq!(end.status.code(), Some(0), "{}", end.errors);
    assert_eq!(
        states(&end.frames),
        ["running", "requires_action", "running", "idle"]
    );
    assert_eq!(
        lifecycle(&end.frames, &prompt),
        ["queued", "started", "completed"]
    );
    assert!(
        end.frames
            .iter()
            .any(|frame| frame["event"]["delta"]["text"] == "hello")
    );
    assert_eq!(place.ran(), 1);
    assert_eq!(place.running(), [] as [Value; 0], "the marker is removed");
}

#[test]
fn the_log_is_a_chain_under_the_uuids_of_the_frames() {
    let place = Place::new();
    let mut client = place.start(&format!(
        "{} --permission-mode bypassPermissions",
        new_session()
    ));
    let prompt = client.prompt("[[bash: echo out]]");
    client.result();
    let end = client.close();
    let log = place.log(&uuid(SESSION));
    let entries: Vec<&Value> = log.iter().filter(|line| line["uuid"].is_string()).collect();
    let kinds: Vec<&str> = entries
        .iter()
        .filter_map(|entry| entry["type"].as_str())
        .collect();
    assert_eq!(kinds, ["user", "assistant", "user", "assistant"]);
    assert_eq!(entries[0]["uuid"], *prompt);
    for pair in entries.windows(2) {
        assert_eq!(pair[1]["parentUuid"], pair[0]["uuid"]);
    }
    for entry in &entries[1..] {
        assert!(
            end.frames
                .iter()
                .any(|frame| frame["uuid"] == entry["uuid"])
        );
    }
    let pin = log.last().expect("a line");
    assert_eq!(pin["type"], "last-prompt");
    assert_eq!(pin["leafUuid"], entries[3]["uuid"]);
    assert_eq!(entries[2]["message"]["content"][0]["content"], "out");
}

#[test]
fn denials_are_results_and_the_turn_goes_on() {
    let place = Place::new();
    let mut client = place.start("");
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
        place.sent()[2..],
        [
            "result not today",
            "call Bash",
            "result Tool permission request failed: broken",
            "call Bash",
            "result Tool permission request failed: invalid permission result",
        ]
    );
    assert_eq!(place.ran(), 0);
    client.close();
}

#[test]
fn a_second_initialize_gives_the_open_request_again() {
    let place = Place::new();
    let mut client = place.start("");
    client.prompt("[[bash: touch made]]");
    let request = client.permission();
    let answer = client.request(&json!({"subtype": "initialize"}));
    assert_eq!(answer["response"]["session_state"], "requires_action");
    assert_eq!(answer["pending_permission_requests"], json!([request]));
    client.frame("background_tasks_changed");
    assert_eq!(place.running()[0]["waitingFor"], "permission prompt");
    client.allow(&request);
    client.result();
    assert!(place.cwd.join("made").exists());
    client.close();
}

#[test]
fn prompts_during_a_turn_are_folded_into_it_or_wait() {
    let place = Place::new();
    let mut client = place.start(&new_session());
    let first = client.prompt("[[bash: true]]");
    let request = client.permission();
    let folded = client.prompt("[[say: folded]]");
    client.prompt_as(
        &uuid("later"),
        "[[say: later]]",
        &json!({"priority": "later"}),
    );
    client.prompt_as(
        &uuid("later"),
        "[[say: later]]",
        &json!({"priority": "later"}),
    );
    client.request(&json!({"subtype": "get_settings"}));
    client.allow(&request);
    assert_eq!(client.result()["result"], "folded");
    let result = client.result();
    assert_eq!(result["result"], "later");
    assert_eq!(result["result_index"], 1);
    let end = client.close();
    for prompt in [first, folded.clone(), uuid("later")] {
        assert_eq!(
            lifecycle(&end.frames, &prompt),
            ["queued", "started", "completed"]
        );
    }
    let log = place.log(&uuid(SESSION));
    let attachment = log
        .iter()
        .find(|line| line["type"] == "attachment")
        .expect("one");
    assert_eq!(attachment["attachment"]["source_uuid"], *folded);
}

#[test]
fn prompts_that_wait_become_one_turn() {
    let place = Place::new();
    let mut client = place.start("");
    client.prompt("[[silence]]");
    client.frame("init");
    let waiting = [
        client.prompt("one"),
        client.prompt("two"),
        client.prompt("three"),
    ];
    let cancel = json!({"subtype": "cancel_async_message", "message_uuid": waiting[1]});
    assert_eq!(client.request(&cancel)["response"]["cancelled"], true);
    assert_eq!(client.request(&cancel)["response"]["cancelled"], false);
    let answer = client.request(&json!({"subtype": "interrupt"}));
    assert_eq!(
        answer["response"]["still_queued"],
        json!([waiting[0], waiting[2]])
    );
    assert_eq!(client.result()["terminal_reason"], "aborted_streaming");
    let result = client.result();
    assert_eq!(
        result["user_message_uuids"],
        json!([waiting[0], waiting[2]])
    );
    let end = client.close();
    assert_eq!(lifecycle(&end.frames, &waiting[1]), ["queued", "cancelled"]);
    assert_eq!(
        place.sent()[1..],
        ["[Request interrupted by user]", "one", "three"]
    );
}

#[test]
fn an_interrupt_withdraws_requests_and_stops_tools() {
    let place = Place::new();
    let mut client = place.start(&new_session());
    client.prompt("[[bash: touch made]]");
    let request = client.permission();
    client.request(&json!({"subtype": "interrupt"}));
    let cancel = client.frame("control_cancel_request");
    assert_eq!(cancel["request_id"], request["request_id"]);
    client.allow(&request);
    let result = client.result();
    assert_eq!(result["subtype"], "error_during_execution");
    assert_eq!(result["terminal_reason"], "aborted_tools");
    assert_eq!(result["permission_denials"][0]["tool_name"], "Bash");
    client.prompt("[[bash: touch runs; sleep 1000]]");
    let request = client.permission();
    client.allow(&request);
    let runs = place.cwd.join("runs");
    while !runs.exists() {
        client.request(&json!({"subtype": "get_status_is_unknown"}));
    }
    client.request(&json!({"subtype": "interrupt"}));
    assert_eq!(client.result()["terminal_reason"], "aborted_tools");
    let end = client.close();
    assert_eq!(end.status.code(), Some(1), "the last turn was interrupted");
    assert!(!place.cwd.join("made").exists());
}

#[test]
fn an_urgent_prompt_cuts_the_turn() {
    let place = Place::new();
    let mut client = place.start("");
    let first = client.prompt("[[silence]]");
    client.frame("init");
    client.prompt_as(&uuid("now"), "[[say: urgent]]", &json!({"priority": "now"}));
    let result = client.result();
    assert_eq!(result["subtype"], "success");
    assert_eq!(result["terminal_reason"], "aborted_streaming");
    assert_eq!(client.result()["result"], "urgent");
    let end = client.close();
    assert_eq!(
        lifecycle(&end.frames, &first),
        ["queued", "started", "cancelled"]
    );
}

#[test]
fn a_question_and_a_plan_are_answered_in_their_input() {
    let place = Place::new();
    let mut client = place.start("--permission-mode plan");
    client.prompt(
        "[[ask: Which colour? | Red | Blue]] [[ask: Why? | A]] [[plan: do it]] [[edit: f]]",
    );
    let request = client.permission();
    assert_eq!(request["request"]["requires_user_interaction"], true);
    let mut input = request["request"]["input"].clone();
    assert_eq!(input["questions"][0]["options"][1]["label"], "Blue");
    input["answers"] = json!({"Which colour?": "Blue"});
    client.answer(
        &request,
        &json!({"behavior": "allow", "updatedInput": input}),
    );
    let request = client.permission();
    client.allow(&request);
    let request = client.permission();
    assert_eq!(request["request"]["input"]["plan"], "do it");
    let mode = json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]);
    client.answer(
        &request,
        &json!({"behavior": "allow", "updatedPermissions": mode}),
    );
    assert_eq!(client.frame("status")["permissionMode"], "acceptEdits");
    client.result();
    assert_eq!(
        fs::read_to_string(place.cwd.join("f")).expect("a file"),
        "edited\n"
    );
    let sent = place.sent();
    assert!(sent[2].contains(r#""Which colour?"="Blue""#), "{sent:?}");
    assert_eq!(sent[4], "result The user did not answer the questions.");
    client.close();
}

#[test]
fn an_allowed_suggestion_is_not_asked_again() {
    let place = Place::new();
    let mut client = place.start("");
    client.prompt("[[bash: echo x >> runs]] [[bash: echo x >> runs]]");
    let request = client.permission();
    let suggestion = &request["request"]["permission_suggestions"][0];
    let answer = json!({"behavior": "allow", "updatedPermissions": [suggestion]});
    client.answer(&request, &answer);
    client.result();
    assert_eq!(
        fs::read_to_string(place.cwd.join("runs")).expect("a file"),
        "x\nx\n"
    );
    client.close();
}

#[test]
fn agents_ask_at_the_same_time() {
    let place = Place::new();
    let mut client = place.start(&new_session());
    client.prompt(
        "[[parallel: ((agent: one ((bash: touch one)))) ((agent: two ((bash: touch two))))]]",
    );
    let requests = [client.permission(), client.permission()];
    let agents: Vec<&Value> = requests
        .iter()
        .map(|open| &open["request"]["agent_id"])
        .collect();
    assert!(agents[0].is_string() && agents[0] != agents[1]);
    let answer = client.request(&json!({"subtype": "initialize"}));
    assert_eq!(
        answer["pending_permission_requests"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
    client.allow(&requests[1]);
    client.allow(&requests[0]);
    client.result();
    assert!(place.cwd.join("one").exists() && place.cwd.join("two").exists());
    let folder = place
        .log_path(&uuid(SESSION))
        .with_extension("")
        .join("subagents");
    assert_eq!(fs::read_dir(folder).expect("a folder").count(), 4);
    client.close();
}

#[test]
fn a_prompt_that_was_answered_does_not_run_again() {
    let place = Place::new();
    let args = "--permission-mode bypassPermissions --replay-user-messages";
    let mut client = place.start(&format!("{} {args}", new_session()));
    let prompt = client.prompt("[[bash: true]]");
    client.result();
    client.prompt_as(&prompt, "[[bash: true]]", &json!({}));
    client.wait("an echo", |frame| {
        frame["isReplay"] == true && frame["uuid"] == *prompt
    });
    assert_eq!(client.close().status.code(), Some(0));
    let mut client = place.start(&format!("{} {args}", resumed()));
    client.prompt_as(&prompt, "[[bash: true]]", &json!({}));
    client.wait("an echo", |frame| {
        frame["isReplay"] == true && frame["uuid"] == *prompt
    });
    assert_eq!(client.frame("command_lifecycle")["state"], "completed");
    client.close();
    assert_eq!(place.ran(), 1);
}

#[test]
fn what_a_dead_client_left_open_is_mended_at_the_next_prompt() {
    let place = Place::new();
    let mut client = place.start(&new_session());
    client.prompt("[[die-after-call: touch made]]");
    let end = client.end();
    assert!(end.status.code().is_none(), "{}", end.status);
    assert_eq!(
        place.running().len(),
        1,
        "a killed client leaves its marker"
    );
    let mut client = place.start(&resumed());
    client.prompt("[[say: again]]");
    client.result();
    client.close();
    assert_eq!(
        place.sent(),
        [
            "[[die-after-call: touch made]]",
            "call Bash",
            &format!("result {INTERRUPTED_CALL}"),
            NO_RESPONSE,
            "[[say: again]]",
        ]
    );
    assert_eq!(place.ran(), 0);
}

#[test]
fn an_interrupted_turn_runs_again_when_asked() {
    let place = Place::new();
    let mut client = place.start(&new_session());
    let prompt = client.prompt("[[bash: touch made]]");
    client.permission();
    client.kill();
    let options = place.options(&resumed());
    let mut client = options
        .env("CLAUDE_CODE_RESUME_INTERRUPTED_TURN", "1")
        .start();
    let request = client.permission();
    client.allow(&request);
    let result = client.result();
    assert!(result["resume_reason"].is_string());
    assert_eq!(result["user_message_uuids"], json!([prompt]));
    client.close();
    assert!(place.cwd.join("made").exists());
    assert_eq!(place.sent()[0..2], ["[[bash: touch made]]", "call Bash"]);
}

#[test]
fn deaths_leave_what_they_should() {
    for (directive, is_torn, has_log) in [
        ("[[say: a]] [[die]]", false, true),
        ("[[half-line]]", false, true),
        ("[[half-log]]", true, true),
        ("[[die-unwritten: true]]", false, true),
    ] {
        let place = Place::new();
        let mut client = place.start(&new_session());
        client.prompt(directive);
        let end = client.end();
        assert!(end.status.code().is_none(), "{directive}: {}", end.status);
        let log = fs::read_to_string(place.log_path(&uuid(SESSION)));
        assert_eq!(log.is_ok(), has_log, "{directive}");
        let log = log.unwrap_or_default();
        assert_eq!(!log.ends_with('\n'), is_torn, "{directive}");
        assert_eq!(
            log.contains("\"type\":\"user\""),
            !directive.contains("unwritten")
        );
        let mut client = place.start(&resumed());
        client.prompt("[[say: again]]");
        client.result();
        client.close();
        let after = fs::read_to_string(place.log_path(&uuid(SESSION))).expect("a log");
        assert!(after.starts_with(&log));
        assert_eq!(after[log.len()..].starts_with('\n'), is_torn, "{directive}");
    }
}

#[test]
fn frames_may_be_torn_wrong_and_many() {
    let place = Place::new();
    let mut client = place.start("--include-partial-messages");
    client.prompt("[[torn]] [[wrong]] [[flood: 2]] [[say: end]]");
    assert_eq!(client.frame("status")["status"], "requesting");
    assert_eq!(client.frame("status")["torn"], "ä");
    client.frame("no_such_type");
    client.frame("not-json");
    assert_eq!(client.result()["result"], "end");
    let end = client.close();
    let text = end
        .frames
        .iter()
        .filter_map(|frame| frame["event"]["delta"]["text"].as_str());
    assert!(text.map(str::len).sum::<usize>() > 2_000_000);
}

#[test]
fn failures_have_their_frames() {
    for (directive, subtype, status) in [
        ("[[rate-limit]]", "success", json!(429)),
        ("[[not-logged-in]]", "success", json!(401)),
        ("[[result-error]]", "error_during_execution", Value::Null),
    ] {
        let place = Place::new();
        let mut client = place.start("");
        client.prompt(directive);
        let result = client.result();
        assert_eq!(result["is_error"], true, "{directive}");
        assert_eq!(result["subtype"], subtype, "{directive}");
        assert_eq!(result["api_error_status"], status, "{directive}");
        assert_eq!(client.close().status.code(), Some(1));
    }
}

#[test]
fn background_tasks_are_told_as_a_set() {
    let place = Place::new();
    let mut client = place.start("");
    client.prompt("[[background: build]] [[wait-file: go]] [[background-done: build]]");
    let tasks = client.frame("background_tasks_changed")["tasks"].clone();
    assert_eq!(tasks[0]["task_id"], "build");
    fs::write(place.cwd.join("go"), "").expect("a file");
    assert_eq!(client.frame("background_tasks_changed")["tasks"], json!([]));
    client.result();
    client.close();
}

#[test]
fn clearing_begins_a_new_session_in_the_process() {
    let place = Place::new();
    let mut client = place.start(&new_session());
    client.prompt("one");
    client.result();
    client.prompt("/clear");
    assert_eq!(
        client.frame("conversation_reset")["session_id"],
        *uuid(SESSION)
    );
    let session = client.result()["session_id"].clone();
    assert_ne!(session, *uuid(SESSION));
    client.prompt("two");
    assert_eq!(client.result()["session_id"], session);
    client.close();
    assert_eq!(place.sent(), ["two"]);
    assert!(place.log_path(session.as_str().expect("an id")).exists());
}

#[test]
fn a_fork_is_a_new_log_with_the_same_entries() {
    let place = Place::new();
    let mut client = place.start(&new_session());
    let one = client.prompt("one");
    client.result();
    client.prompt("two");
    client.result();
    client.close();
    let before = fs::read(place.log_path(&uuid(SESSION))).expect("a log");
    let mut log = place.log(&uuid(SESSION)).into_iter();
    let answer = log
        .rfind(|line| line["parentUuid"] == *one)
        .expect("an answer");
    let at = answer["uuid"].as_str().expect("an id");
    let args = format!("{} --fork-session --session-id {}", resumed(), uuid("fork"));
    let mut client = place.start(&format!("{args} --resume-session-at {at}"));
    client.prompt("three");
    client.result();
    client.close();
    assert_eq!(
        fs::read(place.log_path(&uuid(SESSION))).expect("a log"),
        before
    );
    assert_eq!(place.log(&uuid("fork"))[0]["uuid"], *one);
    assert_eq!(place.sent(), ["one", "Done.", "three"]);
}

#[test]
fn it_ends_as_the_real_one_does() {
    let place = Place::new();
    let mut client = place.start("");
    client.write(b"\n{\"type\":\"no_such\"}\n{\"type\":\"us\n");
    let end = client.end();
    assert_eq!(end.status.code(), Some(1), "a line that is not JSON");
    assert!(end.errors.contains("Error parsing"), "{}", end.errors);
    let mut client = place.start("");
    assert_eq!(
        client.request(&json!({"subtype": "end_session"}))["subtype"],
        "success"
    );
    assert_eq!(client.end().status.code(), Some(0));
    for (signal, code) in [("TERM", 143), ("HUP", 129), ("INT", 0)] {
        let mut client = place.start("");
        client.prompt("[[bash: touch made]]");
        client.permission();
        assert_eq!(client.signal(signal).status.code(), Some(code), "{signal}");
    }
    let mut client = place.start("");
    client.prompt("[[bash: touch made]] [[say: end]]");
    client.permission();
    let end = client.close();
    assert_eq!(
        end.status.code(),
        Some(0),
        "input that ends denies what is open"
    );
    assert!(end.frames.iter().any(|frame| frame["result"] == "end"));
    assert_eq!(place.running(), [] as [Value; 0]);
    assert_eq!(place.ran(), 0);
}

#[test]
fn what_cannot_start_says_why() {
    let place = Place::new();
    let end = place.start(&resumed()).end();
    assert_eq!(end.status.code(), Some(1));
    assert!(
        end.errors.contains("No conversation found"),
        "{}",
        end.errors
    );
    let elsewhere = tempfile::tempdir().expect("a folder");
    let options = DriverOptions::new(&client::scripted_client(), &place.cwd);
    let config = elsewhere.path().display().to_string();
    let end = options.env("CLAUDE_CONFIG_DIR", config).start().end();
    assert_eq!(end.status.code(), Some(1));
    assert!(end.errors.contains(client::MARKER), "{}", end.errors);
}

#[test]
fn requests_about_settings_are_answered() {
    let place = Place::new();
    let mut client = place.start("");
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
    assert_eq!(
        (&init["permissionMode"], &init["model"]),
        (&json!("plan"), &json!("m"))
    );
    client.result();
    client.close();
}
