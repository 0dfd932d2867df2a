//! Sessions that a server keeps open.
//!
//! Opening a long session takes a while, reading an open one does not. So a server keeps the
//! sessions of the last few requests. A session is opened once: if several threads request it, one
//! opens it and the others wait, while requests for other sessions continue. When there are too
//! many sessions, or their logs are too large together, those with the oldest requests are closed,
//! but never one that a caller has. Nothing is refreshed here.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use unspool_model::ids::ProjectId;
use unspool_store::home::Resolved;

use super::error::LibraryError;
use super::feed::FeedTarget;
use super::open::OpenSession;
use super::places::{AgentSource, SessionPlace};
use super::{Library, locked};

/// The limits for open sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenLimits {
    /// The maximum number of sessions, including those that callers have.
    pub sessions: usize,
    /// The maximum size of all their logs in bytes.
    pub bytes: u64,
}

impl Default for OpenLimits {
    /// Returns eight sessions and 512 MB of logs. Chosen by judgement: the tabs of a person who
    /// compares sessions; the parsed form of 512 MB takes less than half of that in memory.
    fn default() -> Self {
        Self { sessions: 8, bytes: 512 << 20 }
    }
}

/// Sessions that stay open.
#[derive(Default)]
pub struct OpenSessions {
    limits: OpenLimits,
    slots: Mutex<SessionSlots>,
}

#[derive(Default)]
struct SessionSlots {
    /// The sessions by the path of the log, which determines home, project and id.
    by_log: HashMap<PathBuf, SessionSlot>,
    /// The number of requests so far.
    requests: u64,
}

struct SessionSlot {
    /// The session, once it is open. A thread that opens it has the lock.
    session: Arc<Mutex<Option<Arc<OpenSession>>>>,
    /// The number of the last request for the session.
    asked: u64,
}

impl OpenSessions {
    /// Returns an empty cache.
    pub fn new(limits: OpenLimits) -> Self {
        Self { limits, slots: Mutex::default() }
    }

    /// Returns the session at a place, opening it if necessary.
    pub fn open(
        &self,
        library: &Library,
        place: &SessionPlace,
    ) -> Result<Arc<OpenSession>, LibraryError> {
        self.open_found(library, library.find_session(place)?)
    }

    /// Returns the open session that has an agent of a project, and the agent's conversation in it.
    /// An agent without its session is a conversation of its own.
    pub fn open_agent(
        &self,
        library: &Library,
        project: &ProjectId,
        id: &str,
    ) -> Result<(Arc<OpenSession>, FeedTarget), LibraryError> {
        let AgentSource { found, target } = library.find_agent(project, id)?;
        Ok((self.open_found(library, found)?, target))
    }

    /// Returns a resolved session, opening it if necessary.
    pub fn open_found(
        &self,
        library: &Library,
        found: Resolved,
    ) -> Result<Arc<OpenSession>, LibraryError> {
        let slot = self.slot(found.target.path());
        let opened = {
            let mut held = locked(&slot);
            if let Some(open) = &*held {
                return Ok(Arc::clone(open));
            }
            let mut opened = library.open_found(found)?;
            library.add_title(&mut opened);
            let opened = Arc::new(OpenSession::new(opened));
            *held = Some(Arc::clone(&opened));
            opened
        };
        drop(slot);
        self.close_some();
        Ok(opened)
    }

    /// Closes a session for later requests, because its log was removed or replaced. Callers keep
    /// their session.
    pub fn forget(&self, log: &Path) {
        locked(&self.slots).by_log.remove(log);
    }

    /// Returns all open sessions, in no order.
    pub fn all(&self) -> Vec<Arc<OpenSession>> {
        let slots = locked(&self.slots);
        let open = slots.by_log.values().filter_map(SessionSlot::open);
        open.collect()
    }

    fn slot(&self, log: &Path) -> Arc<Mutex<Option<Arc<OpenSession>>>> {
        let mut slots = locked(&self.slots);
        slots.requests += 1;
        let asked = slots.requests;
        let slot = slots
            .by_log
            .entry(log.to_owned())
            .or_insert_with(|| SessionSlot { session: Arc::default(), asked });
        slot.asked = asked;
        Arc::clone(&slot.session)
    }

    /// Closes sessions that no caller has, until the limits are met.
    fn close_some(&self) {
        let mut slots = locked(&self.slots);
        slots.by_log.retain(|_, slot| !slot.is_empty());
        let open = slots.by_log.iter();
        let sizes = open.filter_map(|(log, slot)| Some((log, slot, slot.open()?.log_bytes())));
        let mut sizes: Vec<(u64, PathBuf, u64)> =
            sizes.map(|(log, slot, bytes)| (slot.asked, log.clone(), bytes)).collect();
        sizes.sort_unstable();
        let (mut count, mut bytes) =
            (sizes.len(), sizes.iter().map(|(.., size)| size).sum::<u64>());
        for (_, log, size) in sizes {
            if count <= self.limits.sessions && bytes <= self.limits.bytes {
                return;
            }
            if slots.by_log.get(&log).is_some_and(SessionSlot::is_unused) {
                slots.by_log.remove(&log);
                count -= 1;
                bytes -= size;
            }
        }
    }
}

impl SessionSlot {
    /// Returns the session, if it is open and no thread is opening it.
    fn open(&self) -> Option<Arc<OpenSession>> {
        self.session.try_lock().ok()?.clone()
    }

    /// Reports whether the session failed to open, and no thread is trying.
    fn is_empty(&self) -> bool {
        Arc::strong_count(&self.session) == 1
            && self.session.try_lock().is_ok_and(|held| held.is_none())
    }

    /// Reports whether no caller has the session or is about to get it.
    fn is_unused(&self) -> bool {
        let is_held_once = |held: &Option<Arc<OpenSession>>| {
            held.as_ref().is_none_or(|open| Arc::strong_count(open) == 1)
        };
        Arc::strong_count(&self.session) == 1
            && self.session.try_lock().is_ok_and(|held| is_held_once(&held))
    }
}
