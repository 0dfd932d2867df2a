//! Starts runs: first records the run with its first prompt, then starts its host.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use unspool_model::ids::SessionId;
use unspool_model::named::Named as _;
use unspool_store::home::{Home, LiveSessions, SystemProcesses};

use super::sweep::logs_of;
use super::{BETWEEN_TRIES, Drive, DriveError, MOST_TRIES, RunView, leftovers};
use crate::host::HostReady;
use crate::ids::{PromptId, RunId, digest, random_uuid};
use crate::json::RunPlanJson;
use crate::launch::{RunPlan, RunSession};
use crate::money::UsdAmount;
use crate::state::{PermissionMode, PromptState, RunLimits, SendWhen};
use crate::store::{NewRun, PromptRecord, PutPrompt, StoreChange, private_folder};
use crate::trust::broken_in_home;
use crate::wire::PromptContent;

/// The longest line with which a host reports that it is ready.
const LONGEST_READY: u64 = 64 << 10;

/// A request for a new run.
#[derive(Clone, PartialEq, Debug)]
pub struct RunRequest {
    /// The id of the run, made by the caller. A repeated id is the same run.
    pub id: RunId,
    /// The folder that the client works in.
    pub cwd: PathBuf,
    /// The client's home; `None` is the default one.
    pub home: Option<PathBuf>,
    /// The first prompt.
    pub prompt: Option<PromptContent>,
    /// The session to continue; `None` begins a new one.
    pub session: Option<String>,
    /// The last entry of the session to keep.
    pub at: Option<String>,
    /// Whether to continue in a copy of the session.
    pub fork: bool,
    /// The model.
    pub model: Option<String>,
    /// What the client may do without asking.
    pub mode: PermissionMode,
    /// The deadlines; `None` are those of the settings.
    pub limits: Option<RunLimits>,
    /// The budget of the session in US dollars; the cost before the run counts too.
    pub budget: Option<UsdAmount>,
    /// The surface and person that makes the request.
    pub by: String,
}

impl RunRequest {
    /// Requests a new session in a folder.
    pub fn new(id: RunId, cwd: impl Into<PathBuf>, by: impl Into<String>) -> Self {
        Self {
            id,
            cwd: cwd.into(),
            home: None,
            prompt: None,
            session: None,
            at: None,
            fork: false,
            model: None,
            mode: PermissionMode::Default,
            limits: None,
            budget: None,
            by: by.into(),
        }
    }

    /// Returns the id of the first prompt, which is derived from the id of the run.
    pub fn prompt_id(&self) -> PromptId {
        first_prompt(&self.id)
    }
}

/// Returns the id of the first prompt of a run.
fn first_prompt(run: &RunId) -> PromptId {
    let print = digest(&["first prompt", run.as_str()]);
    let parts = [&print[..8], &print[8..12], &print[13..16], &print[17..20], &print[20..32]];
    let text = format!("{}-{}-4{}-8{}-{}", parts[0], parts[1], parts[2], parts[3], parts[4]);
    // The text always has the form of a uuid.
    PromptId::parse(&text).unwrap_or_else(|_| PromptId::random())
}

impl Drive {
    /// Returns the plan of the client: program, arguments, folder, home and environment follow from it.
    pub fn plan(&self, request: &RunRequest) -> Result<RunPlan, DriveError> {
        let home = request.home.as_ref().unwrap_or(&self.settings.home);
        let session = match (&request.session, request.fork) {
            (None, _) => RunSession::New { session: random_uuid() },
            (Some(session), false) => {
                RunSession::Resume { session: session.clone(), at: request.at.clone() }
            }
            (Some(from), true) => RunSession::Fork {
                from: from.clone(),
                at: request.at.clone(),
                session: random_uuid(),
            },
        };
        let plan = RunPlan {
            client: self.settings.client.clone(),
            cwd: request.cwd.clone(),
            home: home.clone(),
            naming: self.settings.client_homes.naming(home),
            session,
            model: request.model.clone(),
            mode: request.mode,
            may_bypass: self.settings.may_bypass,
        };
        plan.check()?;
        Ok(plan)
    }

    /// Returns the document of a plan, with the trust of its folder and broken settings files.
    pub fn plan_json(&self, request: &RunRequest) -> Result<RunPlanJson, DriveError> {
        let plan = self.plan(request)?;
        let mut trust = self.trust_of(&plan.cwd)?;
        trust.1.broken.extend(broken_in_home(&plan.home));
        let limits = request.limits.unwrap_or(self.settings.limits);
        Ok(RunPlanJson::new(&plan, &request.id, limits, request.budget, trust))
    }

    /// Starts a run; a repeated id returns the existing run. When this returns, the client was started and
    /// the first prompt is recorded.
    pub fn start(&self, request: &RunRequest) -> Result<RunView, DriveError> {
        let plan = self.plan(request)?;
        let Some(lock) = self.lock_to_start(&request.id, MOST_TRIES)? else {
            return self.run(&request.id);
        };
        match self.store.run(&request.id)? {
            // A run has only one host ever: its client may have done something already.
            Some(run) if run.host.is_some() => {
                drop(lock);
                return self.view(run);
            }
            Some(run) => self.store.write(&[StoreChange::Restart(run.id)])?,
            None => {
                self.trusted_folder(&plan.cwd)?;
                self.check_owner(&plan)?;
                self.write_down(request, plan)?;
            }
        }
        self.spawn(&request.id, lock)?;
        self.run(&request.id)
    }

    /// Locks a run that is about to start; `None` if it has a host. Another process may have the lock for a
    /// moment, to start the run or to record that it is over; if it keeps the lock, this is an error.
    fn lock_to_start(&self, id: &RunId, most_tries: usize) -> Result<Option<File>, DriveError> {
        let path = self.folders.run_lock(id);
        let mut tries = 0;
        loop {
            let lock = self.folders.lock_run(id);
            let lock = lock.map_err(|error| DriveError::file(&path, error))?;
            let has_host = || Ok::<_, DriveError>(self.store.run(id)?.and_then(|run| run.host));
            if lock.is_some() || has_host()?.is_some() {
                return Ok(lock);
            }
            if tries >= most_tries {
                let words = "another process is starting or ending this run; try again";
                return Err(DriveError::Failed(words.to_owned()));
            }
            tries += 1;
            thread::sleep(BETWEEN_TRIES);
        }
    }

    /// Returns an error if another run or process has the session open.
    fn check_owner(&self, plan: &RunPlan) -> Result<(), DriveError> {
        let session = plan.session.written().to_owned();
        if let Some(view) = self.run_of_session(&session)? {
            let run = view.run.id;
            return Err(DriveError::Driven { session, run });
        }
        let live = LiveSessions::read(&Home::new(&plan.home), &SystemProcesses);
        match live.get(&SessionId::new(session.as_str())) {
            Some(owner) => {
                let pid = owner.pid;
                Err(DriveError::Owned { session, pid })
            }
            None => Ok(()),
        }
    }

    fn write_down(&self, request: &RunRequest, plan: RunPlan) -> Result<(), DriveError> {
        let at = self.now();
        let cost = self.known_cost(&plan.session)?;
        let run = NewRun {
            id: request.id.clone(),
            plan,
            limits: request.limits.unwrap_or(self.settings.limits),
            budget: request.budget,
            cost,
            by: request.by.clone(),
            at,
        };
        let mut changes = vec![StoreChange::NewRun(Box::new(run))];
        if let Some(content) = &request.prompt {
            changes.push(StoreChange::Put(Box::new(PutPrompt {
                id: request.prompt_id(),
                run: request.id.clone(),
                content: content.clone(),
                send: SendWhen::Idle,
                by: request.by.clone(),
                at,
            })));
        }
        Ok(self.store.write(&changes)?)
    }

    /// Returns the cost of a continued session at the end of its last run: the client reports it only after
    /// the first turn.
    fn known_cost(&self, session: &RunSession) -> Result<Option<UsdAmount>, DriveError> {
        let RunSession::Resume { session, .. } = session else {
            return Ok(None);
        };
        let mut runs = self.store.runs()?.into_iter();
        Ok(runs.find(|run| run.session == *session).and_then(|run| run.cost))
    }

    /// Starts a host, which inherits the lock as its standard input, so that the lock is never free in
    /// between. The host reports in one line whether it and the client were started.
    fn spawn(&self, run: &RunId, lock: File) -> Result<(), DriveError> {
        private_folder(&self.folders.run(run))?;
        let complaints = self.folders.complaints(run);
        let errors = open_private(&complaints);
        let errors = errors.map_err(|error| DriveError::file(&complaints, error))?;
        let host = &self.settings.host;
        let mut child = Command::new(&host.program)
            .args(&host.arguments)
            .args(["--run", run.as_str()])
            .arg("--state")
            .arg(&self.settings.state)
            .arg("--sockets")
            .arg(&self.settings.sockets)
            .current_dir("/")
            .stdin(lock)
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .map_err(|error| DriveError::file(&host.program, error))?;
        let ready = read_ready(&mut child);
        // The host outlives this call; the thread reaps it when it exits.
        thread::spawn(move || child.wait());
        match ready {
            Some(HostReady { reason: None }) => Ok(()),
            Some(HostReady { reason: Some(reason) }) => Err(DriveError::NotStarted(reason)),
            None => {
                let said = fs::read_to_string(&complaints).unwrap_or_default();
                let said = said.trim().chars().take(400).collect::<String>();
                Err(DriveError::NotStarted(format!("the host ended at once. {said}")))
            }
        }
    }

    /// Continues the session of a run that is over in a new run, whose client waits for a prompt. A session
    /// that the client never wrote is started as a new one.
    pub fn go_on(&self, id: &RunId, run: &RunId, by: &str) -> Result<RunView, DriveError> {
        let request = self.next_run(id, run, by)?;
        self.start(&request)
    }

    /// Returns the plan of [`Self::go_on`] and [`Self::run_again`] without starting the client.
    pub fn plan_next(&self, id: &RunId, run: &RunId, by: &str) -> Result<RunPlanJson, DriveError> {
        self.plan_json(&self.next_run(id, run, by)?)
    }

    /// Continues the session of a run that is over, and sends its last prompt again under a new id. Tools may
    /// run twice.
    pub fn run_again(&self, id: &RunId, run: &RunId, by: &str) -> Result<RunView, DriveError> {
        let request = self.repeated_run(id, run, by)?;
        self.start(&request)
    }

    /// Returns the request for a run that continues another one with its last prompt.
    pub fn repeated_run(
        &self,
        id: &RunId,
        run: &RunId,
        by: &str,
    ) -> Result<RunRequest, DriveError> {
        let mut request = self.next_run(id, run, by)?;
        let prompts = self.store.prompts(run)?;
        let last = last_prompt(&prompts).ok_or(DriveError::NoPrompt)?;
        request.prompt = Some(last.content.clone());
        Ok(request)
    }

    /// Sends the last prompt of an open run again under a new id, after a failed turn. Prompts that wait
    /// because of the failure follow after it was answered. Tools may run twice. A repeated id changes
    /// nothing.
    pub fn repeat_last(
        &self,
        id: &PromptId,
        run: &RunId,
        by: &str,
    ) -> Result<PromptState, DriveError> {
        let record = self.settle(self.record(run)?)?;
        let prompts = self.store.prompts(run)?;
        if let Some(known) = prompts.iter().find(|prompt| prompt.id == *id) {
            return Ok(known.state);
        }
        if record.state.is_over() {
            return Err(DriveError::Over(record.state));
        }
        if record.last_failure.is_none() {
            return Err(DriveError::NotOver(record.state));
        }
        let last = last_prompt(&prompts).ok_or(DriveError::NoPrompt)?;
        let send = match record.held_for {
            Some(_) => SendWhen::Now,
            None => SendWhen::Idle,
        };
        self.put_prompt(run, id, &last.content, send, by)
    }

    /// Returns the request for a run that continues another one.
    pub fn next_run(&self, id: &RunId, run: &RunId, by: &str) -> Result<RunRequest, DriveError> {
        let old = self.settle(self.record(run)?)?;
        if !old.state.is_over() {
            return Err(DriveError::NotOver(old.state));
        }
        let still = leftovers(&old).first().map(|client| client.pid);
        if let Some(pid) = still {
            return Err(DriveError::StillRunning(pid));
        }
        let home = Some(old.plan.home.clone()).filter(|home| *home != self.settings.home);
        let mode = old.mode.as_deref().and_then(PermissionMode::from_name);
        let mut request = RunRequest::new(id.clone(), &old.plan.cwd, by);
        request.home = home;
        let is_written = is_written(&old.plan.home, &old.session);
        request.session = Some(old.session.clone()).filter(|_| is_written);
        request.model.clone_from(&old.plan.model);
        // Bypassed permissions are not carried over to the next run.
        let mode = Some(mode.unwrap_or(old.plan.mode));
        let mode = mode.filter(|mode| *mode != PermissionMode::BypassPermissions);
        request.mode = mode.unwrap_or(PermissionMode::Default);
        request.limits = Some(old.limits);
        request.budget = old.budget;
        Ok(request)
    }
}

/// Tells whether the client has written a session: without its log there is nothing to resume.
fn is_written(home: &Path, session: &str) -> bool {
    !logs_of(&Home::new(home), session).is_empty()
}

/// Returns the prompt that was active when a run ended: the last that the client got, or else the first that
/// it did not get.
fn last_prompt(prompts: &[PromptRecord]) -> Option<&PromptRecord> {
    let reached = |prompt: &&PromptRecord| {
        let state = prompt.was.unwrap_or(prompt.state);
        matches!(state, PromptState::Sent | PromptState::TakenUp | PromptState::Done)
    };
    // By time, not by place: a prompt for now is sent before earlier ones of the queue.
    let last = prompts.iter().filter(reached).max_by_key(|one| one.changed);
    let waiting = |prompt: &&PromptRecord| prompt.state == PromptState::Lost;
    last.or_else(|| prompts.iter().find(waiting))
}

fn read_ready(child: &mut Child) -> Option<HostReady> {
    let mut line = String::new();
    let stdout = child.stdout.take()?;
    let mut reader = BufReader::new(stdout.take(LONGEST_READY));
    reader.read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok()
}

/// Opens a file for appending, for its owner alone.
#[expect(clippy::disallowed_methods, reason = "a file of our own")]
fn open_private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use unspool_store::home::ClientHomes;

    use super::*;
    use crate::clock::SystemDriveClock;
    use crate::launch::ClientProgram;
    use crate::supervisor::{DriveSettings, HostCommand};

    #[test]
    fn a_run_that_another_process_keeps_locked_is_no_run_with_a_host() {
        let top = tempfile::tempdir().expect("a folder");
        let drive = Drive::open(DriveSettings {
            state: top.path().join("state"),
            sockets: top.path().join("sockets"),
            home: top.path().join("home"),
            client_homes: ClientHomes::default(),
            client: ClientProgram::new("no-client"),
            host: HostCommand { program: "no-host".into(), arguments: Vec::new() },
            may_bypass: false,
            limits: RunLimits::default(),
            clock: Arc::new(SystemDriveClock),
        });
        let drive = drive.expect("a drive");
        let run = RunId::random();
        let lock = drive.folders.lock_run(&run).expect("a lock");
        let tried = drive.lock_to_start(&run, 1);
        assert!(matches!(tried, Err(DriveError::Failed(_))), "{tried:?}");
        drop(lock);
        assert!(drive.lock_to_start(&run, 1).expect("a lock").is_some());
    }
}
