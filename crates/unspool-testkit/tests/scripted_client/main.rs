//! The scripted client speaks the protocol as it was measured with the real one.

mod ends;
mod queues;
mod turns;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use unspool_testkit::client::{self, INTERRUPTED_CALL, NO_RESPONSE, RAN, SENT};
use unspool_testkit::home::project_folder;
use unspool_testkit::scenarios::{ClientDriver, DriverOptions};
use unspool_testkit::{TestHome, uuid};

/// A home and a folder for one test.
struct Place {
    home: TestHome,
    cwd: PathBuf,
}

impl Place {
    fn new() -> Self {
        let home = TestHome::new();
        client::allow_in(home.path());
        let cwd = home.user_home().join("work");
        fs::create_dir_all(&cwd).expect("a folder");
        Self { home, cwd }
    }

    fn options(&self, args: &str) -> DriverOptions {
        DriverOptions::new(&client::scripted_client(), &self.cwd)
            .env("CLAUDE_CONFIG_DIR", self.home.path().display().to_string())
            .env("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1")
            .args(args)
    }

    fn start(&self, args: &str) -> ClientDriver {
        self.options(args).start()
    }

    fn log_path(&self, session: &str) -> PathBuf {
        let folder = project_folder(&self.cwd.display().to_string());
        let folder = self.home.path().join("projects").join(folder);
        folder.join(format!("{session}.jsonl"))
    }

    fn log(&self, session: &str) -> Vec<Value> {
        lines(&self.log_path(session))
    }

    fn ran(&self) -> usize {
        fs::read_to_string(self.home.path().join(RAN)).map_or(0, |text| text.lines().count())
    }

    /// What would have been sent with the last request, as texts.
    fn sent(&self) -> Vec<String> {
        let requests = lines(&self.home.path().join(SENT));
        let messages = requests.last().expect("a request")["messages"].clone();
        let blocks = messages.as_array().expect("messages").iter();
        let blocks = blocks.flat_map(|message| message["content"].as_array().expect("blocks"));
        blocks.map(brief).collect()
    }

    fn running(&self) -> Vec<Value> {
        let files = fs::read_dir(self.home.path().join("sessions")).expect("a folder");
        let files = files.map(|file| fs::read(file.expect("a file").path()).expect("text"));
        files.map(|text| serde_json::from_slice(&text).expect("JSON")).collect()
    }
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("a file of lines");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn brief(block: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match block["type"].as_str() {
        Some("text") => text(&block["text"]),
        Some("tool_use") => format!("call {}", text(&block["name"])),
        _ => format!("result {}", text(&block["content"])),
    }
}

fn states(frames: &[Value]) -> Vec<&str> {
    let changes = frames.iter().filter(|frame| frame["subtype"] == "session_state_changed");
    changes.filter_map(|frame| frame["state"].as_str()).collect()
}

fn lifecycle<'a>(frames: &'a [Value], uuid: &str) -> Vec<&'a str> {
    let own = frames.iter().filter(|frame| frame["command_uuid"] == *uuid);
    own.filter_map(|frame| frame["state"].as_str()).collect()
}

const SESSION: &str = "s";

fn new_session() -> String {
    format!("--session-id {}", uuid(SESSION))
}

fn resumed() -> String {
    format!("--resume {}", uuid(SESSION))
}
