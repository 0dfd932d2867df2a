//! Starts a host: locks, socket, spool, client.

use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use super::{HostReady, HostSettings};
use crate::folders::DriveFolders;
use crate::machine::MachineStart;
use crate::processes;
use crate::spool::SpoolWriter;
use crate::state::{PromptState, RunEnd, RunState};
use crate::store::{DriveStore, EndRecord, RunRecord, StoreChange, private_folder};

/// How many times a host tries to lock its session.
const LOCK_TRIES: usize = 100;
/// The pause between two tries.
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// Why a client could not be started.
pub(super) type NotStarted = Box<dyn std::error::Error>;

/// Parts of a host before its client is started.
pub(super) struct LockedRun {
    pub(super) folders: DriveFolders,
    pub(super) store: DriveStore,
    pub(super) run: RunRecord,
    /// The lock of the run, then that of the session; both are released when the process ends.
    pub(super) locks: Vec<File>,
}

/// Parts of a host after its client is started.
pub(super) struct HostStart {
    pub(super) listener: UnixListener,
    pub(super) spool: SpoolWriter,
    pub(super) client: Child,
    pub(super) start: MachineStart,
}

impl LockedRun {
    /// Locks the run, so that no other host can run it, and records this host.
    pub(super) fn take(settings: &HostSettings) -> Result<Self, NotStarted> {
        let folders = DriveFolders::open(&settings.state, &settings.sockets)?;
        let lock = run_lock(&folders, settings)?.ok_or("another host has the run")?;
        let store = DriveStore::open(folders.store())?;
        let mark = processes::mark(std::process::id());
        store.write(&[StoreChange::HostStarted(settings.run.clone(), mark)])?;
        let run = store.run(&settings.run)?.ok_or("the run is not written down")?;
        Ok(Self { folders, store, run, locks: vec![lock] })
    }

    /// Locks the session, creates socket and spool, and starts the client.
    pub(super) fn begin(&mut self, settings: &HostSettings) -> Result<HostStart, NotStarted> {
        let words = |what: &str, error: io::Error| format!("{what}: {error}");
        self.run.plan.check()?;
        let session = self.run.plan.session.written().to_owned();
        let lock = self.lock_session(&session);
        let lock = lock.map_err(|error| words("the lock of the session", error))?;
        self.locks.push(lock.ok_or("another run drives the session")?);
        private_folder(&self.folders.run(&self.run.id))?;
        let spool = SpoolWriter::create(&self.folders.spool(&self.run.id), settings.spool);
        let spool = spool.map_err(|error| words("the spool", error))?;
        let socket = self.folders.socket(&self.run.id);
        let listener = socket.listen().map_err(|error| words("the socket", error))?;
        make_private(&socket.path()).map_err(|error| words("the socket", error))?;
        let client = self.spawn(settings.environment.clone());
        let program = self.run.plan.client.path.display().to_string();
        let client = client.map_err(|error| words(&program, error))?;
        let mark = processes::mark(client.id());
        self.store.write(&[StoreChange::ClientStarted(self.run.id.clone(), mark)])?;
        Ok(HostStart { listener, spool, client, start: self.machine_start(session)? })
    }

    /// Locks the session. The lock of a killed host may become free a moment after the lock of its run, so a
    /// failed try is repeated.
    fn lock_session(&self, session: &str) -> io::Result<Option<File>> {
        for _ in 0..LOCK_TRIES {
            let lock = self.folders.lock_session(session)?;
            if lock.is_some() {
                return Ok(lock);
            }
            thread::sleep(BETWEEN_TRIES);
        }
        Ok(None)
    }

    fn machine_start(&self, session: String) -> Result<MachineStart, NotStarted> {
        let prompts = self.store.prompts(&self.run.id)?.into_iter();
        let queued = prompts.filter(|prompt| prompt.state == PromptState::Queued);
        Ok(MachineStart {
            run: self.run.id.clone(),
            session,
            cwd: self.run.plan.cwd.clone(),
            limits: self.run.limits,
            budget: self.run.budget,
            cost: self.run.cost,
            may_bypass: self.run.plan.begins_with_bypass(),
            prompts: queued.map(|prompt| (prompt.id, prompt.send)).collect(),
        })
    }

    /// Starts the client as the leader of its own process group.
    fn spawn(&self, environment: Vec<(OsString, OsString)>) -> io::Result<Child> {
        let plan = &self.run.plan;
        Command::new(&plan.client.path)
            .args(plan.arguments())
            .env_clear()
            .envs(plan.environment(&self.run.id, environment))
            .current_dir(&plan.cwd)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }

    /// Records that the client could not be started.
    pub(super) fn give_up(&self, settings: &HostSettings, reason: &str) {
        let at = settings.clock.now();
        let id = || self.run.id.clone();
        let end = EndRecord {
            at,
            code: None,
            signal: None,
            message: Some(reason.to_owned()),
            survivors: Vec::new(),
        };
        let state = RunState::Ended(RunEnd::NotStarted);
        // If this fails too, the free lock shows that the run is over.
        let _ = self.store.write(&[
            StoreChange::LosePrompts(id(), at),
            StoreChange::Ended(id(), state, Box::new(end)),
        ]);
        self.folders.socket(&self.run.id).remove();
    }
}

/// Returns the lock of the run: inherited as standard input, or taken here.
fn run_lock(folders: &DriveFolders, settings: &HostSettings) -> io::Result<Option<File>> {
    let path = folders.run_lock(&settings.run);
    // The duplicate is closed on exec: a client that outlives the host must not keep the run locked.
    let inherited = File::from(rustix::stdio::stdin().try_clone_to_owned()?);
    let (one, two) = (inherited.metadata()?, fs::metadata(&path));
    let is_same = two.is_ok_and(|two| (one.dev(), one.ino()) == (two.dev(), two.ino()));
    if is_same && inherited.try_lock().is_ok() {
        return Ok(Some(inherited));
    }
    folders.lock_run(&settings.run)
}

#[expect(clippy::disallowed_methods, reason = "a socket of our own")]
fn make_private(path: &std::path::Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o600))
}

/// Detaches this process from the terminal and its parent, and makes it the reaper of all processes below it.
pub(super) fn detach() {
    // This fails only for a group leader, which then stays one.
    let _ = rustix::process::setsid();
    #[cfg(target_os = "linux")]
    {
        let own = rustix::process::getpid();
        // Without this, a process that the client detaches is no longer recognised as the client's.
        let _ = rustix::process::set_child_subreaper(Some(own));
    }
}

/// Reports to the parent process how the start went, then closes standard output.
pub(super) fn say_ready(ready: &HostReady) {
    let mut line = serde_json::to_vec(ready).unwrap_or_default();
    line.push(b'\n');
    let mut out = io::stdout().lock();
    // The parent may have been killed meanwhile; the host continues.
    let _ = out.write_all(&line);
    let _ = out.flush();
    drop(out);
    if let Ok(nowhere) = File::open("/dev/null") {
        let _ = rustix::stdio::dup2_stdout(&nowhere);
    }
}
