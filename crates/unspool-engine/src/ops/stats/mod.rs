//! Totals: tokens, cost, time and calls of many sessions, each thing counted once.
//!
//! What goes in are the ledgers of log files ([`SealedLedger`]), in any order. A fork, a resume or
//! a copy repeats what another file says; [`Totals`] lays all of them side by side and finds for
//! each key the row that counts and the place it is credited to. Only then is anything chosen: sessions that were not asked for still settle what is a
//! copy, so the totals of all projects add up to the whole. What comes out are numbers, in
//! total and by group.
//!
//! Prices and the zone whose days are meant are passed in, and nothing here reads a file.
//!
//! **Which row counts.** For tokens the rule of [`unspool_model::usage`]: most output tokens,
//! then the larger sum. Among equal rows, and for everything else, the place is decided by:
//! not marked as copied, the session that started first, the larger one, the one with more
//! agents, its id, the path, the line. No rule asks for the order in which files came.

mod calendar;
mod collect;
mod copies;
mod explain;
mod groups;
mod known;
mod origins;
mod projects;
mod rows;
mod tally;
#[cfg(test)]
mod tests;
mod totals;

use std::borrow::Cow;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use unspool_model::ids::{AgentId, ProjectId, SessionId};
use unspool_model::named::Named as _;
use unspool_model::names;
use unspool_model::query::TimeRange;
use unspool_model::time::Time;
use unspool_model::usage::Tokens;

use unspool_store::index::ledger::SealedLedger;
use unspool_store::prices::Cost;
use unspool_store::rows::SessionRow;

pub use collect::collect;
pub use explain::{
    CountReason, CountStatus, CountedLine, Explained, ExplainedFile, ExplainedLine, Shares,
};
pub use totals::Totals;

/// What is known of a session apart from its ledgers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionMeta {
    /// Its id.
    pub id: SessionId,
    /// The home it is in.
    pub home: Option<PathBuf>,
    /// The project it is in.
    pub project: Option<ProjectId>,
    /// The folder it began in.
    pub cwd: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// Its earliest entry.
    pub started: Option<Time>,
    /// How long its log is. Of two sessions that started at once the larger one is credited
    /// with what both have, so that a part of a session next to the whole one has nothing of
    /// its own.
    pub bytes: u64,
    /// How many agents it has. A copy without them has nothing of its own either.
    pub agents: usize,
    /// Whether it was asked for. What others contain decides only what is a copy.
    pub selected: bool,
}

impl SessionMeta {
    /// Takes what a list says of a session.
    pub fn of(row: &SessionRow, selected: bool) -> Self {
        Self {
            id: row.id.clone(),
            home: row.home.clone(),
            project: row.project.clone(),
            cwd: row.cwd.clone(),
            title: row.title.clone(),
            started: row.started,
            bytes: row.bytes,
            agents: row.agents,
            selected,
        }
    }
}

/// The ledger of one log file, and whose it is.
#[derive(Clone, Debug)]
pub struct StatsSource<'a> {
    /// The session that the file belongs to.
    pub session: &'a SessionMeta,
    /// The agent, if the file is an agent's.
    pub agent: Option<&'a AgentId>,
    /// The file.
    pub file: &'a Path,
    /// What it contains.
    pub ledger: Cow<'a, SealedLedger>,
}

/// What to sum up.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TotalsRequest {
    /// What groups are made of.
    pub by: By,
    /// What each of these groups is parted by further.
    pub then: Then,
    /// The time in which something must have been written to count. A session that spans
    /// midnight counts on both days.
    pub time: TimeRange,
    /// How many groups to keep, the largest ones.
    pub limit: Option<usize>,
}

/// How many keys groups can have.
pub const MOST_KEYS: usize = 3;

/// The keys of groups after the first one; those that are not used are [`By::Nothing`].
pub type Then = [By; MOST_KEYS - 1];

/// Why keys cannot make groups together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GroupKeysError {
    /// A key is given twice.
    #[error("takes every key once")]
    Repeated,
    /// There are too many.
    #[error("takes {MOST_KEYS} keys at most")]
    TooMany,
}

/// Takes the keys of groups apart: the first, and those after it.
pub fn group_keys(asked: &[By]) -> Result<(By, Then), GroupKeysError> {
    let is_repeated = |(at, by): (usize, &By)| asked[..at].contains(by);
    if asked.iter().enumerate().any(is_repeated) {
        return Err(GroupKeysError::Repeated);
    }
    match *asked {
        [] => Ok((By::Nothing, Then::default())),
        [by] => Ok((by, Then::default())),
        [by, second] => Ok((by, [second, By::Nothing])),
        [by, second, third] => Ok((by, [second, third])),
        _ => Err(GroupKeysError::TooMany),
    }
}

/// Returns the keys that are used, the first one first.
pub fn used_keys(by: By, then: Then) -> impl Iterator<Item = By> {
    let all = std::iter::once(by).chain(then);
    all.filter(|key| *key != By::Nothing)
}

names! {
    /// What groups are made of.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub enum By {
        /// No groups.
        #[default]
        Nothing = "nothing",
        /// Days: `2026-11-09`.
        Day = "day",
        /// ISO weeks: `2026-W46`.
        Week = "week",
        /// Months: `2026-11`.
        Month = "month",
        /// Hours of the day, whatever the day: `08:00`.
        Hour = "hour",
        /// Days of the week: `Monday`.
        Weekday = "weekday",
        /// Projects, by their paths.
        Project = "project",
        /// Sessions, by their ids.
        Session = "session",
        /// Models.
        Model = "model",
        /// Tools; what is not a call has none.
        Tool = "tool",
        /// Git branches.
        Branch = "branch",
    }
}

impl By {
    /// Everything that groups can be made of.
    pub const OFFERED: &[Self] = Self::ALL.split_at(1).1;
}

/// Totals, and how they spread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stats {
    /// What groups were made of.
    pub by: By,
    /// What they were parted by further.
    pub then: Then,
    /// Everything.
    pub total: Sums,
    /// The groups: those of time in their order, others by cost and tokens, the largest first;
    /// with several keys by the first one, then by the next.
    pub groups: Vec<StatsGroup>,
    /// What a limit cut off.
    pub others: Option<Others>,
    /// Tokens and cost of each day that has some, in order.
    pub days: Vec<Day>,
    /// Models that used tokens and have no price, by name.
    pub unpriced_models: Vec<String>,
}

/// What was counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sums {
    /// What answers used.
    pub tokens: Tokens,
    /// What that cost; nothing if no token in it has a price.
    pub cost: Option<Cost>,
    /// Tokens without a price, which the cost leaves out.
    pub unpriced: u64,
    /// Messages.
    pub messages: u64,
    /// Turns.
    pub turns: u64,
    /// Calls.
    pub calls: u64,
    /// Calls whose result is an error. Denied and interrupted ones are not among them.
    pub failed_calls: u64,
    /// Lines that calls added to files.
    pub lines_added: u64,
    /// Lines that calls removed from files.
    pub lines_removed: u64,
    /// How long turns took, in milliseconds.
    pub active_ms: u64,
    /// Sessions that have a part in it.
    pub sessions: u64,
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.tokens += other.tokens;
        self.cost = match (self.cost, other.cost) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        self.unpriced = self.unpriced.saturating_add(other.unpriced);
        self.messages += other.messages;
        self.turns += other.turns;
        self.calls += other.calls;
        self.failed_calls += other.failed_calls;
        self.lines_added = self.lines_added.saturating_add(other.lines_added);
        self.lines_removed = self.lines_removed.saturating_add(other.lines_removed);
        self.active_ms = self.active_ms.saturating_add(other.active_ms);
        self.sessions += other.sessions;
    }
}

/// One group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatsGroup {
    /// What its rows have in common; nothing for rows that have no such thing.
    pub key: Option<String>,
    /// The same of each further key.
    pub then: Vec<Option<String>>,
    /// What people call it, where that is not the key: the title of a session.
    pub label: Option<String>,
    /// What was counted in it.
    pub sums: Sums,
}

impl StatsGroup {
    /// Returns what its rows have in common, key by key.
    pub fn keys(&self) -> impl Iterator<Item = Option<&str>> {
        std::iter::once(&self.key).chain(&self.then).map(Option::as_deref)
    }
}

/// Groups that a limit cut off.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Others {
    /// How many they are.
    pub groups: usize,
    /// What was counted in all of them.
    pub sums: Sums,
}

/// What one day's answers used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Day {
    /// The day.
    pub date: Date,
    /// All tokens together.
    pub tokens: u64,
    /// What those with a price cost.
    pub cost: Cost,
}
