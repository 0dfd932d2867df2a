//! A session that connections follow: refreshed once for all of them.
//!
//! The first connection that follows a session subscribes to the watcher; the subscription ends
//! with the last one. New lines of the log are read once, and every connection is notified. Each
//! connection continues from its own position, at its own pace.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::watch;
use tokio::task::AbortHandle;
use unspool_engine::library::{LibraryWatcher, OpenSession, ViewGuard, WatchedSession};
use unspool_store::home::{LiveSessions, SystemProcesses};

use super::changes::{ChangeListener, HomeChange};
use crate::web::WorkPool;

/// The sessions that connections follow, by the paths of their logs.
#[derive(Default)]
pub(crate) struct FollowedSessions(Mutex<HashMap<PathBuf, Weak<FollowedSession>>>);

/// A session that connections follow.
pub(crate) struct FollowedSession {
    session: Arc<OpenSession>,
    /// The number of refreshes, which receivers wait for.
    version: watch::Sender<u64>,
    /// The number of changes of agents.
    agents: Arc<AtomicU64>,
    task: AbortHandle,
    _look: Option<ViewGuard>,
}

impl FollowedSessions {
    /// Follows a session; connections that follow the same one share the result.
    pub(crate) fn follow(
        &self,
        session: &Arc<OpenSession>,
        watcher: &LibraryWatcher,
        pool: &WorkPool,
    ) -> Arc<FollowedSession> {
        let file = session.found().target.path().to_owned();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A session that was opened again is another value; old followers keep the old one.
        if let Some(followed) = all.get(&file).and_then(Weak::upgrade)
            && Arc::ptr_eq(&followed.session, session)
        {
            return followed;
        }
        all.retain(|_, followed| followed.strong_count() > 0);
        let followed = Arc::new(FollowedSession::new(Arc::clone(session), watcher, pool));
        all.insert(file, Arc::downgrade(&followed));
        followed
    }
}

impl FollowedSession {
    fn new(session: Arc<OpenSession>, watcher: &LibraryWatcher, pool: &WorkPool) -> Self {
        let place = WatchedSession::of(session.found());
        let id = place.as_ref().map(|place| place.session.to_string());
        let listener = ChangeListener::new(watcher, move |change| match change {
            HomeChange::Session { session, .. } | HomeChange::Agent { session, .. } => {
                Some(session) == id.as_ref()
            }
            HomeChange::List | HomeChange::Inbox => false,
        });
        let (version, _) = watch::channel(0);
        let agents = Arc::<AtomicU64>::default();
        let task = tokio::spawn(refresh_always(
            Arc::clone(&session),
            listener,
            pool.clone(),
            (version.clone(), Arc::clone(&agents)),
        ));
        Self {
            session,
            version,
            agents,
            task: task.abort_handle(),
            _look: place.map(|place| watcher.start_viewing(&place)),
        }
    }

    /// Returns the session.
    pub(crate) fn session(&self) -> &Arc<OpenSession> {
        &self.session
    }

    /// Returns a receiver that is notified of every refresh.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// Returns how often agents of the session have changed.
    pub(crate) fn agent_changes(&self) -> u64 {
        self.agents.load(Ordering::Relaxed)
    }
}

impl Drop for FollowedSession {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Refreshes a session after every change that the watcher reports.
async fn refresh_always(
    session: Arc<OpenSession>,
    listener: ChangeListener,
    pool: WorkPool,
    (version, agents): (watch::Sender<u64>, Arc<AtomicU64>),
) {
    loop {
        listener.changed().await;
        let changes = listener.take();
        let opened = Arc::clone(&session);
        let refreshed = pool.run_unbounded(move || refresh(&opened)).await;
        // A log that cannot be read is tried again at its next change; connections keep what was read before.
        let _ = refreshed;
        // `List` means that anything may have changed, agents included.
        let is_of_agent =
            |change: &HomeChange| matches!(change, HomeChange::Agent { .. } | HomeChange::List);
        if changes.iter().any(is_of_agent) {
            agents.fetch_add(1, Ordering::Relaxed);
        }
        version.send_modify(|version| *version += 1);
    }
}

/// Reads the new lines of a session, and which process owns it.
fn refresh(session: &OpenSession) {
    let home = session.found().home.as_ref();
    let live = home.map(|home| LiveSessions::read(home, &SystemProcesses));
    // After an error, the session keeps its state.
    let _ = session.refresh(live.as_ref());
}
