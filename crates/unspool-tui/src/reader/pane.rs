//! Lists next to the transcript, or over it: the outline, the tree, files, agents, facts.

use unspool_model::ids::EntryId;

use crate::work::reader::aside::{PaneRow, PaneTarget, ReadPane};

/// A list with a selected row.
#[derive(Clone, Default, Debug)]
pub(super) struct PaneList {
    pub(super) chosen: usize,
    /// The first visible row.
    first: usize,
}

impl PaneList {
    /// Moves the selection in a list of `count` rows.
    pub(super) fn move_by(&mut self, rows: isize, count: usize) {
        let last = count.saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(rows).min(last);
    }

    pub(super) fn choose(&mut self, row: usize, count: usize) {
        self.chosen = row.min(count.saturating_sub(1));
    }

    /// Returns the first visible row for a height, such that the selected row is visible.
    pub(super) fn first(&self, height: usize) -> usize {
        let least = (self.chosen + 1).saturating_sub(height.max(1));
        self.first.clamp(least, self.chosen.max(least))
    }

    /// Stores the scroll position for a height, so that the list scrolls as little as needed.
    pub(super) fn store_scroll(&mut self, height: usize) {
        self.first = self.first(height);
    }
}

/// The content of a pane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SidePane {
    /// The turns, if they do not fit next to the transcript.
    Outline,
    Rows(ReadPane),
}

/// An open pane.
#[derive(Clone, Debug)]
pub(super) struct OpenPane {
    pub(super) side: SidePane,
    pub(super) list: PaneList,
    /// The rows; `None` until a worker has answered.
    pub(super) rows: Option<Result<Vec<PaneRow>, String>>,
}

impl OpenPane {
    pub(super) fn new(side: SidePane) -> Self {
        Self { side, list: PaneList::default(), rows: None }
    }

    /// Selects the row with an entry as its target, if there is one.
    pub(super) fn choose_entry(&mut self, entry: Option<&EntryId>) {
        let leads = |row: &PaneRow| match &row.target {
            Some(PaneTarget::Entry { entry: target, .. }) => Some(target) == entry,
            Some(PaneTarget::Agent(_)) | None => false,
        };
        if let Some(row) = self.rows().iter().position(leads) {
            let count = self.rows().len();
            self.list.choose(row, count);
        }
    }

    /// Returns the number of rows; `turns` is the number of turns of the conversation.
    pub(super) fn count(&self, turns: usize) -> usize {
        match self.side {
            SidePane::Outline => turns,
            SidePane::Rows(_) => self.rows().len(),
        }
    }

    pub(super) fn rows(&self) -> &[PaneRow] {
        match &self.rows {
            Some(Ok(rows)) => rows,
            _ => &[],
        }
    }
}
