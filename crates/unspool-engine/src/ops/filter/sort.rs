//! The order of rows.

use std::cmp::{Ordering, Reverse};

use crate::rows::Row;

/// What rows are sorted by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum SortKey {
    /// The time of the last entry, else of the file.
    #[default]
    Ended,
    /// The time of the first entry.
    Started,
    /// The time from the first entry to the last.
    Duration,
    /// Turns.
    Turns,
    /// Messages.
    Messages,
    /// Calls.
    Calls,
    /// Tokens of all kinds.
    Tokens,
    /// The cost.
    Cost,
    /// The size of the file.
    Size,
    /// The name of the project.
    Project,
    /// The title.
    Title,
}

/// Which end comes first.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Direction {
    /// The newest and the largest first, names from A to Z.
    #[default]
    Usual,
    /// The other way round.
    Reversed,
}

impl SortKey {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Ended,
        Self::Started,
        Self::Duration,
        Self::Turns,
        Self::Messages,
        Self::Calls,
        Self::Tokens,
        Self::Cost,
        Self::Size,
        Self::Project,
        Self::Title,
    ];

    /// Returns the name to ask for it by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::Started => "started",
            Self::Duration => "duration",
            Self::Turns => "turns",
            Self::Messages => "messages",
            Self::Calls => "calls",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::Size => "size",
            Self::Project => "project",
            Self::Title => "title",
        }
    }

    fn of(self, row: &Row) -> Key {
        let count = |count: usize| Key::Largest(Reverse(count as u64));
        match self {
            Self::Ended => Key::Newest(Reverse(row.last_active().as_millis())),
            Self::Started => row
                .started
                .map_or(Key::Unknown, |time| Key::Newest(Reverse(time.as_millis()))),
            Self::Duration => row
                .duration_ms()
                .map_or(Key::Unknown, |ms| Key::Largest(Reverse(ms))),
            Self::Turns => count(row.turns),
            Self::Messages => count(row.messages),
            Self::Calls => count(row.calls),
            Self::Tokens => Key::Largest(Reverse(row.tokens.sum())),
            Self::Cost => row.cost_usd.map_or(Key::Unknown, |cost| {
                // Costs are never negative, so their bits have their order.
                Key::Largest(Reverse(cost.max(0.0).to_bits()))
            }),
            Self::Size => Key::Largest(Reverse(row.bytes)),
            Self::Project => Key::name(Some(row.project_name())),
            Self::Title => Key::name(row.title.as_deref()),
        }
    }
}

/// What one row is sorted by. Rows of one list have keys of one kind, or none.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Newest(Reverse<i64>),
    Largest(Reverse<u64>),
    Name(String),
    Unknown,
}

impl Key {
    fn name(text: Option<&str>) -> Self {
        match text.map(str::trim).filter(|text| !text.is_empty()) {
            Some(text) => Self::Name(text.to_lowercase()),
            None => Self::Unknown,
        }
    }

    fn compare(&self, other: &Self, direction: Direction) -> Ordering {
        match (self, other) {
            // What is unknown comes last in either direction.
            (Self::Unknown, _) | (_, Self::Unknown) => self.cmp(other),
            _ if direction == Direction::Reversed => other.cmp(self),
            _ => self.cmp(other),
        }
    }
}

/// Sorts rows. Of equal ones the newest comes first; the order never depends on that of before.
pub fn sort(rows: &mut Vec<Row>, key: SortKey, direction: Direction) {
    let mut keyed: Vec<(Key, Row)> = rows.drain(..).map(|row| (key.of(&row), row)).collect();
    keyed.sort_by(|(a_key, a), (b_key, b)| {
        a_key
            .compare(b_key, direction)
            .then_with(|| b.last_active().cmp(&a.last_active()))
            .then_with(|| a.id.cmp(&b.id))
            .then_with(|| a.file.cmp(&b.file))
    });
    rows.extend(keyed.into_iter().map(|(_, row)| row));
}
