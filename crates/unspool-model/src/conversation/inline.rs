//! Conversations of subagents inside a session's file.

use std::collections::HashMap;

use super::Conversation;
use crate::paths::{Path, PathNodeLister, Paths};
use crate::positions::{NodeId, PathNumber};
use crate::symbols::Symbol;

/// The conversations of all subagents inside a session's file.
pub struct InlineAgents {
    /// The paths of all subagents; one path of each is active.
    pub paths: Paths,
    /// The agents, in file order.
    pub agents: Vec<InlineAgent>,
    /// The numbers of each agent's paths, in order, by the agent's first node.
    listed: HashMap<NodeId, Vec<PathNumber>>,
}

/// The conversation of a subagent inside a session's file.
#[derive(Clone, Debug)]
pub struct InlineAgent {
    /// The first node.
    pub root: NodeId,
    /// The id of the agent, if its entries have one.
    pub agent: Option<Symbol>,
    /// The active path.
    pub path: Path,
}

impl InlineAgents {
    pub(super) fn find(within: &Conversation<'_>) -> Self {
        let paths = Paths::of_sidechains(within.log, &within.graph, &within.commands);
        let roots = paths.roots();
        let root = |path: &Path| paths.groups[roots[path.last]].first;
        let mut listed: HashMap<NodeId, Vec<PathNumber>> = HashMap::new();
        let mut agents: Vec<InlineAgent> = Vec::new();
        for path in &paths.paths {
            let root = root(path);
            listed.entry(root).or_default().push(path.index);
            if path.active {
                agents.push(InlineAgent {
                    root,
                    agent: within.graph.entry(within.log, root).agent,
                    path: path.clone(),
                });
            }
        }
        agents.sort_by_key(|agent| agent.root);
        Self { paths, agents, listed }
    }

    /// Returns the numbers of an agent's paths, in order.
    pub fn paths_of(&self, agent: &InlineAgent) -> &[PathNumber] {
        self.listed.get(&agent.root).map_or(&[], Vec::as_slice)
    }

    /// Returns the number of messages of each agent.
    pub fn message_counts(&self, within: &Conversation<'_>) -> Vec<usize> {
        let mut speller = PathNodeLister::default();
        let count = |agent: &InlineAgent| {
            let nodes = speller.nodes(&self.paths, &within.graph, &agent.path);
            within.view_of(&nodes).messages.len()
        };
        self.agents.iter().map(count).collect()
    }

    /// Returns for each node the index of the agent that it belongs to.
    pub fn owners(&self, within: &Conversation<'_>) -> Vec<Option<usize>> {
        let graph = &within.graph;
        let mut owner: Vec<Option<usize>> = vec![None; graph.nodes.len()];
        for (index, agent) in self.agents.iter().enumerate() {
            owner[agent.root] = Some(index);
        }
        for node in graph.order() {
            if graph.nodes[node].sidechain && owner[node].is_none() {
                owner[node] = graph.nodes[node].parent().and_then(|parent| owner[parent]);
            }
        }
        owner
    }
}
