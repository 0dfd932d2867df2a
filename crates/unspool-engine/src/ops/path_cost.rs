//! What the paths of a conversation cost: each alone, and each from its beginning.
//!
//! Uses a [`Transcript`] and knows prices. A path shares its beginning with others, and a
//! person who asks what a branch cost means what is only on it. Every answer of the session
//! belongs to exactly one part, so the parts add up to what the session used:
//!
//! | Part | What is in it |
//! |---|---|
//! | a path's own | entries that no other path has, and the agents that they started |
//! | shared | entries of two paths or more, and the agents that they started |
//! | elsewhere | what is on no path: messages that a resume would leave out, agents that nothing ties to a call |
//!
//! The costs of all paths together take work in proportion to the logs, however many paths there
//! are. Nothing is read from the files.

use std::collections::HashMap;

use unspool_model::conversation::Conversation;
use unspool_model::log::Log;
use unspool_model::paths::{Path, PathRow, Paths, Speller};
use unspool_model::positions::{EntryIndex, GroupId, NodeId, PathNumber};

use super::agents::AgentPlace;
use super::spending::{QuoteCache, Spending, TaggedLedger, claim};
use super::transcript::{RequestError, Transcript};
use unspool_store::prices::PriceTable;

/// What the paths of a conversation cost, each alone.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct BranchCosts {
    /// What is only on one path, by the number of the path: the first is path 1.
    pub own: Vec<Spending>,
    /// What two paths or more share.
    pub shared: Spending,
    /// What is on no path.
    pub elsewhere: Spending,
}

impl BranchCosts {
    /// Returns what a path cost alone.
    pub fn alone(&self, number: PathNumber) -> Option<Spending> {
        self.own.get(number.index()).copied()
    }

    /// Returns what everything cost together.
    pub fn total(&self) -> Spending {
        let mut total = self.shared;
        total += self.elsewhere;
        for own in &self.own {
            total += *own;
        }
        total
    }
}

/// Which part of a conversation something belongs to. Of copies the one that is shared counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum CostShare {
    Elsewhere,
    /// Only the path in this row of the listed ones has it.
    Own(usize),
    Shared,
}

impl CostShare {
    /// Returns where something belongs that is in two places.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Elsewhere, known) | (known, Self::Elsewhere) => known,
            (Self::Own(one), Self::Own(same)) if one == same => self,
            _ => Self::Shared,
        }
    }
}

/// Says what each path of the shown conversation cost alone.
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

/// Says what one path of the shown conversation cost from its beginning, by its number.
pub fn path_cost(
    shown: &Transcript<'_>,
    number: PathNumber,
    prices: &PriceTable,
) -> Result<Spending, RequestError> {
    let nodes = path_nodes(shown, number)?;
    Ok(nodes_cost(shown, &nodes, prices))
}

/// Spells the path with a number out.
pub(super) fn path_nodes(
    shown: &Transcript<'_>,
    number: PathNumber,
) -> Result<Vec<NodeId>, RequestError> {
    let (paths, listed) = shown.listed_paths();
    let path = listed.get(number.index());
    let &path = path.ok_or(RequestError::NoPath { asked: number, count: listed.len() })?;
    let graph = &shown.conversation.graph;
    Ok(Speller::default().nodes(paths, graph, path))
}

/// Says what some entries of the shown conversation and the agents that they started cost.
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

/// Says for each group which of the listed paths has it.
fn group_shares(paths: &Paths, listed: &[&Path]) -> Vec<CostShare> {
    let row = PathRow::new(paths);
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
                // Paths of other agents in the same file lead through no group of these.
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

/// Collects what the shown conversation and its agents claim to have used. An agent belongs where
/// the call is that started it, or started the agent that started it.
fn claims<'t>(
    shown: &'t Transcript<'_>,
    share_of: &dyn Fn(&Log, EntryIndex) -> Option<CostShare>,
) -> TaggedLedger<'t, CostShare> {
    let mut ledger = TaggedLedger::default();
    let log = shown.conversation.log;
    let shares = agent_shares(shown, share_of);
    let owners = inline_owners(shown);
    // The rest of the file is not the conversation of an agent inside it.
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

/// Returns the entries of a log that say what they used, each once.
fn entries_with_usage(log: &Log) -> impl Iterator<Item = EntryIndex> {
    let rows = log.usage.chunk_by(|one, other| one.entry == other.entry);
    rows.filter_map(|rows| Some(rows.first()?.entry))
}

/// Returns for each node of the shown file the agent inside it that the node belongs to, if the
/// shown conversation is another one.
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

/// Returns each agent inside the shown file: its place there, and its row.
fn inline_rows(shown: &Transcript<'_>) -> impl Iterator<Item = (usize, usize)> {
    let is_main = std::ptr::eq(shown.file, &raw const shown.session.main);
    let agents = shown.agents.iter().enumerate();
    agents.filter_map(move |(row, agent)| match agent.place {
        AgentPlace::Inline(index) if is_main => Some((index, row)),
        _ => None,
    })
}

/// Says where each agent belongs; nothing of one that is not below the shown conversation.
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
            // A walk that comes back here goes in a circle.
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

/// Says where the calls of the shown conversation are that started agents.
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
            // A call of an agent is on no path: the agent belongs where that one does.
            let share = share_of(log, index);
            if let Some(share) = share.filter(|&share| share != CostShare::Elsewhere) {
                let known = known.entry(call).or_insert(share);
                *known = known.and(share);
            }
        }
    }
    known
}
