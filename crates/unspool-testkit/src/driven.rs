//! Homes in which `unspool` drives the scripted client, and programs that ask its server.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::TestHome;
use crate::client::{RAN, allow_in, scripted_client};
use crate::http::{self, EventClient};

/// The token of every server that a test starts.
pub const TOKEN: &str = "a-token-that-tests-chose";

/// How long something may take; only a failure takes that long.
const PATIENCE: Duration = Duration::from_mins(5);
/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// A home in which a client may run, and a folder to work in. Runs end with it.
#[derive(Debug)]
pub struct DrivenHome {
    /// The home.
    pub home: TestHome,
    /// The folder, which is not trusted yet.
    pub folder: PathBuf,
    /// The client that is run.
    pub client: PathBuf,
    program: PathBuf,
}

impl DrivenHome {
    /// Makes a home for the program `unspool` that is here.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let home = TestHome::new();
        allow_in(home.path());
        let folder = home.user_home().join("work");
        fs::create_dir(&folder).expect("a folder");
        Self { home, folder, client: scripted_client(), program: program.into() }
    }

    /// Returns the variables that lead to the home and to the client.
    pub fn variables(&self) -> [(&'static str, String); 2] {
        [
            ("CLAUDE_CONFIG_DIR", self.home.path().display().to_string()),
            ("UNSPOOL_CLAUDE", self.client.display().to_string()),
        ]
    }

    /// Returns the program with arguments, in the folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(&self.program);
        command.envs(self.variables()).env("UNSPOOL_TOKEN", TOKEN);
        command.current_dir(&self.folder).stdin(Stdio::null()).args(args);
        command
    }

    /// Returns the folder as a text.
    pub fn cwd(&self) -> String {
        self.folder.display().to_string()
    }

    /// Returns the log of a session of the folder.
    pub fn log_path(&self, session: &str) -> PathBuf {
        self.home.project_dir(&self.cwd()).join(format!("{session}.jsonl"))
    }

    /// Writes a file of the folder.
    pub fn write(&self, file: &str, text: &str) {
        let path = self.folder.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Tells whether the folder has a file.
    pub fn has(&self, file: &str) -> bool {
        self.folder.join(file).exists()
    }

    /// Returns the calls that the client ran, by their ids.
    pub fn calls_run(&self) -> Vec<String> {
        let ran = fs::read_to_string(self.home.path().join(RAN)).unwrap_or_default();
        ran.lines().map(str::to_owned).collect()
    }
}

impl Drop for DrivenHome {
    fn drop(&mut self) {
        stop_runs(|args| self.command(args));
    }
}

/// Ends the runs that a program knows of: hosts outlive what started them.
pub(crate) fn stop_runs(command: impl Fn(&[&str]) -> Command) {
    let listed = command(&["drive", "list", "--all", "--json"]).output();
    let listed = listed.map(|listed| listed.stdout).unwrap_or_default();
    for line in String::from_utf8_lossy(&listed).lines() {
        let run: Value = serde_json::from_str(line).unwrap_or_default();
        if let (Some(id), true) = (run["run"].as_str(), run["ended"].is_null()) {
            let _ = command(&["drive", "stop", id]).output();
        }
    }
}

/// A program that may drive, and the server that it asks.
#[derive(Clone, Debug)]
pub struct DrivingProgram {
    /// Where the server is.
    pub address: String,
}

impl DrivingProgram {
    /// Asks a server that may be away.
    pub fn try_ask(&self, method: &str, way: &str, body: &Value) -> io::Result<(u16, Value)> {
        let headers = format!("authorization: Bearer {TOKEN}\r\nx-unspool: 1\r\n");
        self.try_ask_with(method, way, &headers, body)
    }

    fn try_ask_with(
        &self,
        method: &str,
        way: &str,
        headers: &str,
        body: &Value,
    ) -> io::Result<(u16, Value)> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = http::ask(&self.address, method, way, headers, &body)?;
        Ok((answer.status, serde_json::from_str(&answer.body).unwrap_or_default()))
    }

    /// Asks with other headers than a program that may drive.
    pub fn ask_with(&self, method: &str, way: &str, headers: &str, body: &Value) -> (u16, Value) {
        self.try_ask_with(method, way, headers, body).expect("an answer")
    }

    /// Posts something.
    pub fn post(&self, way: &str, body: &Value) -> (u16, Value) {
        self.try_ask("POST", way, body).expect("an answer")
    }

    /// Asks for what is there.
    pub fn get(&self, way: &str) -> Value {
        let (status, answer) = self.try_ask("GET", way, &Value::Null).expect("an answer");
        assert_eq!(status, 200, "{way}: {answer}");
        answer
    }

    /// Follows a session.
    pub fn events(&self, session: &str, query: &str) -> EventClient {
        let way = format!("/api/sessions/{session}/stream{query}");
        EventClient::open(&self.address, &way, TOKEN).expect("a stream")
    }

    /// Returns what is known of a run.
    pub fn run_now(&self, run: &Value) -> Value {
        self.get(&format!("/api/runs/{}", id_of(run)))
    }

    /// Posts something about a run.
    pub fn act(&self, run: &Value, what: &str, body: &Value) -> (u16, Value) {
        self.post(&format!("/api/runs/{}/{what}", id_of(run)), body)
    }

    /// Gives a run a prompt, by a new id.
    pub fn put(&self, run: &Value, text: &str) -> Value {
        let body = json!({ "id": new_id(), "text": text });
        let (status, told) = self.act(run, "prompts", &body);
        assert_eq!(status, 202, "{told}");
        told
    }

    /// Answers what a run asks.
    pub fn answer(&self, approval: &Value, answer: &Value) -> (u16, Value) {
        self.post(&format!("/api/approvals/{}", text_of(&approval["id"])), answer)
    }

    /// Waits until something can be found.
    pub fn wait<T>(&self, what: &str, mut found: impl FnMut() -> Option<T>) -> T {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = found() {
                return found;
            }
            assert!(Instant::now() < end, "{what}: {}", self.get("/api/runs"));
            thread::sleep(PAUSE);
        }
    }

    /// Waits for something that waits for a person.
    pub fn approval(&self) -> Value {
        self.wait("an approval", || self.get("/api/approvals")["approvals"].get(0).cloned())
    }

    /// Waits until a run is as it should be.
    pub fn until(&self, run: &Value, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        self.wait(what, || Some(self.run_now(run)).filter(&is_so))
    }

    /// Waits until a run is in a state.
    pub fn wait_state(&self, run: &Value, state: &str) -> Value {
        self.until(run, state, |run| run["state"] == state)
    }

    /// Waits until a run has nothing to do. One whose client has not been given a prompt yet is idle too.
    pub fn until_done(&self, run: &Value) -> Value {
        let is_done = |run: &Value| run["state"] == "idle" && run["queue"] == json!([]);
        self.until(run, "a run without work", is_done)
    }
}

/// Returns the id of a run, which is given by itself or with what is known of the run.
fn id_of(run: &Value) -> &str {
    run.as_str().unwrap_or_else(|| text_of(&run["run"]))
}

fn text_of(id: &Value) -> &str {
    id.as_str().expect("an id")
}

/// Makes an id as callers do.
pub fn new_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{:08x}-0000-4000-8000-{next:012x}", std::process::id())
}
