//! The host: the process between the client and everything that talks to it.
//!
//! Each run has one: the same program under a hidden command. The host owns the client's pipes, appends every
//! line to the spool, listens on a private socket, sends queued prompts, keeps deadlines, and ends with its
//! client. It survives the server or command that started it, and is not restarted when those are updated.
//! All its threads block on their input, so an idle host uses no processor time.
//!
//! A host is started for a recorded run. It inherits the lock of the run as standard input, so the lock is
//! never free in between. It prints one line, [`HostReady`]; everything after that goes to the store and the
//! spool. [`crate::machine`] makes the decisions.

mod begin;
mod keeper;
mod listener;
mod pipes;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use rustix::process::{Pid, WaitOptions, WaitStatus};
use serde::{Deserialize, Serialize};
use unspool_model::ids::SessionId;
use unspool_store::home::{Home, LiveSessions, SystemProcesses};

use self::begin::{HostStart, LockedRun, NotStarted, detach, say_ready};
use self::keeper::{HostOutlet, HostProgress, StepExecutor};
use self::listener::SpoolSubscriber;
use self::pipes::{ClientInput, small_thread};
use crate::clock::DriveClock;
use crate::folders::DriveFolders;
use crate::ids::RunId;
use crate::machine::{ClientGone, HostEvent, ReplyTo, RunMachine};
use crate::processes;
use crate::socket::{HostReply, HostRequest};
use crate::spool::SpoolLimits;
use crate::state::SendWhen;
use crate::store::DriveStore;
use crate::wire::{ClientFrame, ClientLine};

/// The settings of a host. Everything else about the run is in the store.
#[derive(Clone, Debug)]
pub struct HostSettings {
    /// The run.
    pub run: RunId,
    /// The folder for state.
    pub state: PathBuf,
    /// The folder for sockets.
    pub sockets: PathBuf,
    /// The clock.
    pub clock: Arc<dyn DriveClock>,
    /// The client's environment, before variables of unspool are removed and set.
    pub environment: Vec<(OsString, OsString)>,
    /// Limits on the size of the spool.
    pub spool: SpoolLimits,
}

/// The one line in which a host reports whether it and the client were started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostReady {
    /// Why they were not; none if they were.
    pub reason: Option<String>,
}

/// How a host ended, which becomes the exit code of its process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostEnd {
    /// The client was started and has ended.
    Ended,
    /// The client was not started.
    NotStarted,
}

/// The capacity of the queue of inputs. It is small because a line may be long; the client waits while the
/// queue is full.
const WAITING_INPUTS: usize = 16;
/// The maximum number of inputs that are handled before followers are notified.
const MOST_AT_ONCE: usize = 256;
/// The longest wait for a deadline. After the machine was asleep, the clock is ahead of the time that was
/// waited.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// The pause before changes that failed are recorded again.
const RETRY: Duration = Duration::from_secs(2);
/// How long the output of a client that exited may be silent before the run ends: a process that the client
/// started may keep the pipe open forever.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// The number of unread bytes above which prompts for the client's current turn are refused.
const MOST_UNREAD: u64 = 64 << 20;

/// An input from the threads of a host.
#[derive(Debug)]
enum HostInput {
    Said(Vec<u8>),
    TooLong(u64),
    Complained(Vec<u8>),
    OutputEnded,
    Asked(Box<HostRequest>, SyncSender<HostReply>),
    Subscribed(SpoolSubscriber),
    Left(usize),
    Ended(WaitStatus),
}

/// Runs a host until its client ends.
pub fn run(settings: &HostSettings) -> HostEnd {
    detach();
    let mut place = match LockedRun::take(settings) {
        Ok(place) => place,
        Err(reason) => return not_started(&reason),
    };
    match place.begin(settings).and_then(|start| connect(settings, &place, start)) {
        Ok((host, inputs)) => {
            say_ready(&HostReady { reason: None });
            keep(host, inputs, place)
        }
        Err(reason) => {
            place.give_up(settings, &reason.to_string());
            not_started(&reason)
        }
    }
}

fn not_started(reason: &NotStarted) -> HostEnd {
    say_ready(&HostReady { reason: Some(reason.to_string()) });
    HostEnd::NotStarted
}

/// The parts of a running host, except for store and locks.
struct HostParts {
    machine: RunMachine,
    outlet: LiveOutlet,
    spool: crate::spool::SpoolWriter,
    clock: Arc<dyn DriveClock>,
}

/// Starts the threads that read from the client and accept callers.
fn connect(
    settings: &HostSettings,
    place: &LockedRun,
    start: HostStart,
) -> Result<(HostParts, Receiver<HostInput>), NotStarted> {
    let mut client = start.client;
    let pid = client.id();
    let pipes = client.stdin.take().zip(client.stdout.take()).zip(client.stderr.take());
    let ((stdin, stdout), stderr) = pipes.ok_or("the client has no pipes")?;
    let (sender, inputs) = mpsc::sync_channel(WAITING_INPUTS);
    let threads = || {
        let to = sender.clone();
        small_thread("client output", move || pipes::read_output(stdout, &to))?;
        let to = sender.clone();
        small_thread("client errors", move || pipes::read_complaints(stderr, &to))?;
        let to = sender.clone();
        small_thread("client end", move || wait_for(pid, &to))?;
        let (to, run) = (sender.clone(), settings.run.clone());
        let listener = start.listener;
        small_thread("callers", move || listener::receive(&listener, &run, &to))?;
        ClientInput::new(stdin)
    };
    let input = threads().map_err(|error| format!("a thread cannot be started: {error}"))?;
    let outlet = LiveOutlet {
        folders: place.folders.clone(),
        home: Home::new(&place.run.plan.home),
        pid,
        input,
        callers: BTreeMap::new(),
        replies: 0,
        locks: Vec::new(),
    };
    let parts = HostParts {
        machine: RunMachine::new(start.start),
        outlet,
        spool: start.spool,
        clock: Arc::clone(&settings.clock),
    };
    Ok((parts, inputs))
}

/// Waits for the client, and reaps the processes that it leaves to this one.
fn wait_for(pid: u32, to: &SyncSender<HostInput>) {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((ended, status)))
                if ended == Pid::from_raw(pid.cast_signed()).unwrap_or(ended) =>
            {
                // Sending fails only if the host has ended.
                let _ = to.send(HostInput::Ended(status));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

fn keep(parts: HostParts, inputs: Receiver<HostInput>, place: LockedRun) -> HostEnd {
    let LockedRun { folders, store, run, locks } = place;
    let mut host = WorkingHost {
        clock: parts.clock,
        keeper: StepExecutor::new(parts.machine, store, parts.outlet, parts.spool),
        inputs,
        subscribers: Vec::new(),
        status: None,
        has_output: true,
    };
    host.work();
    folders.socket(&run.id).remove();
    drop(locks);
    HostEnd::Ended
}

/// A running host.
struct WorkingHost {
    clock: Arc<dyn DriveClock>,
    keeper: StepExecutor<DriveStore, LiveOutlet>,
    inputs: Receiver<HostInput>,
    subscribers: Vec<SpoolSubscriber>,
    /// The client's exit status, while its output is read to the end.
    status: Option<WaitStatus>,
    has_output: bool,
}

impl WorkingHost {
    fn work(&mut self) {
        let now = self.clock.now();
        let mut course = self.keeper.take(now, HostEvent::Started);
        while course == HostProgress::GoesOn {
            self.tell_followers();
            course = match self.wait() {
                Ok(input) => self.take_some(input),
                Err(RecvTimeoutError::Timeout) if self.status.is_some() => self.end(),
                Err(RecvTimeoutError::Timeout) => self.keeper.retry(self.clock.now()),
                // The threads end only after the host.
                Err(RecvTimeoutError::Disconnected) => HostProgress::IsOver,
            };
        }
        self.tell_followers();
    }

    fn wait(&self) -> Result<HostInput, RecvTimeoutError> {
        let deadline = self.keeper.machine.next_deadline();
        let mut limit = deadline.map(|deadline| {
            let millis = deadline.since(self.clock.now());
            Duration::from_millis(millis).min(LONGEST_WAIT)
        });
        if self.keeper.failure.is_some() {
            limit = Some(limit.unwrap_or(RETRY).min(RETRY));
        }
        if self.status.is_some() {
            limit = Some(LAST_WORDS);
        }
        match limit {
            Some(limit) => self.inputs.recv_timeout(limit),
            None => self.inputs.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    /// Handles an input and those that are already queued.
    fn take_some(&mut self, first: HostInput) -> HostProgress {
        let mut next = Some(first);
        for _ in 0..MOST_AT_ONCE {
            let Some(input) = next else { break };
            if self.take(input) == HostProgress::IsOver {
                return HostProgress::IsOver;
            }
            next = self.inputs.try_recv().ok();
        }
        if let Some(input) = next {
            return self.take(input);
        }
        if self.status.is_some() && !self.has_output {
            return self.end();
        }
        HostProgress::GoesOn
    }

    fn take(&mut self, input: HostInput) -> HostProgress {
        let now = self.clock.now();
        match input {
            HostInput::Said(line) => self.said(&line),
            HostInput::TooLong(length) => {
                self.keeper.spool.leave_out(None, length);
                HostProgress::GoesOn
            }
            HostInput::Complained(line) => {
                self.keeper.spool.complain(&line);
                let text = String::from_utf8_lossy(&line).into_owned();
                self.keeper.take(now, HostEvent::Complained(text))
            }
            HostInput::OutputEnded => {
                self.has_output = false;
                HostProgress::GoesOn
            }
            HostInput::Asked(request, reply) => self.asked(request, reply),
            HostInput::Subscribed(subscriber) => {
                self.subscribers.push(subscriber);
                HostProgress::GoesOn
            }
            HostInput::Left(number) => {
                self.subscribers.retain(|one| one.number() != number);
                HostProgress::GoesOn
            }
            HostInput::Ended(status) => {
                self.status = Some(status);
                HostProgress::GoesOn
            }
        }
    }

    fn said(&mut self, line: &[u8]) -> HostProgress {
        let frame = ClientFrame::read(line);
        let kind = frame.as_ref().and_then(|frame| frame.kind.as_deref());
        let is_private = frame.as_ref().is_some_and(|it| self.keeper.machine.is_private(it));
        if !is_private {
            self.keeper.spool.say(line, kind);
        }
        let now = self.clock.now();
        match frame {
            Some(frame) => self.keeper.take(now, HostEvent::Said(Box::new(frame))),
            // A line that is not a JSON object is in the spool and changes nothing.
            None => HostProgress::GoesOn,
        }
    }

    fn asked(&mut self, request: Box<HostRequest>, reply: SyncSender<HostReply>) -> HostProgress {
        let now = self.clock.now();
        let is_now = matches!(*request, HostRequest::Put { send: SendWhen::Now, .. });
        if is_now && self.keeper.outlet.input.unread() > MOST_UNREAD {
            let reason = "the client does not read what it is sent".to_owned();
            // A caller that is gone needs no reply.
            let _ = reply.send(HostReply::Refused { reason });
            return HostProgress::GoesOn;
        }
        if matches!(*request, HostRequest::Status) {
            let course = self.keeper.take(now, HostEvent::Tick);
            let mut status = self.keeper.machine.status();
            self.keeper.spool.flush();
            status.spool = self.keeper.spool.length();
            status.client = Some(self.keeper.outlet.pid);
            status.failure.clone_from(&self.keeper.failure);
            status.unread = self.keeper.outlet.input.unread();
            let _ = reply.send(HostReply::Status(status));
            return course;
        }
        let to = self.keeper.outlet.remember(reply);
        self.keeper.take(now, HostEvent::Asked(to, request))
    }

    /// Records the end of the client, with the processes that it started and that still run.
    fn end(&mut self) -> HostProgress {
        let Some(status) = self.status else {
            return HostProgress::GoesOn;
        };
        let gone = ClientGone {
            code: status.exit_status(),
            signal: status.terminating_signal(),
            survivors: processes::below(std::process::id()),
        };
        let now = self.clock.now();
        let course = self.keeper.take(now, HostEvent::Gone(gone));
        if course == HostProgress::GoesOn {
            // The end could not be recorded; the keeper records it when the disk takes it.
            self.status = None;
        }
        course
    }

    fn tell_followers(&mut self) {
        self.keeper.spool.flush();
        let (length, noted) = (self.keeper.spool.length(), self.keeper.noted);
        self.subscribers.retain_mut(|one| one.tell(length, noted));
    }
}

/// The client, the callers and the session locks of a running host.
struct LiveOutlet {
    folders: DriveFolders,
    home: Home,
    pid: u32,
    input: ClientInput,
    callers: BTreeMap<ReplyTo, SyncSender<HostReply>>,
    replies: u64,
    /// Locks of sessions that the client changed to.
    locks: Vec<File>,
}

impl LiveOutlet {
    fn remember(&mut self, reply: SyncSender<HostReply>) -> ReplyTo {
        self.replies += 1;
        let to = ReplyTo(self.replies);
        self.callers.insert(to, reply);
        to
    }
}

impl HostOutlet for LiveOutlet {
    fn say(&mut self, line: &ClientLine) {
        self.input.say(line);
    }

    fn reply(&mut self, to: ReplyTo, reply: HostReply) {
        if let Some(caller) = self.callers.remove(&to) {
            // A caller that is gone needs no reply.
            let _ = caller.send(reply);
        }
    }

    fn other_owner(&mut self, session: &str) -> Option<u32> {
        let live = LiveSessions::read(&self.home, &SystemProcesses);
        let session = SessionId::new(session);
        let mut owners = live.sessions.iter().filter(|live| live.session == session);
        let is_other = |pid: u32| pid != self.pid && processes::parent(pid) != Some(self.pid);
        owners.find(|live| is_other(live.pid)).map(|live| live.pid)
    }

    fn lock_session(&mut self, session: &str) {
        // The client writes this session already; the lock keeps other runs away from it.
        let lock = self.folders.lock_session(session);
        self.locks.extend(lock.ok().flatten());
    }

    fn close_input(&mut self) {
        self.input.close();
    }

    fn terminate(&mut self) {
        processes::terminate(self.pid);
    }

    fn kill_group(&mut self) {
        processes::kill_group(self.pid);
    }
}
