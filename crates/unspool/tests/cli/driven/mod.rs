//! `unspool serve --drive`: sessions run from pages and through the API, with a scripted client.

mod api;
mod browser;
mod cards;
mod many;
mod moments;
mod offers;
mod page;
mod writing;

use std::ops::Deref;
use std::path::PathBuf;

use serde_json::{Value, json};
use unspool_testkit::client::scripted_client;
use unspool_testkit::driven::{DriveApiClient, DrivenHome, new_id};
use unspool_testkit::http::ListeningProgram;
use unspool_testkit::{TestHome, session, uuid};

/// A home with a working folder, and a server that drives.
pub(super) struct Driven {
    server: Option<ListeningProgram>,
    asking: DriveApiClient,
    pub(super) place: DrivenHome,
    /// The one-time link.
    pub(super) link: String,
}

impl Deref for Driven {
    type Target = DriveApiClient;

    fn deref(&self) -> &DriveApiClient {
        &self.asking
    }
}

impl Driven {
    /// Starts a server for a home with one idle session, `one`.
    pub(super) fn start() -> Self {
        Self::start_with(|_| scripted_client())
    }

    /// Starts a server with a client at the path that `client` returns for the home.
    pub(super) fn start_with(client: impl FnOnce(&TestHome) -> PathBuf) -> Self {
        let mut place = DrivenHome::new(env!("CARGO_BIN_EXE_unspool"));
        place.client = client(&place.home);
        place.home.add_session(&place.cwd(), &uuid("one"), session(&first_talk(&place)));
        let asking = DriveApiClient { address: "127.0.0.1:0".to_owned() };
        let mut driven = Self { server: None, asking, place, link: String::new() };
        driven.serve();
        driven
    }

    /// Starts the server, on the same port as before.
    pub(super) fn serve(&mut self) {
        let port = self.address.rsplit(':').next().unwrap_or("0").to_owned();
        let mut command = self.place.command(&["serve", "--drive", "--port", &port]);
        let server = ListeningProgram::start(&mut command);
        self.asking.address.clone_from(&server.address);
        let link = server.said.strip_prefix("open ").expect("a link");
        link.split(' ').next().unwrap_or_default().clone_into(&mut self.link);
        self.server = Some(server);
    }

    /// Kills the server.
    pub(super) fn kill_server(&mut self) {
        drop(self.server.take().expect("a server"));
    }

    pub(super) fn trust(&self) {
        let (status, told) = self.post("/api/trust", &json!({ "cwd": self.place.cwd() }));
        assert_eq!(status, 200, "{told}");
    }

    /// Requests a run in the folder, with a new id.
    pub(super) fn try_run(&self, mut body: Value) -> (u16, Value) {
        body["id"] = json!(new_id());
        body["cwd"] = json!(self.place.cwd());
        let (status, told) = self.post("/api/runs", &body);
        assert!(status != 201 || told["run"] == body["id"], "{told}");
        (status, told)
    }

    /// Trusts the folder, starts a run of a new session in it, and returns the run.
    pub(super) fn run(&self, prompt: &str) -> Value {
        self.trust();
        let (status, run) = self.try_run(json!({ "prompt": prompt }));
        assert_eq!(status, 201, "{run}");
        run
    }

    /// Allows an approval.
    pub(super) fn allow(&self, approval: &Value) -> (u16, Value) {
        self.answer(approval, &json!({ "decision": "allow" }))
    }

    /// Returns the runs.
    pub(super) fn runs(&self) -> Vec<Value> {
        self.get("/api/runs")["runs"].as_array().expect("runs").clone()
    }

    /// Returns the messages of a session.
    pub(super) fn messages(&self, session: &str) -> Value {
        self.get(&format!("/api/sessions/{session}/messages"))
    }
}

/// The log of the idle session.
fn first_talk(place: &DrivenHome) -> String {
    let cwd = place.cwd();
    format!("%cwd {cwd}\nu1 user \"What is there?\"\na1 assistant \"Not much.\"\n")
}

/// Expects a refusal, and returns the problem.
#[track_caller]
pub(super) fn refused((status, told): (u16, Value), expected: u16, kind: &str) -> Value {
    assert_eq!((status, &told["type"]), (expected, &json!(kind)), "{told}");
    told
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
