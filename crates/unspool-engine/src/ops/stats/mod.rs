//! Totals: tokens, cost, time and calls of many sessions, each counted once.
//!
//! The ledgers of log files ([`SealedLedger`]) go in, in any order. A fork, a resume or a copy
//! repeats rows of another file; [`Totals`] compares all of them and finds for each key the row
//! that counts and the place it is credited to. Only then are sessions selected: those that are not
//! selected still decide which rows are copies, so the totals of all projects add up to the whole.
//! The results are numbers, in total and by group.
//!
//! Prices and the time zone of days are passed in, and no file is read here.
//!
//! **Which row counts.** For tokens the rule of [`unspool_model::usage`]: most output tokens, then
//! the larger sum. Among equal rows, and for everything else, the place is decided by: not marked
//! as copied, the session that started first, the larger one, the one with more agents, its id, the
//! path, the line. The order of files plays no part.

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
    CountReason, CountStatus, CountedLine, CreditCounts, Explained, ExplainedFile, ExplainedLine,
};
pub use totals::Totals;

/// Facts about a session that are not in its ledgers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionMeta {
    /// The id of the session.
    pub id: SessionId,
    /// The home of the session.
    pub home: Option<PathBuf>,
    /// The project of the session.
    pub project: Option<ProjectId>,
    /// The folder in which the session began.
    pub cwd: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// The time of its earliest entry.
    pub started: Option<Time>,
    /// The size of its log in bytes. Of two sessions that started at the same time, the larger one
    /// is credited with what both contain, so that a truncated copy counts nothing of its own.
    pub bytes: u64,
    /// The number of its agents. A copy without them counts nothing of its own either.
    pub agents: usize,
    /// Whether the session is selected. Other sessions only decide which rows are copies.
    pub selected: bool,
}

impl SessionMeta {
    /// Takes the facts from the row of a session.
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

/// The ledger of one log file, with its session.
#[derive(Clone, Debug)]
pub struct StatsSource<'a> {
    /// The session of the file.
    pub session: &'a SessionMeta,
    /// The agent, if the file belongs to one.
    pub agent: Option<&'a AgentId>,
    /// The file.
    pub file: &'a Path,
    /// The ledger.
    pub ledger: Cow<'a, SealedLedger>,
}

/// A request for [`Totals::stats`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TotalsRequest {
    /// The key of the groups.
    pub by: By,
    /// The further keys, which split each group.
    pub then: Then,
    /// The time range of rows that count. A session that spans midnight counts on both days.
    pub time: TimeRange,
    /// How many of the largest groups to keep.
    pub limit: Option<usize>,
}

/// The maximum number of keys of groups.
pub const MOST_KEYS: usize = 3;

/// The keys of groups after the first one; unused ones are [`By::Nothing`].
pub type Then = [By; MOST_KEYS - 1];

/// Why keys cannot be combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GroupKeysError {
    /// A key is given twice.
    #[error("takes every key once")]
    Repeated,
    /// There are too many keys.
    #[error("takes {MOST_KEYS} keys at most")]
    TooMany,
}

/// Splits the keys of groups into the first one and the others.
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

/// Returns the used keys, the first one first.
pub fn used_keys(by: By, then: Then) -> impl Iterator<Item = By> {
    let all = std::iter::once(by).chain(then);
    all.filter(|key| *key != By::Nothing)
}

names! {
    /// A key of groups.
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
        /// Hours of the day, on any day: `08:00`.
        Hour = "hour",
        /// Days of the week: `Monday`.
        Weekday = "weekday",
        /// Projects, by their paths.
        Project = "project",
        /// Sessions, by their ids.
        Session = "session",
        /// Models.
        Model = "model",
        /// Tools; only calls have one.
        Tool = "tool",
        /// Git branches.
        Branch = "branch",
    }
}

impl By {
    /// All keys that users can choose.
    pub const OFFERED: &[Self] = Self::ALL.split_at(1).1;
}

/// Totals and their distribution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stats {
    /// The key of the groups.
    pub by: By,
    /// The further keys.
    pub then: Then,
    /// The sums of everything.
    pub total: Sums,
    /// The groups: chronologically for times, or else by cost and tokens, the largest first; with
    /// several keys by the first one, then by the next.
    pub groups: Vec<StatsGroup>,
    /// The groups beyond the limit.
    pub others: Option<Others>,
    /// Tokens and cost of each day that has some, in order.
    pub days: Vec<Day>,
    /// Models without a price that used tokens, by name.
    pub unpriced_models: Vec<String>,
}

/// The counted sums.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sums {
    /// The tokens of answers.
    pub tokens: Tokens,
    /// Their cost; `None` if no token has a price.
    pub cost: Option<Cost>,
    /// Tokens without a price, which the cost leaves out.
    pub unpriced: u64,
    /// Messages.
    pub messages: u64,
    /// Turns.
    pub turns: u64,
    /// Calls.
    pub calls: u64,
    /// Calls whose result is an error, without denied and interrupted ones.
    pub failed_calls: u64,
    /// Lines that calls added to files.
    pub lines_added: u64,
    /// Lines that calls removed from files.
    pub lines_removed: u64,
    /// The duration of turns, in milliseconds.
    pub active_ms: u64,
    /// Sessions that contribute to the sums.
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
    /// The value of the first key; `None` for rows without one.
    pub key: Option<String>,
    /// The values of the further keys.
    pub then: Vec<Option<String>>,
    /// The display name, if it differs from the key: the title of a session.
    pub label: Option<String>,
    /// The sums of the group.
    pub sums: Sums,
}

impl StatsGroup {
    /// Returns the values of all keys.
    pub fn keys(&self) -> impl Iterator<Item = Option<&str>> {
        std::iter::once(&self.key).chain(&self.then).map(Option::as_deref)
    }
}

/// Groups beyond a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Others {
    /// The number of these groups.
    pub groups: usize,
    /// The sums of all of them.
    pub sums: Sums,
}

/// The usage of one day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Day {
    /// The day.
    pub date: Date,
    /// The sum of all tokens.
    pub tokens: u64,
    /// The cost of the tokens with a price.
    pub cost: Cost,
}
