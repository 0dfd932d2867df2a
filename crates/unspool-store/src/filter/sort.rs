//! Sorts rows.

use std::cmp::{Ordering, Reverse};

use crate::rows::{RowGetter, RowValue, SessionRow};

/// A sort key: any value of a row.
#[derive(Clone, Copy, Debug)]
pub struct SortKey(RowGetter);

/// Sorts by the time of the last activity.
impl Default for SortKey {
    fn default() -> Self {
        Self(|row| RowValue::Time(row.last_active()))
    }
}

/// The direction of a sort.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Direction {
    /// The newest and the largest first, names from A to Z.
    #[default]
    Usual,
    /// The opposite direction.
    Reversed,
}

impl SortKey {
    /// Makes a key from a value of rows: the newest and the largest first, texts from A to Z.
    pub fn by(value: RowGetter) -> Self {
        Self(value)
    }
}

/// The key of one row. All keys of a list are of one kind, or unknown.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Newest(Reverse<i64>),
    Largest(Reverse<u64>),
    Name(String),
    Unknown,
}

impl Key {
    /// Makes a key of a value; lists have no order and are unknown.
    fn of(value: &RowValue<'_>) -> Self {
        let largest = |number| Self::Largest(Reverse(number));
        match value {
            RowValue::Nothing | RowValue::Texts(_) | RowValue::Tools(_) => Self::Unknown,
            RowValue::Id(text) => Self::name(text),
            RowValue::Text(text) | RowValue::Path(text) => Self::name(text),
            RowValue::Status(status) => Self::name(status.name()),
            RowValue::Time(time) => Self::Newest(Reverse(time.as_millis())),
            RowValue::Count(number) | RowValue::Millis(number) | RowValue::Bytes(number) => {
                largest(*number)
            }
            RowValue::Tokens(tokens) => largest(tokens.sum()),
            // Costs are not negative, so their bits have the order of their values.
            RowValue::Dollars(cost) => largest(cost.max(0.0).to_bits()),
            RowValue::Flag(flag) => largest(u64::from(*flag)),
        }
    }

    fn name(text: &str) -> Self {
        match text.trim() {
            "" => Self::Unknown,
            text => Self::Name(text.to_lowercase()),
        }
    }

    fn compare(&self, other: &Self, direction: Direction) -> Ordering {
        match (self, other) {
            // Unknown values come last in either direction.
            (Self::Unknown, _) | (_, Self::Unknown) => self.cmp(other),
            _ if direction == Direction::Reversed => other.cmp(self),
            _ => self.cmp(other),
        }
    }
}

/// Sorts rows. Rows with equal keys are sorted newest first, whatever their original order.
pub fn sort(rows: &mut [SessionRow], key: SortKey, direction: Direction) {
    let keys: Vec<Key> = rows.iter().map(|row| Key::of(&key.0(row))).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&a, &b| {
        let by_key = keys[a].compare(&keys[b], direction);
        let (a, b) = (&rows[a], &rows[b]);
        by_key
            .then_with(|| b.last_active().cmp(&a.last_active()))
            .then_with(|| a.id.cmp(&b.id))
            .then_with(|| a.file.cmp(&b.file))
    });
    // Rows are large, so each is swapped to its place at once. A row from before `at` has been
    // swapped away; `order` says where to.
    for at in 0..order.len() {
        let mut from = order[at];
        while from < at {
            from = order[from];
        }
        rows.swap(at, from);
    }
}
