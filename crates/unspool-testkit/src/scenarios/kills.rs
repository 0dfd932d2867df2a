//! Clients that are killed.

use std::fs;

use super::ScenarioReport;
use super::stage::{ClientStage, has_call, run};
use crate::client::{INTERRUPTED_CALL, NO_RESPONSE};
use crate::uuid;

/// Returns the lines that a resume sends for a call that a kill left open.
pub(super) fn interrupted() -> [String; 2] {
    [format!("error {INTERRUPTED_CALL}"), format!("A {NO_RESPONSE}")]
}

pub(super) fn during_approval(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("approval");
    let first = run("one");
    let mut client = stage.start(&format!("--session-id {id}"));
    client.prompt(&first);
    client.permission();
    stage.wait_for_line(&id, has_call);
    client.kill();
    report.count("markers of running sessions", stage.markers(), 1);
    let mut sent = vec![format!("U {first}"), "call Bash".to_owned()];
    report.check("file before", stage.brief_log(&id), &sent);
    report.check("calls before", stage.calls(&id), ["open"]);
    sent.extend(interrupted());
    for prompt in ["again [[say: a]]", "more [[say: b]]"] {
        let found = stage.resume(report, &id, prompt);
        sent.push(format!("U {prompt}"));
        report.check("sent", found, &sent);
        sent.push("A a".to_owned());
    }
    report.check("calls after", stage.calls(&id), ["interrupted"]);
    report.count("runs of one", stage.runs("one"), 0);
}

/// Kills the client right after a call. The log then has nothing of the turn, the prompt, or also the call.
pub(super) fn right_after_call(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("after call");
    let first = run("one");
    let mut client = stage.start(&format!("--session-id {id}"));
    client.prompt("zero [[say: 0]]");
    client.result();
    // The end of the first turn must be in the log.
    stage.wait_for_line(&id, |line| line["type"] == "last-prompt");
    client.prompt(&first);
    client.wait("the call", has_call);
    client.kill();
    let zero = ["U zero [[say: 0]]".to_owned(), "A 0".to_owned()];
    let asked = [format!("U {first}")];
    let called = ["call Bash".to_owned()];
    let [result, synthetic] = interrupted();
    let before =
        [zero.to_vec(), [&zero[..], &asked].concat(), [&zero[..], &asked, &called].concat()];
    let found = stage.brief_log(&id);
    report.check_any("file before", &found, before.clone());
    let sent = stage.resume(report, &id, "again [[say: a]]");
    let mended = match before.iter().position(|known| *known == found) {
        Some(1) => vec![synthetic],
        Some(2) => vec![result, synthetic],
        _ => Vec::new(),
    };
    let again = ["U again [[say: a]]".to_owned()];
    report.check("sent", sent, [found, mended, again.to_vec()].concat());
    report.count("runs of one", stage.runs("one"), 0);
}

pub(super) fn while_running(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("running");
    // The tool also ends when a failed test removes the folder.
    let prompt = "[[bash: echo one >> runs; until test -e go; do test -e runs || exit; sleep 0.01; done; \
         echo two >> runs]]";
    let mut client = stage.start(&format!("--session-id {id}"));
    client.prompt(prompt);
    let request = client.permission();
    client.allow(&request);
    stage.wait_until("the tool", || stage.runs("one") == 1);
    stage.wait_for_line(&id, has_call);
    client.kill();
    report.check("calls before", stage.calls(&id), ["open"]);
    fs::write(stage.cwd().join("go"), "").expect("a file");
    stage.wait_until("the end of the tool", || stage.runs("two") == 1);
    let found = stage.resume(report, &id, "again [[say: a]]");
    let [result, synthetic] = interrupted();
    let asked = format!("U {prompt}");
    let sent = [asked.as_str(), "call Bash", &result, &synthetic, "U again [[say: a]]"];
    report.check("sent", found, sent);
    report.check("calls after", stage.calls(&id), ["interrupted"]);
    report.count("runs of the beginning", stage.runs("one"), 1);
    report.count("runs of the end", stage.runs("two"), 1);
}

const ROUNDS: usize = 5;

pub(super) fn rapid_calls(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("rapid");
    let mut sent = Vec::new();
    for round in 0..ROUNDS {
        let flag = if round == 0 { "--session-id" } else { "--resume" };
        let mut client = stage.start(&format!("{flag} {id}"));
        let prompt = format!("{} {}", run(&format!("done{round}")), run(&format!("open{round}")));
        client.prompt(&prompt);
        let request = client.permission();
        client.allow(&request);
        client.permission();
        let calls = 2 * round + 2;
        stage.wait_until("the second call in the log", || stage.calls(&id).len() == calls);
        client.kill();
        sent.extend([format!("U {prompt}"), "call Bash".to_owned()]);
        sent.push("result (Bash completed with no output)".to_owned());
        sent.push("call Bash".to_owned());
        sent.extend(interrupted());
    }
    let states = |last: &'static str| {
        let mut states = ["done", "interrupted"].repeat(ROUNDS);
        states[2 * ROUNDS - 1] = last;
        states
    };
    report.check("calls before", stage.calls(&id), states("open"));
    let found = stage.resume(report, &id, "end");
    sent.push("U end".to_owned());
    report.check("sent", found, sent);
    report.check("calls after", stage.calls(&id), states("interrupted"));
    for round in 0..ROUNDS {
        report.count("runs of the allowed", stage.runs(&format!("done{round}")), 1);
        report.count("runs of the other", stage.runs(&format!("open{round}")), 0);
    }
}
