//! What a stream of a session adds when the session is driven.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::session::FeedPainter;
use super::sse::EventText;
use crate::driving::BoardReader;
use crate::state::ServerState;

/// How often a connection looks for a run that another program started.
const LOOK: Duration = Duration::from_secs(1);
/// How long changes are gathered: text comes in pieces of a word.
const GATHER: Duration = Duration::from_millis(30);

/// What a connection knows of the run that drives its session.
pub(super) struct DriveTail {
    state: Arc<ServerState>,
    session: String,
    reader: Option<BoardReader>,
    starts: Option<watch::Receiver<u64>>,
    looked: Instant,
}

impl DriveTail {
    /// Looks whether a session is driven.
    pub(super) async fn new(state: &Arc<ServerState>, session: String) -> Self {
        let driving = state.driving.as_ref();
        let mut tail = Self {
            state: Arc::clone(state),
            session,
            reader: None,
            starts: driving.map(crate::driving::Driving::starts),
            looked: Instant::now(),
        };
        tail.look().await;
        tail
    }

    /// Looks for the run of the session, unless one is followed that goes on.
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
        let Ok(Some(board)) = self.state.pool.run_patiently(find).await else {
            return;
        };
        let is_known = self
            .reader
            .as_ref()
            .is_some_and(|reader| reader.reads(&board));
        if !is_known {
            self.reader = Some(BoardReader::new(board));
        }
    }

    /// Looks again after the log changed: another program may have started a run.
    pub(super) async fn look_again(&mut self) {
        if self.looked.elapsed() >= LOOK {
            self.look().await;
        }
    }

    /// Writes what is new.
    pub(super) fn news(&mut self, painter: &dyn FeedPainter, text: &mut EventText) {
        if let Some(news) = self.reader.as_mut().and_then(BoardReader::news) {
            painter.paint_drive(&news, text);
        }
    }

    /// Waits until there may be something new; for ever if the server only reads.
    pub(super) async fn changed(&mut self) {
        let Some(starts) = self.starts.as_mut() else {
            return std::future::pending().await;
        };
        let began = async {
            // The sender lives as long as the server.
            if starts.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let Some(reader) = self.reader.as_mut() else {
            began.await;
            return self.look().await;
        };
        tokio::select! {
            () = began => self.look().await,
            () = reader.changed() => tokio::time::sleep(GATHER).await,
        }
    }
}
