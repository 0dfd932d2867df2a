//! `unspool drive`, with a scripted client that does what its prompts say.
//!
//! Each test has a home of its own, without deadlines: a test waits for a state, however long that takes.

mod answering;
mod changing;
mod ending;
mod following;
mod naming;
mod offering;
mod starting;
mod trusting;
mod waiting;

use std::ops::Deref;
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use unspool_testkit::driven::DrivenHome;
use unspool_testkit::process::signal;

use crate::run::Ran;
use crate::schema::assert_fits;

/// A home for driving, without deadlines.
struct DriveHome(DrivenHome);

impl Deref for DriveHome {
    type Target = DrivenHome;

    fn deref(&self) -> &DrivenHome {
        &self.0
    }
}

impl DriveHome {
    /// Creates a home whose folder is not trusted.
    fn untrusted() -> Self {
        Self(DrivenHome::new(env!("CARGO_BIN_EXE_unspool")))
    }

    /// Creates a home whose folder is trusted.
    fn new() -> Self {
        let made = Self::untrusted();
        made.run(&["trust", ".", "--yes"]).ok();
        made
    }

    /// Builds a `drive` command.
    fn drive(&self, args: &[&str]) -> Command {
        let mut command = self.command(&[]);
        command.env("IDLE_TIMEOUT", "off").env("WAITING_TIMEOUT", "off").arg("drive").args(args);
        command
    }

    /// Runs a `drive` command, and checks its JSON against the schema.
    fn run(&self, args: &[&str]) -> Ran {
        let ran = Ran::of(&mut self.drive(args));
        assert_fits(&[&["drive"], args].concat(), &ran.out);
        assert!(!ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'));
        ran
    }

    /// Starts a run and returns its id.
    fn start(&self, prompt: &str) -> String {
        let started = self.run(&["start", "--prompt", prompt]);
        started.ok().trim().to_owned()
    }

    /// Waits until a run has a need, and returns the run.
    fn wait(&self, run: &str, need: &str) -> Value {
        self.run(&["wait", run, "--for", need, "--json"]).json()
    }

    /// Waits until a run asks something, and returns the approval's id.
    fn asked(&self, run: &str) -> String {
        let found = self.wait(run, "answer");
        let id = found["approvals"][0]["id"].as_str();
        id.expect("an approval").to_owned()
    }

    /// Returns a run from the list.
    fn look(&self, run: &str) -> Value {
        let all = self.run(&["list", "--all", "--json"]).lines();
        let found = all.into_iter().find(|one| one["run"] == run);
        found.expect("the run is listed")
    }

    /// Polls a run until it meets a condition.
    fn until(&self, run: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        loop {
            let found = self.look(run);
            if is_so(&found) {
                return found;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns the log of a run's session.
    fn log(&self, run: &str) -> String {
        let session = self.look(run)["session"].as_str().expect("an id").to_owned();
        std::fs::read_to_string(self.log_path(&session)).expect("the session has a log")
    }
}

/// Polls until a condition is true.
fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        thread::sleep(Duration::from_millis(10));
    }
}

/// Kills a process.
fn kill(pid: u32) {
    assert!(signal("KILL", &pid.to_string()));
}
