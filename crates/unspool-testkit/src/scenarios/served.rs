//! `unspool serve --drive` with a client, over HTTP: requests of a person, kills, and resumes.

use serde_json::{Value, json};

use super::hosted::{DrivingServer, done};
use super::kills::interrupted;
use super::live::word;
use super::stage::{ClientStage, has_call, run};
use super::{Scenario, ScenarioReport};
use crate::process::{parent_of, signal};
use crate::uuid;

/// Scenarios with a server. They need the program `unspool`, so they are not among [`super::SCENARIOS`].
pub const SERVED: [Scenario; 6] = [
    Scenario::new(
        "served",
        "a server starts the client, allows a call, queues two prompts, interrupts and stops",
        served,
    ),
    Scenario::new(
        "served-answers",
        "a plan is accepted, a question answered, a call denied with words",
        answers,
    ),
    Scenario::new(
        "served-resumes",
        "ended when idle and gone on with; from an old branch; a log with an orphaned call",
        resumes,
    ),
    Scenario::new(
        "served-server-killed",
        "the server is killed while a call waits, and another one takes its place",
        server_killed,
    ),
    Scenario::new(
        "served-host-killed",
        "the host is killed while a call waits; a person goes on with the session",
        host_killed,
    ),
    Scenario::new(
        "served-client-killed",
        "the client is killed while a call waits, three times, and gone on with",
        client_killed,
    ),
];

fn served(stage: &ClientStage, report: &mut ScenarioReport) {
    let server = DrivingServer::start(stage);
    let id = server.start_run(json!({ "prompt": run("once") }));
    report.check("the run", [id.is_string().to_string()], ["true"]);
    let asked = server.allow_next();
    report.check("asked", [word(&asked["tool"]), word(&asked["kind"])], ["Bash", "tool"]);
    server.until_done(&id);
    report.count("runs of once", stage.runs("once"), 1);
    queue(stage, &server, &id, report);
    interrupt(&server, &id, report);
    let over = server.stop(&id);
    report.check("the end", [word(&over["ended"]["how"])], ["stopped"]);
    let session = word(&over["session"]);
    report.check("calls", stage.calls(&session), ["done", "done"]);
    report.check(
        "prompts in the log",
        prompts(stage, &session),
        [
            run("once"),
            run("slow"),
            "[[say: one]]".to_owned(),
            "[[say: two]]".to_owned(),
            "[[silence]]".to_owned(),
        ],
    );
}

/// Returns the prompts of a log that have a directive.
fn prompts(stage: &ClientStage, session: &str) -> Vec<String> {
    let lines = stage.brief_log(session);
    let prompts = lines.iter().filter_map(|line| line.strip_prefix("U "));
    let prompts = prompts.filter(|text| text.contains("[["));
    prompts.map(str::to_owned).collect()
}

/// Checks that two prompts wait while a call waits for its answer, and are then sent in their order.
fn queue(stage: &ClientStage, server: &DrivingServer<'_>, id: &Value, report: &mut ScenarioReport) {
    server.put(id, &run("slow"));
    server.approval();
    let told = ["[[say: one]]", "[[say: two]]"].map(|text| server.put(id, text));
    let states = told.map(|told| word(&told["state"]));
    report.check("two that wait", states, ["queued", "queued"]);
    report.check(
        "the queue",
        queued(&server.run_now(id), "queued"),
        ["[[say: one]]", "[[say: two]]"],
    );
    server.allow_next();
    server.until_done(id);
    report.count("runs of slow", stage.runs("slow"), 1);
}

/// Returns the texts of the prompts of a run that have a state.
fn queued(run: &Value, state: &str) -> Vec<String> {
    let prompts = run["queue"].as_array().into_iter().flatten();
    let prompts = prompts.filter(|prompt| prompt["state"] == state);
    prompts.map(|prompt| word(&prompt["text"])).collect()
}

fn interrupt(server: &DrivingServer<'_>, id: &Value, report: &mut ScenarioReport) {
    server.put(id, "[[silence]]");
    let is_taken_up = |run: &Value| run["queue"][0]["state"] == "taken_up";
    server.until(id, "the prompt that says nothing", is_taken_up);
    server.act_on(id, "interrupt");
    let idle = server.until_done(id);
    report.check("after the interrupt", [word(&idle["state"])], ["idle"]);
    report.check("no failure", [idle["last_failure"].to_string()], ["null"]);
}

fn answers(stage: &ClientStage, report: &mut ScenarioReport) {
    let server = DrivingServer::start(stage);
    let id = server.start_run(json!({
        "permission_mode": "plan", "prompt": "[[plan: # First this]] [[say: planned]]",
    }));
    let accept = json!({ "decision": "allow", "permission_mode": "default" });
    let plan = server.answer_next(&accept);
    report.check("kind", [word(&plan["kind"])], ["plan"]);
    let idle = server.until_done(&id);
    report.check("mode", [word(&idle["permission_mode"])], ["default"]);
    server.put(&id, "[[ask: Which colour? | Red | Blue]] [[say: asked]]");
    let blue = json!({ "decision": "allow", "answers": { "Which colour?": "Blue" } });
    let question = server.answer_next(&blue);
    report.check("kind", [word(&question["kind"])], ["question"]);
    server.until_done(&id);
    server.put(&id, &run("one"));
    server.answer_next(&json!({ "decision": "deny", "message": "not today" }));
    let session = word(&server.until_done(&id)["session"]);
    server.stop(&id);
    report.check("calls", stage.calls(&session), ["done", "done", "denied"]);
    let log = stage.brief_log(&session);
    let has = |words: &str| log.iter().any(|line| line.contains(words)).to_string();
    report.check(
        "what the model was told",
        [has("\"Which colour?\"=\"Blue\""), has("not today")],
        ["true", "true"],
    );
    report.count("runs of one", stage.runs("one"), 0);
}

fn resumes(stage: &ClientStage, report: &mut ScenarioReport) {
    let server = DrivingServer::start(stage);
    let id = server.start_run(json!({ "prompt": "one [[say: 1]]" }));
    let session = word(&server.until_done(&id)["session"]);
    server.put(&id, "two [[say: 2]]");
    server.until_done(&id);
    done(server.act(&id, "deadlines", &json!({ "idle": 1 })));
    let over = server.until(&id, "the idle deadline", |run| !run["ended"].is_null());
    report.check("the end", [word(&over["ended"]["how"])], ["idle_deadline"]);
    let all = ["U one [[say: 1]]", "A 1", "U two [[say: 2]]", "A 2"];
    report.check("file before", stage.brief_log(&session), all);

    let next = server.start_run(json!({ "session": session, "prompt": "three [[say: 3]]" }));
    server.until_done(&next);
    server.stop(&next);
    let sent = all.into_iter().chain(["U three [[say: 3]]"]);
    report.check("sent after the idle end", stage.last_sent(), sent);

    let log = stage.log(&session);
    let first = log.iter().find(|line| line["type"] == "assistant");
    let at = first.map(|line| line["uuid"].clone());
    let body = json!({ "session": session, "at": at, "prompt": "other [[say: B]]" });
    let branch = server.start_run(body);
    server.until_done(&branch);
    server.stop(&branch);
    let other = [all[0], all[1], "U other [[say: B]]"];
    report.check("sent from the old branch", stage.last_sent(), other);
    let after = server.start_run(json!({ "session": session, "prompt": "after [[say: C]]" }));
    server.until_done(&after);
    server.stop(&after);
    let sent = other.into_iter().chain(["A B", "U after [[say: C]]"]);
    report.check("sent afterwards", stage.last_sent(), sent);
    orphaned(stage, &server, report);
}

/// Continues a log with an open call.
fn orphaned(stage: &ClientStage, server: &DrivingServer<'_>, report: &mut ScenarioReport) {
    let session = uuid("served orphan");
    stage.write_log(
        &session,
        r#"
        u1 user "one"
        a1 assistant call Bash:t1 {"command":"echo one >> runs"}
        -- last-prompt a1 "one"
        "#,
    );
    let id = server.start_run(json!({ "session": session, "prompt": "probe [[say: end]]" }));
    server.until_done(&id);
    server.stop(&id);
    let [result, synthetic] = interrupted();
    report.check(
        "sent with an orphaned call",
        stage.last_sent(),
        ["U one", "call Bash", &result, &synthetic, "U probe [[say: end]]"],
    );
    report.count("runs of one", stage.runs("one"), 0);
}

fn server_killed(stage: &ClientStage, report: &mut ScenarioReport) {
    let mut server = DrivingServer::start(stage);
    let id = server.start_run(json!({ "prompt": run("one") }));
    let asked = server.approval();
    server.put(&id, "[[say: queued]]");
    server.kill_and_start();
    let again = server.approval();
    report.check("the open request", [word(&again["id"])], [word(&asked["id"])]);
    report.check("the queue", queued(&server.run_now(&id), "queued"), ["[[say: queued]]"]);
    server.allow_next();
    server.kill_and_start();
    let idle = server.until_done(&id);
    let session = word(&idle["session"]);
    report.check(
        "prompts in the log",
        prompts(stage, &session),
        [run("one"), "[[say: queued]]".to_owned()],
    );
    report.check("calls", stage.calls(&session), ["done"]);
    report.count("runs of one", stage.runs("one"), 1);
}

fn host_killed(stage: &ClientStage, report: &mut ScenarioReport) {
    let server = DrivingServer::start(stage);
    let id = server.start_run(json!({ "prompt": run("one") }));
    server.approval();
    let before = server.put(&id, "[[say: queued]]");
    report.check("the second prompt", [word(&before["state"])], ["queued"]);
    let session = word(&server.run_now(&id)["session"]);
    stage.wait_for_line(&session, has_call);
    let client = server.run_now(&id)["pid"].as_u64().expect("a process");
    let host = parent_of(client as u32).expect("a host");
    signal("KILL", &host.to_string());
    let lost = server.until(&id, "the loss", |run| run["state"] == "lost");
    report.check("what was pending", [word(&lost["approvals"][0]["resolved"])], ["interrupted"]);
    report.check("lost prompts", queued(&lost, "lost"), [run("one"), "[[say: queued]]".to_owned()]);
    server.act_on(&id, "stop");
    let sent = stage.sent().len();
    let next = server.act_on(&id, "go-on")["run"].clone();
    server.until_done(&next);
    report.count("requests until a person says something", stage.sent().len(), sent);
    server.put(&next, "again [[say: a]]");
    server.until_done(&next);
    server.stop(&next);
    let sent = stage.last_sent();
    report.check("sent last", sent.last(), ["U again [[say: a]]"]);
    report.check(
        "prompts in the log",
        prompts(stage, &session),
        [run("one"), "again [[say: a]]".to_owned()],
    );
    report.count("runs of one", stage.runs("one"), 0);
}

/// How often a client is killed.
const KILLS: usize = 3;

fn client_killed(stage: &ClientStage, report: &mut ScenarioReport) {
    let server = DrivingServer::start(stage);
    let mut sent = Vec::new();
    let mut id = server.start_run(json!({}));
    let session = word(&server.until_done(&id)["session"]);
    for round in 1..=KILLS {
        let prompt = run(&format!("killed{round}"));
        server.put(&id, &prompt);
        server.approval();
        stage.wait_until("the call in the log", || stage.calls(&session).len() == round);
        signal("KILL", &server.run_now(&id)["pid"].to_string());
        let over = server.until(&id, "the end", |run| !run["ended"].is_null());
        let pending = &over["approvals"][0]["resolved"];
        report.check("what was pending", [word(pending)], ["interrupted"]);
        report.count("runs", stage.runs(&format!("killed{round}")), 0);
        sent.extend([format!("U {prompt}"), "call Bash".to_owned()]);
        sent.extend(interrupted());
        id = server.act_on(&id, "go-on")["run"].clone();
        server.until_done(&id);
    }
    server.put(&id, "end");
    server.until_done(&id);
    server.stop(&id);
    sent.push("U end".to_owned());
    report.check("sent", stage.last_sent(), sent);
    report.check("calls", stage.calls(&session), ["interrupted"; KILLS]);
}
