//! `unspool` with the client of a stage: its commands, and a server that drives.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::live::word;
use super::stage::ClientStage;
use crate::client::new_uuid;
use crate::http::{self, ListeningProgram};

/// The token that the server is started with.
const TOKEN: &str = "a-token-of-a-scenario";
/// How long something may take; only a failure takes that long.
const PATIENCE: Duration = Duration::from_mins(5);

/// The program `unspool` in the home of a stage. Runs that are not over are stopped in the end.
#[derive(Debug)]
pub(super) struct StagedUnspool<'s> {
    stage: &'s ClientStage,
}

impl<'s> StagedUnspool<'s> {
    /// Trusts the folder of the stage.
    pub(super) fn new(stage: &'s ClientStage) -> Self {
        let unspool = Self { stage };
        unspool.say(&["drive", "trust", "--yes", &unspool.folder()]);
        unspool
    }

    fn folder(&self) -> String {
        self.stage.cwd().display().to_string()
    }

    fn command(&self, args: &[&str]) -> Command {
        let program = self.stage.reader();
        let program = program.expect("the scenario needs the program `unspool`");
        let mut command = self.stage.home().command(program);
        command
            .envs(self.stage.environment())
            .env("UNSPOOL_CLAUDE", self.stage.program())
            .env("UNSPOOL_TOKEN", TOKEN)
            .args(args);
        command
    }

    /// Runs a command that must succeed, and returns what it prints.
    fn say(&self, args: &[&str]) -> String {
        let output = self.command(args).output().expect("unspool starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "unspool {args:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Goes on with a session, waits until the client has answered a prompt, and ends it.
    pub(super) fn resume(&self, session: &str, prompt: &str) {
        let folder = self.folder();
        let start = ["drive", "start", &folder, "--session", session];
        let start = [&start[..], &["--prompt", prompt, "--json"]].concat();
        let run: Value = serde_json::from_str(&self.say(&start)).expect("JSON");
        let run = word(&run["run"]);
        self.say(&["drive", "wait", &run, "--for", "idle"]);
        self.say(&["drive", "stop", &run]);
        self.stage.wait_until("the end of the run", || {
            let listed = self.say(&["drive", "list", "--all", "--json"]);
            let runs = listed.lines().map(|line| serde_json::from_str(line).expect("JSON"));
            let mut runs = runs.filter(|one: &Value| one["run"] == *run);
            runs.any(|run| !run["ended"].is_null())
        });
    }
}

impl Drop for StagedUnspool<'_> {
    fn drop(&mut self) {
        // Hosts outlive what started them.
        let listed = self.command(&["drive", "list", "--json"]).output();
        let listed = listed.map(|listed| listed.stdout).unwrap_or_default();
        for line in String::from_utf8_lossy(&listed).lines() {
            let run: Value = serde_json::from_str(line).unwrap_or_default();
            let stop = ["drive", "stop", &word(&run["run"])];
            let _ = self.command(&stop).output();
        }
    }
}

/// A server that drives the client of a stage.
#[derive(Debug)]
pub(super) struct DrivingServer<'s> {
    server: ListeningProgram,
    unspool: StagedUnspool<'s>,
}

impl<'s> DrivingServer<'s> {
    /// Trusts the folder of the stage, and starts a server.
    pub(super) fn start(stage: &'s ClientStage) -> Self {
        let unspool = StagedUnspool::new(stage);
        let server = serve(&unspool);
        Self { server, unspool }
    }

    /// Kills the server, and starts another one.
    pub(super) fn kill_and_start(&mut self) {
        let _ = self.server.child.kill();
        self.server = serve(&self.unspool);
    }

    /// Asks for something that must be done.
    pub(super) fn ask(&self, method: &str, way: &str, body: &Value) -> Value {
        let body = if method == "GET" { String::new() } else { body.to_string() };
        let headers = format!("x-unspool: 1\r\nauthorization: Bearer {TOKEN}\r\n");
        let answer = http::ask(&self.server.address, method, way, &headers, &body);
        let answer = answer.expect("an answer");
        let is_good = (200..300).contains(&answer.status);
        assert!(is_good, "{method} {way}: {answer:?}");
        answer.json()
    }

    pub(super) fn run(&self, id: &str) -> Value {
        self.ask("GET", &format!("/api/runs/{id}"), &Value::Null)
    }

    /// Starts a run in the folder of the stage, and returns its id.
    pub(super) fn start_run(&self, mut body: Value) -> String {
        body["id"] = json!(new_uuid());
        body["cwd"] = json!(self.unspool.folder());
        word(&self.ask("POST", "/api/runs", &body)["run"])
    }

    /// Asks for something of a run, by a new id.
    pub(super) fn act(&self, run: &str, what: &str) -> Value {
        let way = format!("/api/runs/{run}/{what}");
        self.ask("POST", &way, &json!({ "id": new_uuid() }))
    }

    /// Queues a prompt.
    pub(super) fn put(&self, run: &str, text: &str) -> Value {
        let way = format!("/api/runs/{run}/prompts");
        self.ask("POST", &way, &json!({ "id": new_uuid(), "text": text }))
    }

    /// Stops a run, and waits for its end.
    pub(super) fn stop(&self, run: &str) -> Value {
        self.act(run, "stop");
        self.until(run, "the end", |run| !run["ended"].is_null())
    }

    /// Waits until a run is as it should be.
    pub(super) fn until(&self, id: &str, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let run = self.run(id);
            if is_so(&run) {
                return run;
            }
            assert!(Instant::now() < end, "{what} did not come: {run}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until a run has nothing to do.
    pub(super) fn until_idle(&self, id: &str) -> Value {
        let is_idle = |run: &Value| run["state"] == "idle" && run["queue"] == json!([]);
        self.until(id, "an idle client", is_idle)
    }

    /// Waits for something that waits for a person.
    pub(super) fn approval(&self) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let open = self.ask("GET", "/api/approvals", &Value::Null);
            if let Some(first) = open["approvals"].as_array().and_then(|open| open.first()) {
                return first.clone();
            }
            assert!(Instant::now() < end, "nothing was asked");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Allows what is asked next.
    pub(super) fn allow_next(&self) -> Value {
        self.answer_next(&json!({ "decision": "allow" }))
    }

    /// Answers what is asked next.
    pub(super) fn answer_next(&self, answer: &Value) -> Value {
        let asked = self.approval();
        let way = format!("/api/approvals/{}", word(&asked["id"]));
        self.ask("POST", &way, answer);
        asked
    }
}

fn serve(unspool: &StagedUnspool<'_>) -> ListeningProgram {
    ListeningProgram::start(&mut unspool.command(&["serve", "--drive", "--port", "0"]))
}

/// Returns the parent of a process.
pub(super) fn parent_of(pid: &Value) -> String {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    parent.expect("a parent").trim().to_owned()
}
