//! A list next to the transcript, or over it: the outline, the tree, files, agents, facts.

use unspool_model::ids::EntryId;

use crate::work::reader::aside::{PaneRow, PaneTarget, ReadPane};

/// A list with a chosen row.
#[derive(Clone, Default, Debug)]
pub(super) struct PaneList {
    pub(super) chosen: usize,
    /// The first row that is shown.
    first: usize,
}

impl PaneList {
    /// Chooses another row of so many.
    pub(super) fn move_by(&mut self, rows: isize, count: usize) {
        let last = count.saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(rows).min(last);
    }

    pub(super) fn choose(&mut self, row: usize, count: usize) {
        self.chosen = row.min(count.saturating_sub(1));
    }

    /// Returns the first row that is shown on so many rows, so that the chosen one is among them.
    pub(super) fn first(&self, height: usize) -> usize {
        let least = (self.chosen + 1).saturating_sub(height.max(1));
        self.first.clamp(least, self.chosen.max(least))
    }

    /// Keeps the rows where they are as far as the chosen one allows.
    pub(super) fn keep(&mut self, height: usize) {
        self.first = self.first(height);
    }
}

/// What a pane shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SidePane {
    /// The turns, where there is no room for them next to the transcript.
    Outline,
    Told(ReadPane),
}

/// A pane that is open.
#[derive(Clone, Debug)]
pub(super) struct OpenPane {
    pub(super) side: SidePane,
    pub(super) list: PaneList,
    /// Its rows; none while they are asked for.
    pub(super) rows: Option<Result<Vec<PaneRow>, String>>,
}

impl OpenPane {
    pub(super) fn new(side: SidePane) -> Self {
        Self { side, list: PaneList::default(), rows: None }
    }

    /// Chooses the row that leads to an entry, if one does.
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

    /// Counts the lines of the list, in a conversation of so many turns.
    pub(super) fn count(&self, turns: usize) -> usize {
        match self.side {
            SidePane::Outline => turns,
            SidePane::Told(_) => self.rows().len(),
        }
    }

    pub(super) fn rows(&self) -> &[PaneRow] {
        match &self.rows {
            Some(Ok(rows)) => rows,
            _ => &[],
        }
    }
}
