//! A session laid out for reading: the input of `show` and `export`.

mod facts;
mod request;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::io;
use std::ops::Range;

use unspool_model::conversation::{Conversation, InlineAgents, Liveness, RecordCounts, Turn, View};
use unspool_model::graph::{Rule, Scope};
use unspool_model::ids::EntryId;
use unspool_model::paths::{LeavingPaths, Path, PathExits, PathNodeLister, PathOrder, Paths};
use unspool_model::positions::{GroupId, PathNumber};
use unspool_model::usage::Tokens;
use unspool_redact::SessionRedactor;

pub use self::request::{LeftOutMessages, RequestError, TranscriptRequest, ViewKind};
use super::agents::{self, AgentInfo, AgentPlace};
use super::lineage::RelatedSession;
use super::locate::{self, EntryFile, EntryPlace, EntrySpot};
use super::message::{MessageReader, MessageText, Unanswered};
use unspool_store::session::Session;
use unspool_store::tail::LogFile;

/// A laid out session.
pub struct Transcript<'s> {
    /// The session.
    pub session: &'s Session,
    /// The shown file: the session's log, or an agent's.
    pub file: &'s LogFile,
    /// The conversation in the file.
    pub conversation: Conversation<'s>,
    /// The inline agents of the file.
    pub inline: InlineAgents,
    /// All agents of the session.
    pub agents: Vec<AgentInfo>,
    /// The agents by the calls that started them.
    pub agent_of: HashMap<String, String>,
    /// The shown agent; `None` for the session itself.
    pub agent: Option<String>,
    /// The shown path; `None` without a conversation.
    pub path: Option<Path>,
    /// The kind of the view.
    pub kind: ViewKind,
    /// The messages of the path.
    pub view: View,
    /// All turns of the view.
    pub turns: Vec<Turn>,
    /// The messages to show, as a range of the view's.
    pub shown: Range<u32>,
    /// The turns to show, as a range of indices.
    pub shown_turns: Range<usize>,
    /// The place of the requested entry; `None` if it is not part of a conversation.
    pub at: Option<EntrySpot>,
    /// Whether a process owns the session.
    pub live: Liveness,
    /// Sessions that share entries with this one; set by callers that know the other sessions.
    pub lineage: Vec<RelatedSession>,
    /// The points where other paths leave the shown one.
    exits: PathExits,
    /// The paths of the conversation in a row, built for the first path that is shown.
    row: Option<PathOrder>,
    speller: PathNodeLister,
    /// The title from the session's log, computed on first use.
    title: OnceCell<Option<String>>,
    unanswered: Unanswered,
    lens: Option<&'s SessionRedactor<'s>>,
}

impl<'s> Transcript<'s> {
    /// Lays a session out.
    pub fn new(session: &'s Session, request: &TranscriptRequest) -> Result<Self, RequestError> {
        Self::of(session, session.conversation(request.rule), request)
    }

    /// Lays out a session, given its conversation under the requested rule.
    pub fn of(
        session: &'s Session,
        own: Conversation<'s>,
        request: &TranscriptRequest,
    ) -> Result<Self, RequestError> {
        let inline = own.inline_agents();
        let agents = agents::agents(session, &own, &inline);
        let agent_of = agents::by_call(session, &agents);
        Self::laid_out(session, own, inline, (agents, agent_of), request)
    }

    /// Lays out a session, given its conversation, its agents, and the agents by the calls that
    /// started them.
    pub(crate) fn with_agents(
        session: &'s Session,
        own: Conversation<'s>,
        agents: (Vec<AgentInfo>, HashMap<String, String>),
        request: &TranscriptRequest,
    ) -> Result<Self, RequestError> {
        let inline = own.inline_agents();
        Self::laid_out(session, own, inline, agents, request)
    }

    fn laid_out(
        session: &'s Session,
        own: Conversation<'s>,
        inline: InlineAgents,
        (agents, agent_of): (Vec<AgentInfo>, HashMap<String, String>),
        request: &TranscriptRequest,
    ) -> Result<Self, RequestError> {
        let mut transcript = Self {
            session,
            file: &session.main,
            conversation: own,
            inline,
            agents,
            agent_of,
            agent: None,
            path: None,
            kind: request.view,
            view: View::default(),
            turns: Vec::new(),
            shown: 0..0,
            shown_turns: 0..0,
            at: None,
            live: session.live,
            lineage: Vec::new(),
            exits: PathExits::default(),
            row: None,
            speller: PathNodeLister::default(),
            title: OnceCell::new(),
            unanswered: request.unanswered(),
            lens: None,
        };
        match (&request.at, &request.agent) {
            (Some(place), _) => transcript.choose_place(place, request)?,
            (None, Some(agent)) => transcript.choose_agent(agent, request)?,
            (None, None) => transcript.choose_path(request)?,
        }
        if request.left_out == LeftOutMessages::Hide {
            transcript.view.hide_left_out();
        }
        transcript.turns = transcript.conversation.turns(&transcript.view, transcript.live);
        transcript.choose_turns(request)?;
        Ok(transcript)
    }

    /// Shows another path of the laid out conversation, with all turns.
    pub fn turn_to_path(&mut self, number: PathNumber) -> Result<(), RequestError> {
        self.turn_to(&TranscriptRequest { path: Some(number), ..TranscriptRequest::default() })
    }

    /// Shows the conversation of an agent, with all turns.
    ///
    /// Afterwards the transcript only has that conversation. To show inline agents, it is faster to
    /// do so before any agent with a separate file: the session's file is laid out again after one.
    pub fn turn_to_agent(&mut self, id: &str) -> Result<(), RequestError> {
        self.turn_to(&TranscriptRequest {
            agent: Some(id.to_owned()),
            ..TranscriptRequest::default()
        })
    }

    fn turn_to(&mut self, request: &TranscriptRequest) -> Result<(), RequestError> {
        let request = TranscriptRequest { rule: self.conversation.rule, ..request.clone() };
        self.exits = PathExits::default();
        self.at = None;
        match &request.agent {
            Some(agent) => self.choose_agent(agent, &request)?,
            None => self.choose_path(&request)?,
        }
        self.turns = self.conversation.turns(&self.view, self.live);
        self.choose_turns(&request)
    }

    fn choose_agent(&mut self, id: &str, request: &TranscriptRequest) -> Result<(), RequestError> {
        let shown = self.shown_id(id);
        let Some(agent) = agents::find(&self.agents, &shown) else {
            let known = self.agents.iter().map(|agent| agent.id.clone()).collect();
            return Err(RequestError::NoAgent { asked: id.to_owned(), known });
        };
        let place = agent.place;
        self.agent = Some(agent.id.clone());
        match place {
            AgentPlace::File(index) => {
                self.open_agent(index, request.rule);
                self.choose_path(request)
            }
            AgentPlace::Inline(index) => {
                if !std::ptr::eq(self.file, &raw const self.session.main) {
                    let own = self.session.conversation(request.rule);
                    self.lay_out(&self.session.main, own);
                }
                self.choose_inline_path(index, request)
            }
        }
    }

    /// Lays out the conversation of an agent with a separate file.
    fn open_agent(&mut self, index: usize, rule: Rule) {
        let agent = &self.session.agents[index];
        self.agent = Some(self.shown_id(agent.id.as_str()));
        self.lay_out(&agent.file, Conversation::new(agent.file.log(), rule, Scope::Agent));
    }

    /// Replaces the shown file.
    fn lay_out(&mut self, file: &'s LogFile, conversation: Conversation<'s>) {
        self.inline = conversation.inline_agents();
        (self.file, self.conversation) = (file, conversation);
        self.row = None;
    }

    /// Shows the conversation and the path that contain an entry; the active path if there is none.
    fn choose_place(
        &mut self,
        place: &EntryPlace,
        request: &TranscriptRequest,
    ) -> Result<(), RequestError> {
        if let EntryFile::Agent(index) = place.file {
            self.open_agent(index, request.rule);
        }
        let conversation = &self.conversation;
        let uuid = conversation.log.entries[place.entry].uuid;
        let own = uuid.and_then(|uuid| conversation.graph.node(uuid));
        let Some(node) = own.or_else(|| locate::node_near(conversation, place)) else {
            return self.choose_path(request);
        };
        let inside = conversation.graph.nodes[node].sidechain;
        let paths = if inside { &self.inline.paths } else { &conversation.paths };
        let Some(path) = locate::path_with(paths, &conversation.graph, node) else {
            return self.choose_path(request);
        };
        if inside {
            let owner = self.inline.owners(conversation)[node];
            let agent =
                self.agents.iter().find(|agent| owner.map(AgentPlace::Inline) == Some(agent.place));
            self.agent = agent.map(|agent| agent.id.clone());
            self.show_inline(path);
        } else {
            self.show_path(path, ViewKind::History);
        }
        let conversation = &self.conversation;
        let paths = if inside { &self.inline.paths } else { &conversation.paths };
        self.at =
            locate::message_with(conversation, paths, &self.view, node).map(|(message, part)| {
                EntrySpot {
                    entry: place.uuid.clone(),
                    message,
                    part: if own.is_some() { part } else { locate::SpotPart::NextTo },
                    record: place.entry,
                }
            });
        Ok(())
    }

    /// Lays out a path of the conversation.
    fn show_path(&mut self, path: Path, kind: ViewKind) {
        let conversation = &self.conversation;
        let (paths, graph) = (&conversation.paths, &conversation.graph);
        let is_forked = paths.paths.len() > 1;
        if is_forked {
            let row = self.row.get_or_insert_with(|| PathOrder::new(paths));
            self.exits = row.exits(paths, &path);
        }
        self.view = match kind {
            ViewKind::History => conversation.history_of(self.speller.nodes(paths, graph, &path)),
            ViewKind::Context => conversation.context(&path),
        };
        if !is_forked {
            // No other path will need its buffers.
            self.speller = PathNodeLister::default();
        }
        self.path = Some(path);
    }

    /// Lays out a path of an inline agent.
    fn show_inline(&mut self, path: Path) {
        let graph = &self.conversation.graph;
        let nodes = self.speller.nodes(&self.inline.paths, graph, &path);
        self.view = self.conversation.inline_history_of(&self.inline, nodes);
        self.path = Some(path);
    }

    /// Selects a path of an inline agent, whose paths are numbered from one.
    fn choose_inline_path(
        &mut self,
        index: usize,
        request: &TranscriptRequest,
    ) -> Result<(), RequestError> {
        let agent = &self.inline.agents[index];
        let path = match request.path {
            None => agent.path.clone(),
            Some(asked) => {
                let listed = self.inline.paths_of(agent);
                let number = listed.get(asked.index());
                let found = number.and_then(|&number| self.inline.paths.path(number));
                let count = listed.len();
                found.ok_or(RequestError::NoPath { asked, count })?.clone()
            }
        };
        self.show_inline(path);
        Ok(())
    }

    fn choose_path(&mut self, request: &TranscriptRequest) -> Result<(), RequestError> {
        let paths = &self.conversation.paths;
        let path = match request.path {
            None => paths.active().cloned(),
            Some(asked) => {
                let count = paths.paths.len();
                let found = paths.path(asked).cloned();
                Some(found.ok_or(RequestError::NoPath { asked, count })?)
            }
        };
        if let Some(path) = path {
            self.show_path(path, self.kind);
        } else {
            (self.path, self.view) = (None, View::default());
        }
        Ok(())
    }

    fn choose_turns(&mut self, request: &TranscriptRequest) -> Result<(), RequestError> {
        let count = self.turns.len();
        let Some(asked) = &request.turns else {
            self.shown = 0..self.view.messages.len() as u32;
            self.shown_turns = 0..count;
            return Ok(());
        };
        let chosen = asked.start.index()..asked.end.index().min(count);
        let turns = self.turns.get(chosen.clone()).unwrap_or_default();
        let (Some(first), Some(last)) = (turns.first(), turns.last()) else {
            return Err(RequestError::NoTurn { asked: asked.start, count });
        };
        (self.shown, self.shown_turns) = (first.messages.start..last.messages.end, chosen);
        Ok(())
    }

    /// Returns the place of an entry in the shown view; `None` if the entry is not in it.
    pub fn spot(&self, place: &EntryPlace) -> Option<EntrySpot> {
        if !std::ptr::eq(place.log(self.session), self.file) {
            return None;
        }
        let conversation = &self.conversation;
        let uuid = conversation.log.entries[place.entry].uuid?;
        let node = conversation.graph.node(uuid)?;
        let (message, part) = locate::message_with(conversation, self.paths(), &self.view, node)?;
        // An entry next to a message counts only if the shown path contains it.
        let is_here = part != locate::SpotPart::NextTo || self.view.walk().contains(&node);
        is_here.then(|| EntrySpot { entry: place.uuid.clone(), message, part, record: place.entry })
    }

    /// Returns the first message to show: the beginning of the turn with the requested entry, or
    /// else of the shown range.
    pub fn start(&self) -> u32 {
        let Some(at) = &self.at else {
            return self.shown.start;
        };
        let turn = self.turns.iter().find(|turn| turn.messages.contains(&at.message));
        turn.map_or(self.shown.start, |turn| turn.messages.start)
    }

    /// Reads the record of the requested entry.
    pub fn record_at(&self) -> io::Result<Option<Vec<u8>>> {
        let Some(at) = &self.at else {
            return Ok(None);
        };
        let span = self.file.log().entries[at.record].span;
        Ok(Some(self.file.reader().bytes(span)?.to_vec()))
    }

    /// Returns a reader of the messages.
    pub fn reader(&self) -> MessageReader<'_> {
        MessageReader::new(
            &self.conversation,
            self.file,
            &self.agent_of,
            self.live,
            self.unanswered,
        )
        .through(self.lens)
    }

    /// Reads the messages to show, one at a time.
    pub fn messages(&self) -> impl Iterator<Item = io::Result<MessageText>> + '_ {
        let mut reader = self.reader();
        let shown = self.shown.start as usize..self.shown.end as usize;
        let messages = self.view.messages[shown].iter();
        messages.map(move |message| reader.read(&self.view, message))
    }

    /// Reads messages of the view by their indices, skipping indices past the end.
    pub fn messages_in(&self, range: Range<usize>) -> io::Result<Vec<MessageText>> {
        let mut reader = self.reader();
        let end = range.end.min(self.view.messages.len());
        let messages = &self.view.messages[range.start.min(end)..end];
        let messages = messages.iter();
        messages.map(|message| reader.read(&self.view, message)).collect()
    }

    /// Returns the index of the message of the view that contains an entry, or the one that the
    /// entry answers or follows.
    pub fn position_of(&self, entry: &EntryId) -> Option<usize> {
        locate::position(&self.conversation, self.paths(), &self.view, entry)
    }

    /// Returns the set of paths that the shown path belongs to.
    fn paths(&self) -> &Paths {
        match self.inline_paths() {
            Some(_) => &self.inline.paths,
            None => &self.conversation.paths,
        }
    }

    /// Redacts the session with a lens.
    #[must_use]
    pub fn through(mut self, lens: &'s SessionRedactor<'s>) -> Self {
        self.lens = Some(lens);
        for agent in &mut self.agents {
            for said in [&mut agent.kind, &mut agent.description] {
                *said = said.take().map(|said| lens.text(&said).into_owned());
            }
            agent.id = lens.id(&agent.id).into_owned();
            for id in [&mut agent.call, &mut agent.parent, &mut agent.forked_at] {
                *id = id.take().map(|id| lens.id(&id).into_owned());
            }
        }
        for agent in self.agent_of.values_mut() {
            *agent = lens.id(agent).into_owned();
        }
        self
    }

    /// Returns the lens that redacts the session.
    pub fn lens(&self) -> Option<&'s SessionRedactor<'s>> {
        self.lens
    }

    /// Returns a text of the session from outside messages, redacted.
    pub fn redacted(&self, text: String) -> String {
        match self.lens {
            Some(lens) => lens.text(&text).into_owned(),
            None => text,
        }
    }

    /// Returns the id of a session, an entry or an agent, redacted.
    pub fn shown_id(&self, id: &str) -> String {
        self.entry_id(id).into_owned()
    }

    /// Returns the id of an entry, redacted; borrowed if possible, since there are many ids.
    pub fn entry_id<'i>(&self, id: &'i str) -> Cow<'i, str> {
        match self.lens {
            Some(lens) => lens.id(id),
            None => Cow::Borrowed(id),
        }
    }

    /// Returns the other paths that leave the shown one at a group.
    pub fn leaving(&self, group: GroupId) -> Option<LeavingPaths<'_>> {
        self.row.as_ref()?.leaving(&self.exits, group)
    }

    /// Returns the number of a path among the listed ones.
    pub fn number_of(&self, path: &Path) -> PathNumber {
        let listed = self.inline_paths().map(|listed| listed.binary_search(&path.index));
        match listed {
            Some(Ok(at)) => PathNumber::at(at),
            Some(Err(_)) | None => path.index,
        }
    }

    /// Returns the number of paths of the shown conversation.
    pub fn path_count(&self) -> usize {
        let listed = self.inline_paths().map(<[PathNumber]>::len);
        listed.unwrap_or(self.conversation.paths.paths.len())
    }

    /// Returns the paths of the shown conversation, with the set they belong to.
    pub fn listed_paths(&self) -> (&Paths, Vec<&Path>) {
        unspool_work::add(self.path_count());
        let paths = self.paths();
        let Some(listed) = self.inline_paths() else {
            return (paths, paths.paths.iter().collect());
        };
        (paths, listed.iter().filter_map(|&number| paths.path(number)).collect())
    }

    /// Returns the numbers of the shown agent's paths, if it is an inline agent.
    fn inline_paths(&self) -> Option<&[PathNumber]> {
        let id = self.agent.as_ref()?;
        let shown = self.agents.iter().find(|agent| agent.id == *id)?;
        match shown.place {
            AgentPlace::Inline(index) => {
                let agent = self.inline.agents.get(index)?;
                Some(self.inline.paths_of(agent))
            }
            AgentPlace::File(_) => None,
        }
    }

    /// Returns the agents without a known call.
    pub fn unlinked(&self) -> impl Iterator<Item = &AgentInfo> {
        self.agents.iter().filter(|agent| agent.call.is_none())
    }

    /// Counts the records of the shown file.
    pub fn counts(&self) -> RecordCounts {
        self.conversation.counts()
    }

    /// Returns the tokens of the session and its agents.
    pub fn tokens(&self) -> Tokens {
        self.session.usage().total()
    }
}
