//! Conversations without a kill or damage, in which the scripted client must act like the real one.

use serde_json::{Value, json};

use super::stage::{ClientStage, run};
use super::{ClientDriver, ClientEnd, ScenarioReport};
use crate::client::new_uuid;
use crate::uuid;

/// Returns the reported states of the session.
pub(super) fn states(end: &ClientEnd) -> Vec<String> {
    let changes = end.frames.iter();
    let changes = changes.filter(|frame| frame["subtype"] == "session_state_changed");
    changes.map(|frame| word(&frame["state"])).collect()
}

/// Returns the reported states of a prompt.
pub(super) fn lifecycle(end: &ClientEnd, prompt: &str) -> Vec<String> {
    let own = end.frames.iter().filter(|frame| frame["command_uuid"] == *prompt);
    own.map(|frame| word(&frame["state"])).collect()
}

pub(super) fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Returns the type, the reason and the error flag of a result.
pub(super) fn outcome(result: &Value) -> [String; 3] {
    [&result["subtype"], &result["terminal_reason"], &result["is_error"]]
        .map(|value| value.to_string().replace('"', ""))
}

fn allow_next(client: &mut ClientDriver) {
    let request = client.permission();
    client.allow(&request);
}

pub(super) fn approvals(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("approvals");
    let mut client = stage.start(&format!("--session-id {id}"));
    let answer = client.request(&json!({"subtype": "initialize"}));
    report.check("state at the start", [word(&answer["response"]["session_state"])], ["idle"]);
    let first = answered_turn(&mut client, report);
    let second = interrupted_turn(&mut client, report);
    let end = client.close();
    report.check("exit code", [format!("{:?}", end.status.code())], ["Some(1)"]);
    let mut told = vec!["running"];
    told.extend(["requires_action", "running"].repeat(3));
    told.extend(["idle", "running", "requires_action", "running", "idle"]);
    report.check("states", states(&end), told);
    report.check("the first prompt", lifecycle(&end, &first), ["queued", "started", "completed"]);
    report.check("the second prompt", lifecycle(&end, &second), ["queued", "started", "cancelled"]);
    report.check("calls", stage.calls(&id), ["done", "denied", "done", "denied"]);
    let answered = "result Your questions have been answered: \"Which colour?\"=\"Blue\". You can \
                    now continue with these answers in mind.";
    let log = stage.brief_log(&id);
    report.check("what the model was told", [&log[4], &log[6]], ["error not today", answered]);
    for (name, expected) in [("one", 1), ("two", 0), ("three", 0)] {
        report.count(&format!("runs of {name}"), stage.runs(name), expected);
    }
}

/// Runs a turn with a call that is allowed, one that is denied, and a question.
fn answered_turn(client: &mut ClientDriver, report: &mut ScenarioReport) -> String {
    let prompt =
        format!("{} {} [[ask: Which colour? | Red | Blue]] [[say: end]]", run("one"), run("two"));
    let prompt = client.prompt(&prompt);
    let request = client.permission();
    let answer = client.request(&json!({"subtype": "initialize"}));
    let open = &answer["pending_permission_requests"];
    let is_same = open[0]["request_id"] == request["request_id"] && open[1].is_null();
    report.check("the open request is told again", [is_same.to_string()], ["true"]);
    client.allow(&request);
    let request = client.permission();
    client.deny(&request, "not today");
    client.allow(&request);
    let request = client.permission();
    let mut input = request["request"]["input"].clone();
    input["answers"] = json!({"Which colour?": "Blue"});
    client.answer(&request, &json!({"behavior": "allow", "updatedInput": input}));
    let result = client.result();
    report.check("result", outcome(&result), ["success", "completed", "false"]);
    prompt
}

/// Runs a turn that is interrupted while a call waits.
fn interrupted_turn(client: &mut ClientDriver, report: &mut ScenarioReport) -> String {
    let prompt = client.prompt(&run("three"));
    let request = client.permission();
    client.request(&json!({"subtype": "interrupt"}));
    let cancel = client.frame("control_cancel_request");
    let is_same = cancel["request_id"] == request["request_id"];
    report.check("the request is withdrawn", [is_same.to_string()], ["true"]);
    let result = client.result();
    let cut = ["error_during_execution", "aborted_tools", "true"];
    report.check("result of the interrupted turn", outcome(&result), cut);
    prompt
}

pub(super) fn queue(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("queue");
    let mut client = stage.start(&format!("--session-id {id}"));
    let mut prompts = vec![client.prompt(&run("one"))];
    let request = client.permission();
    prompts.push(client.prompt("folded [[say: f]]"));
    prompts.push(new_uuid());
    client.prompt_as(&prompts[2], "later [[say: l]]", &json!({"priority": "later"}));
    let dropped = client.prompt("dropped");
    let cancel = json!({"subtype": "cancel_async_message", "message_uuid": dropped});
    for expected in ["true", "false"] {
        let answer = client.request(&cancel);
        report.check("cancelled", [answer["response"]["cancelled"].to_string()], [expected]);
    }
    client.allow(&request);
    client.result();
    client.result();
    report.check("sent last", stage.last_sent().pop(), ["U later [[say: l]]"]);
    prompts.push(client.prompt(&run("two")));
    client.permission();
    joined(&mut client, report, &mut prompts);
    let end = client.close();
    for (place, prompt) in prompts.iter().enumerate() {
        let last = if place == 3 { "cancelled" } else { "completed" };
        report.check("a prompt", lifecycle(&end, prompt), ["queued", "started", last]);
    }
    report.check("the dropped prompt", lifecycle(&end, &dropped), ["queued", "cancelled"]);
    let sent = stage.last_sent();
    let tail = &sent[sent.len() - 2..];
    report.check("the joined prompts were sent", tail, ["U a", "U b"]);
    report.count("runs of one", stage.runs("one"), 1);
    report.count("runs of two", stage.runs("two"), 0);
}

/// Checks that prompts which wait during an interrupted turn become one turn.
fn joined(client: &mut ClientDriver, report: &mut ScenarioReport, prompts: &mut Vec<String>) {
    let joined = [client.prompt("a"), client.prompt("b")];
    // A queued prompt is identified by its uuid: a repetition does not add another one.
    client.prompt_as(&joined[1], "b", &json!({}));
    let answer = client.request(&json!({"subtype": "interrupt"}));
    let is_same = answer["response"]["still_queued"] == json!(joined);
    report.check("still queued", [is_same.to_string()], ["true"]);
    client.result();
    let result = client.result();
    let is_same = result["user_message_uuids"] == json!(joined);
    report.check("joined in one turn", [is_same.to_string()], ["true"]);
    report.check("index of the last result", [result["result_index"].to_string()], ["3"]);
    prompts.extend(joined);
}

pub(super) fn agents(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("agents");
    let mut client = stage.start(&format!("--session-id {id}"));
    client.prompt(
        "[[parallel: ((agent: A ((bash: echo one >> runs)))) ((agent: B ((bash: echo two >> runs))))]]",
    );
    let requests = [client.permission(), client.permission()];
    let agents = requests.each_ref().map(|request| &request["request"]["agent_id"]);
    let are_told = agents[0].is_string() && agents[1].is_string() && agents[0] != agents[1];
    report.check("the agents are told apart", [are_told.to_string()], ["true"]);
    let answer = client.request(&json!({"subtype": "initialize"}));
    let open = answer["pending_permission_requests"].as_array().map_or(0, Vec::len);
    report.count("open requests", open, 2);
    client.allow(&requests[1]);
    client.allow(&requests[0]);
    let result = client.result();
    report.check("result", outcome(&result), ["success", "completed", "false"]);
    let end = client.close();
    let told = ["running", "requires_action", "requires_action"];
    report.check("states", &states(&end)[..3], told);
    report.check("calls", stage.calls(&id), ["done", "done"]);
    report.count("runs of one", stage.runs("one"), 1);
    report.count("runs of two", stage.runs("two"), 1);
}

pub(super) fn same_prompt(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("same");
    let text = format!("{} {}", run("one"), run("two"));
    let mut client = stage.start(&format!("--session-id {id}"));
    let prompt = client.prompt(&text);
    allow_next(&mut client);
    client.permission();
    stage.wait_until("the second call in the log", || stage.calls(&id).len() == 2);
    client.kill();
    let mut client = stage.start(&format!("--resume {id}"));
    client.prompt_as(&prompt, &text, &json!({}));
    let told = client.wait("a state", |frame| frame["command_uuid"] == *prompt);
    report.check("state of the prompt", [word(&told["state"])], ["completed"]);
    client.close();
    report.check("calls", stage.calls(&id), ["done", "open"]);
    report.count("runs of one", stage.runs("one"), 1);
    report.count("runs of two", stage.runs("two"), 0);
}

pub(super) fn frames(stage: &ClientStage, report: &mut ScenarioReport) {
    let flags = "--include-partial-messages --replay-user-messages";
    let mut client = stage.start(flags);
    client.prompt(&format!("[[say: hi]] {} [[say: end]]", run("one")));
    let request = client.permission();
    // The end of the message arrives before or after the request.
    client.wait_for_any("the end of the message", |frame| frame["event"]["type"] == "message_stop");
    client.allow(&request);
    client.result();
    let end = client.close();
    let told: Vec<String> = end.frames.iter().filter_map(frame_name).collect();
    let block = ["start", "delta", "assistant", "stop"];
    let mut expected =
        vec!["running", "queued", "started", "init", "requesting", "echo", "message"];
    expected.extend(block.repeat(2));
    expected.extend(["requires_action", "can_use_tool", "echo", "running", "user"]);
    expected.extend(["requesting", "message"].into_iter().chain(block));
    expected.extend(["result", "completed", "idle"]);
    report.check("frames", told, expected);
}

/// Returns a name for a frame; `None` for frames without a fixed position.
fn frame_name(frame: &Value) -> Option<String> {
    let name = match (frame["type"].as_str()?, frame["subtype"].as_str()) {
        ("system", Some("session_state_changed")) | ("command_lifecycle", _) => &frame["state"],
        ("system", Some("status")) => &frame["status"],
        ("system", _) => &frame["subtype"],
        ("user", _) if frame["isReplay"] == true => return Some("echo".to_owned()),
        // The client repeats an answer of the host.
        ("control_response", _) => return Some("echo".to_owned()),
        ("control_request", _) => &frame["request"]["subtype"],
        ("stream_event", _) => return stream_name(&frame["event"]),
        _ => &frame["type"],
    };
    Some(word(name))
}

/// Returns a name for an event of a stream; the pieces of a block have one name.
fn stream_name(event: &Value) -> Option<String> {
    let is_empty = event["delta"]["partial_json"] == "";
    let name = match event["type"].as_str()? {
        "message_start" => "message",
        "content_block_start" => "start",
        "content_block_delta" if !is_empty => "delta",
        "content_block_stop" => "stop",
        _ => return None,
    };
    Some(name.to_owned())
}
