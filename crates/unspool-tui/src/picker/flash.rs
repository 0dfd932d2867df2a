//! Marks of rows that flash once after a refresh changed the rows.

use unspool_model::time::Time;

use crate::work::picker::rows::{PickerRow, PickerRows, RowKey};

/// How long a mark flashes. Chosen by judgement: long enough to be noticed in passing.
const FLASH_MS: i64 = 400;

/// The rows whose marks flash.
#[derive(Default)]
pub(super) struct RowFlash {
    keys: Vec<RowKey>,
    end: Option<Time>,
}

impl RowFlash {
    /// Flashes the marks of visible rows that changed; returns the end of the flash. If the list was empty
    /// or partial before, nothing flashes: rows that fill it are not news.
    pub(super) fn begin(
        &mut self,
        before: &PickerRows,
        after: &PickerRows,
        in_view: impl Iterator<Item = RowKey>,
        now: Time,
    ) -> Option<Time> {
        if before.is_empty() || !before.is_whole {
            return None;
        }
        let changed: Vec<RowKey> = in_view
            .filter(|&key| match (before.of_key(key), after.of_key(key)) {
                (Some(before), Some(after)) => !is_same(before, after),
                (None, Some(_)) => true,
                (_, None) => false,
            })
            .collect();
        if changed.is_empty() {
            return None;
        }
        self.keys = changed;
        self.end = Some(Time::from_millis(now.as_millis() + FLASH_MS));
        self.end
    }

    /// Ends the flash if its time has come.
    pub(super) fn end_at(&mut self, now: Time) {
        if self.end.is_some_and(|end| end <= now) {
            *self = Self::default();
        }
    }

    /// Tells whether the mark of a row flashes.
    pub(super) fn has(&self, key: RowKey) -> bool {
        self.keys.contains(&key)
    }
}

/// Tells whether a session is unchanged. Logs only grow, so their size reveals most changes.
fn is_same(before: &PickerRow, after: &PickerRow) -> bool {
    let told = |row: &PickerRow| (row.bytes, row.active, row.status, row.turns, row.is_gone);
    told(before) == told(after)
}
