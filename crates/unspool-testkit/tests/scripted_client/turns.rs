//! Turns, with calls that are asked for.

use super::*;

#[test]
fn a_turn_with_a_call_that_is_allowed() {
    let place = Place::new();
    let mut client = place.start(&format!("{} --include-partial-messages", new_session()));
    let answer = client.request(&json!({"subtype": "initialize"}));
    assert_eq!(answer["response"]["session_state"], "idle");
    assert_eq!(answer["pending_permission_requests"], json!([]));
    assert!(!place.log_path(&uuid(SESSION)).exists(), "no log before a prompt");
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
    assert_eq!(states(&end.frames), ["running", "requires_action", "running", "idle"]);
    assert_eq!(lifecycle(&end.frames, &prompt), ["queued", "started", "completed"]);
    assert!(end.frames.iter().any(|frame| frame["event"]["delta"]["text"] == "hello"));
    assert_eq!(place.ran(), 1);
    assert_eq!(place.running(), [] as [Value; 0], "the marker is removed");
}

#[test]
fn the_log_is_a_chain_under_the_uuids_of_the_frames() {
    let place = Place::new();
    let mut client = place.start(&format!("{} --permission-mode bypassPermissions", new_session()));
    let prompt = client.prompt("[[bash: echo out]]");
    client.result();
    let end = client.close();
    let log = place.log(&uuid(SESSION));
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
    client.answer(&request, &json!({"behavior": "allow", "updatedInput": input}));
    let request = client.permission();
    client.allow(&request);
    let request = client.permission();
    assert_eq!(request["request"]["input"]["plan"], "do it");
    let mode = json!([{"type": "setMode", "mode": "acceptEdits", "destination": "session"}]);
    client.answer(&request, &json!({"behavior": "allow", "updatedPermissions": mode}));
    assert_eq!(client.frame("status")["permissionMode"], "acceptEdits");
    client.result();
    assert_eq!(fs::read_to_string(place.cwd.join("f")).expect("a file"), "edited\n");
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
    assert_eq!(fs::read_to_string(place.cwd.join("runs")).expect("a file"), "x\nx\n");
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
    let agents: Vec<&Value> = requests.iter().map(|open| &open["request"]["agent_id"]).collect();
    assert!(agents[0].is_string() && agents[0] != agents[1]);
    let answer = client.request(&json!({"subtype": "initialize"}));
    assert_eq!(answer["pending_permission_requests"].as_array().map(Vec::len), Some(2));
    client.allow(&requests[1]);
    client.allow(&requests[0]);
    client.result();
    assert!(place.cwd.join("one").exists() && place.cwd.join("two").exists());
    let folder = place.log_path(&uuid(SESSION)).with_extension("").join("subagents");
    assert_eq!(fs::read_dir(folder).expect("a folder").count(), 4);
    client.close();
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
    let text = end.frames.iter().filter_map(|frame| frame["event"]["delta"]["text"].as_str());
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
    assert_eq!((&init["permissionMode"], &init["model"]), (&json!("plan"), &json!("m")));
    client.result();
    client.close();
}
