//! A state folder, a home and a working folder, with the runs in them.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tempfile::TempDir;
use unspool_drive::launch::ClientProgram;
use unspool_drive::store::ProcessIdentity;
use unspool_drive::{Drive, PromptContent, PromptId, RunId, RunView, SendWhen};
use unspool_store::home::{Processes as _, SystemProcesses};
use unspool_testkit::client::{RAN, allow_in, scripted_client};

use crate::conversation::{TestConversation, TestPlace, answer_all};
use crate::test_clock::FileClock;

/// The folders and runs of a test. Drop ends the processes that still run.
pub(crate) struct DriveWorld {
    folder: TempDir,
    pub(crate) place: TestPlace,
    pub(crate) drive: Arc<Drive>,
    pub(crate) clock: FileClock,
}

/// Returns the path of the program that contains the host.
pub(crate) fn harness() -> String {
    let test = std::env::current_exe().expect("this program");
    let folder = test.parent().and_then(|deps| deps.parent());
    let program = folder.expect("a target folder").join("examples/drive_harness");
    assert!(
        program.is_file(),
        "{} is missing: cargo build -p unspool-drive --examples",
        program.display()
    );
    program.display().to_string()
}

impl DriveWorld {
    pub(crate) fn new() -> Self {
        Self::with_host(vec![harness(), "host".to_owned()])
    }

    /// Returns a world with another command for hosts.
    pub(crate) fn with_host(host: Vec<String>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().canonicalize().expect("a folder");
        let place = TestPlace {
            state: top.join("state"),
            sockets: top.join("sockets"),
            home: top.join("home"),
            cwd: top.join("work"),
            client: ClientProgram::new(scripted_client()),
            host,
        };
        allow_in(&place.home);
        fs::create_dir(&place.cwd).expect("a folder");
        let drive = place.open().expect("a drive");
        let report = drive.scan_folder(&place.cwd).expect("a report");
        drive.trust(&place.cwd, &report.print, "test").expect("trust");
        Self { folder, clock: FileClock::in_folder(&place.state), place, drive }
    }

    /// Opens the state a second time, like another process.
    pub(crate) fn reopened(&self) -> Arc<Drive> {
        self.place.open().expect("a drive")
    }

    pub(crate) fn top(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("a folder")
    }

    /// Returns a path in the working folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.place.cwd.join(name)
    }

    /// Starts a run with a prompt; an empty one is omitted.
    pub(crate) fn start(&self, prompt: &str) -> RunId {
        let run = RunId::random();
        let mut request = self.place.request(&run);
        request.prompt = Some(PromptContent::text(prompt)).filter(|_| !prompt.is_empty());
        self.drive.start(&request).expect("a run");
        run
    }

    pub(crate) fn put(&self, run: &RunId, text: &str) -> PromptId {
        let id = PromptId::random();
        let content = PromptContent::text(text);
        let put = self.drive.put_prompt(run, &id, &content, SendWhen::Idle, "test");
        put.expect("a prompt");
        id
    }

    /// Waits until a condition is true for a run.
    pub(crate) fn until(&self, run: &RunId, is_so: impl Fn(&RunView) -> bool) -> RunView {
        let found = self.drive.wait(std::slice::from_ref(run), is_so);
        let found = found.expect("an answer").pop();
        found.unwrap_or_else(|| panic!("it ended before: {:?}", self.drive.run(run)))
    }

    pub(crate) fn until_over(&self, run: &RunId) -> RunView {
        self.until(run, |view| view.run.state.is_over())
    }

    /// Allows all requests until the run is idle or over.
    pub(crate) fn answer_all(&self, run: &RunId) -> RunView {
        answer_all(&self.drive, run).expect("answers");
        self.drive.run(run).expect("the run")
    }

    /// Makes the host check its deadlines.
    pub(crate) fn tick(&self, run: &RunId) {
        // A run that is already over has no host.
        let _ = self.drive.host_status(run);
    }

    /// Returns the ids of the calls that ran.
    pub(crate) fn ran(&self) -> Vec<String> {
        let text = fs::read_to_string(self.place.home.join(RAN)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    pub(crate) fn conversation(&self, prompts: &[&str]) -> TestConversation {
        let prompt = |text: &&str| (PromptId::random(), (*text).to_owned());
        TestConversation {
            place: self.place.clone(),
            run: RunId::random(),
            prompts: prompts.iter().map(prompt).collect(),
        }
    }

    /// Kills the host of a run with SIGKILL.
    pub(crate) fn kill_host(&self, run: &RunId) {
        let host = self.drive.run(run).expect("the run").run.host;
        let host = host.expect("a host");
        kill(&host);
        until_gone(&host);
        // Its files are closed a moment after it is gone.
        self.until_over(run);
    }
}

fn kill(process: &ProcessIdentity) {
    if is_running(process) {
        let pid = Pid::from_raw(process.pid.cast_signed()).expect("a process");
        let _ = kill_process(pid, Signal::KILL);
    }
}

pub(crate) fn is_running(process: &ProcessIdentity) -> bool {
    let start = SystemProcesses.start_time(process.pid);
    start.is_some() && start == process.start
}

/// Waits until a process is gone, without a timeout.
pub(crate) fn until_gone(process: &ProcessIdentity) {
    while is_running(process) {
        thread::sleep(Duration::from_millis(2));
    }
}

impl Drop for DriveWorld {
    fn drop(&mut self) {
        for view in self.drive.runs().unwrap_or_default() {
            view.run.host.iter().for_each(kill);
            for client in view.run.client.iter().filter(|client| is_running(client)) {
                let pid = Pid::from_raw(client.pid.cast_signed()).expect("a process");
                let _ = kill_process_group(pid, Signal::KILL);
            }
        }
    }
}
