//! The costs of the paths of a conversation: each alone, and each from its beginning.
//!
//! Uses a [`Transcript`] and prices. A path shares its beginning with other paths, and the cost of a
//! branch usually means the part that only this path has. Every answer of the session belongs to
//! exactly one part, so the parts add up to the usage of the session:
//!
//! | Part | Content |
//! |---|---|
//! | own part of a path | entries that no other path has, and the agents that they started |
//! | shared | entries of two paths or more, and the agents that they started |
//! | elsewhere | entries on no path: left-out messages, agents without a known call |
//!
//! The costs of all paths together take work in proportion to the logs, whatever the number of paths.
//! This module reads no file.

use std::collections::HashMap;

use unspool_model::conversation::Conversation;
use unspool_model::log::Log;
use unspool_model::paths::{Path, PathNodeLister, PathOrder, Paths};
use unspool_model::positions::{EntryIndex, GroupId, NodeId, PathNumber};

use super::agents::AgentPlace;
use super::spending::{QuoteCache, Spending, TaggedLedger, claim};
use super::transcript::{RequestError, Transcript};
use unspool_store::prices::PriceTable;

/// The costs of the paths of a conversation, each alone.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct BranchCosts {
    /// The cost of each path's own part, by number: the first is path 1.
    pub own: Vec<Spending>,
    /// The cost of entries that two paths or more share.
    pub shared: Spending,
    /// The cost of entries on no path.
    pub elsewhere: Spending,
}

impl BranchCosts {
    /// Returns the cost of a path's own part.
    pub fn alone(&self, number: PathNumber) -> Option<Spending> {
        self.own.get(number.index()).copied()
    }

    /// Returns the cost of all parts.
    pub fn total(&self) -> Spending {
        let mut total = self.shared;
        total += self.elsewhere;
        for own in &self.own {
            total += *own;
        }
        total
    }
}

/// The part of a conversation that an entry belongs to. Of copies, the ledger counts the one with
/// the greatest value here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum CostShare {
    Elsewhere,
    /// The own part of the path with this index in the list.
    Own(usize),
    Shared,
}

impl CostShare {
    /// Returns the part of an entry that is in two places.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Elsewhere, known) | (known, Self::Elsewhere) => known,
            (Self::Own(one), Self::Own(same)) if one == same => self,
            _ => Self::Shared,
        }
    }
}

/// Returns the cost of each path of the shown conversation alone.
pub fn branch_costs(shown: &Transcript<'_>, prices: &PriceTable) -> BranchCosts {
    let (paths, listed) = shown.listed_paths();
    let shares = group_shares(paths, &listed);
    let conversation = &shown.conversation;
    let share_of = |node: NodeId| match paths.group_of(node) {
        Some(group) => shares[group.index()],
        None => CostShare::Elsewhere,
    };
    let ledger = claims(shown, &|log, entry| {
        let uuid = log.entries[entry].uuid?;
        Some(share_of(conversation.graph.node(uuid)?))
    });
    let mut costs =
        BranchCosts { own: vec![Spending::default(); listed.len()], ..BranchCosts::default() };
    let mut quotes = QuoteCache::new(prices);
    for ((model, share), tokens) in ledger.counted() {
        let part = match share {
            CostShare::Elsewhere => &mut costs.elsewhere,
            CostShare::Own(row) => &mut costs.own[row],
            CostShare::Shared => &mut costs.shared,
        };
        *part += quotes.answer(model, tokens);
    }
    costs
}

/// Returns the cost of one path of the shown conversation from its beginning.
pub fn path_cost(
    shown: &Transcript<'_>,
    number: PathNumber,
    prices: &PriceTable,
) -> Result<Spending, RequestError> {
    let nodes = path_nodes(shown, number)?;
    Ok(nodes_cost(shown, &nodes, prices))
}

/// Returns the nodes of the path with a number.
pub(super) fn path_nodes(
    shown: &Transcript<'_>,
    number: PathNumber,
) -> Result<Vec<NodeId>, RequestError> {
    let (paths, listed) = shown.listed_paths();
    let path = listed.get(number.index());
    let &path = path.ok_or(RequestError::NoPath { asked: number, count: listed.len() })?;
    let graph = &shown.conversation.graph;
    Ok(PathNodeLister::default().nodes(paths, graph, path))
}

/// Returns the cost of some entries of the shown conversation and of the agents that they started.
pub(super) fn nodes_cost(
    shown: &Transcript<'_>,
    nodes: &[NodeId],
    prices: &PriceTable,
) -> Spending {
    let conversation = &shown.conversation;
    let mut wanted = vec![false; conversation.graph.nodes.len()];
    for &node in nodes {
        wanted[node.index()] = true;
    }
    let ledger = claims(shown, &|log, entry| {
        let node = conversation.graph.node(log.entries[entry].uuid?)?;
        wanted[node.index()].then_some(CostShare::Shared)
    });
    let mut quotes = QuoteCache::new(prices);
    let mut spending = Spending::default();
    for ((model, share), tokens) in ledger.counted() {
        if share == CostShare::Shared {
            spending += quotes.answer(model, tokens);
        }
    }
    spending
}

/// Returns the part of each group: which of the listed paths have it.
fn group_shares(paths: &Paths, listed: &[&Path]) -> Vec<CostShare> {
    let row = PathOrder::new(paths);
    let mut share_at = vec![CostShare::Elsewhere; paths.paths.len()];
    for (at, path) in listed.iter().enumerate() {
        share_at[row.place(path) as usize] = CostShare::Own(at);
    }
    let share = |(group, found): (GroupId, &unspool_model::paths::Group)| {
        let through = row.through(group);
        match through.len() {
            _ if found.left_out => CostShare::Elsewhere,
            0 => CostShare::Elsewhere,
            1 => share_at[through.start as usize],
            _ => {
                let mut shares = through.map(|place| share_at[place as usize]);
                // The paths through a group belong to one agent: either all of them are listed, or none.
                let first = shares.next().unwrap_or(CostShare::Elsewhere);
                match first {
                    CostShare::Elsewhere => CostShare::Elsewhere,
                    _ => CostShare::Shared,
                }
            }
        }
    };
    GroupId::enumerate(&paths.groups).map(share).collect()
}

/// Collects the usage claims of the shown conversation and its agents. An agent belongs to the part
/// of the call that started it, or that started the agent above it.
fn claims<'t>(
    shown: &'t Transcript<'_>,
    share_of: &dyn Fn(&Log, EntryIndex) -> Option<CostShare>,
) -> TaggedLedger<'t, CostShare> {
    let mut ledger = TaggedLedger::default();
    let log = shown.conversation.log;
    let shares = agent_shares(shown, share_of);
    let owners = inline_owners(shown);
    // The rest of the file does not belong to the conversation of an inline agent.
    let is_inside =
        shown.agent.is_some() && std::ptr::eq(shown.file, &raw const shown.session.main);
    for entry in entries_with_usage(log) {
        let node = log.entries[entry].uuid;
        let node = node.and_then(|uuid| shown.conversation.graph.node(uuid));
        let inline = node.and_then(|node| *owners.get(node.index())?);
        let share = match inline.and_then(|row| shares[row]) {
            Some(share) => share,
            None => share_of(log, entry).unwrap_or(CostShare::Elsewhere),
        };
        if is_inside && share == CostShare::Elsewhere {
            continue;
        }
        claim(&mut ledger, log, entry, share);
    }
    for (row, agent) in shown.agents.iter().enumerate() {
        let (AgentPlace::File(index), Some(share)) = (agent.place, shares[row]) else {
            continue;
        };
        let log = shown.session.agents[index].file.log();
        for entry in entries_with_usage(log) {
            claim(&mut ledger, log, entry, share);
        }
    }
    ledger
}

/// Returns the entries of a log with usage, each once.
fn entries_with_usage(log: &Log) -> impl Iterator<Item = EntryIndex> {
    let rows = log.usage.chunk_by(|one, other| one.entry == other.entry);
    rows.filter_map(|rows| Some(rows.first()?.entry))
}

/// Returns for each node of the shown file the inline agent that it belongs to, unless that agent
/// is shown.
fn inline_owners(shown: &Transcript<'_>) -> Vec<Option<usize>> {
    if shown.inline.agents.is_empty() {
        return Vec::new();
    }
    let rows: HashMap<usize, usize> = inline_rows(shown).collect();
    let owners = shown.inline.owners(&shown.conversation);
    let of = |owner: Option<usize>| {
        let row = *rows.get(&owner?)?;
        (shown.agent.as_ref() != Some(&shown.agents[row].id)).then_some(row)
    };
    owners.into_iter().map(of).collect()
}

/// Returns the inline agents of the shown file: the index of each there, and its index in the list of agents.
fn inline_rows(shown: &Transcript<'_>) -> impl Iterator<Item = (usize, usize)> {
    let is_main = std::ptr::eq(shown.file, &raw const shown.session.main);
    let agents = shown.agents.iter().enumerate();
    agents.filter_map(move |(row, agent)| match agent.place {
        AgentPlace::Inline(index) if is_main => Some((index, row)),
        _ => None,
    })
}

/// Returns the part of each agent; `None` for an agent that is not below the shown conversation.
fn agent_shares(
    shown: &Transcript<'_>,
    share_of: &dyn Fn(&Log, EntryIndex) -> Option<CostShare>,
) -> Vec<Option<CostShare>> {
    let calls = call_shares(shown, share_of);
    let rows: HashMap<&str, usize> =
        shown.agents.iter().enumerate().map(|(row, agent)| (agent.id.as_str(), row)).collect();
    let loose = shown.agent.is_none().then_some(CostShare::Elsewhere);
    let mut shares: Vec<Option<Option<CostShare>>> = vec![None; shown.agents.len()];
    for row in 0..shares.len() {
        let mut above = Vec::new();
        let mut at = row;
        let share = loop {
            unspool_work::add(1);
            if let Some(known) = shares[at] {
                break known;
            }
            // Set before the walk continues, so that a cycle of agents ends here.
            shares[at] = Some(loose);
            above.push(at);
            let agent = &shown.agents[at];
            if shown.agent.as_ref() == Some(&agent.id) {
                break None;
            }
            let call = agent.call.as_deref();
            if let Some(&share) = call.and_then(|call| calls.get(call)) {
                break Some(share);
            }
            match agent.parent.as_deref().and_then(|id| rows.get(id)) {
                Some(&parent) if Some(&shown.agents[parent].id) != shown.agent.as_ref() => {
                    at = parent;
                }
                _ => break loose,
            }
        };
        for agent in above {
            shares[agent] = Some(share);
        }
    }
    shares.into_iter().map(Option::flatten).collect()
}

/// Returns the parts of the calls in the shown conversation that started agents.
fn call_shares<'t>(
    shown: &'t Transcript<'_>,
    share_of: &dyn Fn(&Log, EntryIndex) -> Option<CostShare>,
) -> HashMap<&'t str, CostShare> {
    let Conversation { log, .. } = shown.conversation;
    let mut known: HashMap<&str, CostShare> = HashMap::new();
    let calls: HashMap<&str, &str> = shown
        .agents
        .iter()
        .filter_map(|agent| agent.call.as_deref())
        .map(|call| (call, call))
        .collect();
    if calls.is_empty() {
        return known;
    }
    for (index, entry) in EntryIndex::enumerate(&log.entries) {
        for block in log.calls_of(entry) {
            let Some(call) = block.call else { continue };
            let Some(&call) = calls.get(&*shown.entry_id(log.text(call))) else {
                continue;
            };
            // A call inside an agent is on no path; the agent that it started has the part of its parent.
            let share = share_of(log, index);
            if let Some(share) = share.filter(|&share| share != CostShare::Elsewhere) {
                let known = known.entry(call).or_insert(share);
                *known = known.and(share);
            }
        }
    }
    known
}
