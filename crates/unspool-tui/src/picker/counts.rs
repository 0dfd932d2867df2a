//! How many rows there are, and how many of them are not shown, by the reason.
//!
//! Nothing is left out without a number: what the filters hide is counted by kind, agents that have no rows
//! of their own are counted with the sessions that they belong to, and what is outside of the scope is
//! counted too. The words are for the line below the list.

use unspool_store::rows::SessionKind;

use crate::work::picker::kept::PickerFilters;
use crate::work::picker::rows::PickerRow;

/// How many rows there are, and how many of them are not shown.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct ListCounts {
    /// All of the catalogue.
    pub(crate) all: usize,
    /// Those of the scope.
    pub(crate) in_scope: usize,
    /// Those that are shown.
    pub(crate) shown: usize,
    /// Those of the scope that fit, and that filters hide.
    pub(crate) hidden: HiddenCounts,
    /// The agents of sessions of the scope that fit, while agents have no rows of their own.
    pub(crate) folded_agents: usize,
    /// Those that fit, and are outside of the scope.
    pub(crate) elsewhere: usize,
}

/// How many rows the filters hide, each counted once, by the first reason.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct HiddenCounts {
    headless: usize,
    agents: usize,
    empty: usize,
    /// Those that ended in another way, or do not run.
    other: usize,
}

impl HiddenCounts {
    /// Counts a row that filters hide.
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
    /// Says what is hidden, by kind: `2 headless, 1 empty, 5 agents hidden`; none if nothing is.
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

    /// Says how much is hidden, in one number: `8 hidden`; none if nothing is.
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
