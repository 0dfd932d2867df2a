//! The processes that own sessions, and the states they report.

use super::LibraryWatch;
use super::event::LibraryEvent;
use crate::library::walk::live_in;
use unspool_store::home::{LiveSession, LiveSessions};

impl LibraryWatch {
    /// Reads the running processes again and returns the changes.
    pub fn sweep_live(&mut self) -> Vec<LibraryEvent> {
        let live = live_in(&self.homes);
        self.compare_live(&live)
    }

    fn compare_live(&mut self, live: &[LiveSessions]) -> Vec<LibraryEvent> {
        let mut events = Vec::new();
        let mut before = std::mem::take(&mut self.live);
        for (home, live) in self.homes.iter().zip(live) {
            for now in &live.sessions {
                let key = (home.root.clone(), now.pid);
                let known = before.remove(&key);
                if known.as_ref().is_some_and(|known| known.session != now.session) {
                    events.extend(known.clone().map(Box::new).map(LibraryEvent::LiveEnded));
                }
                let known = known.filter(|known| known.session == now.session);
                match known {
                    None => events.push(LibraryEvent::LiveBegan(Box::new(now.clone()))),
                    Some(known) if known != *now => {
                        events.push(LibraryEvent::LiveChanged(Box::new(now.clone())));
                    }
                    Some(_) => {}
                }
                self.live.insert(key, now.clone());
            }
        }
        let mut ended: Vec<LiveSession> = before.into_values().collect();
        ended.sort_by(|one, other| one.file.cmp(&other.file));
        events.extend(ended.into_iter().map(Box::new).map(LibraryEvent::LiveEnded));
        events
    }
}
