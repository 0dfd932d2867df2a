//! Starts and ends a scripted client.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};

use super::core::{ClientCore, ClientPrompt};
use super::entropy;
use super::history::ClientHistory;
use super::input::{self, AfterLine};
use super::marker;
use super::options::{self, CLIENT_VERSION, ClientFlags, ClientPlace, ClientRequest, SessionFlag};
use super::session_log::log_path;
use super::signals;
use super::turn::TurnRunner;
use crate::script::content_blocks;

/// The file that marks a configuration folder as one of a test.
pub const MARKER: &str = "scripted-client-may-run-here";

/// Allows scripted clients to run with a configuration folder.
pub fn allow_in(config: &Path) {
    fs::create_dir_all(config)
        .and_then(|()| fs::write(config.join(MARKER), ""))
        .unwrap_or_else(|error| panic!("cannot mark {}: {error}", config.display()));
}

/// Runs a client with the arguments and the environment of this process.
#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the version and the refusals are for the program that started it"
)]
pub fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let started = match options::parse(&words) {
        Ok(ClientRequest::Version) => {
            println!("{CLIENT_VERSION} (Claude Code)");
            return ExitCode::SUCCESS;
        }
        Ok(ClientRequest::Talk(flags)) => {
            place(&|name| env::var_os(name)).and_then(|place| Started::prepare(flags, place))
        }
        Err(error) => Err(error),
    };
    match started {
        Ok(started) => started.run(),
        Err(error) => {
            if error.starts_with("No ") {
                println!("{}", failed_start(&error));
            }
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the frame for a session that cannot be resumed.
fn failed_start(error: &str) -> Value {
    json!({
        "type": "result", "subtype": "error_during_execution", "is_error": true,
        "num_turns": 0, "stop_reason": null, "errors": [error], "uuid": entropy::new_uuid(),
    })
}

fn place(var: &dyn Fn(&str) -> Option<OsString>) -> Result<ClientPlace, String> {
    let config = var("CLAUDE_CONFIG_DIR").ok_or("CLAUDE_CONFIG_DIR is not set")?;
    let config = PathBuf::from(config);
    if !config.join(MARKER).is_file() {
        return Err(format!(
            "{} was not made for a scripted client: it has no file {MARKER}",
            config.display()
        ));
    }
    let is_set = |name: &str| var(name).is_some_and(|value| value == "1");
    Ok(ClientPlace {
        config,
        cwd: env::current_dir().map_err(|error| format!("no folder to work in: {error}"))?,
        tells_states: is_set("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS"),
        reruns: is_set("CLAUDE_CODE_RESUME_INTERRUPTED_TURN"),
    })
}

/// A client that is ready to communicate.
#[derive(Debug)]
struct Started {
    core: Arc<ClientCore>,
    history: Option<ClientHistory>,
}

impl Started {
    fn prepare(flags: ClientFlags, place: ClientPlace) -> Result<Self, String> {
        let path = |session: &str| log_path(&place.config, &place.cwd, session);
        let (session, history) = match &flags.session {
            SessionFlag::New(None) => (entropy::new_uuid(), None),
            SessionFlag::New(Some(id)) if path(id).exists() => {
                return Err(format!("Session ID {id} is already in use."));
            }
            SessionFlag::New(Some(id)) => (id.clone(), None),
            SessionFlag::Resumed { id, at, fork } => {
                let log = fs::read(path(id))
                    .map_err(|_| format!("No conversation found with session ID: {id}"))?;
                let mut history = ClientHistory::read(&log, at.as_deref())?;
                history.is_forked = fork.is_some();
                (fork.as_ref().unwrap_or(id).clone(), Some(history))
            }
        };
        let core = Arc::new(ClientCore::new(flags, place, &session));
        Ok(Self { core, history })
    }

    fn run(mut self) -> ExitCode {
        let core = Arc::clone(&self.core);
        signals::obey(&core);
        marker::write(&core, "idle");
        if let Some(history) = &self.history {
            core.change(|state| state.answered.clone_from(&history.answered));
        }
        if core.place.reruns {
            self.rerun();
        }
        let (runner_core, history) = (Arc::clone(&core), self.history.take());
        let runner = thread::spawn(move || TurnRunner::new(&runner_core, history).run());
        if let AfterLine::Ends(code) = read_input(&core) {
            core.wire.flush();
            core.end(code);
        }
        input::closed(&core);
        let has_ended = runner.join().is_ok();
        core.wire.flush();
        let has_failed = core.state().has_failed || !has_ended;
        core.end(i32::from(has_failed))
    }

    /// Runs the last prompt again if it has no complete answer.
    fn rerun(&mut self) {
        let Some(history) = &mut self.history else {
            return;
        };
        let is_open = history.ends_with_prompt() || !history.open_calls().is_empty();
        let Some(entry) = is_open.then(|| history.rewind_to_prompt()).flatten() else {
            return;
        };
        let prompt = ClientPrompt {
            uuid: entry["uuid"].as_str().unwrap_or_default().to_owned(),
            is_named: true,
            content: content_blocks(&entry["message"]["content"]),
            waits_for_end: false,
            is_query: true,
            is_rerun: true,
        };
        input::take_up(&self.core, prompt, false);
    }
}

fn read_input(core: &ClientCore) -> AfterLine {
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return AfterLine::Closes,
            Ok(_) => {}
        }
        let after = input::line(core, &line);
        if after != AfterLine::GoesOn {
            return after;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_folder_of_a_test_is_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let var = |name: &str| (name == "CLAUDE_CONFIG_DIR").then(|| folder.path().into());
        assert!(place(&|_| None).is_err());
        let error = place(&var).expect_err("must fail");
        assert!(error.contains(MARKER), "{error}");
        allow_in(folder.path());
        assert_eq!(place(&var).expect("a place").config, folder.path());
    }
}
