//! Homes in which `unspool` drives the scripted client, and callers of its server.

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

/// The token of all servers that tests start.
pub const TOKEN: &str = "a-token-that-tests-chose";

/// A timeout that only a failure reaches.
const TIMEOUT: Duration = Duration::from_mins(5);
/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(20);

/// A home with a scripted client and a working folder. Drop ends its runs.
#[derive(Debug)]
pub struct DrivenHome {
    /// The home.
    pub home: TestHome,
    /// The working folder, which is not trusted yet.
    pub folder: PathBuf,
    /// The program of the client.
    pub client: PathBuf,
    program: PathBuf,
}

impl DrivenHome {
    /// Creates a home for the program `unspool` at a path.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let home = TestHome::new();
        allow_in(home.path());
        let folder = home.user_home().join("work");
        fs::create_dir(&folder).expect("a folder");
        Self { home, folder, client: scripted_client(), program: program.into() }
    }

    /// Returns the environment variables for the home and the client.
    pub fn variables(&self) -> [(&'static str, String); 2] {
        [
            ("CLAUDE_CONFIG_DIR", self.home.path().display().to_string()),
            ("UNSPOOL_CLAUDE", self.client.display().to_string()),
        ]
    }

    /// Returns a command of the program, in the working folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(&self.program);
        command.envs(self.variables()).env("UNSPOOL_TOKEN", TOKEN);
        command.current_dir(&self.folder).stdin(Stdio::null()).args(args);
        command
    }

    /// Returns the path of the working folder as text.
    pub fn cwd(&self) -> String {
        self.folder.display().to_string()
    }

    /// Returns the path of the log of a session in the working folder.
    pub fn log_path(&self, session: &str) -> PathBuf {
        self.home.project_dir(&self.cwd()).join(format!("{session}.jsonl"))
    }

    /// Writes a file in the working folder.
    pub fn write(&self, file: &str, text: &str) {
        let path = self.folder.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Tells whether the working folder has a file.
    pub fn has(&self, file: &str) -> bool {
        self.folder.join(file).exists()
    }

    /// Returns the ids of the calls that the client ran.
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

/// Ends the runs that a program lists; hosts outlive the program that started them.
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

/// A caller of a server, with a token that allows driving.
#[derive(Clone, Debug)]
pub struct DriveApiClient {
    /// The address of the server.
    pub address: String,
}

impl DriveApiClient {
    /// Sends a request to a server that may be down.
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

    /// Sends a request with other headers.
    pub fn ask_with(&self, method: &str, way: &str, headers: &str, body: &Value) -> (u16, Value) {
        self.try_ask_with(method, way, headers, body).expect("an answer")
    }

    /// Sends a `POST` request.
    pub fn post(&self, way: &str, body: &Value) -> (u16, Value) {
        self.try_ask("POST", way, body).expect("an answer")
    }

    /// Sends a `GET` request, which must succeed.
    pub fn get(&self, way: &str) -> Value {
        let (status, answer) = self.try_ask("GET", way, &Value::Null).expect("an answer");
        assert_eq!(status, 200, "{way}: {answer}");
        answer
    }

    /// Opens the stream of a session.
    pub fn events(&self, session: &str, query: &str) -> EventClient {
        let way = format!("/api/sessions/{session}/stream{query}");
        EventClient::open(&self.address, &way, TOKEN).expect("a stream")
    }

    /// Returns the current document of a run.
    pub fn run_now(&self, run: &Value) -> Value {
        self.get(&format!("/api/runs/{}", id_of(run)))
    }

    /// Sends a `POST` request about a run.
    pub fn act(&self, run: &Value, what: &str, body: &Value) -> (u16, Value) {
        self.post(&format!("/api/runs/{}/{what}", id_of(run)), body)
    }

    /// Sends a prompt with a new id to a run.
    pub fn put(&self, run: &Value, text: &str) -> Value {
        let body = json!({ "id": new_id(), "text": text });
        let (status, told) = self.act(run, "prompts", &body);
        assert_eq!(status, 202, "{told}");
        told
    }

    /// Answers an approval.
    pub fn answer(&self, approval: &Value, answer: &Value) -> (u16, Value) {
        self.post(&format!("/api/approvals/{}", text_of(&approval["id"])), answer)
    }

    /// Waits until `found` returns a value; `what` describes it.
    pub fn wait<T>(&self, what: &str, mut found: impl FnMut() -> Option<T>) -> T {
        let end = Instant::now() + TIMEOUT;
        loop {
            if let Some(found) = found() {
                return found;
            }
            assert!(Instant::now() < end, "{what}: {}", self.get("/api/runs"));
            thread::sleep(PAUSE);
        }
    }

    /// Waits for an open approval.
    pub fn approval(&self) -> Value {
        self.wait("an approval", || self.get("/api/approvals")["approvals"].get(0).cloned())
    }

    /// Waits until a condition is true for a run.
    pub fn until(&self, run: &Value, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        self.wait(what, || Some(self.run_now(run)).filter(&is_so))
    }

    /// Waits until a run is in a state.
    pub fn wait_state(&self, run: &Value, state: &str) -> Value {
        self.until(run, state, |run| run["state"] == state)
    }

    /// Waits until a run is idle with an empty queue; a run without any prompt is too.
    pub fn until_done(&self, run: &Value) -> Value {
        let is_done = |run: &Value| run["state"] == "idle" && run["queue"] == json!([]);
        self.until(run, "a run without work", is_done)
    }
}

/// Returns the id of a run, given as the id or as the document of the run.
fn id_of(run: &Value) -> &str {
    run.as_str().unwrap_or_else(|| text_of(&run["run"]))
}

fn text_of(id: &Value) -> &str {
    id.as_str().expect("an id")
}

/// Returns a new id, as a caller would make it.
pub fn new_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{:08x}-0000-4000-8000-{next:012x}", std::process::id())
}
