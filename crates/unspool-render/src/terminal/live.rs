//! The states of live sessions, one line for each.

use unspool_text::style::{Line, Role};
use unspool_text::{human, sanitize};

use super::watch::asking_words;
use unspool_engine::ops::inbox::{Inbox, InboxItem, LiveGroup};
use unspool_engine::ops::now::AgentState;
use unspool_model::ids::short;
use unspool_model::time::Time;
use unspool_store::rows::SessionRow;

/// The most columns of a text.
const LONGEST: usize = 300;

/// Describes what the live sessions among `rows` do or wait for; those that wait come first.
pub fn live_states(inbox: &Inbox, rows: &[SessionRow], now: Time) -> Vec<Line> {
    let parts = [
        (LiveGroup::NeedsInput, &inbox.needs_input),
        (LiveGroup::Working, &inbox.working),
        (LiveGroup::Idle, &inbox.idle),
    ];
    let mut lines = Vec::new();
    for (group, items) in parts {
        let is_listed = |item: &&InboxItem| rows.iter().any(|row| row.id == item.row.id);
        let items = items.iter().filter(is_listed);
        lines.extend(items.map(|item| state(group, item, now)));
    }
    lines
}

fn state(group: LiveGroup, item: &InboxItem, now: Time) -> Line {
    let (mark, role, words) = match group {
        LiveGroup::NeedsInput => ("◆", Role::Warning, asks(item)),
        LiveGroup::Working => ("●", Role::Success, works(item)),
        LiveGroup::Idle => ("○", Role::Muted, "idle".to_owned()),
    };
    let mut line = Line::of(format!("{mark} "), role);
    line.add(short(item.row.id.as_str()), Role::Id);
    line.add("  ", Role::Plain);
    line.add(sanitize::one_line(&words, LONGEST), role);
    if let Some(since) = item.since {
        let ago = human::ago(now.as_millis().saturating_sub(since.as_millis()));
        line.add(format!("  {ago}"), Role::Muted);
    }
    line
}

fn asks(item: &InboxItem) -> String {
    match &item.asks {
        Some(ask) => asking_words(ask),
        None => "waits for a person".to_owned(),
    }
}

fn works(item: &InboxItem) -> String {
    let agents = item.now.agents_in(AgentState::Running);
    match (item.doing(), agents) {
        (Some(call), 0) => format!("{}  {}", call.tool, call.summary),
        (_, 0) => "works".to_owned(),
        (_, agents) => human::plural(agents, "agent"),
    }
}
