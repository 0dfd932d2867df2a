//! The current state of a run, shared by all connections that show it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;

use tokio::sync::watch;
use unspool_drive::json::{ApprovalJson, DriveEventJson, RunJson};
use unspool_drive::{Drive, DriveError, FollowStop, Follower, RunId, RunStage, RunView};
use unspool_model::time::Time;

use super::recent_answers::recently_answered;

/// A text that is being written: all of it so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PartialText {
    /// The id of the message.
    pub(crate) message: String,
    /// The text so far.
    pub(crate) text: String,
    /// The call whose agent writes the text; none for the main conversation.
    pub(crate) parent: Option<String>,
}

/// The current state of a run, which one thread keeps up to date.
pub(crate) struct SharedRun {
    drive: Arc<Drive>,
    run: RunId,
    state: Mutex<RunSnapshot>,
    /// The number of changes, which receivers wait for.
    version: watch::Sender<u64>,
    stop: Option<FollowStop>,
}

/// A snapshot of a run.
#[derive(Clone)]
pub(super) struct RunSnapshot {
    /// The run with its queue and its approvals.
    pub(super) run: Arc<RunJson>,
    /// Resolved approvals by id.
    pub(super) resolved: Arc<HashMap<String, ApprovalJson>>,
    /// Recently answered approvals, oldest first.
    pub(super) lately: Arc<Vec<ApprovalJson>>,
    /// Texts that are being written, by the call whose agent writes them.
    pub(super) partials: BTreeMap<Option<String>, Arc<PartialText>>,
}

impl RunSnapshot {
    fn of(view: &RunView, now: Time) -> Self {
        let ended = view.approvals.iter().filter(|one| one.resolution.is_some());
        let ended = ended.map(|one| (one.id.to_string(), ApprovalJson::from(one)));
        Self {
            run: Arc::new(view.to_json()),
            resolved: Arc::new(ended.collect()),
            lately: Arc::new(recently_answered(view, now)),
            partials: BTreeMap::new(),
        }
    }
}

impl SharedRun {
    /// Reads a run and starts a thread that follows it.
    pub(super) fn begin(drive: &Arc<Drive>, run: &RunId) -> Result<Arc<Self>, DriveError> {
        // The cursor comes first, so that no event between the two calls is lost. The store has
        // everything but the texts that are being written; those are only among the events.
        let cursor = drive.turn_cursor(run);
        let view = drive.run(run)?;
        let follower =
            if view.run.state.is_over() { None } else { Some(drive.follow(run, cursor)?) };
        let board = Arc::new(Self {
            drive: Arc::clone(drive),
            run: run.clone(),
            state: Mutex::new(RunSnapshot::of(&view, drive.now())),
            version: watch::channel(0).0,
            stop: follower.as_ref().map(Follower::stopper),
        });
        if let Some(follower) = follower {
            let held = Arc::downgrade(&board);
            thread::spawn(move || follow(&held, follower));
        }
        Ok(board)
    }

    /// Returns a receiver that is notified of every change.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// Returns a snapshot of the run.
    pub(super) fn state(&self) -> RunSnapshot {
        self.locked().clone()
    }

    /// Returns the ids of the open approvals.
    pub(crate) fn open_approvals(&self) -> Vec<String> {
        let run = Arc::clone(&self.locked().run);
        let open = run.approvals.iter().filter(|one| one.resolved.is_none());
        open.map(|one| one.id.clone()).collect()
    }

    /// Returns whether the run is over.
    pub(crate) fn is_over(&self) -> bool {
        self.locked().run.ended.is_some()
    }

    fn locked(&self) -> MutexGuard<'_, RunSnapshot> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    fn take(&self, event: DriveEventJson) {
        match event {
            DriveEventJson::Partial { message_id, text, parent } => {
                let partial = PartialText { message: message_id, text, parent: parent.clone() };
                self.locked().partials.insert(parent, Arc::new(partial));
                self.tell();
            }
            _ => self.look(),
        }
    }

    /// Reads the run again; if that fails, the state remains.
    fn look(&self) {
        let Ok(view) = self.drive.run(&self.run) else {
            return;
        };
        let mut now = RunSnapshot::of(&view, self.drive.now());
        let mut state = self.locked();
        let works = matches!(
            view.run.state.stage(),
            RunStage::Running | RunStage::Waiting | RunStage::Starting
        );
        // The messages of an ended turn are in the log, so their partial texts are dropped.
        if works {
            now.partials = std::mem::take(&mut state.partials);
        }
        let is_same = now.run == state.run && now.partials == state.partials;
        *state = now;
        drop(state);
        if !is_same {
            self.tell();
        }
    }
}

impl Drop for SharedRun {
    fn drop(&mut self) {
        if let Some(stop) = &self.stop {
            stop.stop();
        }
    }
}

/// Follows a run until it is over, or until no connection reads its board.
fn follow(board: &Weak<SharedRun>, follower: Follower) {
    for event in follower {
        let Some(board) = board.upgrade() else {
            return;
        };
        board.take(event.event);
    }
    if let Some(board) = board.upgrade() {
        board.look();
    }
}
