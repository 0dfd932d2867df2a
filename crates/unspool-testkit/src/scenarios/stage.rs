//! A home, a working folder and a client program for one scenario.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::ScenarioReport;
use super::driver::ClientDriver;
use super::hosted::StagedUnspool;
use crate::client::{self, NO_RESPONSE, SENT};
use crate::home::TestHome;
use crate::model_api::{ModelApi, RequestKind, brief_blocks};
use crate::session;

/// A timeout that only a failure reaches.
const TIMEOUT: Duration = Duration::from_mins(5);

/// The client program of a scenario.
#[derive(Clone, Debug)]
pub enum StagedProgram {
    /// The scripted client.
    Scripted(PathBuf),
    /// The real client.
    Real(PathBuf),
}

/// The programs of a scenario.
#[derive(Clone, Debug)]
pub struct StageTools {
    /// The client.
    pub program: StagedProgram,
    /// The program `unspool`, for comparing the messages that it would send with those of the client.
    pub reader: Option<PathBuf>,
}

/// A home, a working folder and a client program.
#[derive(Debug)]
pub struct ClientStage {
    home: TestHome,
    cwd: PathBuf,
    program: StagedProgram,
    reader: Option<PathBuf>,
    /// The model of a real client.
    api: ModelApi,
}

impl ClientStage {
    /// Creates an empty home.
    pub fn new(tools: &StageTools) -> Self {
        let StageTools { program, reader } = tools.clone();
        let home = TestHome::new();
        let cwd = home.user_home().join("work");
        for folder in [&cwd, &home.user_home().join("tmp")] {
            fs::create_dir_all(folder).expect("a folder");
        }
        if matches!(program, StagedProgram::Scripted(_)) {
            client::allow_in(home.path());
        }
        let api = ModelApi::start(&cwd);
        Self { home, cwd, program, reader, api }
    }

    /// Returns the folder that the client works in.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// Returns the home.
    pub(super) fn home(&self) -> &TestHome {
        &self.home
    }

    /// Returns the path of the program `unspool`, if it is given.
    pub(super) fn reader(&self) -> Option<&Path> {
        self.reader.as_deref()
    }

    /// Returns the path of the client.
    pub(super) fn program(&self) -> &Path {
        let (StagedProgram::Scripted(program) | StagedProgram::Real(program)) = &self.program;
        program
    }

    /// Returns the environment of the client: its home, and for a real client the model and settings that
    /// keep it from reaching other machines.
    pub(super) fn environment(&self) -> Vec<(&'static str, String)> {
        let path = |path: &Path| path.display().to_string();
        let mut environment = vec![
            ("HOME", path(self.home.user_home())),
            ("CLAUDE_CONFIG_DIR", path(self.home.path())),
            ("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS", "1".to_owned()),
        ];
        if matches!(self.program, StagedProgram::Scripted(_)) {
            return environment;
        }
        let temporary = path(&self.home.user_home().join("tmp"));
        environment.extend([
            ("ANTHROPIC_BASE_URL", self.api.url()),
            ("ANTHROPIC_API_KEY", "sk-ant-scripted".to_owned()),
            ("TMPDIR", temporary.clone()),
            ("CLAUDE_CODE_TMPDIR", temporary),
            ("SHELL", "/bin/sh".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "dumb".to_owned()),
            ("CLAUDE_CODE_MAX_RETRIES", "0".to_owned()),
        ]);
        // As root, the client skips permissions only if the environment declares a sandbox, which this is.
        let switches = [
            "IS_SANDBOX",
            "DISABLE_TELEMETRY",
            "DISABLE_ERROR_REPORTING",
            "DISABLE_AUTOUPDATER",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        ];
        environment.extend(switches.map(|name| (name, "1".to_owned())));
        environment
    }

    /// Starts the client with arguments separated by spaces.
    pub fn start(&self, args: &str) -> ClientDriver {
        self.start_with(args, [])
    }

    /// Starts the client with arguments separated by spaces, and with additional variables.
    pub(super) fn start_with(
        &self,
        args: &str,
        variables: impl IntoIterator<Item = (&'static str, String)>,
    ) -> ClientDriver {
        let mode =
            if args.contains("--permission-mode") { "" } else { "--permission-mode default" };
        let mut environment = self.environment();
        environment.extend(variables);
        let args = format!("{args} {mode}");
        ClientDriver::start(self.program(), &self.cwd, &args, &environment)
    }

    /// Resumes a session with a prompt, through a host of `unspool` if that is given, and returns the request
    /// to the model.
    pub(super) fn resume(
        &self,
        report: &mut ScenarioReport,
        id: &str,
        prompt: &str,
    ) -> Vec<String> {
        let read = self.read_by_unspool(id);
        if self.reader.is_some() {
            StagedUnspool::new(self).resume(id, prompt);
        } else {
            let mut client = self.start(&format!("--resume {id}"));
            client.prompt(prompt);
            client.result();
            client.close();
        }
        let sent = self.last_sent();
        if let Some(mut read) = read {
            read.push(format!("U {prompt}"));
            let said = sent.iter().filter(|line| is_said(line));
            report.check("sent, as unspool reads the log", said, read);
        }
        sent
    }

    /// Returns the messages that `unspool` would send to the model, without results.
    fn read_by_unspool(&self, id: &str) -> Option<Vec<String>> {
        let reader = self.reader.as_ref()?;
        let output = self
            .home
            .command(reader)
            .args(["show", id, "--context", "--json", "--home"])
            .arg(self.home.path())
            .output()
            .expect("unspool starts");
        let shown: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            let text = String::from_utf8_lossy(&output.stderr);
            panic!("unspool shows no JSON: {error}\n{text}")
        });
        let messages = shown["messages"].as_array().expect("messages");
        Some(messages.iter().flat_map(said_by_unspool).collect())
    }

    /// Returns the path of a session's log.
    pub fn log_path(&self, session: &str) -> PathBuf {
        let cwd = self.cwd.display().to_string();
        self.home.project_dir(&cwd).join(format!("{session}.jsonl"))
    }

    /// Writes the log of a session in the compact notation.
    pub fn write_log(&self, id: &str, notation: &str) {
        let cwd = self.cwd.display().to_string();
        let notation = format!("%session {id}\n%cwd {cwd}\n%version 2.1.325\n{notation}");
        self.home.add_session(&cwd, id, session(&notation));
    }

    /// Returns the complete lines of a log.
    pub fn log(&self, session: &str) -> Vec<Value> {
        let text = fs::read(self.log_path(session)).unwrap_or_default();
        let lines = text.split(|&byte| byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    /// Returns a short form of the messages of a log, in the order of the file.
    pub fn brief_log(&self, session: &str) -> Vec<String> {
        // The log also has requests to the model, with copies of messages.
        let is_entry = |line: &&Value| matches!(line["type"].as_str(), Some("user" | "assistant"));
        let log = self.log(session);
        let entries = log.iter().filter(is_entry);
        let messages: Vec<Value> = entries.map(|line| line["message"].clone()).collect();
        brief_blocks(&messages)
    }

    /// Waits until a log has a matching line.
    pub fn wait_for_line(&self, session: &str, fits: impl Fn(&Value) -> bool) {
        self.wait_until("a line of the log", || self.log(session).iter().any(&fits));
    }

    /// Waits until a condition is true; `what` describes it.
    pub fn wait_until(&self, what: &str, is_so: impl Fn() -> bool) {
        let end = Instant::now() + TIMEOUT;
        while !is_so() {
            assert!(Instant::now() < end, "{what} did not come");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Returns a short form of the last request of the session to the model.
    pub fn last_sent(&self) -> Vec<String> {
        self.sent().pop().unwrap_or_default()
    }

    /// Returns short forms of all requests of the session to the model.
    pub fn sent(&self) -> Vec<Vec<String>> {
        if matches!(self.program, StagedProgram::Real(_)) {
            let sent = self.api.sent().into_iter();
            let sent = sent.filter(|request| request.kind == RequestKind::Session);
            return sent.map(|request| request.conversation()).collect();
        }
        let text = fs::read_to_string(self.home.path().join(SENT)).unwrap_or_default();
        let requests = text.lines().map(|line| {
            let request: Value = serde_json::from_str(line).expect("JSON");
            request
        });
        requests
            .filter(|request| request["agent"].is_null())
            .map(|request| {
                let messages = request["messages"].as_array();
                brief_blocks(messages.map_or(&[], Vec::as_slice))
            })
            .collect()
    }

    /// Returns how often a command of a scenario ran; each run appends its name to a file.
    pub fn runs(&self, name: &str) -> usize {
        let text = fs::read_to_string(self.cwd.join("runs")).unwrap_or_default();
        text.lines().filter(|line| *line == name).count()
    }

    /// Returns the states of the calls of a log, in order.
    pub fn calls(&self, session: &str) -> Vec<&'static str> {
        let log = self.log(session);
        let blocks = |line: &Value| {
            let blocks = line["message"]["content"].as_array();
            blocks.cloned().unwrap_or_default()
        };
        let state = |call: &Value| {
            let answer = log.iter().find_map(|line| {
                let blocks = blocks(line);
                let found = blocks.iter().find(|block| block["tool_use_id"] == *call);
                found.map(|block| (block["is_error"] == true, line["toolDenialKind"].as_str()))
            });
            match answer {
                None => "open",
                Some((false, _)) => "done",
                Some((true, None)) => "failed",
                Some((true, Some("interrupted"))) => "interrupted",
                Some((true, Some(_))) => "denied",
            }
        };
        let calls = log.iter().flat_map(blocks);
        let calls = calls.filter(|block| block["type"] == "tool_use");
        calls.map(|block| state(&block["id"])).collect()
    }

    /// Returns the number of files of running sessions.
    pub fn markers(&self) -> usize {
        let files = fs::read_dir(self.home.path().join("sessions"));
        let files = files.into_iter().flatten().filter_map(Result::ok);
        let is_marker =
            |file: &fs::DirEntry| file.path().extension().is_some_and(|end| end == "json");
        files.filter(is_marker).count()
    }
}

/// Returns a directive that appends a name to the file of runs.
pub(super) fn run(name: &str) -> String {
    format!("[[bash: echo {name} >> runs]]")
}

/// Tells whether a line of a log contains a call.
pub(super) fn has_call(line: &Value) -> bool {
    let blocks = line["message"]["content"].as_array();
    let mut blocks = blocks.into_iter().flatten();
    blocks.any(|block| block["type"] == "tool_use")
}

/// Tells whether a line of a request is from the log; results are excluded, and texts that the client made up
/// are not in the log.
fn is_said(line: &str) -> bool {
    let is_made_up = line == format!("A {NO_RESPONSE}");
    !is_made_up && !line.starts_with("result ") && !line.starts_with("error ")
}

/// Returns a short form of the texts and calls in a message of `unspool show --json`.
fn said_by_unspool(message: &Value) -> Vec<String> {
    let side = if message["role"] == "user" { "U" } else { "A" };
    let blocks = message["blocks"].as_array().into_iter().flatten();
    let lines = blocks.filter_map(|block| match block["type"].as_str()? {
        "text" => Some(format!("{side} {}", block["text"].as_str()?)),
        "call" => Some(format!("call {}", block["name"].as_str()?)),
        _ => None,
    });
    lines.filter(|line| is_said(line)).collect()
}
