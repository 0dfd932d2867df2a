//! Sessions that stay open.
//!
//! An [`OpenSession`] owns the logs of a session and what is known of its conversation and those of
//! its agents, and can be shared between threads. [`OpenSession::refresh`] reads what was added to
//! the files and extends what is known; a line that hangs on the last entry costs work for that
//! line. Readers look through [`OpenSession::view`], which waits while a refresh is under way and
//! never sees half of one. Nothing runs by itself: the owner decides when to refresh.
//!
//! Two answers differ while the last line of a log has no newline. What is shown (messages,
//! transcripts, counts) has the line as far as it was written; what is streamed
//! ([`super::feed`]) has it when it is whole.

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

/// A session that is kept open.
pub struct OpenSession {
    found: Resolved,
    state: RwLock<OpenState>,
    /// The bytes of its logs when they were last read.
    bytes: AtomicU64,
}

/// What is known of an open session at one moment.
pub struct OpenState {
    session: Session,
    main: FollowedLog,
    /// The logs of agents, in the order of [`Session::agents`].
    followed: Vec<FollowedLog>,
    agents: Vec<AgentInfo>,
    /// The agent of each call that started one.
    links: Arc<LinkedCalls>,
    /// What the process says that owns the session.
    process: Option<LiveSession>,
    /// Whether the session's log was not there when it was last looked for.
    is_gone: bool,
}

/// A look at an open session. Refreshing waits until it is dropped.
pub struct OpenSessionView<'a>(RwLockReadGuard<'a, OpenState>);

/// What a refresh found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionChange {
    /// What happened to the history of the active path.
    pub history: Extension,
    /// The agents whose logs grew, were replaced or are new.
    pub agents: Vec<AgentId>,
    /// Whether a process owns the session now, if that is not as it was.
    pub live: Option<Liveness>,
}

impl SessionChange {
    /// Tells whether everything is as it was.
    pub fn is_nothing(&self) -> bool {
        self.history == Extension::Nothing && self.agents.is_empty() && self.live.is_none()
    }
}

impl OpenSession {
    /// Keeps a session that was opened.
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

    /// Returns the bytes of its logs when they were last read.
    pub fn log_bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns where the session was found.
    pub fn found(&self) -> &Resolved {
        &self.found
    }

    /// Looks at the session as it is now.
    pub fn view(&self) -> OpenSessionView<'_> {
        OpenSessionView(self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads what was added to the files of the session. `live` are the sessions of its home that
    /// running processes own, if they were read again.
    pub fn refresh(&self, live: Option<&LiveSessions>) -> Result<SessionChange, LibraryError> {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let change = state.refresh(live);
        self.bytes.store(state.log_bytes(), Ordering::Relaxed);
        change
    }
}

impl Library {
    /// Opens the session that a request means, to be kept. What other logs call it is noted.
    pub fn open_session(
        &self,
        request: &SessionRequest<'_>,
        listener: &dyn Listener,
    ) -> Result<Arc<OpenSession>, LibraryError> {
        let mut opened = self.session(request, listener)?;
        self.add_title(&mut opened);
        Ok(Arc::new(OpenSession::new(opened)))
    }

    /// Opens the log of a session of a home, to be kept.
    pub(super) fn open_log(
        &self,
        home: Home,
        project: Option<ProjectId>,
        log: &Path,
    ) -> Result<Arc<OpenSession>, LibraryError> {
        let target = home::open_path(log).map_err(|problem| SessionFileError {
            path: log.to_owned(),
            error: io::Error::other(problem.to_string()),
        })?;
        let found = Resolved { home: Some(home), project, target };
        Ok(Arc::new(OpenSession::new(self.open_found(found)?)))
    }

    /// Finds the sessions of its project that share entries with an open session.
    pub fn relatives_of(&self, opened: &OpenSession) -> Vec<RelatedSession> {
        self.relatives_seen(opened, &opened.view())
    }

    /// Finds the sessions of its project that share entries with an open session, for a caller that
    /// is looking at it: a second look would wait for a refresh that waits for the first.
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

    /// Counts the messages of an agent with a file of its own.
    fn agent_messages(&self, index: usize) -> usize {
        let log = self.session.agents[index].file.log();
        let kept = self.followed.get(index).map(|agent| agent.whole(log));
        kept.map_or(0, |kept| kept.history().messages.len())
    }

    fn refresh(&mut self, live: Option<&LiveSessions>) -> Result<SessionChange, LibraryError> {
        let was_torn = self.session.log().has_open_tail();
        let was_aside = ends_aside(self.session.log());
        let scope = self.session.scope;
        let growth = self.session.refresh().inspect_err(|failed| {
            self.is_gone |= failed.error.kind() == io::ErrorKind::NotFound;
        })?;
        self.is_gone = false;
        let main = &mut self.session.main;
        let history = self.main.refresh(main, growth.main, self.session.scope);
        self.refresh_agents(&growth);
        let is_moved = history == Extension::Rebuilt || scope != self.session.scope;
        if growth.relinked || is_moved || was_aside || ends_aside(self.session.log()) {
            self.find_agents();
        } else {
            self.count_messages(&growth);
        }
        let is_torn = self.session.log().has_open_tail();
        let is_other = growth.main != LogFileChange::Same && (was_torn || is_torn);
        Ok(SessionChange {
            // Half of a line may mean anything, and is another line when it goes on.
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

    /// Counts the messages of agents whose logs have grown.
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

    /// Returns the conversation by the rule of the current client.
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

    /// Returns where the records of the session's own log belong.
    pub fn counts(&self) -> RecordCounts {
        self.kept().counts()
    }

    /// Tells whether the session's log was not there when it was last looked for.
    pub fn is_gone(&self) -> bool {
        self.is_gone
    }

    /// Returns whether a process owns the session, and what it does.
    pub fn feed_status(&self) -> FeedStatus {
        FeedStatus { live: self.session.live, process: self.process.clone() }
    }

    /// Returns the position of a reader that has all messages of a conversation as they are now.
    pub fn feed_position(&self, target: &FeedTarget) -> Result<FeedPosition, LibraryError> {
        let strand = self.strand(target)?;
        Ok(strand.position(strand.index().len()))
    }

    /// Reads messages of a conversation by their ordinals, as a feed has them. An ordinal past the
    /// end is left out.
    pub fn feed_messages(
        &self,
        target: &FeedTarget,
        ordinals: &[u32],
    ) -> Result<Vec<MessageText>, LibraryError> {
        Ok(self.strand(target)?.read(ordinals)?)
    }

    /// Returns the last entry that a reader at a position has; none if it has nothing.
    pub fn feed_last_seen(
        &self,
        target: &FeedTarget,
        position: &FeedPosition,
    ) -> Result<Option<EntryId>, LibraryError> {
        Ok(self.strand(target)?.last_seen(position)?)
    }

    /// Returns the texts that the log has of an answer, by the id that the model gave it; none if the
    /// answer is not among the newest messages.
    pub fn feed_said(
        &self,
        target: &FeedTarget,
        answer: &str,
    ) -> Result<Option<String>, LibraryError> {
        Ok(self.strand(target)?.said(answer)?)
    }

    /// Lays a conversation out as a feed has it: its messages are those that a feed names by
    /// their ordinals. For a page that paints them with what is around them.
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

    /// Returns the conversation that a feed is about.
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
            AgentPlace::Inline(index) => FeedStrand::of_inside(own, index, target.path),
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

    /// Lays the session out: which path, which view, which turns.
    pub fn transcript(&self, request: &TranscriptRequest) -> Result<Transcript<'_>, LibraryError> {
        Ok(match request.rule {
            Rule::Current => {
                let agents = (self.agents.clone(), self.links.by_call().clone());
                Transcript::with_agents(&self.session, self.conversation(), agents, request)?
            }
            Rule::NewestTime | Rule::Sdk => Transcript::new(&self.session, request)?,
        })
    }

    /// Reads messages of the history by their numbers, counted from zero. Numbers past the end are
    /// left out.
    pub fn messages(&self, range: Range<usize>) -> io::Result<Vec<MessageText>> {
        self.messages_with(range, Unanswered::Mark)
    }

    /// Reads messages of the history, and does with calls that have no result what is asked for.
    pub fn messages_with(
        &self,
        range: Range<usize>,
        unanswered: Unanswered,
    ) -> io::Result<Vec<MessageText>> {
        self.read(range, unanswered, |messages| messages.collect())
    }

    /// Returns the number of the message of the history that an entry is a part of, answers or
    /// hangs on.
    pub fn position_of(&self, entry: &EntryId) -> Option<usize> {
        let conversation = self.conversation();
        locate::position(&conversation, &conversation.paths, self.history(), entry)
    }

    /// Finds the messages of a part of the history that contain a text, in order.
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

/// Tells whether half of a line at the end of a log speaks for an agent inside the file.
fn ends_aside(log: &Log) -> bool {
    let whole = log.resume_offset();
    let entries = log.entries.iter().rev();
    let mut last = entries.take_while(|entry| entry.span.start >= whole);
    last.any(|entry| entry.flags.has(Flags::SIDECHAIN))
}
