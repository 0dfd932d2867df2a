//! Prompts that wait, cut or come again.

use super::*;

#[test]
fn prompts_during_a_turn_are_folded_into_it_or_wait() {
    let place = Place::new();
    let mut client = place.start(&new_session());
    let first = client.prompt("[[bash: true]]");
    let request = client.permission();
    let folded = client.prompt("[[say: folded]]");
    client.prompt_as(&uuid("later"), "[[say: later]]", &json!({"priority": "later"}));
    client.prompt_as(&uuid("later"), "[[say: later]]", &json!({"priority": "later"}));
    client.request(&json!({"subtype": "get_settings"}));
    client.allow(&request);
    assert_eq!(client.result()["result"], "folded");
    let result = client.result();
    assert_eq!(result["result"], "later");
    assert_eq!(result["result_index"], 1);
    let end = client.close();
    for prompt in [first, folded.clone(), uuid("later")] {
        assert_eq!(lifecycle(&end.frames, &prompt), ["queued", "started", "completed"]);
    }
    let log = place.log(&uuid(SESSION));
    let attachment = log.iter().find(|line| line["type"] == "attachment").expect("one");
    assert_eq!(attachment["attachment"]["source_uuid"], *folded);
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
fn a_prompt_that_was_answered_does_not_run_again() {
    let place = Place::new();
    let args = "--permission-mode bypassPermissions --replay-user-messages";
    let mut client = place.start(&format!("{} {args}", new_session()));
    let prompt = client.prompt("[[bash: true]]");
    client.result();
    client.prompt_as(&prompt, "[[bash: true]]", &json!({}));
    client.wait("an echo", |frame| frame["isReplay"] == true && frame["uuid"] == *prompt);
    assert_eq!(client.close().status.code(), Some(0));
    let mut client = place.start(&format!("{} {args}", resumed()));
    client.prompt_as(&prompt, "[[bash: true]]", &json!({}));
    client.wait("an echo", |frame| frame["isReplay"] == true && frame["uuid"] == *prompt);
    assert_eq!(client.frame("command_lifecycle")["state"], "completed");
    client.close();
    assert_eq!(place.ran(), 1);
}
