//! The changes that a connection has not taken yet, and the notification that wakes it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use unspool_engine::library::{LibraryEvent, LibraryWatcher, WatchNews, WatchSubscription};

/// How many pending changes are kept one by one. Beyond that they are replaced by a change of
/// everything, after which a program that was away for so long rereads everything anyway.
const KEPT: usize = 500;

/// A change that connections report.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum HomeChange {
    /// Sessions were added or removed, or anything may have changed.
    List,
    /// The state of live sessions changed.
    Inbox,
    /// The log of a session changed.
    Session { project: String, session: String },
    /// The log of an agent changed.
    Agent { project: String, session: String, agent: String },
}

/// Changes that a connection has not taken yet, each once.
#[derive(Default)]
struct PendingChanges {
    changes: Mutex<BTreeSet<HomeChange>>,
    bell: Notify,
}

/// Listens to the watcher for one connection.
pub(crate) struct ChangeListener {
    pending: Arc<PendingChanges>,
    _subscription: WatchSubscription,
}

impl ChangeListener {
    /// Subscribes to the changes that `wanted` accepts. The start of a watch counts as a change of
    /// everything.
    pub(crate) fn new(
        watcher: &LibraryWatcher,
        wanted: impl Fn(&HomeChange) -> bool + Send + Sync + 'static,
    ) -> Self {
        let pending = Arc::new(PendingChanges::default());
        let told = Arc::clone(&pending);
        let subscription = watcher.subscribe(move |news| match news {
            // Changes before the watch began were not reported.
            WatchNews::Began => told.add([HomeChange::List, HomeChange::Inbox].into_iter()),
            WatchNews::Changed(events) => {
                told.add(events.iter().flat_map(changes).filter(&wanted));
            }
            WatchNews::Report(_) => {}
        });
        Self { pending, _subscription: subscription }
    }

    /// Waits until something has changed.
    pub(crate) async fn changed(&self) {
        self.pending.bell.notified().await;
    }

    /// Takes the pending changes.
    pub(crate) fn take(&self) -> BTreeSet<HomeChange> {
        let changes = self.pending.changes.lock();
        std::mem::take(&mut *changes.unwrap_or_else(PoisonError::into_inner))
    }
}

impl PendingChanges {
    fn add(&self, new: impl Iterator<Item = HomeChange>) {
        let changes = self.changes.lock();
        let mut changes = changes.unwrap_or_else(PoisonError::into_inner);
        let before = changes.len();
        changes.extend(new);
        if changes.len() > KEPT {
            *changes = BTreeSet::from([HomeChange::List, HomeChange::Inbox]);
        } else if changes.len() == before {
            return;
        }
        drop(changes);
        self.bell.notify_one();
    }
}

/// Converts an event of the library to the changes that connections report.
fn changes(event: &LibraryEvent) -> Vec<HomeChange> {
    let own = event.session().map(|session| HomeChange::Session {
        project: session.project.to_string(),
        session: session.session.to_string(),
    });
    match event {
        LibraryEvent::SessionAdded(_) | LibraryEvent::SessionGone(_) => {
            own.into_iter().chain([HomeChange::List]).collect()
        }
        LibraryEvent::SessionGrew { .. }
        | LibraryEvent::SessionReplaced(_)
        | LibraryEvent::OutputsChanged(_) => own.into_iter().collect(),
        LibraryEvent::AgentChanged { session, agent } => vec![HomeChange::Agent {
            project: session.project.to_string(),
            session: session.session.to_string(),
            agent: agent.to_string(),
        }],
        LibraryEvent::LiveBegan(live)
        | LibraryEvent::LiveChanged(live)
        | LibraryEvent::LiveEnded(live) => {
            // The file of a process does not name the project; followers of the session know it.
            let session = live.session.to_string();
            vec![HomeChange::Session { project: String::new(), session }, HomeChange::Inbox]
        }
    }
}
