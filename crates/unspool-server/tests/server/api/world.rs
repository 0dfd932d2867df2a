//! A home with sessions of many forms, and the things in it that a request can name.

use std::sync::Arc;
use std::time::SystemTime;

use serde_json::Value;
use unspool_engine::library::{IndexPlace, Library, LibraryClock, LibrarySettings, RefreshPolicy};
use unspool_testkit::TestHome;
use unspool_testkit::reallogs::RealLogs;

use crate::harness::{TestServer, demo_home};

/// The content of files that must not be in any answer.
pub(crate) const SECRET: &str = "what-is-outside-of-the-home";

/// Logs of real clients that are added to the sessions of the demo: agents with and without their
/// own files, compactions, rewinds, several dialects.
const CASES: [(&str, &str); 7] = [
    ("2.1.325", "subagent"),
    ("2.1.325", "compact-auto"),
    ("2.1.325", "tui-rewind-kill2"),
    ("2.1.325", "parallel"),
    ("2.1.325", "tui-image"),
    ("2.1.50", "subagent"),
    ("2.0.37", "subagent"),
];

/// A server for a home with sessions of many forms.
pub(crate) struct World {
    pub(crate) server: TestServer,
}

/// A session, and the things in it that a request can name.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) id: String,
    pub(crate) project: String,
    /// The uuids of the entries of its messages.
    pub(crate) entries: Vec<String>,
    pub(crate) agents: Vec<String>,
    pub(crate) paths: usize,
}

impl World {
    /// Starts a server for the demo and for logs of real clients.
    pub(crate) fn new() -> Self {
        let home = TestHome::new();
        home.copy_from(&demo_home());
        let logs = RealLogs::fixtures();
        for case in logs.cases() {
            let name = (case.version.as_str(), case.scenario.as_str());
            if CASES.contains(&name) {
                home.copy_from(&case.home());
            }
        }
        std::fs::write(home.user_home().join("secret.txt"), SECRET).expect("a file");
        std::fs::write(home.path().join("secret.txt"), SECRET).expect("a file");
        home.age();
        // As in `unspool serve`: the index is in a folder, and is updated on demand.
        let settings = LibrarySettings {
            index: IndexPlace::Folder(home.user_home().join("index")),
            refresh: RefreshPolicy::OnDemand,
            ..LibrarySettings::of_home(home.path(), LibraryClock::new(SystemTime::now))
        };
        let library = Arc::new(Library::open(settings).expect("a library"));
        let server = TestServer::with(home, |settings| settings.library = library);
        Self { server }
    }

    /// Requests JSON, which must be there.
    pub(crate) fn json(&self, way: &str) -> Value {
        self.server.json(way)
    }

    /// Lists all sessions.
    pub(crate) fn sessions(&self) -> Vec<Value> {
        let page = self.json("/api/sessions?limit=1000");
        assert_eq!(page["next"], Value::Null);
        page["sessions"].as_array().expect("a list").clone()
    }

    /// Collects the things in a session that a request can name.
    pub(crate) fn known(&self, row: &Value) -> Known {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (id, project) = (text(&row["id"]), text(&row["project"]));
        let of = |part: &str| self.json(&format!("/api/sessions/{id}{part}?project={project}"));
        let messages = of("/messages");
        let messages = messages["messages"].as_array().expect("messages");
        let entries =
            messages.iter().flat_map(|message| message["entries"].as_array().expect("entries"));
        let agents = of("/agents");
        let agents = agents["agents"].as_array().expect("agents");
        Known {
            entries: entries.map(text).collect(),
            agents: agents.iter().map(|agent| text(&agent["id"])).collect(),
            paths: of("")["paths"].as_array().expect("paths").len(),
            id,
            project,
        }
    }

    /// Returns the session with an agent, the most paths and the most entries.
    pub(crate) fn richest(&self) -> Known {
        let known = self.sessions().into_iter().map(|row| self.known(&row));
        let richness = |known: &Known| {
            let agents = known.agents.len().min(1);
            (agents, known.paths, known.entries.len())
        };
        known.max_by_key(richness).expect("a session")
    }
}
