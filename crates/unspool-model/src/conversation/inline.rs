//! Subagents whose conversations stand inside a session's file.

use super::Conversation;
use crate::paths::{Path, Paths, Speller};
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
        let paths = Paths::of_sidechains(within.log, &within.graph, &within.commands);
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

    /// Returns how many messages each agent's conversation has.
    pub fn message_counts(&self, within: &Conversation<'_>) -> Vec<usize> {
        let mut speller = Speller::new(&self.paths, &within.graph);
        let count =
            |agent: &InlineAgent| within.view_of(&speller.nodes(&agent.path)).messages.len();
        self.agents.iter().map(count).collect()
    }

    /// Returns for each node the agent that it belongs to: its position among the agents.
    pub fn owners(&self, within: &Conversation<'_>) -> Vec<Option<usize>> {
        let graph = &within.graph;
        let mut owner: Vec<Option<usize>> = vec![None; graph.nodes.len()];
        for (index, agent) in self.agents.iter().enumerate() {
            owner[agent.root as usize] = Some(index);
        }
        for node in graph.order() {
            let node = node as usize;
            if graph.nodes[node].sidechain && owner[node].is_none() {
                owner[node] = graph.nodes[node]
                    .parent()
                    .and_then(|parent| owner[parent as usize]);
            }
        }
        owner
    }
}
