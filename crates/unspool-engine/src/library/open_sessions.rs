//! Sessions that a server keeps open.
//!
//! Opening a long session takes a while, and looking at one that is open does not. So a server
//! keeps the last few sessions that it was asked for. A session is opened once: of several threads
//! that ask for it, one opens it and the others wait, while other sessions can be had. When there are
//! too many, or their logs are too large together, those that were asked for longest ago are
//! closed, but never one that a caller has. Nothing is refreshed here.

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

/// How many sessions stay open that no caller has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenLimits {
    /// How many sessions at most, those that callers have included.
    pub sessions: usize,
    /// How many bytes their logs have together at most.
    pub bytes: u64,
}

impl Default for OpenLimits {
    /// Eight sessions, 512 MB of logs. Chosen by judgement: the tabs of a person who compares
    /// sessions; what is known of 512 MB takes less than half of that in memory.
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
    /// By the path of the session's log, which names its home, its project and its id.
    by_log: HashMap<PathBuf, SessionSlot>,
    /// Counts the requests.
    requests: u64,
}

struct SessionSlot {
    /// The session, once it is open. The lock is held while it is opened.
    session: Arc<Mutex<Option<Arc<OpenSession>>>>,
    /// The last request for it.
    asked: u64,
}

impl OpenSessions {
    /// Keeps no session yet.
    pub fn new(limits: OpenLimits) -> Self {
        Self { limits, slots: Mutex::default() }
    }

    /// Returns the session at a place, and opens it if it is not open.
    pub fn open(
        &self,
        library: &Library,
        place: &SessionPlace,
    ) -> Result<Arc<OpenSession>, LibraryError> {
        self.open_found(library, library.find_session(place)?)
    }

    /// Returns the session that has an agent of a project, opened, and where in it the agent is. An
    /// agent whose session is not there is a conversation of its own.
    pub fn open_agent(
        &self,
        library: &Library,
        project: &ProjectId,
        id: &str,
    ) -> Result<(Arc<OpenSession>, FeedTarget), LibraryError> {
        let AgentSource { found, target } = library.find_agent(project, id)?;
        Ok((self.open_found(library, found)?, target))
    }

    /// Returns a session that was found, and opens it if it is not open.
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

    /// Closes a session for later requests, because its log is gone or is another one. Callers keep
    /// what they have.
    pub fn forget(&self, log: &Path) {
        locked(&self.slots).by_log.remove(log);
    }

    /// Returns the sessions that are open, in no order.
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

    /// Closes sessions that no caller has, until the limits are kept.
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

    /// Tells whether the session could not be opened, and no thread is trying.
    fn is_empty(&self) -> bool {
        Arc::strong_count(&self.session) == 1
            && self.session.try_lock().is_ok_and(|held| held.is_none())
    }

    /// Tells whether no caller has the session, nor is about to get it.
    fn is_unused(&self) -> bool {
        let is_held_once = |held: &Option<Arc<OpenSession>>| {
            held.as_ref().is_none_or(|open| Arc::strong_count(open) == 1)
        };
        Arc::strong_count(&self.session) == 1
            && self.session.try_lock().is_ok_and(|held| is_held_once(&held))
    }
}
