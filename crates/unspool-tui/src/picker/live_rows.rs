//! The running sessions, by the keys of their rows.

use std::collections::HashMap;

use unspool_engine::ops::inbox::{AskKind, InboxAsk, InboxItem, LiveGroup};
use unspool_engine::ops::now::{AgentState, CallAsk};
use unspool_model::time::Time;
use unspool_text::human;

use crate::settings::place_of;
use crate::work::live::LiveBoard;
use crate::work::picker::rows::RowKey;

/// The state of a running session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RunningRow {
    pub(crate) group: LiveGroup,
    /// The position on the board.
    pub(crate) order: usize,
    pub(crate) since: Option<Time>,
    /// What the session waits for or does, in a few words.
    pub(crate) words: String,
}

/// The running sessions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct LiveRows {
    by_key: HashMap<RowKey, RunningRow>,
    pub(crate) is_known: bool,
}

impl LiveRows {
    pub(crate) fn of(board: &LiveBoard) -> Self {
        let rows = board.cards.iter().enumerate().map(|(order, card)| {
            let row = RunningRow {
                group: card.group,
                order,
                since: card.since(),
                words: words(card.group, &card.item),
            };
            (RowKey::of(&place_of(&card.item.row)), row)
        });
        Self { by_key: rows.collect(), is_known: board.is_known }
    }

    pub(crate) fn get(&self, key: RowKey) -> Option<&RunningRow> {
        self.by_key.get(&key)
    }

    pub(crate) fn has(&self, key: RowKey) -> bool {
        self.by_key.contains_key(&key)
    }

    /// Tells whether all sessions are in the same groups and in the same order.
    pub(crate) fn is_arranged_like(&self, other: &Self) -> bool {
        let place = |row: &RunningRow| (row.group, row.order);
        self.by_key.len() == other.by_key.len()
            && self.by_key.iter().all(|(key, row)| {
                let there = other.by_key.get(key).map(place);
                there == Some(place(row))
            })
    }

    /// Returns the shortest time that a session has been in its state, in milliseconds.
    pub(crate) fn youngest(&self, now: Time) -> Option<i64> {
        let rows = self.by_key.values().filter_map(|row| row.since);
        rows.map(|since| now.as_millis() - since.as_millis()).min()
    }
}

fn words(group: LiveGroup, item: &InboxItem) -> String {
    match group {
        LiveGroup::NeedsInput => item.asks.as_ref().map_or_else(String::new, asked),
        LiveGroup::Working => doing(item),
        LiveGroup::Idle => "idle".to_owned(),
    }
}

fn asked(ask: &InboxAsk) -> String {
    let call = ask.call.as_ref();
    match (ask.kind, call.map(|call| &call.asks)) {
        (AskKind::Question, Some(CallAsk::Questions(questions))) => {
            let first = questions.first();
            let words =
                first.map_or("a question", |it| it.header.as_deref().unwrap_or(&it.question));
            format!("asks: {words}")
        }
        (AskKind::Plan, _) => "asks: is the plan good?".to_owned(),
        (AskKind::Permission, _) => {
            let call = call.map(|call| format!("{} {}", call.tool, call.summary));
            format!("may it? {}", call.unwrap_or_default().trim())
        }
        _ => "waits for you".to_owned(),
    }
}

fn doing(item: &InboxItem) -> String {
    let running = item.now.agents_in(AgentState::Running);
    if running > 0 {
        let done = item.now.agents_in(AgentState::Done);
        let agents = human::plural(running + done, "agent");
        return match done {
            0 => agents,
            done => format!("{agents}, {done} done"),
        };
    }
    match item.doing() {
        Some(call) => format!("{} {}", call.tool, call.summary).trim().to_owned(),
        None => "working".to_owned(),
    }
}
