//! The sessions that ran since the program began to look, and have ended.

use std::collections::BTreeMap;

use unspool_engine::library::{Library, SessionPlace};
use unspool_engine::ops::inbox::InboxItem;
use unspool_model::ids::SessionId;

use super::board::LiveBoard;
use crate::settings::place_of;

/// How many sessions that ended are listed.
const MOST_DONE: usize = 20;

/// What became of sessions that were seen running.
#[derive(Default)]
pub(super) struct SeenSessions(BTreeMap<SessionId, SeenSession>);

enum SeenSession {
    Running(SessionPlace),
    Ended(Box<InboxItem>),
}

impl SeenSessions {
    /// Notes which sessions run, and lists those on the board that ran before and do not run any more.
    pub(super) fn note(&mut self, board: &mut LiveBoard, library: &Library) {
        for card in &board.cards {
            let place = place_of(&card.item.row);
            let seen = SeenSession::Running(place);
            self.0.insert(card.item.row.id.clone(), seen);
        }
        for (session, seen) in &mut self.0 {
            let SeenSession::Running(place) = seen else {
                continue;
            };
            if board.card(session).is_some() {
                continue;
            }
            // A session that ended without a log has nothing to show.
            if let Ok(Some(row)) = library.standing_row(place) {
                *seen = SeenSession::Ended(Box::new(InboxItem::done(row, None)));
            }
        }
        let ended = self.0.values().filter_map(|seen| match seen {
            SeenSession::Ended(item) => Some(InboxItem::clone(item)),
            SeenSession::Running(_) => None,
        });
        let mut ended: Vec<InboxItem> = ended.collect();
        ended.sort_by_key(|item| std::cmp::Reverse(item.row.last_active()));
        board.done_left = ended.len().saturating_sub(MOST_DONE);
        ended.truncate(MOST_DONE);
        board.done = ended;
    }
}
