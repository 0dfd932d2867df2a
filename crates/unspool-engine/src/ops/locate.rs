//! Finds entries by name, and their places in a conversation.

use std::collections::HashSet;
use std::io;

use unspool_model::conversation::{Conversation, Message, View};
use unspool_model::entry::Entry;
use unspool_model::graph::Graph;
use unspool_model::ids::EntryId;
use unspool_model::log::Log;
use unspool_model::near::near_id;
use unspool_model::paths::{Path, PathNodeLister, Paths};
use unspool_model::positions::{EntryIndex, GroupId, NodeId};

use unspool_store::home::MIN_PREFIX;
use unspool_store::session::Session;
use unspool_store::tail::LogFile;

/// How many entries an error lists.
const NAMED: usize = 8;

/// A record of a session or of one of its agents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryPlace {
    /// The file that contains the record.
    pub file: EntryFile,
    /// Its index among the entries of that file.
    pub entry: EntryIndex,
    /// The uuid of the record, or the `byte:` name by which it was requested.
    pub uuid: EntryId,
}

/// A file of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryFile {
    /// The session's own log.
    Main,
    /// An agent's log, by its index in [`Session::agents`].
    Agent(usize),
}

/// Why an entry cannot be found.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EntryError {
    /// The session has no such entry.
    #[error("no entry `{asked}` in this session")]
    Unknown {
        /// The requested name.
        asked: String,
        /// Entries with similar uuids.
        near: Vec<EntryId>,
    },
    /// The prefix of a uuid is too short.
    #[error("`{asked}` is too short: a part of a uuid needs {MIN_PREFIX} characters or more")]
    TooShort {
        /// The requested name.
        asked: String,
    },
    /// Several entries have this prefix.
    #[error("`{asked}` is the beginning of several entries")]
    Ambiguous {
        /// The requested name.
        asked: String,
        /// Some of the matching entries, in file order.
        matches: Vec<EntryId>,
    },
}

/// The place of an entry in a view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntrySpot {
    /// The entry.
    pub entry: EntryId,
    /// The index of the message in the view.
    pub message: u32,
    /// The relation of the entry to the message.
    pub part: SpotPart,
    /// The index of the entry in its file.
    pub record: EntryIndex,
}

impl EntrySpot {
    /// Returns the name of the entry, shortened for display.
    pub fn short(&self) -> &str {
        let name = self.entry.as_str();
        if name.starts_with(BYTE) {
            return name;
        }
        name.char_indices().nth(8).map_or(name, |(end, _)| &name[..end])
    }
}

/// The prefix of an entry's name by offset: `byte:1234` is the entry at that byte of the session's log.
const BYTE: &str = "byte:";

/// The relation of an entry to a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpotPart {
    /// The entry is the message or a part of it.
    Said,
    /// The entry is the result of one of its calls.
    Result,
    /// The entry follows the message without being part of it: a hook, a progress record, an attachment.
    NextTo,
}

impl EntryPlace {
    /// Returns the file that contains the entry.
    pub fn log<'s>(&self, session: &'s Session) -> &'s LogFile {
        match self.file {
            EntryFile::Main => &session.main,
            EntryFile::Agent(index) => &session.agents[index].file,
        }
    }

    /// Reads the untouched bytes of the entry.
    pub fn bytes(&self, session: &Session) -> io::Result<Vec<u8>> {
        let file = self.log(session);
        let span = file.log().entries[self.entry].span;
        Ok(file.reader().bytes(span)?.to_vec())
    }
}

/// Finds an entry of a session or of one of its agents, by its uuid or an unambiguous prefix,
/// ignoring case.
///
/// Of several records with one uuid the last counts, and the session's own before an agent's.
pub fn find(session: &Session, asked: &str) -> Result<EntryPlace, EntryError> {
    if let Some(place) = exactly(session, asked).or_else(|| at_byte(session, asked)) {
        return Ok(place);
    }
    if asked.chars().count() < MIN_PREFIX {
        let asked = asked.to_owned();
        return Err(EntryError::TooShort { asked });
    }
    let mut seen = HashSet::new();
    let matches: Vec<&str> = files(session)
        .flat_map(|(_, log)| uuids(log))
        .filter(|uuid| {
            let start = uuid.get(..asked.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(asked)) && seen.insert(*uuid)
        })
        .take(NAMED + 1)
        .collect();
    let found = match matches.as_slice() {
        [uuid] => exactly(session, uuid),
        _ => None,
    };
    let asked = asked.to_owned();
    match found {
        Some(place) => Ok(place),
        None if matches.is_empty() => {
            Err(EntryError::Unknown { near: near(session, &asked), asked })
        }
        None => Err(EntryError::Ambiguous {
            asked,
            matches: matches.into_iter().take(NAMED).map(EntryId::new).collect(),
        }),
    }
}

fn exactly(session: &Session, uuid: &str) -> Option<EntryPlace> {
    files(session).find_map(|(file, log)| {
        Some(EntryPlace { file, entry: log.find(uuid)?, uuid: EntryId::new(uuid) })
    })
}

/// Finds the entry of the session's own log that contains a byte.
fn at_byte(session: &Session, asked: &str) -> Option<EntryPlace> {
    let byte: u64 = asked.strip_prefix(BYTE)?.parse().ok()?;
    let entries = &session.log().entries;
    let after = entries.partition_point(|entry| entry.span.start <= byte);
    let entry = after.checked_sub(1)?;
    (entries[entry].span.end() > byte).then(|| EntryPlace {
        file: EntryFile::Main,
        entry: EntryIndex::at(entry),
        uuid: EntryId::new(asked),
    })
}

/// Finds the entry of the conversation nearest to a record of its file: the last one before it,
/// else the first one after it.
pub(super) fn node_near(conversation: &Conversation<'_>, place: &EntryPlace) -> Option<NodeId> {
    if !place.uuid.as_str().starts_with(BYTE) {
        return None;
    }
    let entries = &conversation.log.entries;
    let (before, after) = entries.split_at(place.entry.index());
    let node = |entry: &Entry| {
        let node = conversation.graph.node(entry.uuid?)?;
        (!conversation.graph.nodes[node].sidechain).then_some(node)
    };
    before.iter().rev().find_map(node).or_else(|| after.iter().find_map(node))
}

/// Returns the logs of a session, its own first.
fn files(session: &Session) -> impl Iterator<Item = (EntryFile, &Log)> {
    let agents = session.agents.iter().enumerate();
    let agents = agents.map(|(index, agent)| (EntryFile::Agent(index), agent.file.log()));
    std::iter::once((EntryFile::Main, session.log())).chain(agents)
}

fn uuids(log: &Log) -> impl Iterator<Item = &str> {
    let uuids = log.entries.iter().filter_map(|entry| entry.uuid);
    uuids.map(|uuid| log.text(uuid))
}

fn near(session: &Session, asked: &str) -> Vec<EntryId> {
    let mut ranked: Vec<(usize, &str)> = files(session)
        .flat_map(|(_, log)| uuids(log))
        .filter_map(|uuid| Some((near_id(asked, uuid, 0)?, uuid)))
        .collect();
    ranked.sort_unstable();
    ranked.dedup();
    ranked.truncate(NAMED);
    let ids = ranked.into_iter().map(|(_, uuid)| EntryId::new(uuid));
    ids.collect()
}

/// Returns a path that contains a node: the active one if it does, else the first.
pub(super) fn path_with(paths: &Paths, graph: &Graph, node: NodeId) -> Option<Path> {
    let mut group = paths.group_of(node)?;
    // A left-out group is on no path: use the group that it follows, or else the active path.
    while paths.groups[group].left_out {
        match paths.groups[group].parent() {
            Some(parent) => group = parent,
            None => return paths.active().cloned(),
        }
    }
    // A group comes after the group that it continues, so one pass is enough.
    let mut leads_here = vec![false; paths.groups.len()];
    for (index, found) in GroupId::enumerate(&paths.groups) {
        let above = found.parent().map(|parent| leads_here[parent]);
        leads_here[index] = index == group || above == Some(true);
    }
    let mut candidates: Vec<&Path> =
        paths.paths.iter().filter(|path| leads_here[path.last]).collect();
    candidates.sort_by_key(|path| !path.active);
    let mut speller = PathNodeLister::default();
    let holding = candidates.iter().find(|path| speller.nodes(paths, graph, path).contains(&node));
    holding.or(candidates.first()).map(|path| (*path).clone())
}

/// Returns the message of a view that contains a node, or the one that the node answers or follows.
pub(super) fn message_with(
    conversation: &Conversation<'_>,
    paths: &Paths,
    view: &View,
    node: NodeId,
) -> Option<(u32, SpotPart)> {
    let messages = || (0u32..).zip(&view.messages);
    if let Some((index, _)) = messages().find(|(_, message)| view.nodes(message).contains(&node)) {
        return Some((index, SpotPart::Said));
    }
    let answered = messages().find(|(_, message)| {
        let mut nodes = view.nodes(message).iter();
        nodes.any(|&call| answers(conversation, call, node))
    });
    if let Some((index, _)) = answered {
        return Some((index, SpotPart::Result));
    }
    // Entries before the first message have no message in their group.
    let group = paths.group_of(node);
    let in_group = |message: &Message| group.is_some() && message.group == group;
    let before = |message: &Message| view.nodes(message)[0] < node;
    let last = messages()
        .filter(|(_, message)| in_group(message) && before(message))
        .last()
        .or_else(|| messages().find(|(_, message)| in_group(message)))
        .or_else(|| messages().filter(|(_, message)| before(message)).last())
        .or_else(|| messages().next());
    last.map(|(index, _)| (index, SpotPart::NextTo))
}

/// Returns the index of the message of a view that contains an entry, or the one that the entry
/// answers or follows; `None` if the entry is not on the view's path.
pub(crate) fn position(
    conversation: &Conversation<'_>,
    paths: &Paths,
    view: &View,
    entry: &EntryId,
) -> Option<usize> {
    let uuid = conversation.log.symbols.find(entry.as_str())?;
    let node = conversation.graph.node(uuid)?;
    let (message, part) = message_with(conversation, paths, view, node)?;
    let message = message as usize;
    let group = view.messages[message].group;
    let is_on_the_way =
        part != SpotPart::NextTo || (group.is_some() && group == paths.group_of(node));
    is_on_the_way.then_some(message)
}

/// Reports whether a node contains the result of a call in another node.
fn answers(conversation: &Conversation<'_>, call: NodeId, node: NodeId) -> bool {
    let (log, graph) = (conversation.log, &conversation.graph);
    let uuid = graph.entry(log, node).uuid;
    log.calls_of(graph.entry(log, call))
        .filter_map(|block| conversation.result_of(call, block.call?))
        .any(|result| log.entries[result.entry].uuid == uuid)
}
