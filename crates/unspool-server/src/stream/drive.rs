//! The run of a session, for the session's stream.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::driving::{RunChanges, RunChangesReader};
use crate::state::ServerState;

/// How often a connection looks for a run that another program started.
const LOOK: Duration = Duration::from_secs(1);
/// The debounce time of changes: texts arrive in pieces of a word.
const GATHER: Duration = Duration::from_millis(30);

/// The run of a session, as one connection follows it.
pub(super) struct RunFollower {
    state: Arc<ServerState>,
    session: String,
    reader: Option<RunChangesReader>,
    starts: Option<watch::Receiver<u64>>,
    looked: Instant,
    /// Whether a run was started since the last look. A wait may be cancelled at any moment, so its
    /// result is kept here.
    has_start: bool,
    /// Whether the board has changed since the last news.
    has_change: bool,
}

impl RunFollower {
    /// Looks for the run of a session.
    #[expect(clippy::disallowed_methods, reason = "when to look again")]
    pub(super) async fn new(state: &Arc<ServerState>, session: String) -> Self {
        let driving = state.driving.as_ref();
        let mut tail = Self {
            state: Arc::clone(state),
            session,
            reader: None,
            starts: driving.map(crate::driving::Driving::starts),
            looked: Instant::now(),
            has_start: false,
            has_change: false,
        };
        tail.look().await;
        tail
    }

    /// Looks for the run of the session, unless the followed one is not over.
    #[expect(clippy::disallowed_methods, reason = "when to look again")]
    async fn look(&mut self) {
        let goes_on = self.reader.as_ref().is_some_and(|reader| !reader.is_over());
        if self.starts.is_none() || goes_on {
            return;
        }
        self.looked = Instant::now();
        let (state, session) = (Arc::clone(&self.state), self.session.clone());
        let find = move || {
            let driving = state.driving.as_ref()?;
            driving.board_of_session(&session).ok().flatten()
        };
        let Ok(Some(board)) = self.state.pool.run_unbounded(find).await else {
            return;
        };
        let is_known = self.reader.as_ref().is_some_and(|reader| reader.reads(&board));
        if !is_known {
            self.reader = Some(RunChangesReader::new(board));
        }
    }

    /// Looks again after the log changed, at most once per [`LOOK`]: another program may have started a run.
    pub(super) async fn look_again(&mut self) {
        if self.looked.elapsed() >= LOOK {
            self.look().await;
        }
    }

    /// Returns the changes of the run; none if nothing has changed.
    pub(super) fn news(&mut self) -> Option<RunChanges> {
        self.has_change = false;
        self.reader.as_mut().and_then(RunChangesReader::news)
    }

    /// Waits until the run may have changed; forever if the server only reads.
    pub(super) async fn changed(&mut self) {
        loop {
            if self.has_change {
                return tokio::time::sleep(GATHER).await;
            }
            if self.has_start {
                self.look().await;
                self.has_start = false;
                self.has_change = true;
                continue;
            }
            let Some(starts) = self.starts.as_mut() else {
                return std::future::pending().await;
            };
            match self.reader.as_mut() {
                Some(reader) => tokio::select! {
                    started = starts.changed() => self.has_start = started.is_ok(),
                    () = reader.changed() => self.has_change = true,
                },
                None => self.has_start = starts.changed().await.is_ok(),
            }
        }
    }
}
