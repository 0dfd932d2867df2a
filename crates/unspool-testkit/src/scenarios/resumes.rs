//! Clients that end regularly and are resumed.

use serde_json::json;

use super::ScenarioReport;
use super::stage::{ClientStage, run};
use crate::uuid;

pub(super) fn after_idle(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("idle");
    let first = run("one");
    let mut client = stage.start(&format!("--session-id {id}"));
    let prompt = client.prompt(&first);
    let request = client.permission();
    client.allow(&request);
    client.result();
    let end = client.close();
    report.check("exit code", [format!("{:?}", end.status.code())], ["Some(0)"]);
    report.count("markers of running sessions", stage.markers(), 0);
    let asked = format!("U {first}");
    let before = [&asked, "call Bash", "result (Bash completed with no output)", "A Done."];
    report.check("file before", stage.brief_log(&id), before);
    report.check("calls", stage.calls(&id), ["done"]);

    let mut client = stage.start(&format!("--resume {id}"));
    // A prompt that was answered does not run again in the new process.
    client.prompt_as(&prompt, &first, &json!({}));
    let told = client.wait("a state", |frame| frame["command_uuid"] == *prompt);
    report.check("state of the answered prompt", [told["state"].to_string()], ["\"completed\""]);
    client.close();
    let sent = stage.resume(report, &id, "two [[say: hi]]");
    report.check("sent", sent, before.into_iter().chain(["U two [[say: hi]]"]));
    report.check("calls", stage.calls(&id), ["done"]);
    report.count("runs of one", stage.runs("one"), 1);
}

pub(super) fn old_branch(stage: &ClientStage, report: &mut ScenarioReport) {
    let id = uuid("branch");
    let mut client = stage.start(&format!("--session-id {id}"));
    let mut answers = Vec::new();
    for prompt in ["one [[say: 1]]", "two [[say: 2]]", "three [[say: 3]]"] {
        client.prompt(prompt);
        answers.push(client.frame("assistant")["uuid"].as_str().unwrap_or_default().to_owned());
        client.result();
    }
    client.close();
    let first = ["U one [[say: 1]]", "A 1"];
    let rest = ["U two [[say: 2]]", "A 2", "U three [[say: 3]]", "A 3"];
    report.check("file before", stage.brief_log(&id), first.into_iter().chain(rest));
    let at = &answers[0];
    let mut client = stage.start(&format!("--resume {id} --resume-session-at {at}"));
    client.prompt("other [[say: B]]");
    client.result();
    client.close();
    let other = first.into_iter().chain(["U other [[say: B]]"]);
    report.check("sent from the old branch", stage.last_sent(), other.clone());
    let sent = stage.resume(report, &id, "after");
    report.check("sent afterwards", sent, other.chain(["A B", "U after"]));
    report.count("calls", stage.calls(&id).len(), 0);
}
