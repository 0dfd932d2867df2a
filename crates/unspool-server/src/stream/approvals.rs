//! Notifies a connection of changes in the open approvals of all runs.
//!
//! The client notes in a file that it waits before its host has stored the approval, so a page that
//! refreshes when the file changes may be too early. This module follows the runs themselves, while
//! a connection listens.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::select_all;
use tokio::sync::watch;

use crate::driving::{Driving, SharedRun};
use crate::state::ServerState;

/// Follows the open runs for one connection.
pub(super) struct ApprovalFollower {
    state: Arc<ServerState>,
    starts: Option<watch::Receiver<u64>>,
    boards: Vec<(Arc<SharedRun>, watch::Receiver<u64>)>,
    /// Whether runs may have started since the last look.
    has_more: bool,
    /// The approvals that were open when a change was last reported.
    told: BTreeSet<String>,
}

impl ApprovalFollower {
    /// Creates a follower that has not looked for runs yet.
    pub(super) fn new(state: &Arc<ServerState>) -> Self {
        let driving = state.driving.as_ref();
        Self {
            state: Arc::clone(state),
            starts: driving.map(Driving::starts),
            boards: Vec::new(),
            has_more: true,
            told: BTreeSet::new(),
        }
    }

    /// Makes the next wait look for runs: another program may have started one.
    pub(super) fn look_again(&mut self) {
        self.has_more = true;
    }

    async fn look(&mut self) {
        let state = Arc::clone(&self.state);
        let find = move || Some(state.driving.as_ref()?.open_boards());
        let found = self.state.pool.run_unbounded(find).await;
        let boards = found.ok().flatten().unwrap_or_default();
        let followed = boards.into_iter().map(|board| {
            let changes = board.changes();
            (board, changes)
        });
        self.boards = followed.collect();
        self.has_more = false;
    }

    fn open(&self) -> BTreeSet<String> {
        let boards = self.boards.iter();
        let open = boards.flat_map(|(board, _)| board.open_approvals());
        open.collect()
    }

    /// Waits until other approvals are open; forever if the server only reads.
    pub(super) async fn changed(&mut self) {
        loop {
            if self.starts.is_none() {
                return std::future::pending().await;
            }
            if self.has_more {
                self.look().await;
            }
            let open = self.open();
            if open != self.told {
                self.told = open;
                return;
            }
            let Some(starts) = self.starts.as_mut() else {
                return;
            };
            if self.boards.is_empty() {
                // The sender lives as long as the server.
                let _ = starts.changed().await;
                self.has_more = true;
                continue;
            }
            let changes = self.boards.iter_mut();
            let changes = changes.map(|(_, changes)| Box::pin(changes.changed()));
            tokio::select! {
                _ = starts.changed() => self.has_more = true,
                _ = select_all(changes) => {}
            }
            self.boards.retain(|(board, _)| !board.is_over());
        }
    }
}
