//! Entries by name, and where in a conversation they are.

use std::collections::HashSet;
use std::io;

use unspool_model::conversation::{Conversation, Message, View};
use unspool_model::entry::Entry;
use unspool_model::graph::Graph;
use unspool_model::ids::EntryId;
use unspool_model::log::Log;
use unspool_model::near::near_id;
use unspool_model::paths::{Path, Paths, Speller};
use unspool_model::positions::{EntryIndex, GroupId, NodeId};

use unspool_store::home::MIN_PREFIX;
use unspool_store::session::Session;
use unspool_store::tail::LogFile;

/// How many entries are named when one is not clear.
const NAMED: usize = 8;

/// A record of a session or of one of its agents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryPlace {
    /// The file that it is in.
    pub file: EntryFile,
    /// Its position among the entries of that file.
    pub entry: EntryIndex,
    /// Its uuid.
    pub uuid: EntryId,
}

/// A file of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryFile {
    /// The session's own.
    Main,
    /// An agent's: the position in [`Session::agents`].
    Agent(usize),
}

/// Why an entry cannot be found.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EntryError {
    /// There is no such entry.
    #[error("no entry `{asked}` in this session")]
    Unknown {
        /// What was asked for.
        asked: String,
        /// Entries that look like it.
        near: Vec<EntryId>,
    },
    /// The beginning of a uuid is too short to be trusted.
    #[error("`{asked}` is too short: a part of a uuid needs {MIN_PREFIX} characters or more")]
    TooShort {
        /// What was asked for.
        asked: String,
    },
    /// Several entries begin like this.
    #[error("`{asked}` is the beginning of several entries")]
    Ambiguous {
        /// What was asked for.
        asked: String,
        /// Some of them, in file order.
        matches: Vec<EntryId>,
    },
}

/// Where in a view an entry is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntrySpot {
    /// The entry.
    pub entry: EntryId,
    /// The message, as a position in the view.
    pub message: u32,
    /// What the entry is to the message.
    pub part: SpotPart,
    /// Its position among the entries of its file.
    pub record: EntryIndex,
}

impl EntrySpot {
    /// Returns the name of the entry, as long as a person needs it.
    pub fn short(&self) -> &str {
        let name = self.entry.as_str();
        if name.starts_with(BYTE) {
            return name;
        }
        name.char_indices().nth(8).map_or(name, |(end, _)| &name[..end])
    }
}

/// Begins the name of an entry by its place: `byte:1234` begins at that byte of the session's log.
const BYTE: &str = "byte:";

/// What an entry is to a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpotPart {
    /// It is the message, or a piece of it.
    Said,
    /// It is the result of one of its calls.
    Result,
    /// It hangs on the message: a hook, a progress record, an attachment.
    NextTo,
}

impl EntryPlace {
    /// Returns the file that the entry is in.
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

/// Finds an entry of a session or of one of its agents, by its uuid in either case or by a
/// beginning of it that no other has.
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

/// Finds the entry that begins at a byte of the session's own log, or the one that the byte is in.
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

/// Finds the entry of the conversation that is next to a record of its file: the one before it,
/// else the one after it.
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

/// Finds a path that contains a node: the active one if it does, else the first.
pub(super) fn path_with(paths: &Paths, graph: &Graph, node: NodeId) -> Option<Path> {
    let mut group = paths.group_of(node)?;
    // What was left out is shown where it hangs on a path, or on the active one.
    while paths.groups[group].left_out {
        match paths.groups[group].parent() {
            Some(parent) => group = parent,
            None => return paths.active().cloned(),
        }
    }
    // Groups come after those that they continue.
    let mut leads_here = vec![false; paths.groups.len()];
    for (index, found) in GroupId::enumerate(&paths.groups) {
        let above = found.parent().map(|parent| leads_here[parent]);
        leads_here[index] = index == group || above == Some(true);
    }
    let mut candidates: Vec<&Path> =
        paths.paths.iter().filter(|path| leads_here[path.last]).collect();
    candidates.sort_by_key(|path| !path.active);
    let mut speller = Speller::default();
    let holding = candidates.iter().find(|path| speller.nodes(paths, graph, path).contains(&node));
    holding.or(candidates.first()).map(|path| (*path).clone())
}

/// Finds the message of a view that a node is, answers or hangs on.
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
    // What was written before anything was said has no message in its group.
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

/// Returns the number of the message of a view that an entry is a part of, answers or hangs on;
/// none if the entry is not on the view's way.
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

/// Tells whether a node contains the result of a call that another one makes.
fn answers(conversation: &Conversation<'_>, call: NodeId, node: NodeId) -> bool {
    let (log, graph) = (conversation.log, &conversation.graph);
    let uuid = graph.entry(log, node).uuid;
    log.calls_of(graph.entry(log, call))
        .filter_map(|block| conversation.result_of(call, block.call?))
        .any(|result| log.entries[result.entry].uuid == uuid)
}
