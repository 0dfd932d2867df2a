//! Subagents whose conversations stand inside a session's file.

use super::Conversation;
use crate::paths::{Path, Paths};
use crate::symbols::Symbol;

/// The subagents' conversations inside a session's file.
pub struct InlineAgents {
    /// All their paths; the active ones are one for each agent.
    pub paths: Paths,
    /// The agents, in file order.
    pub agents: Vec<InlineAgent>,
}

/// A subagent's conversation inside a session's file.
#[derive(Clone, Debug)]
pub struct InlineAgent {
    /// Its first node.
    pub root: u32,
    /// The agent's id, when its entries have one.
    pub agent: Option<Symbol>,
    /// Its messages.
    pub path: Path,
}

impl InlineAgents {
    pub(super) fn find(within: &Conversation<'_>) -> Self {
        let paths = Paths::of_sidechains(within.log, &within.graph);
        let mut agents: Vec<InlineAgent> = paths
            .paths
            .iter()
            .filter(|path| path.active)
            .map(|path| {
                let first = paths.trail(path.last)[0];
                let root = paths.groups[first as usize].first;
                let agent = within.graph.entry(within.log, root).agent;
                InlineAgent {
                    root,
                    agent,
                    path: path.clone(),
                }
            })
            .collect();
        agents.sort_by_key(|agent| agent.root);
        Self { paths, agents }
    }
}
