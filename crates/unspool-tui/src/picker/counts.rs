//! Counts of the rows that are shown and of those that are not, by reason.
//!
//! No row is left out without a count: filtered rows are counted by kind, agents without rows of their own
//! with their sessions, and so are matches outside of the scope. The words are for the line below the list.

use unspool_store::rows::SessionKind;

use crate::work::picker::rows::PickerRow;
use crate::work::picker::saved::PickerFilters;

/// Counts of the rows that are shown and of those that are not.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct ListCounts {
    /// All rows of the catalogue.
    pub(crate) all: usize,
    /// Rows of the scope.
    pub(crate) in_scope: usize,
    /// Rows that are shown.
    pub(crate) shown: usize,
    /// Matching rows of the scope that filters hide.
    pub(crate) hidden: HiddenCounts,
    /// Agents of the scope's matching sessions, while agents have no rows of their own.
    pub(crate) folded_agents: usize,
    /// Matching rows outside of the scope.
    pub(crate) elsewhere: usize,
}

/// Counts of filtered rows. Each row is counted once, under the first reason that applies.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct HiddenCounts {
    headless: usize,
    agents: usize,
    empty: usize,
    /// Rows hidden by the filters of the status or of running sessions.
    other: usize,
}

impl HiddenCounts {
    /// Counts a filtered row.
    pub(super) fn add(&mut self, row: &PickerRow, filters: PickerFilters) {
        let count = match row.kind {
            SessionKind::Headless if !filters.headless => &mut self.headless,
            SessionKind::Agent if !filters.agents => &mut self.agents,
            _ if row.is_without_conversation() && !filters.empty => &mut self.empty,
            _ => &mut self.other,
        };
        *count += 1;
    }

    pub(super) fn sum(self) -> usize {
        self.headless + self.agents + self.empty + self.other
    }
}

impl ListCounts {
    /// Describes the hidden rows by kind: `2 headless, 1 empty, 5 agents hidden`; `None` if there are none.
    pub(super) fn hidden_by_kind(&self) -> Option<String> {
        let HiddenCounts { headless, agents, empty, other } = self.hidden;
        let agents = agents + self.folded_agents;
        let agent_word = if agents == 1 { "agent" } else { "agents" };
        let parts =
            [(headless, "headless"), (empty, "empty"), (agents, agent_word), (other, "others")];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, kind)| format!("{count} {kind}"))
            .collect();
        (!parts.is_empty()).then(|| format!("{} hidden", parts.join(", ")))
    }

    /// Describes the hidden rows with their sum: `8 hidden`; `None` if there are none.
    pub(super) fn hidden_in_sum(&self) -> Option<String> {
        let sum = self.hidden.sum() + self.folded_agents;
        (sum > 0).then(|| format!("{sum} hidden"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_told_by_kind() {
        let mut counts = ListCounts::default();
        assert_eq!(counts.hidden_by_kind(), None);
        assert_eq!(counts.hidden_in_sum(), None);
        counts.hidden.empty = 2;
        counts.folded_agents = 1;
        let kinds = counts.hidden_by_kind();
        assert_eq!(kinds.as_deref(), Some("2 empty, 1 agent hidden"));
        counts.hidden.headless = 12;
        counts.hidden.other = 1;
        counts.hidden.agents = 3;
        let kinds = counts.hidden_by_kind();
        assert_eq!(kinds.as_deref(), Some("12 headless, 2 empty, 4 agents, 1 others hidden"));
        assert_eq!(counts.hidden_in_sum().as_deref(), Some("19 hidden"));
    }
}
