//! `unspool drive`, with a scripted client that does what its prompts say.
//!
//! Every test has a home of its own, and nothing in it has a deadline: tests wait until something is
//! so, however long that takes.

mod answering;
mod changing;
mod ending;
mod following;
mod naming;
mod offering;
mod starting;
mod trusting;
mod waiting;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use unspool_testkit::TestHome;
use unspool_testkit::client::{allow_in, scripted_client};

use crate::run::Ran;
use crate::schema::assert_fits;

/// A home in which a scripted client may run, and a folder to work in. Runs end with it.
struct DriveHome {
    home: TestHome,
    folder: PathBuf,
    client: PathBuf,
}

impl DriveHome {
    /// Makes a home whose folder is not trusted.
    fn untrusted() -> Self {
        let home = TestHome::new();
        allow_in(home.path());
        let folder = home.user_home().join("work");
        fs::create_dir(&folder).expect("a folder");
        Self { home, folder, client: scripted_client() }
    }

    /// Makes a home whose folder is trusted.
    fn new() -> Self {
        let made = Self::untrusted();
        made.run(&["trust", ".", "--yes"]).ok();
        made
    }

    /// Returns the command with arguments of `drive`.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(env!("CARGO_BIN_EXE_unspool"));
        command
            .env("CLAUDE_CONFIG_DIR", self.home.path())
            .env("UNSPOOL_CLAUDE", &self.client)
            .env("IDLE_TIMEOUT", "off")
            .env("WAITING_TIMEOUT", "off")
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .arg("drive")
            .args(args);
        command
    }

    /// Runs a command of `drive`. Whatever it prints as JSON must fit its schema.
    fn run(&self, args: &[&str]) -> Ran {
        let output = self.command(args).output().expect("the program starts");
        let ran = Ran::from(output);
        assert_fits(&[&["drive"], args].concat(), &ran.out);
        assert!(!ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'));
        ran
    }

    /// Starts a run and returns its id.
    fn start(&self, prompt: &str) -> String {
        let started = self.run(&["start", "--prompt", prompt]);
        started.ok().trim().to_owned()
    }

    /// Waits until a run needs a person, and returns what is known of it.
    fn wait(&self, run: &str, need: &str) -> Value {
        let mut found = self.run(&["wait", run, "--for", need, "--json"]);
        assert_eq!(found.code, Some(0), "{}", found.err);
        found.out.truncate(found.out.trim_end().len());
        serde_json::from_str(&found.out).expect("one object")
    }

    /// Waits until a run asks something, and returns the id of that.
    fn asked(&self, run: &str) -> String {
        let found = self.wait(run, "answer");
        let id = found["approvals"][0]["id"].as_str();
        id.expect("an approval").to_owned()
    }

    /// Returns what is known of a run.
    fn look(&self, run: &str) -> Value {
        let all = self.run(&["list", "--all", "--json"]).lines();
        let found = all.into_iter().find(|one| one["run"] == run);
        found.expect("the run is listed")
    }

    /// Looks at a run until it is as wanted.
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
        let folder = self.home.project_dir(&self.folder.display().to_string());
        let file = folder.join(format!("{session}.jsonl"));
        fs::read_to_string(file).expect("the session has a log")
    }

    fn has(&self, file: &str) -> bool {
        self.folder.join(file).exists()
    }
}

impl Drop for DriveHome {
    fn drop(&mut self) {
        let listed = self.command(&["list", "--all", "--json"]).output();
        let listed = listed.map(|output| output.stdout).unwrap_or_default();
        for line in String::from_utf8_lossy(&listed).lines() {
            let run: Value = serde_json::from_str(line).unwrap_or_default();
            let _ = self.command(&["stop", run["run"].as_str().unwrap_or_default()]).output();
        }
    }
}

/// Waits until something is so.
fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        thread::sleep(Duration::from_millis(10));
    }
}

/// Returns a field of what the system says of a process, counted from 1.
fn stat_field(pid: u64, field: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let rest = &stat[stat.rfind(')')? + 2..];
    rest.split(' ').nth(field - 3).map(str::to_owned)
}

/// Tells whether a process runs.
fn is_running(pid: u64) -> bool {
    Path::new(&format!("/proc/{pid}")).exists() && stat_field(pid, 3).as_deref() != Some("Z")
}

/// Ends a process at once, whatever it is doing.
fn kill(pid: u64) {
    let killed = Command::new("kill").args(["-9", &pid.to_string()]).status();
    assert!(killed.expect("kill").success());
}
