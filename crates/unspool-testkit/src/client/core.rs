//! The parts that the threads of a scripted client share: state, output and log.

use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::process;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::entropy;
use super::marker;
use super::options::{ClientFlags, ClientPlace};
use super::session_log::{ClientLog, merge};
use super::wire::StdoutFrames;
use crate::process::signal;

/// A running client.
#[derive(Debug)]
pub(super) struct ClientCore {
    pub(super) flags: ClientFlags,
    pub(super) place: ClientPlace,
    pub(super) wire: StdoutFrames,
    state: Mutex<ClientState>,
    changed: Condvar,
    /// Locked while the state changes and the change is reported, so that both have the same order.
    transition: Mutex<()>,
}

/// The mutable state of a client.
#[derive(Debug)]
pub(super) struct ClientState {
    pub(super) log: Arc<Mutex<ClientLog>>,
    pub(super) mode: String,
    pub(super) model: String,
    /// Prompts that wait for their turn.
    pub(super) queue: VecDeque<ClientPrompt>,
    /// The ids of prompts that this process received.
    pub(super) known: HashSet<String>,
    /// The ids of prompts that had an answer in the log before this process started.
    pub(super) answered: HashSet<String>,
    pub(super) is_running: bool,
    pub(super) pending: Vec<PendingRequest>,
    pub(super) cut: Option<TurnCut>,
    pub(super) is_input_closed: bool,
    pub(super) background: Vec<String>,
    pub(super) rules: Vec<(String, String)>,
    pub(super) results: u64,
    /// Calls of the turn that were denied.
    pub(super) denials: Vec<Value>,
    pub(super) has_failed: bool,
    /// The cost of the session in cents.
    pub(super) cents: u32,
    /// The process groups of running tools.
    pub(super) tools: Vec<u32>,
}

/// A prompt of the host.
#[derive(Clone, Debug)]
pub(super) struct ClientPrompt {
    pub(super) uuid: String,
    /// Whether the host gave the uuid; only then is the progress of the prompt reported.
    pub(super) is_named: bool,
    pub(super) content: Vec<Value>,
    pub(super) waits_for_end: bool,
    /// Whether the prompt starts a turn; otherwise it is only added to the log.
    pub(super) is_query: bool,
    /// Whether the prompt is in the log already and runs again.
    pub(super) is_rerun: bool,
}

impl ClientPrompt {
    /// Returns the text of the prompt.
    pub(super) fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| block["text"].as_str());
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// A request to the host that is not answered yet.
#[derive(Debug)]
pub(super) struct PendingRequest {
    pub(super) id: String,
    pub(super) frame: Value,
    pub(super) answer: Option<HostAnswer>,
}

/// The outcome of a request.
#[derive(Clone, Debug)]
pub(super) enum HostAnswer {
    /// The host answered.
    Given(Value),
    /// The host reported an error.
    Failed(String),
    /// The turn was interrupted.
    Cut,
}

/// Why a turn ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnCut {
    /// The host interrupted the turn.
    Interrupt,
    /// A prompt arrived that does not wait for the end of the turn.
    Urgent,
}

impl ClientCore {
    pub(super) fn new(flags: ClientFlags, place: ClientPlace, session: &str) -> Self {
        let log = ClientLog::of_session(&place.config, &place.cwd, session);
        let state = ClientState {
            log: Arc::new(Mutex::new(log)),
            mode: flags.mode.clone(),
            model: flags.model.clone(),
            queue: VecDeque::new(),
            known: HashSet::new(),
            answered: HashSet::new(),
            is_running: false,
            pending: Vec::new(),
            cut: None,
            is_input_closed: false,
            background: Vec::new(),
            rules: Vec::new(),
            results: 0,
            denials: Vec::new(),
            has_failed: false,
            cents: 0,
            tools: Vec::new(),
        };
        Self {
            flags,
            place,
            wire: StdoutFrames::start(),
            state: Mutex::new(state),
            changed: Condvar::new(),
            transition: Mutex::new(()),
        }
    }

    /// Locks the state.
    pub(super) fn state(&self) -> MutexGuard<'_, ClientState> {
        locked(&self.state)
    }

    /// Changes the state and wakes the threads that wait for a change.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut ClientState) -> T) -> T {
        let value = change(&mut self.state());
        self.changed.notify_all();
        value
    }

    /// Changes the state and reports the change before another thread can do either.
    pub(super) fn transition<T>(&self, act: impl FnOnce() -> T) -> T {
        let _order = locked(&self.transition);
        act()
    }

    /// Waits until `look` returns a value for the state.
    pub(super) fn wait_for<T>(&self, mut look: impl FnMut(&mut ClientState) -> Option<T>) -> T {
        let mut state = self.state();
        loop {
            if let Some(found) = look(&mut state) {
                return found;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns the log of the session.
    pub(super) fn log(&self) -> Arc<Mutex<ClientLog>> {
        Arc::clone(&self.state().log)
    }

    /// Returns the id of the session.
    pub(super) fn session(&self) -> String {
        locked(&self.log()).session().to_owned()
    }

    /// Writes a frame with the id of the session and a new uuid.
    pub(super) fn tell(&self, fields: Value) {
        let mut frame = json!({"uuid": entropy::new_uuid(), "session_id": self.session()});
        merge(&mut frame, fields);
        self.wire.send(&frame);
    }

    /// Reports the progress of a prompt.
    pub(super) fn tell_lifecycle(&self, prompt: &ClientPrompt, state: &str) {
        if prompt.is_named {
            self.tell(json!({
                "type": "command_lifecycle", "command_uuid": prompt.uuid, "state": state,
            }));
        }
    }

    /// Reports the state of the session to the host and to other programs.
    pub(super) fn tell_state(&self, state: &str) {
        if self.place.tells_states {
            self.tell(json!({
                "type": "system", "subtype": "session_state_changed", "state": state,
            }));
        }
        marker::write(self, state);
    }

    /// Reports the background tasks.
    pub(super) fn tell_background(&self) {
        let tasks: Vec<Value> = self
            .state()
            .background
            .iter()
            .map(|name| json!({"task_id": name, "task_type": "local_bash", "description": name}))
            .collect();
        self.tell(json!({
            "type": "system", "subtype": "background_tasks_changed", "tasks": tasks,
        }));
    }

    /// Returns the state of the session.
    pub(super) fn session_state(&self) -> &'static str {
        let state = self.state();
        match (state.is_running, state.pending.is_empty()) {
            (_, false) => "requires_action",
            (true, true) => "running",
            (false, true) => "idle",
        }
    }

    /// Ends the process, and kills running tools.
    pub(super) fn end(&self, code: i32) -> ! {
        for group in &self.state().tools {
            signal("KILL", &format!("-{group}"));
        }
        marker::remove(self);
        process::exit(code)
    }

    /// Kills this process without any cleanup; running tools continue.
    pub(super) fn die(&self) -> ! {
        self.wire.flush();
        signal("KILL", &process::id().to_string());
        // The signal arrives asynchronously.
        loop {
            std::thread::park();
        }
    }

    /// Returns the path of a file for tests in the configuration folder.
    pub(super) fn record(&self, name: &str) -> std::path::PathBuf {
        self.place.config.join(name)
    }

    /// Returns a path relative to the session's folder as an absolute one.
    pub(super) fn in_cwd(&self, path: &Path) -> std::path::PathBuf {
        self.place.cwd.join(path)
    }
}

/// Locks a mutex, even after another thread panicked.
pub(crate) fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
