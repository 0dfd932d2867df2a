//! `unspool` with the client of a stage: its commands, and a server that drives.

use std::ops::Deref;
use std::process::Command;

use serde_json::{Value, json};

use super::live::word;
use super::stage::ClientStage;
use crate::driven::{DriveApiClient, TOKEN, new_id, stop_runs};
use crate::http::ListeningProgram;

/// The program `unspool` in the home of a stage. Drop stops the open runs.
#[derive(Debug)]
pub(super) struct StagedUnspool<'s> {
    stage: &'s ClientStage,
}

impl<'s> StagedUnspool<'s> {
    /// Trusts the working folder of the stage.
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

    /// Runs a command that must succeed, and returns its output.
    fn say(&self, args: &[&str]) -> String {
        let output = self.command(args).output().expect("unspool starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "unspool {args:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Continues a session, waits until the client has answered a prompt, and stops the run.
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
        stop_runs(|args| self.command(args));
    }
}

/// A server that drives the client of a stage.
#[derive(Debug)]
pub(super) struct DrivingServer<'s> {
    server: ListeningProgram,
    asking: DriveApiClient,
    unspool: StagedUnspool<'s>,
}

impl Deref for DrivingServer<'_> {
    type Target = DriveApiClient;

    fn deref(&self) -> &DriveApiClient {
        &self.asking
    }
}

impl<'s> DrivingServer<'s> {
    /// Trusts the working folder of the stage, and starts a server.
    pub(super) fn start(stage: &'s ClientStage) -> Self {
        let unspool = StagedUnspool::new(stage);
        let server = serve(&unspool);
        let asking = DriveApiClient { address: server.address.clone() };
        Self { server, asking, unspool }
    }

    /// Kills the server, and starts another one.
    pub(super) fn kill_and_start(&mut self) {
        let _ = self.server.child.kill();
        self.server = serve(&self.unspool);
        self.asking.address.clone_from(&self.server.address);
    }

    /// Starts a run in the working folder of the stage, and returns its id.
    pub(super) fn start_run(&self, mut body: Value) -> Value {
        body["id"] = json!(new_id());
        body["cwd"] = json!(self.unspool.folder());
        done(self.post("/api/runs", &body))["run"].clone()
    }

    /// Sends a request about a run with a new id.
    pub(super) fn act_on(&self, run: &Value, what: &str) -> Value {
        done(self.act(run, what, &json!({ "id": new_id() })))
    }

    /// Stops a run, and waits until it has ended.
    pub(super) fn stop(&self, run: &Value) -> Value {
        self.act_on(run, "stop");
        self.until(run, "the end", |run| !run["ended"].is_null())
    }

    /// Allows the next request.
    pub(super) fn allow_next(&self) -> Value {
        self.answer_next(&json!({ "decision": "allow" }))
    }

    /// Answers the next request.
    pub(super) fn answer_next(&self, answer: &Value) -> Value {
        let asked = self.approval();
        done(self.answer(&asked, answer));
        asked
    }
}

/// Checks that a response is a success, and returns its body.
pub(super) fn done((status, told): (u16, Value)) -> Value {
    assert!((200..300).contains(&status), "{status}: {told}");
    told
}

fn serve(unspool: &StagedUnspool<'_>) -> ListeningProgram {
    ListeningProgram::start(&mut unspool.command(&["serve", "--drive", "--port", "0"]))
}
