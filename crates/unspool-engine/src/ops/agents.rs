//! The agents of a session in any layout, as one list.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use unspool_model::agent::{AgentCandidate, Linker};
use unspool_model::conversation::{Conversation, InlineAgents};
use unspool_model::entry::{Block, BlockKind};
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::{AgentLink, Log, is_agent_tool};
use unspool_model::positions::{EntryIndex, NodeId};
use unspool_model::symbols::Symbol;

use unspool_store::home::layout::agent_in;
use unspool_store::session::{Launches, Session};

/// An agent of a session.
#[derive(Clone, Debug)]
pub struct AgentInfo {
    /// The id; for an agent without one, the uuid of its first entry.
    pub id: String,
    /// The call that started the agent, if it is known.
    pub call: Option<String>,
    /// The agent that started it; `None` for the session itself.
    pub parent: Option<String>,
    /// The kind of the agent.
    pub kind: Option<String>,
    /// The short description of its task.
    pub description: Option<String>,
    /// The nesting depth; one for an agent that the session started.
    pub depth: u32,
    /// The entry of the parent conversation that a forked agent continues from.
    pub forked_at: Option<String>,
    /// The number of messages in its conversation.
    pub message_count: usize,
    /// The file that contains its conversation.
    pub file: PathBuf,
    /// The place of its conversation in the session.
    pub place: AgentPlace,
}

/// The place of an agent's conversation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentPlace {
    /// A separate file, by its index in [`Session::agents`].
    File(usize),
    /// The session's file, by the agent's index in [`InlineAgents::agents`].
    Inline(usize),
}

/// Lists the agents of a session, inline agents first.
pub fn agents(
    session: &Session,
    conversation: &Conversation<'_>,
    inline: &InlineAgents,
) -> Vec<AgentInfo> {
    let count = |index: usize| {
        let log = session.agents[index].file.log();
        let own = Conversation::new(log, Rule::Current, Scope::Agent);
        let active = own.paths.active();
        active.map_or(0, |path| own.history(path).messages.len())
    };
    counted_agents(session, conversation, inline, count)
}

/// Lists the agents of a session, inline agents first. `count` returns the number of messages of an
/// agent, given its index in [`Session::agents`].
pub(crate) fn counted_agents(
    session: &Session,
    conversation: &Conversation<'_>,
    inline: &InlineAgents,
    count: impl Fn(usize) -> usize,
) -> Vec<AgentInfo> {
    let mut all = inline_agents(session, conversation, inline);
    all.extend(session.agents.iter().enumerate().map(|(index, agent)| AgentInfo {
        id: agent.id.as_str().to_owned(),
        call: agent.call.as_deref().map(Into::into),
        parent: agent.parent.map(|parent| session.agents[parent].id.as_str().to_owned()),
        kind: agent.kind.clone(),
        description: agent.description.clone(),
        depth: agent.depth,
        forked_at: {
            let log = agent.file.log();
            log.facts.forked_at.map(|uuid| log.text(uuid).to_owned())
        },
        message_count: count(index),
        file: agent.file.path().to_owned(),
        place: AgentPlace::File(index),
    }));
    all
}

/// Returns the indices of agents in an order in which each comes after the agent that started it.
pub fn nested<'a>(agents: impl IntoIterator<Item = &'a AgentInfo>) -> Vec<usize> {
    let agents: Vec<&AgentInfo> = agents.into_iter().collect();
    let places = agents.iter().enumerate();
    let places: HashMap<&str, usize> = places.map(|(at, info)| (info.id.as_str(), at)).collect();
    let mut started: Vec<Vec<usize>> = vec![Vec::new(); agents.len()];
    let mut waiting = Vec::new();
    for (at, info) in agents.iter().enumerate().rev() {
        // An agent that is its own ancestor would never be reached.
        let parent = info.parent.as_deref().filter(|_| info.depth > 1);
        match parent.and_then(|id| places.get(id)) {
            Some(&parent) if agents[parent].depth < info.depth => started[parent].push(at),
            _ => waiting.push(at),
        }
    }
    let mut ordered = Vec::with_capacity(agents.len());
    while let Some(next) = waiting.pop() {
        ordered.push(next);
        waiting.append(&mut started[next]);
    }
    ordered
}

fn inline_agents(
    session: &Session,
    conversation: &Conversation<'_>,
    inline: &InlineAgents,
) -> Vec<AgentInfo> {
    let ids = inline_ids(conversation, inline);
    let calls = inline_calls(conversation, inline);
    let mut launches = Launches::of(&session.main);
    let counts = inline.message_counts(conversation);
    let mut infos: Vec<AgentInfo> = Vec::with_capacity(ids.len());
    for (index, call) in calls.into_iter().enumerate() {
        let said = call.as_deref().and_then(|call| launches.describe(call));
        let (kind, description) = said.unwrap_or_default();
        infos.push(AgentInfo {
            id: ids[index].clone(),
            call,
            parent: None,
            kind,
            description,
            depth: 1,
            forked_at: None,
            message_count: counts[index],
            file: session.main.path().to_owned(),
            place: AgentPlace::Inline(index),
        });
    }
    nest(conversation, inline, &launches, &mut infos);
    infos
}

/// Returns the call that started each inline agent, in their order.
pub(super) fn inline_calls(
    conversation: &Conversation<'_>,
    inline: &InlineAgents,
) -> Vec<Option<String>> {
    let log = conversation.log;
    let openings: HashMap<EntryIndex, u64> = log
        .links
        .iter()
        .filter_map(|link| match link {
            AgentLink::FirstTexts { entry, prompt } => Some((*entry, *prompt)),
            _ => None,
        })
        .collect();
    let opening = |root: NodeId| openings.get(&conversation.graph.nodes[root].content);
    let candidates: Vec<AgentCandidate<'_>> = inline
        .agents
        .iter()
        .map(|agent| AgentCandidate {
            id: agent.agent.map_or("", |id| log.text(id)),
            prompt: opening(agent.root).copied(),
            ..AgentCandidate::default()
        })
        .collect();
    let mut linker = Linker::default();
    linker.add(log);
    let calls = linker.link(&candidates).into_iter().zip(&inline.agents);
    calls
        .map(|(call, agent)| {
            call.map(String::from).or_else(|| spawning_call(conversation, agent.root))
        })
        .collect()
}

/// Returns the ids of inline agents; the uuid of its first entry for an agent without a unique id.
fn inline_ids(conversation: &Conversation<'_>, inline: &InlineAgents) -> Vec<String> {
    let log = conversation.log;
    let mut taken = HashSet::new();
    inline
        .agents
        .iter()
        .map(|agent| {
            let uuid = conversation.graph.entry(log, agent.root).uuid;
            let id = agent.agent.filter(|&id| taken.insert(id)).or(uuid);
            id.map(|symbol| log.text(symbol).to_owned()).unwrap_or_default()
        })
        .collect()
}

/// Sets the parents and depths of inline agents that other agents started.
fn nest(
    conversation: &Conversation<'_>,
    inline: &InlineAgents,
    launches: &Launches<'_>,
    infos: &mut [AgentInfo],
) {
    let owners = inline.owners(conversation);
    let parents: Vec<Option<usize>> = infos
        .iter()
        .enumerate()
        .map(|(index, agent)| {
            let entry = launches.entry(agent.call.as_deref()?)?;
            let uuid = conversation.log.entries[entry].uuid?;
            let owner = owners[conversation.graph.node(uuid)?]?;
            (owner != index).then_some(owner)
        })
        .collect();
    for (index, depth) in depths(&parents).into_iter().enumerate() {
        infos[index].parent = parents[index].map(|parent| infos[parent].id.clone());
        infos[index].depth = depth;
    }
}

/// Returns the depths of agents, given the agent that started each: one for agents that no agent
/// started. Agents on a cycle are deeper than all others.
fn depths(parents: &[Option<usize>]) -> Vec<u32> {
    const UNKNOWN: u32 = 0;
    let deepest = parents.len() as u32 + 1;
    let mut depths = vec![UNKNOWN; parents.len()];
    for index in 0..parents.len() {
        let mut above = Vec::new();
        let mut at = Some(index);
        while let Some(agent) = at.filter(|&agent| depths[agent] == UNKNOWN) {
            unspool_work::add(1);
            // Marks the agent as visited, so that a walk around a cycle ends.
            depths[agent] = deepest;
            above.push(agent);
            at = parents[agent];
        }
        let mut depth = at.map_or(0, |agent| depths[agent]);
        for agent in above.into_iter().rev() {
            depth = (depth + 1).min(deepest);
            depths[agent] = depth;
        }
    }
    depths
}

/// Returns the agent call in the entry that an agent's first entry names as its parent.
fn spawning_call(conversation: &Conversation<'_>, root: NodeId) -> Option<String> {
    let log = conversation.log;
    let parent = conversation.graph.named_parent(log, root)?;
    let blocks = log.blocks_of(conversation.graph.entry(log, parent));
    let starts = |block: &&Block| {
        let name = block.name.map(|name| log.text(name).as_bytes());
        block.kind == BlockKind::Call && name.is_some_and(is_agent_tool)
    };
    let call = blocks.iter().find(starts)?.call?;
    Some(log.text(call).to_owned())
}

/// Returns the calls of a log that started an agent.
pub(super) fn launches(log: &Log) -> HashSet<Symbol> {
    let call = |link: &AgentLink| match link {
        AgentLink::Launch { call, .. } => Some(*call),
        _ => None,
    };
    log.links.iter().filter_map(call).collect()
}

/// Returns the agent of each call that started one, including agents whose files are gone.
pub fn by_call(session: &Session, agents: &[AgentInfo]) -> HashMap<String, String> {
    let mut agent_of: HashMap<String, String> =
        agents.iter().filter_map(|agent| Some((agent.call.clone()?, agent.id.clone()))).collect();
    for log in session.logs() {
        let launched = launches(log);
        for link in &log.links {
            let (call, agent) = match *link {
                AgentLink::Result { call, agent } | AgentLink::Progress { call, agent } => {
                    (call, agent)
                }
                AgentLink::Text { call, agent } if launched.contains(&call) => (call, agent),
                _ => continue,
            };
            agent_of.entry(log.text(call).to_owned()).or_insert_with(|| log.text(agent).to_owned());
        }
    }
    agent_of
}

/// Finds an agent by its id, or by an unambiguous prefix of it.
pub fn find<'a>(agents: &'a [AgentInfo], id: &str) -> Option<&'a AgentInfo> {
    let id = agent_in(id);
    let exact = agents.iter().find(|agent| agent.id == id);
    let mut starting = agents.iter().filter(|agent| agent.id.starts_with(id));
    exact.or_else(|| starting.next().filter(|_| starting.next().is_none()))
}
