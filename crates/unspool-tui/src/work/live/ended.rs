//! Sessions that ended after the program saw them running.

use std::collections::BTreeMap;

use unspool_engine::library::{Library, SessionPlace};
use unspool_engine::ops::inbox::InboxItem;
use unspool_model::ids::SessionId;

use super::board::LiveBoard;
use crate::settings::place_of;

/// The largest number of ended sessions on the board.
const MOST_DONE: usize = 20;

/// The sessions that were seen running, with their latest state.
#[derive(Default)]
pub(super) struct SeenSessions(BTreeMap<SessionId, SeenSession>);

enum SeenSession {
    Running(SessionPlace),
    /// The session has ended, but the catalogue does not contain it.
    Missing(SessionPlace),
    Ended(Box<InboxItem>),
}

impl SeenSessions {
    /// Records the running sessions of the board, and adds those to the board that ran before and have
    /// ended.
    pub(super) fn note(&mut self, board: &mut LiveBoard, library: &Library) {
        for card in &board.cards {
            let place = place_of(&card.item.row);
            let seen = SeenSession::Running(place);
            self.0.insert(card.item.row.id.clone(), seen);
        }
        self.0.retain(|session, seen| {
            let (place, is_missing) = match seen {
                SeenSession::Running(place) if board.card(session).is_none() => (place, false),
                SeenSession::Missing(place) => (place, true),
                SeenSession::Running(_) | SeenSession::Ended(_) => return true,
            };
            *seen = match library.stored_row(place).ok().flatten() {
                Some(row) => SeenSession::Ended(Box::new(InboxItem::done(row, None))),
                // A session that ended without a log has nothing to show.
                None if is_missing => return false,
                None => SeenSession::Missing(place.clone()),
            };
            true
        });
        let ended = self.0.values().filter_map(|seen| match seen {
            SeenSession::Ended(item) => Some(InboxItem::clone(item)),
            SeenSession::Running(_) | SeenSession::Missing(_) => None,
        });
        let mut ended: Vec<InboxItem> = ended.collect();
        ended.sort_by_key(|item| std::cmp::Reverse(item.row.last_active()));
        board.done_left = ended.len().saturating_sub(MOST_DONE);
        ended.truncate(MOST_DONE);
        board.done = ended;
    }

    /// Tells whether a session ended that the catalogue does not contain.
    pub(super) fn has_missing(&self) -> bool {
        let mut seen = self.0.values();
        seen.any(|seen| matches!(seen, SeenSession::Missing(_)))
    }
}

#[cfg(test)]
mod tests {
    use unspool_store::progress::Unwatched;

    use super::*;
    use crate::picker::tests::{board, harbour, harbour_lab};

    fn ended(board: &LiveBoard) -> Vec<String> {
        let ended = board.done.iter();
        let titles = ended.filter_map(|item| item.row.title.clone());
        titles.collect()
    }

    #[test]
    fn only_sessions_that_were_seen_running_are_listed_when_they_end() {
        let home = harbour();
        let lab = harbour_lab(&home).open();
        let library = &lab.settings().library;
        let mut seen = SeenSessions::default();
        let mut now = board(&home);
        seen.note(&mut now, library);
        assert_eq!(ended(&now), Vec::<String>::new());
        now.cards.remove(0);
        seen.note(&mut now, library);
        assert_eq!(ended(&now), ["Importer drops the last row"]);
        now.cards.clear();
        seen.note(&mut now, library);
        assert_eq!(
            ended(&now),
            [
                "Scale the photos in img/ to 1600 px",
                "Importer drops the last row",
                "Reading list sorted by topic",
            ],
            "the newest first"
        );
        // A session that runs again is not listed as ended.
        let mut again = board(&home);
        again.cards.truncate(1);
        seen.note(&mut again, library);
        assert_eq!(ended(&again).len(), 2);
    }

    #[test]
    fn a_session_that_the_catalogue_does_not_have_is_looked_for_once_more() {
        let home = harbour();
        // The catalogue was not refreshed yet.
        let lab = harbour_lab(&home).no_refresh().open();
        let library = &lab.settings().library;
        let mut seen = SeenSessions::default();
        let mut now = board(&home);
        seen.note(&mut now, library);
        now.cards.remove(0);
        seen.note(&mut now, library);
        assert!(seen.has_missing());
        library.refresh(&Unwatched).expect("a refresh");
        seen.note(&mut now, library);
        assert_eq!(ended(&now), ["Importer drops the last row"]);
        assert!(!seen.has_missing());
    }
}
