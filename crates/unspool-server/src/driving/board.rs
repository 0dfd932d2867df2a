//! A run as it is now, for all connections that look at it.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;

use tokio::sync::watch;
use unspool_drive::json::{ApprovalJson, DriveEventJson, RunJson};
use unspool_drive::{Drive, DriveError, FollowStop, Follower, RunId, RunStage, RunView};
use unspool_model::time::Time;

use super::lately::lately_answered;

/// Text of an answer that is being written: all of it so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PartialText {
    /// The message.
    pub(crate) message: String,
    /// The text.
    pub(crate) text: String,
    /// The call of the agent that writes it; none for the main conversation.
    pub(crate) parent: Option<String>,
}

/// A run as it is now.
pub(crate) struct RunBoard {
    drive: Arc<Drive>,
    run: RunId,
    state: Mutex<BoardState>,
    /// Counts the changes.
    version: watch::Sender<u64>,
    stop: Option<FollowStop>,
}

/// What a board shows.
#[derive(Clone)]
pub(super) struct BoardState {
    /// The run, with what is pending.
    pub(super) run: Arc<RunJson>,
    /// Approvals that have ended, by their ids.
    pub(super) resolved: Arc<HashMap<String, ApprovalJson>>,
    /// Those that were answered a short while ago, the oldest first.
    pub(super) lately: Arc<Vec<ApprovalJson>>,
    /// What is being written, by the call of the agent that writes it.
    pub(super) partials: BTreeMap<Option<String>, Arc<PartialText>>,
}

impl BoardState {
    fn of(view: &RunView, now: Time) -> Self {
        let ended = view.approvals.iter().filter(|one| one.resolution.is_some());
        let ended = ended.map(|one| (one.id.to_string(), ApprovalJson::from(one)));
        Self {
            run: Arc::new(view.to_json()),
            resolved: Arc::new(ended.collect()),
            lately: Arc::new(lately_answered(view, now)),
            partials: BTreeMap::new(),
        }
    }
}

impl RunBoard {
    /// Looks at a run and begins to follow it.
    pub(super) fn begin(drive: &Arc<Drive>, run: &RunId) -> Result<Arc<Self>, DriveError> {
        // The store has everything but the answers that are being written. The cursor comes first, so
        // that what happens after the look is told.
        let cursor = drive.turn_cursor(run);
        let view = drive.run(run)?;
        let follower =
            if view.run.state.is_over() { None } else { Some(drive.follow(run, cursor)?) };
        let board = Arc::new(Self {
            drive: Arc::clone(drive),
            run: run.clone(),
            state: Mutex::new(BoardState::of(&view, drive.now())),
            version: watch::channel(0).0,
            stop: follower.as_ref().map(Follower::stopper),
        });
        if let Some(follower) = follower {
            let held = Arc::downgrade(&board);
            thread::spawn(move || follow(&held, follower));
        }
        Ok(board)
    }

    /// Returns what says that the run changed.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// Returns what the board shows.
    pub(super) fn state(&self) -> BoardState {
        self.locked().clone()
    }

    /// Returns the approvals that are open.
    pub(crate) fn open_approvals(&self) -> Vec<String> {
        let run = Arc::clone(&self.locked().run);
        let open = run.approvals.iter().filter(|one| one.resolved.is_none());
        open.map(|one| one.id.clone()).collect()
    }

    /// Tells whether nothing will happen any more.
    pub(crate) fn is_over(&self) -> bool {
        self.locked().run.ended.is_some()
    }

    fn locked(&self) -> MutexGuard<'_, BoardState> {
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

    /// Looks at the run as it is. What cannot be read now is as it was.
    fn look(&self) {
        let Ok(view) = self.drive.run(&self.run) else {
            return;
        };
        let mut now = BoardState::of(&view, self.drive.now());
        let mut state = self.locked();
        let works = matches!(
            view.run.state.stage(),
            RunStage::Running | RunStage::Waiting | RunStage::Starting
        );
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

impl Drop for RunBoard {
    fn drop(&mut self) {
        if let Some(stop) = &self.stop {
            stop.stop();
        }
    }
}

/// Follows a run until it is over, or until no connection looks at it.
fn follow(board: &Weak<RunBoard>, follower: Follower) {
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
