//! `unspool serve --drive`: sessions run from pages and by programs, with a scripted client.

mod api;
mod browser;
mod cards;
mod killed;
mod many;
mod moments;
mod offers;
mod page;
mod writing;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use unspool_testkit::client::{allow_in, scripted_client};
use unspool_testkit::http::{self, EventClient, ListeningProgram};
use unspool_testkit::{TestHome, session, uuid};

const TOKEN: &str = "a-token-that-tests-chose";
/// How often a condition is looked at before a test gives up, a tenth of a second apart.
const TRIES: usize = 600;

/// A home with a folder to work in, and a server that drives.
pub(super) struct Driven {
    pub(super) home: TestHome,
    pub(super) folder: PathBuf,
    /// The client that is run.
    pub(super) client: PathBuf,
    server: Option<ListeningProgram>,
    pub(super) address: String,
    /// The one-time link.
    pub(super) link: String,
}

impl Driven {
    /// Starts a server for a home with one session that rests, `one`.
    pub(super) fn start() -> Self {
        Self::start_with(|_| scripted_client())
    }

    /// Starts a server whose client is in the place that is named for the home.
    pub(super) fn start_with(client: impl FnOnce(&TestHome) -> PathBuf) -> Self {
        let home = TestHome::new();
        allow_in(home.path());
        let folder = home.user_home().join("work");
        fs::create_dir_all(&folder).expect("a folder");
        let cwd = folder.display().to_string();
        let talk = format!("%cwd {cwd}\nu1 user \"What is there?\"\na1 assistant \"Not much.\"\n");
        home.add_session(&cwd, &uuid("one"), session(&talk));
        let mut driven = Self {
            client: client(&home),
            home,
            folder,
            server: None,
            address: "127.0.0.1:0".to_owned(),
            link: String::new(),
        };
        driven.serve();
        driven
    }

    /// Starts the server, again where it was.
    pub(super) fn serve(&mut self) {
        let port = self.address.rsplit(':').next().unwrap_or("0").to_owned();
        let mut command = self.command(&["serve", "--drive", "--port", &port]);
        let server = ListeningProgram::start(&mut command);
        self.address.clone_from(&server.address);
        let link = server.said.strip_prefix("open ").expect("a link");
        link.split(' ').next().unwrap_or_default().clone_into(&mut self.link);
        self.server = Some(server);
    }

    /// Ends the server as a power cut would.
    pub(super) fn kill_server(&mut self) {
        drop(self.server.take().expect("a server"));
    }

    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(env!("CARGO_BIN_EXE_unspool"));
        command
            .env("CLAUDE_CONFIG_DIR", self.home.path())
            .env("UNSPOOL_CLAUDE", &self.client)
            .env("UNSPOOL_TOKEN", TOKEN)
            .args(args);
        command
    }

    /// Asks as a program that may drive.
    pub(super) fn ask(&self, method: &str, way: &str, body: Option<Value>) -> (u16, Value) {
        self.ask_with(method, way, &may_drive(), body)
    }

    /// Asks with some headers.
    pub(super) fn ask_with(
        &self,
        method: &str,
        way: &str,
        headers: &str,
        body: Option<Value>,
    ) -> (u16, Value) {
        try_ask(&self.address, method, way, headers, body).expect("an answer")
    }

    /// Follows a session.
    pub(super) fn events(&self, session: &str, query: &str) -> EventClient {
        let way = format!("/api/sessions/{session}/stream{query}");
        EventClient::open(&self.address, &way, TOKEN).expect("a stream")
    }

    pub(super) fn get(&self, way: &str) -> Value {
        let (status, answer) = self.ask("GET", way, None);
        assert_eq!(status, 200, "{way}: {answer}");
        answer
    }

    pub(super) fn trust(&self) {
        let cwd = self.folder.display().to_string();
        let (status, told) = self.ask("POST", "/api/trust", Some(json!({ "cwd": cwd })));
        assert_eq!(status, 200, "{told}");
    }

    /// Starts a run of a new session in the folder, which is trusted, and returns the run.
    pub(super) fn run(&self, prompt: &str) -> Value {
        self.trust();
        let id = new_id();
        let body = json!({ "id": id, "cwd": self.folder.display().to_string(), "prompt": prompt });
        let (status, run) = self.ask("POST", "/api/runs", Some(body));
        assert_eq!(status, 201, "{run}");
        assert_eq!(run["run"], id);
        run
    }

    /// Waits until something can be found.
    pub(super) fn wait<T>(&self, what: &str, mut found: impl FnMut(&Self) -> Option<T>) -> T {
        for _ in 0..TRIES {
            if let Some(found) = found(self) {
                return found;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        panic!("{what}: {}", self.get("/api/runs"));
    }

    /// Waits for an approval that is open.
    pub(super) fn approval(&self) -> Value {
        self.wait("an approval", |driven| {
            let open = driven.get("/api/approvals");
            open["approvals"].as_array()?.first().cloned()
        })
    }

    /// Waits until a run is in a state.
    pub(super) fn wait_state(&self, run: &Value, state: &str) -> Value {
        let way = format!("/api/runs/{}", run["run"].as_str().expect("an id"));
        self.wait(state, |driven| {
            let now = driven.get(&way);
            (now["state"] == state).then_some(now)
        })
    }

    /// Returns how many calls the scripted client ran.
    pub(super) fn calls_run(&self) -> usize {
        let ran = self.home.path().join(unspool_testkit::client::RAN);
        fs::read_to_string(ran).map_or(0, |ran| ran.lines().count())
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        drop(self.server.take());
        // Hosts outlive the server.
        let listed = self.command(&["drive", "list", "--all", "--json"]).output();
        let listed = listed.map(|listed| listed.stdout).unwrap_or_default();
        for run in String::from_utf8_lossy(&listed).lines() {
            let run: Value = serde_json::from_str(run).unwrap_or_default();
            if let Some(id) = run["run"].as_str() {
                let _ = self.command(&["drive", "stop", id]).output();
            }
        }
    }
}

/// Asks a server that may be away.
pub(super) fn try_ask(
    address: &str,
    method: &str,
    way: &str,
    headers: &str,
    body: Option<Value>,
) -> io::Result<(u16, Value)> {
    let body = body.map(|body| body.to_string()).unwrap_or_default();
    let answer = http::ask(address, method, way, headers, &body)?;
    let json = serde_json::from_str(&answer.body).unwrap_or_default();
    Ok((answer.status, json))
}

/// The headers of a program that may drive.
pub(super) fn may_drive() -> String {
    format!("authorization: Bearer {TOKEN}\r\nx-unspool: 1\r\n")
}

/// Makes an id as callers do.
pub(super) fn new_id() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    format!("{process:08x}-0000-4000-8000-{next:012x}")
}

#[test]
fn unspool_drives_and_resumes_as_the_scenarios_of_the_real_client_say() {
    use unspool_testkit::scenarios::{SCENARIOS, SERVED, StageTools, StagedProgram};
    for scenario in SCENARIOS.into_iter().chain(SERVED) {
        let report = scenario.run(&StageTools {
            program: StagedProgram::Scripted(scripted_client()),
            reader: Some(env!("CARGO_BIN_EXE_unspool").into()),
        });
        assert!(report.is_right(), "{}\n{report}", scenario.name);
    }
}
