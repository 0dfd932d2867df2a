//! The columns that a list of sessions can have.

use unspool_model::time::Time;
use unspool_text::human;
use unspool_text::style::{Line, Role};
use unspool_text::table::{Align, Column};

use super::marks::{marks, status_role};
use super::{ListGroup, ListLayout};
use crate::ops::filter::SortKey;
use crate::render::terminal::{ClockStyle, clock, tilde};
use crate::rows::Row;

/// The columns that id and time take, with the gaps after them.
const ID_AND_TIME: usize = 23;

/// A column of a list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ListColumn {
    /// The beginning of the id.
    Id,
    /// When something last happened.
    Ended,
    /// When it began.
    Started,
    /// The title.
    Title,
    /// The last part of the project's folder.
    Project,
    /// The folder it began in.
    Path,
    /// The git branch.
    Branch,
    /// Turns.
    Turns,
    /// Messages.
    Messages,
    /// Calls.
    Calls,
    /// Calls that failed.
    Failed,
    /// From the first entry to the last.
    Duration,
    /// How long its turns took together.
    Active,
    /// Tokens of all kinds.
    Tokens,
    /// The cost.
    Cost,
    /// The size of the file.
    Size,
    /// The models.
    Models,
    /// The tools with how often they were called.
    Tools,
    /// Changed files.
    Files,
    /// Agents.
    Agents,
    /// Paths apart from the active one.
    Rewinds,
    /// Compactions.
    Compactions,
    /// The client's version.
    Version,
    /// How it ended.
    Status,
    /// What kind of session it is.
    Kind,
    /// What is special about it, as signs.
    Marks,
}

impl ListColumn {
    /// All of them.
    pub const ALL: [Self; 26] = [
        Self::Id,
        Self::Ended,
        Self::Started,
        Self::Title,
        Self::Project,
        Self::Path,
        Self::Branch,
        Self::Turns,
        Self::Messages,
        Self::Calls,
        Self::Failed,
        Self::Duration,
        Self::Active,
        Self::Tokens,
        Self::Cost,
        Self::Size,
        Self::Models,
        Self::Tools,
        Self::Files,
        Self::Agents,
        Self::Rewinds,
        Self::Compactions,
        Self::Version,
        Self::Status,
        Self::Kind,
        Self::Marks,
    ];

    /// Those of a list that nothing was chosen for.
    pub(super) const USUAL: [Self; 12] = [
        Self::Id,
        Self::Ended,
        Self::Title,
        Self::Project,
        Self::Branch,
        Self::Turns,
        Self::Messages,
        Self::Calls,
        Self::Duration,
        Self::Tokens,
        Self::Size,
        Self::Marks,
    ];

    /// Returns the column of what rows are sorted by.
    pub(super) fn of(key: SortKey) -> Self {
        match key {
            SortKey::Ended => Self::Ended,
            SortKey::Started => Self::Started,
            SortKey::Duration => Self::Duration,
            SortKey::Turns => Self::Turns,
            SortKey::Messages => Self::Messages,
            SortKey::Calls => Self::Calls,
            SortKey::Tokens => Self::Tokens,
            SortKey::Cost => Self::Cost,
            SortKey::Size => Self::Size,
            SortKey::Project => Self::Project,
            SortKey::Title => Self::Title,
        }
    }

    /// Returns the name to ask for it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Ended => "ended",
            Self::Started => "started",
            Self::Title => "title",
            Self::Project => "project",
            Self::Path => "path",
            Self::Branch => "branch",
            Self::Turns => "turns",
            Self::Messages => "messages",
            Self::Calls => "calls",
            Self::Failed => "failed",
            Self::Duration => "duration",
            Self::Active => "active",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::Size => "size",
            Self::Models => "models",
            Self::Tools => "tools",
            Self::Files => "files",
            Self::Agents => "agents",
            Self::Rewinds => "rewinds",
            Self::Compactions => "compactions",
            Self::Version => "version",
            Self::Status => "status",
            Self::Kind => "kind",
            Self::Marks => "marks",
        }
    }

    /// Returns another name to ask for it by, that of its field in JSON.
    pub fn other_name(self) -> Option<&'static str> {
        match self {
            Self::Rewinds => Some("branches"),
            _ => None,
        }
    }

    /// Returns what stands above it.
    pub(super) fn head(self) -> String {
        match self {
            Self::Ended => "WHEN".to_owned(),
            Self::Messages => "MSGS".to_owned(),
            Self::Duration => "LENGTH".to_owned(),
            Self::Marks => String::new(),
            _ => self.name().to_uppercase(),
        }
    }

    /// Returns how it behaves when there is too little place or too much.
    pub(super) fn setting(self, layout: &ListLayout) -> Column {
        let column = self.widths(layout.width);
        if layout.columns.is_some() {
            return column;
        }
        let stays = Self::of(layout.sort) == self && self != Self::Title;
        column.priority(if stays { 254 } else { self.priority() })
    }

    fn widths(self, width: usize) -> Column {
        let (left, right) = (Column::new(Align::Left), Column::new(Align::Right));
        match self {
            Self::Title => {
                // Half of the width, but never the place of id and time.
                let half = (width / 2).min(width.saturating_sub(ID_AND_TIME));
                left.min(half.max(16)).flexible()
            }
            Self::Project => left.min((width / 12).clamp(6, 14)).max(24),
            Self::Branch => left.min((width / 16).clamp(6, 12)).max(20),
            Self::Path | Self::Models | Self::Tools => left.min(8).max(48),
            Self::Marks => left.min(6),
            Self::Id | Self::Ended | Self::Started | Self::Version | Self::Status | Self::Kind => {
                left
            }
            _ => right,
        }
    }

    /// What is lowest goes first.
    fn priority(self) -> u8 {
        match self {
            Self::Id | Self::Title => u8::MAX,
            Self::Ended => 200,
            Self::Project => 180,
            Self::Marks => 170,
            Self::Turns => 120,
            Self::Duration => 110,
            Self::Cost => 105,
            Self::Tokens => 100,
            Self::Branch => 90,
            Self::Messages => 80,
            Self::Calls => 70,
            _ => 60,
        }
    }

    /// Returns what a row has in it; `newest` is when something last happened in any row.
    pub(super) fn cell(self, row: &Row, layout: &ListLayout, newest: Option<Time>) -> Line {
        let text = |text: &str, role: Role| Line::of(text, role);
        let known = |text: &Option<String>| Line::of(text.clone().unwrap_or_default(), Role::Muted);
        let muted = |count: usize| Line::of(some(count), Role::Muted);
        match self {
            Self::Id => text(&row.short_id(), Role::Id),
            Self::Ended if layout.group == Some(ListGroup::Day) => {
                let time = clock(row.last_active(), &layout.zone, ClockStyle::Time);
                text(&time, Role::Time)
            }
            Self::Ended => date(Some(row.last_active()), layout, newest),
            Self::Started => date(row.started, layout, newest),
            Self::Title => match &row.title {
                Some(title) => text(title, Role::Plain),
                None => text("(no conversation)", Role::Muted),
            },
            Self::Project => text(row.project_name(), Role::Path),
            Self::Path => {
                let home = layout.user_home.as_deref();
                let path = tilde(row.cwd.as_deref().unwrap_or_default(), home);
                text(&path, Role::Path)
            }
            Self::Branch => known(&row.git_branch),
            Self::Turns => text(&some(row.turns), Role::Number),
            Self::Messages => muted(row.messages),
            Self::Calls => muted(row.calls),
            Self::Failed => text(&some(row.failed_calls), Role::Failure),
            Self::Duration => duration(row.duration_ms()),
            Self::Active => duration(Some(row.active_ms).filter(|&ms| ms > 0)),
            Self::Tokens => text(&tokens(row), Role::Muted),
            Self::Cost => text(
                &row.cost_usd.map(human::dollars).unwrap_or_default(),
                Role::Number,
            ),
            Self::Size => text(&human::bytes(row.bytes), Role::Muted),
            Self::Models => text(&row.models.join(", "), Role::Model),
            Self::Tools => text(&tools(row), Role::Muted),
            Self::Files => muted(row.files_changed),
            Self::Agents => muted(row.agents),
            Self::Rewinds => muted(row.branches),
            Self::Compactions => muted(row.compactions),
            Self::Version => known(&row.version),
            Self::Status => text(row.status.name(), status_role(row.status)),
            Self::Kind => text(row.kind.name(), Role::Muted),
            Self::Marks => marks(row),
        }
    }
}

/// Writes a count, and nothing for zero.
fn some(count: usize) -> String {
    if count == 0 {
        String::new()
    } else {
        count.to_string()
    }
}

fn tokens(row: &Row) -> String {
    match row.tokens.sum() {
        0 => String::new(),
        sum => human::count(sum),
    }
}

/// Lists the tools of a session, those that were called most first.
fn tools(row: &Row) -> String {
    let tools = crate::render::terminal::by_use(&row.tools);
    let named = tools.iter().map(|(tool, count)| format!("{tool} {count}"));
    named.collect::<Vec<_>>().join(", ")
}

/// Writes a duration by its largest unit only, which tells enough in a list.
fn duration(ms: Option<u64>) -> Line {
    let text = ms.map(human::duration).unwrap_or_default();
    let words: Vec<&str> = text.split(' ').take(2).collect();
    Line::of(words.join(" "), Role::Muted)
}

/// Writes when something was: without the year if it is that of the newest row, else without
/// the time of day.
fn date(time: Option<Time>, layout: &ListLayout, newest: Option<Time>) -> Line {
    let Some(time) = time else {
        return Line::new();
    };
    let year = |time| clock(time, &layout.zone, ClockStyle::Year);
    let style = if newest.map(year) == Some(year(time)) {
        ClockStyle::DayAndTime
    } else {
        ClockStyle::Date
    };
    Line::of(clock(time, &layout.zone, style), Role::Time)
}
