//! Sessions that stay open.
//!
//! An [`OpenSession`] owns the logs of a session and the parsed conversations of the session and
//! its agents, and can be shared between threads. [`OpenSession::refresh`] reads what was appended
//! to the files and extends the conversations; a line whose parent is the last entry costs work for
//! that line only. Readers use [`OpenSession::view`], which waits for a running refresh and so
//! never sees half of one. Nothing runs by itself: the owner decides when to refresh.
//!
//! Two answers differ while the last line of a log has no line break. Messages, transcripts and
//! counts include the line as far as it was written; streams ([`super::feed`]) include it once it
//! is whole.

use std::io;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use unspool_model::conversation::{
    Conversation, Extension, KeptConversation, Liveness, RecordCounts, View,
};
use unspool_model::entry::Flags;
use unspool_model::graph::{Rule, Scope};
use unspool_model::ids::{AgentId, EntryId, ProjectId};
use unspool_model::log::Log;

use super::Library;
use super::error::LibraryError;
use super::feed::{
    FeedPosition, FeedStatus, FeedStrand, FeedTarget, FollowedLog, LinkedCalls, StrandSource,
};
use super::note::Listener;
use super::resolve::SessionRequest;
use super::session::{LibrarySession, siblings};
use crate::ops::agents::{self, AgentInfo, AgentPlace};
use crate::ops::find::{self, FoundMessage, Needle};
use crate::ops::lineage::{self, RelatedSession};
use crate::ops::locate;
use crate::ops::message::{MessageReader, MessageText, Unanswered};
use crate::ops::transcript::{RequestError, Transcript, TranscriptRequest};
use unspool_store::home::{self, Home, LiveSession, LiveSessions, Resolved};
use unspool_store::session::{Session, SessionFileError, SessionGrowth};
use unspool_store::tail::LogFileChange;

/// A session that stays open.
pub struct OpenSession {
    found: Resolved,
    state: RwLock<OpenState>,
    /// The size of its logs in bytes when they were last read.
    bytes: AtomicU64,
}

/// The state of an open session at one moment.
pub struct OpenState {
    session: Session,
    main: FollowedLog,
    /// The followed logs of agents, in the order of [`Session::agents`].
    followed: Vec<FollowedLog>,
    agents: Vec<AgentInfo>,
    /// The links from calls to the agents that they started.
    links: Arc<LinkedCalls>,
    /// The state of the process that owns the session.
    process: Option<LiveSession>,
    /// Whether the session's log was missing at the last refresh.
    is_gone: bool,
}

/// A read lock on an open session. Refreshing waits until it is dropped.
pub struct OpenSessionView<'a>(RwLockReadGuard<'a, OpenState>);

/// The result of a refresh.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionChange {
    /// The change of the active path's history.
    pub history: Extension,
    /// The agents whose logs grew, were replaced or are new.
    pub agents: Vec<AgentId>,
    /// Whether a process owns the session, if that has changed.
    pub live: Option<Liveness>,
}

impl SessionChange {
    /// Reports whether nothing has changed.
    pub fn is_nothing(&self) -> bool {
        self.history == Extension::Nothing && self.agents.is_empty() && self.live.is_none()
    }
}

impl OpenSession {
    /// Takes over an opened session.
    pub fn new(opened: LibrarySession) -> Self {
        let live = opened.walk.live_of(opened.found.home.as_ref());
        let process = live.and_then(|live| live.get(&opened.session.id)).cloned();
        let state = OpenState::new(opened.session, process);
        Self {
            found: opened.found,
            bytes: AtomicU64::new(state.log_bytes()),
            state: RwLock::new(state),
        }
    }

    /// Returns the size of its logs in bytes when they were last read.
    pub fn log_bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns the location of the session.
    pub fn found(&self) -> &Resolved {
        &self.found
    }

    /// Locks the session for reading.
    pub fn view(&self) -> OpenSessionView<'_> {
        OpenSessionView(self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads what was appended to the files of the session. `live` contains the sessions of its
    /// home that running processes own, if they were read again.
    pub fn refresh(&self, live: Option<&LiveSessions>) -> Result<SessionChange, LibraryError> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let change = state.refresh(live);
        self.bytes.store(state.log_bytes(), Ordering::Relaxed);
        change
    }
}

impl Library {
    /// Opens the session that a request names and keeps it open, with a title from other logs if it
    /// has none of its own.
    pub fn open_session(
        &self,
        request: &SessionRequest<'_>,
        listener: &dyn Listener,
    ) -> Result<Arc<OpenSession>, LibraryError> {
        let mut opened = self.session(request, listener)?;
        self.add_title(&mut opened);
        Ok(Arc::new(OpenSession::new(opened)))
    }

    /// Opens the log of a session of a home and keeps it open.
    pub(super) fn open_log(
        &self,
        home: Home,
        project: Option<ProjectId>,
        log: &Path,
    ) -> Result<Arc<OpenSession>, LibraryError> {
        let target = home::describe_log(log).map_err(|problem| SessionFileError {
            path: log.to_owned(),
            error: io::Error::other(problem.to_string()),
        })?;
        let found = Resolved { home: Some(home), project, target };
        Ok(Arc::new(OpenSession::new(self.open_found(found)?)))
    }

    /// Returns the sessions of its project that share entries with an open session.
    pub fn relatives_of(&self, opened: &OpenSession) -> Vec<RelatedSession> {
        self.relatives_seen(opened, &opened.view())
    }

    /// Returns the sessions of its project that share entries with an open session, for a caller
    /// that has a view of it: a second view would wait for a refresh that waits for the first view.
    pub fn relatives_seen(&self, opened: &OpenSession, seen: &OpenState) -> Vec<RelatedSession> {
        let siblings = siblings(&opened.found, self.walk().found());
        lineage::lineage(seen.session(), &siblings)
    }
}

impl Deref for OpenSessionView<'_> {
    type Target = OpenState;

    fn deref(&self) -> &OpenState {
        &self.0
    }
}

impl OpenState {
    fn new(mut session: Session, process: Option<LiveSession>) -> Self {
        let main = FollowedLog::new(&mut session.main, session.scope);
        let mut state = Self {
            session,
            main,
            followed: Vec::new(),
            agents: Vec::new(),
            links: Arc::default(),
            process,
            is_gone: false,
        };
        state.follow_new_agents();
        state.find_agents();
        state
    }

    fn log_bytes(&self) -> u64 {
        self.session.logs().map(Log::bytes).sum()
    }

    fn follow_new_agents(&mut self) {
        for agent in self.session.agents.iter_mut().skip(self.followed.len()) {
            let log = FollowedLog::new(&mut agent.file, Scope::Agent);
            self.followed.push(log);
        }
    }

    fn find_agents(&mut self) {
        let conversation = self.conversation();
        let inline = conversation.inline_agents();
        let count = |index: usize| self.agent_messages(index);
        let agents = agents::counted_agents(&self.session, &conversation, &inline, count);
        let by_call = agents::by_call(&self.session, &agents);
        self.agents = agents;
        if *self.links.by_call() != by_call {
            self.links = Arc::new(LinkedCalls::new(by_call));
        }
    }

    /// Returns the number of messages of an agent with its own file.
    fn agent_messages(&self, index: usize) -> usize {
        let log = self.session.agents[index].file.log();
        let kept = self.followed.get(index).map(|agent| agent.whole(log));
        kept.map_or(0, |kept| kept.history().messages.len())
    }

    fn refresh(&mut self, live: Option<&LiveSessions>) -> Result<SessionChange, LibraryError> {
        let was_torn = self.session.log().has_open_tail();
        let was_in_sidechain = ends_in_sidechain(self.session.log());
        let scope = self.session.scope;
        let growth = self.session.refresh().inspect_err(|failed| {
            self.is_gone |= failed.error.kind() == io::ErrorKind::NotFound;
        })?;
        self.is_gone = false;
        let main = &mut self.session.main;
        let history = self.main.refresh(main, growth.main, self.session.scope);
        self.refresh_agents(&growth);
        let is_moved = history == Extension::Rebuilt || scope != self.session.scope;
        if growth.relinked || is_moved || was_in_sidechain || ends_in_sidechain(self.session.log())
        {
            self.find_agents();
        } else {
            self.count_messages(&growth);
        }
        let is_torn = self.session.log().has_open_tail();
        let is_other = growth.main != LogFileChange::Same && (was_torn || is_torn);
        Ok(SessionChange {
            // An incomplete line may be parsed as anything, and becomes another line when it grows.
            history: if is_other { Extension::Rebuilt } else { history },
            agents: growth.agents.into_iter().map(|agent| agent.id).collect(),
            live: self.note_liveness(live),
        })
    }

    fn refresh_agents(&mut self, growth: &SessionGrowth) {
        for grown in &growth.agents {
            let file = &mut self.session.agents[grown.index].file;
            if let Some(log) = self.followed.get_mut(grown.index) {
                log.refresh(file, grown.change, Scope::Agent);
            }
        }
        self.follow_new_agents();
    }

    /// Updates the message counts of agents whose logs have grown.
    fn count_messages(&mut self, growth: &SessionGrowth) {
        for grown in &growth.agents {
            let messages = self.agent_messages(grown.index);
            let place = AgentPlace::File(grown.index);
            let mut agents = self.agents.iter_mut();
            if let Some(agent) = agents.find(|agent| agent.place == place) {
                agent.message_count = messages;
            }
        }
    }

    fn note_liveness(&mut self, live: Option<&LiveSessions>) -> Option<Liveness> {
        self.process = live?.get(&self.session.id).cloned();
        let now = match self.process {
            Some(_) => Liveness::Live,
            None => Liveness::Idle,
        };
        let before = std::mem::replace(&mut self.session.live, now);
        (before != now).then_some(now)
    }

    /// Returns the session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns the conversation under the rule of the current client.
    pub fn conversation(&self) -> Conversation<'_> {
        self.kept().conversation(self.session.log())
    }

    fn kept(&self) -> &KeptConversation {
        self.main.whole(self.session.log())
    }

    /// Returns the history of the active path.
    pub fn history(&self) -> &View {
        self.kept().history()
    }

    /// Returns how many records of the session's own log are in which place of the conversation.
    pub fn counts(&self) -> RecordCounts {
        self.kept().counts()
    }

    /// Reports whether the session's log was missing at the last refresh.
    pub fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Returns whether a process owns the session, and what the process does.
    pub fn feed_status(&self) -> FeedStatus {
        FeedStatus { live: self.session.live, process: self.process.clone() }
    }

    /// Returns the position of a reader that has all current messages of a conversation.
    pub fn feed_position(&self, target: &FeedTarget) -> Result<FeedPosition, LibraryError> {
        let strand = self.strand(target)?;
        Ok(strand.position(strand.index().len()))
    }

    /// Reads messages of a conversation by the ordinals of its feed, skipping ordinals past the
    /// end.
    pub fn feed_messages(
        &self,
        target: &FeedTarget,
        ordinals: &[u32],
    ) -> Result<Vec<MessageText>, LibraryError> {
        Ok(self.strand(target)?.read(ordinals)?)
    }

    /// Returns the last entry that a reader at a position has, if it has any message.
    pub fn feed_last_seen(
        &self,
        target: &FeedTarget,
        position: &FeedPosition,
    ) -> Result<Option<EntryId>, LibraryError> {
        Ok(self.strand(target)?.last_seen(position)?)
    }

    /// Returns the texts of an answer in the log, given the id that the model gave the answer;
    /// `None` if the answer is not among the newest messages.
    pub fn feed_said(
        &self,
        target: &FeedTarget,
        answer: &str,
    ) -> Result<Option<String>, LibraryError> {
        Ok(self.strand(target)?.said(answer)?)
    }

    /// Lays out a conversation so that its messages have the ordinals of its feed, for a page that
    /// shows them in context.
    pub fn feed_transcript(&self, target: &FeedTarget) -> Result<Transcript<'_>, LibraryError> {
        let request = TranscriptRequest {
            agent: target.agent.clone(),
            path: target.path,
            ..TranscriptRequest::default()
        };
        let own = self.main.lines().conversation(self.session.log());
        let agents = (self.agents.clone(), self.links.by_call().clone());
        Ok(Transcript::with_agents(&self.session, own, agents, &request)?)
    }

    /// Returns the strand of the conversation that a feed is about.
    pub(super) fn strand(&self, target: &FeedTarget) -> Result<FeedStrand<'_>, RequestError> {
        let own = StrandSource {
            file: &self.session.main,
            followed: &self.main,
            links: &self.links,
            live: self.session.live,
        };
        let Some(asked) = &target.agent else {
            return FeedStrand::of_path(own, target.path);
        };
        let Some(agent) = agents::find(&self.agents, asked) else {
            return Err(RequestError::NoAgent {
                asked: asked.clone(),
                known: self.agents.iter().map(|agent| agent.id.clone()).collect(),
            });
        };
        match agent.place {
            AgentPlace::Inline(index) => FeedStrand::of_inline_agent(own, index, target.path),
            AgentPlace::File(index) => {
                let source = StrandSource {
                    file: &self.session.agents[index].file,
                    followed: &self.followed[index],
                    ..own
                };
                FeedStrand::of_path(source, target.path)
            }
        }
    }

    /// Returns all agents of the session.
    pub fn agents(&self) -> &[AgentInfo] {
        &self.agents
    }

    /// Lays out the session with the path, view and turns of a request.
    pub fn transcript(&self, request: &TranscriptRequest) -> Result<Transcript<'_>, LibraryError> {
        Ok(match request.rule {
            Rule::Current => {
                let agents = (self.agents.clone(), self.links.by_call().clone());
                Transcript::with_agents(&self.session, self.conversation(), agents, request)?
            }
            Rule::NewestTime | Rule::Sdk => Transcript::new(&self.session, request)?,
        })
    }

    /// Reads a range of messages of the history, counted from zero. Indices past the end are
    /// skipped.
    pub fn messages(&self, range: Range<usize>) -> io::Result<Vec<MessageText>> {
        self.messages_with(range, Unanswered::Mark)
    }

    /// Reads a range of messages of the history; `unanswered` selects how calls without a result are shown.
    pub fn messages_with(
        &self,
        range: Range<usize>,
        unanswered: Unanswered,
    ) -> io::Result<Vec<MessageText>> {
        self.read(range, unanswered, |messages| messages.collect())
    }

    /// Returns the index in the history of the message that contains an entry, or the one that the
    /// entry answers or follows.
    pub fn position_of(&self, entry: &EntryId) -> Option<usize> {
        let conversation = self.conversation();
        locate::position(&conversation, &conversation.paths, self.history(), entry)
    }

    /// Returns the messages in a range of the history that contain a text, in order.
    pub fn find(&self, needle: &Needle, range: Range<usize>) -> io::Result<Vec<FoundMessage>> {
        let first = range.start;
        self.read(range, Unanswered::Mark, |messages| find::find(needle, first, messages))
    }

    fn read<T>(
        &self,
        range: Range<usize>,
        unanswered: Unanswered,
        take: impl FnOnce(&mut dyn Iterator<Item = io::Result<MessageText>>) -> T,
    ) -> T {
        let (history, conversation) = (self.history(), self.conversation());
        let mut reader = MessageReader::new(
            &conversation,
            &self.session.main,
            self.links.by_call(),
            self.session.live,
            unanswered,
        );
        let end = range.end.min(history.messages.len());
        let messages = &history.messages[range.start.min(end)..end];
        take(&mut messages.iter().map(|message| reader.read(history, message)))
    }
}

/// Reports whether the incomplete last line of a log belongs to an inline agent.
fn ends_in_sidechain(log: &Log) -> bool {
    let whole = log.resume_offset();
    let entries = log.entries.iter().rev();
    let mut last = entries.take_while(|entry| entry.span.start >= whole);
    last.any(|entry| entry.flags.has(Flags::SIDECHAIN))
}
