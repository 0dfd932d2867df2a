//! `unspool` with the client of a stage: its commands, and a server that drives.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::live::word;
use super::stage::ClientStage;
use crate::client::new_uuid;

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
            let runs = listed
                .lines()
                .map(|line| serde_json::from_str(line).expect("JSON"));
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
    child: Child,
    address: String,
    unspool: StagedUnspool<'s>,
}

impl<'s> DrivingServer<'s> {
    /// Trusts the folder of the stage, and starts a server.
    pub(super) fn start(stage: &'s ClientStage) -> Self {
        let unspool = StagedUnspool::new(stage);
        let (child, address) = serve(&unspool);
        Self {
            child,
            address,
            unspool,
        }
    }

    /// Kills the server, and starts another one.
    pub(super) fn kill_and_start(&mut self) {
        self.end();
        (self.child, self.address) = serve(&self.unspool);
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn try_ask(&self, method: &str, way: &str, body: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(&self.address)?;
        write!(
            stream,
            "{method} {way} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nx-unspool: 1\r\n\
             authorization: Bearer {TOKEN}\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len(),
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    /// Asks for something that must be done.
    pub(super) fn ask(&self, method: &str, way: &str, body: &Value) -> Value {
        let body = if method == "GET" {
            String::new()
        } else {
            body.to_string()
        };
        let answer = self.try_ask(method, way, &body).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        let is_good = head.starts_with("HTTP/1.1 2");
        assert!(is_good, "{method} {way}: {head}\n{body}");
        serde_json::from_str(body).expect("JSON")
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

impl Drop for DrivingServer<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

/// Starts a server, and returns it with its address.
fn serve(unspool: &StagedUnspool<'_>) -> (Child, String) {
    let mut child = unspool
        .command(&["serve", "--drive", "--port", "0"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("unspool starts");
    let lines = BufReader::new(child.stderr.take().expect("standard error")).lines();
    let mut lines = lines.map(|line| line.expect("text"));
    let address = lines.find_map(|line| {
        let address = line.strip_prefix("listening on http://")?;
        Some(address.trim_end_matches('/').to_owned())
    });
    // What it says later must find a reader.
    thread::spawn(move || lines.for_each(drop));
    (child, address.expect("a server that listens"))
}

/// Returns the parent of a process.
pub(super) fn parent_of(pid: &Value) -> String {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    parent.expect("a parent").trim().to_owned()
}
