//! The changes of a run that a connection has not sent yet.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;
use unspool_drive::json::{ApprovalJson, RunJson};

use super::shared_run::{PartialText, RunSnapshot, SharedRun};

/// Reads the changes of a board for one connection.
pub(crate) struct RunChangesReader {
    board: Arc<SharedRun>,
    changes: watch::Receiver<u64>,
    told: Option<RunSnapshot>,
}

/// The changes of a run since the last read.
pub(crate) struct RunChanges {
    /// The current state of the run.
    pub(crate) run: Arc<RunJson>,
    /// Whether the run has changed, apart from its queue and approvals.
    pub(crate) has_state: bool,
    /// Whether the queue has changed.
    pub(crate) has_queue: bool,
    /// New approvals.
    pub(crate) asked: Vec<ApprovalJson>,
    /// Approvals that were sent as open and have been resolved.
    pub(crate) resolved: Vec<ApprovalJson>,
    /// Recently answered approvals, oldest first.
    pub(crate) lately: Arc<Vec<ApprovalJson>>,
    /// Texts that have grown.
    pub(crate) partials: Vec<Arc<PartialText>>,
}

impl RunChanges {
    /// Returns whether anything but texts has changed.
    pub(crate) fn has_more_than_texts(&self) -> bool {
        self.has_state || self.has_queue || !self.asked.is_empty() || !self.resolved.is_empty()
    }
}

impl RunChangesReader {
    /// Creates a reader whose first read returns the whole state.
    pub(crate) fn new(board: Arc<SharedRun>) -> Self {
        Self { changes: board.changes(), board, told: None }
    }

    /// Returns whether this reader reads the given board.
    pub(crate) fn reads(&self, board: &Arc<SharedRun>) -> bool {
        Arc::ptr_eq(&self.board, board)
    }

    /// Returns whether the run is over.
    pub(crate) fn is_over(&self) -> bool {
        self.board.is_over()
    }

    /// Waits until the board changes.
    pub(crate) async fn changed(&mut self) {
        // The sender lives in the board, which this reader keeps alive.
        let _ = self.changes.changed().await;
    }

    /// Returns the changes since the last call; none if nothing has changed.
    pub(crate) fn news(&mut self) -> Option<RunChanges> {
        self.changes.mark_unchanged();
        let now = self.board.state();
        let news = compare(self.told.as_ref(), &now);
        self.told = Some(now);
        let is_new = news.has_more_than_texts() || !news.partials.is_empty();
        is_new.then_some(news)
    }
}

fn compare(told: Option<&RunSnapshot>, now: &RunSnapshot) -> RunChanges {
    let before = told.map(|told| &told.run);
    let open = |run: &RunJson| -> BTreeMap<String, ApprovalJson> {
        let open = run.approvals.iter().filter(|one| one.resolved.is_none());
        open.map(|one| (one.id.clone(), one.clone())).collect()
    };
    let known = before.map(|run| open(run)).unwrap_or_default();
    let asked = open(&now.run).into_values();
    let ended = known.keys().filter_map(|id| now.resolved.get(id)).cloned().collect();
    let is_grown = |(parent, text): &(&Option<String>, &Arc<PartialText>)| {
        let before = told.and_then(|told| told.partials.get(*parent));
        before.is_none_or(|before| !Arc::ptr_eq(before, text))
    };
    RunChanges {
        has_state: before.is_none_or(|before| !is_same_state(before, &now.run)),
        has_queue: before.is_none_or(|before| before.queue != now.run.queue),
        asked: asked.filter(|one| !known.contains_key(&one.id)).collect(),
        resolved: ended,
        lately: Arc::clone(&now.lately),
        partials: now.partials.iter().filter(is_grown).map(|(_, text)| Arc::clone(text)).collect(),
        run: Arc::clone(&now.run),
    }
}

/// Compares runs without their queues and approvals.
fn is_same_state(a: &RunJson, b: &RunJson) -> bool {
    let facts = |run: &RunJson| RunJson { queue: Vec::new(), approvals: Vec::new(), ..run.clone() };
    facts(a) == facts(b)
}
