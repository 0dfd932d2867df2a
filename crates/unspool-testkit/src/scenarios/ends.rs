//! Ends and failures of clients, and turns that begin in unusual ways.

use std::fs;

use serde_json::json;

use super::live::{lifecycle, outcome, states, word};
use super::stage::{ClientStage, has_call, run};
use super::{ClientDriver, ScenarioReport};
use crate::client::new_uuid;
use crate::uuid;

pub(super) fn ends(stage: &ClientStage, report: &mut ScenarioReport) {
    let asking = || {
        let mut client = stage.start("");
        client.prompt(&run("one"));
        client.permission();
        client
    };
    let mut code =
        |what: &str, client: ClientDriver, act: fn(ClientDriver) -> Option<i32>, expected: i32| {
            report.check(what, [format!("{:?}", act(client))], [format!("Some({expected})")]);
        };
    let idle = || stage.start("");
    let closed = |client: ClientDriver| client.close().status.code();
    code("input ends when idle", idle(), closed, 0);
    code("input ends while a call waits", asking(), closed, 0);
    let broken = |mut client: ClientDriver| {
        client.write(b"{\"type\":\"us\n");
        client.end().status.code()
    };
    code("a line that is not JSON", idle(), broken, 1);
    let asked = |mut client: ClientDriver| {
        client.request(&json!({"subtype": "end_session"}));
        client.end().status.code()
    };
    code("asked to end when idle", idle(), asked, 0);
    code("asked to end while a call waits", asking(), asked, 1);
    code("SIGTERM while a call waits", asking(), |client| client.signal("TERM").status.code(), 143);
    code("SIGHUP while a call waits", asking(), |client| client.signal("HUP").status.code(), 129);
    code("SIGINT while a call waits", asking(), |client| client.signal("INT").status.code(), 0);
    let unknown = stage.start(&format!("--resume {}", uuid("unknown")));
    code("an unknown session", unknown, closed, 1);
    report.count("markers of running sessions", stage.markers(), 0);
    report.count("runs of one", stage.runs("one"), 0);
}

pub(super) fn failures(stage: &ClientStage, report: &mut ScenarioReport) {
    let mut client = stage.start("");
    let mut prompts = Vec::new();
    for (directive, status) in [("[[rate-limit]]", "429"), ("[[not-logged-in]]", "401")] {
        prompts.push(client.prompt(directive));
        let result = client.result();
        report.check(directive, outcome(&result), ["success", "api_error", "true"]);
        report.check("status", [result["api_error_status"].to_string()], [status]);
    }
    client.prompt("fine [[say: fine]]");
    let result = client.result();
    report.check("afterwards", outcome(&result), ["success", "completed", "false"]);
    let end = client.close();
    for prompt in &prompts {
        report.check("a prompt", lifecycle(&end, prompt), ["queued", "started", "cancelled"]);
    }
    let sent = stage.last_sent();
    report.check(
        "sent",
        &sent,
        ["U [[rate-limit]]", "U [[not-logged-in]]", "U fine [[say: fine]]"],
    );
    report.check("exit code", [format!("{:?}", end.status.code())], ["Some(0)"]);
}

pub(super) fn cuts(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("cuts");
    let mut client = stage.start(&format!("--session-id {id}"));
    let first = client.prompt("[[silence]]");
    stage.wait_until("the first request", || stage.sent().len() == 1);
    client.request(&json!({"subtype": "interrupt"}));
    let result = client.result();
    let cut = ["error_during_execution", "aborted_streaming", "true"];
    report.check("interrupted", outcome(&result), cut);
    let mut prompts = vec![first];
    for (text, expected) in [
        ("mute [[silence]]", ["error_during_execution", "aborted_streaming", "true"]),
        ("part [[say: some]] [[silence]]", ["success", "aborted_streaming", "false"]),
    ] {
        let requests = stage.sent().len() + 1;
        prompts.push(client.prompt(text));
        stage.wait_until("a request", || stage.sent().len() == requests);
        if text.contains("say") {
            client.wait("the text", |frame| frame["message"]["content"][0]["text"] == "some");
        }
        client.prompt_as(&new_uuid(), "[[say: urgent]]", &json!({"priority": "now"}));
        let result = client.result();
        report.check(text, outcome(&result), expected);
        let result = client.result();
        report.check("the urgent one", [word(&result["result"])], ["urgent"]);
    }
    let end = client.close();
    for prompt in &prompts {
        report.check("a prompt", lifecycle(&end, prompt), ["queued", "started", "cancelled"]);
    }
    report.check("states", states(&end), ["running", "idle"].repeat(3));
    let interrupted = "U [Request interrupted by user]";
    let first = ["U [[silence]]", interrupted, "U mute [[silence]]", "U [[say: urgent]]"];
    let second = ["A urgent", "U part [[say: some]] [[silence]]", "A some", "U [[say: urgent]]"];
    let sent = first.into_iter().chain(second);
    report.check("sent", stage.last_sent(), sent);
}

pub(super) fn rerun(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("rerun");
    let text = run("one");
    let mut client = stage.start(&format!("--session-id {id}"));
    client.prompt("zero [[say: 0]]");
    client.result();
    let prompt = client.prompt(&text);
    client.permission();
    stage.wait_for_line(&id, has_call);
    client.kill();
    let again = [("CLAUDE_CODE_RESUME_INTERRUPTED_TURN", "1".to_owned())];
    let mut client = stage.start_with(&format!("--resume {id}"), again);
    let request = client.permission();
    client.allow(&request);
    let result = client.result();
    report.check("result", outcome(&result), ["success", "completed", "false"]);
    report.check("reason", [word(&result["resume_reason"])], ["interrupted_turn"]);
    let is_same = result["user_message_uuids"] == json!([prompt]);
    report.check("the same prompt", [is_same.to_string()], ["true"]);
    let end = client.close();
    report.check("the prompt", lifecycle(&end, &prompt), ["started", "completed"]);
    let asked = format!("U {text}");
    let done = "result (Bash completed with no output)";
    let sent = ["U zero [[say: 0]]", "A 0", &asked, "call Bash", done];
    report.check("sent", stage.last_sent(), sent);
    report.check("calls", stage.calls(&id), ["open", "done"]);
    report.count("runs of one", stage.runs("one"), 1);
}

pub(super) fn unanswered(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("unanswered");
    let text = format!("[[wait-file: go]] {}", run("one"));
    let mut client = stage.start(&format!("--session-id {id}"));
    client.prompt("zero [[say: 0]]");
    client.result();
    let prompt = client.prompt(&text);
    stage.wait_for_line(&id, |line| line["uuid"] == *prompt);
    client.kill();
    let asked = format!("U {text}");
    let before = ["U zero [[say: 0]]", "A 0", asked.as_str()];
    report.check("file before", stage.brief_log(&id), before);
    fs::write(stage.cwd().join("go"), "").expect("a file");
    let mut client = stage.start(&format!("--resume {id}"));
    client.prompt_as(&prompt, &text, &json!({}));
    let request = client.permission();
    client.allow(&request);
    let result = client.result();
    report.check("result", outcome(&result), ["success", "completed", "false"]);
    let end = client.close();
    let told = ["queued", "started", "completed"];
    report.check("the prompt", lifecycle(&end, &prompt), told);
    let lines = stage.log(&id);
    let lines = lines.iter().filter(|line| line["uuid"] == *prompt).count();
    report.count("lines of the prompt", lines, 1);
    report.check("calls", stage.calls(&id), ["done"]);
    report.count("runs of one", stage.runs("one"), 1);
}

pub(super) fn new_sessions(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("clear");
    let mut client = stage.start(&format!("--session-id {id}"));
    client.prompt("one [[say: 1]]");
    client.result();
    client.prompt("/clear");
    let reset = client.frame("conversation_reset");
    report.check("the old session", [word(&reset["session_id"])], [id.clone()]);
    client.result();
    client.prompt("two [[say: 2]]");
    let session = word(&client.result()["session_id"]);
    client.close();
    report.check("another session", [(session != id).to_string()], ["true"]);
    report.check("sent", stage.last_sent(), ["U two [[say: 2]]"]);
    let before = fs::read(stage.log_path(&id)).unwrap_or_default();

    let fork = uuid("fork");
    let args = format!("--resume {id} --fork-session --session-id {fork}");
    let mut client = stage.start(&args);
    client.request(&json!({"subtype": "initialize"}));
    let exists = stage.log_path(&fork).exists();
    report.check("a log before a prompt", [exists.to_string()], ["false"]);
    client.prompt("three [[say: 3]]");
    client.result();
    client.close();
    let sent = ["U one [[say: 1]]", "A 1", "U three [[say: 3]]"];
    report.check("sent", stage.last_sent(), sent);
    let is_kept = fs::read(stage.log_path(&id)).unwrap_or_default() == before;
    report.check("the first log is as it was", [is_kept.to_string()], ["true"]);
    report.check("the fork", &stage.brief_log(&fork)[..3], sent);
}
