//! What wakes a connection: a bell that the watcher rings, and what it rang for.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;
use unspool_engine::library::{LibraryEvent, LibraryWatcher, WatchNews, WatchSubscription};

/// Changes that are kept one by one for a connection that has not taken them. Beyond that it is
/// told that everything may have changed, which is what a program that was away that long wants to
/// know anyway.
const KEPT: usize = 500;

/// A change as a connection tells it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ListedChange {
    /// Sessions came or went, or anything may be another than before.
    List,
    /// What live sessions do is another than before.
    Inbox,
    /// The log of a session changed.
    Session { project: String, session: String },
    /// The log of an agent changed.
    Agent { project: String, session: String, agent: String },
}

/// What a connection has not told yet. Each change is in it once.
#[derive(Default)]
struct PendingChanges {
    changes: Mutex<BTreeSet<ListedChange>>,
    bell: Notify,
}

/// Listens to the watcher for one connection.
pub(crate) struct ChangeListener {
    pending: Arc<PendingChanges>,
    _subscription: WatchSubscription,
}

impl ChangeListener {
    /// Listens to changes that `wanted` lets through.
    pub(crate) fn new(
        watcher: &LibraryWatcher,
        wanted: impl Fn(&ListedChange) -> bool + Send + Sync + 'static,
    ) -> Self {
        let pending = Arc::new(PendingChanges::default());
        let told = Arc::clone(&pending);
        let subscription = watcher.subscribe(move |news| match news {
            // What changed before the watch began was not told.
            WatchNews::Began => told.add([ListedChange::List, ListedChange::Inbox].into_iter()),
            WatchNews::Changed(events) => {
                told.add(events.iter().flat_map(changes).filter(&wanted));
            }
            WatchNews::Report(_) => {}
        });
        Self { pending, _subscription: subscription }
    }

    /// Waits until something changed.
    pub(crate) async fn changed(&self) {
        self.pending.bell.notified().await;
    }

    /// Takes what has changed.
    pub(crate) fn take(&self) -> BTreeSet<ListedChange> {
        let changes = self.pending.changes.lock();
        std::mem::take(&mut *changes.unwrap_or_else(PoisonError::into_inner))
    }
}

impl PendingChanges {
    fn add(&self, new: impl Iterator<Item = ListedChange>) {
        let changes = self.changes.lock();
        let mut changes = changes.unwrap_or_else(PoisonError::into_inner);
        let before = changes.len();
        changes.extend(new);
        if changes.len() > KEPT {
            *changes = BTreeSet::from([ListedChange::List, ListedChange::Inbox]);
        } else if changes.len() == before {
            return;
        }
        drop(changes);
        self.bell.notify_one();
    }
}

/// Says what an event of the library means to a connection.
fn changes(event: &LibraryEvent) -> Vec<ListedChange> {
    let own = event.session().map(|session| ListedChange::Session {
        project: session.project.to_string(),
        session: session.session.to_string(),
    });
    match event {
        LibraryEvent::SessionAdded(_) | LibraryEvent::SessionGone(_) => {
            own.into_iter().chain([ListedChange::List]).collect()
        }
        LibraryEvent::SessionGrew { .. }
        | LibraryEvent::SessionReplaced(_)
        | LibraryEvent::OutputsChanged(_) => own.into_iter().collect(),
        LibraryEvent::AgentChanged { session, agent } => vec![ListedChange::Agent {
            project: session.project.to_string(),
            session: session.session.to_string(),
            agent: agent.to_string(),
        }],
        LibraryEvent::LiveBegan(live)
        | LibraryEvent::LiveChanged(live)
        | LibraryEvent::LiveEnded(live) => {
            // The project of a process is not in its file; who follows the session knows it.
            let session = live.session.to_string();
            vec![ListedChange::Session { project: String::new(), session }, ListedChange::Inbox]
        }
    }
}
