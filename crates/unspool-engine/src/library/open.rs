//! Sessions that stay open.
//!
//! An [`OpenSession`] owns the logs of a session and what is known of its conversation, and can be
//! shared between threads. [`OpenSession::refresh`] reads what was added to the files and extends
//! what is known; a line that hangs on the last entry costs work for that line. Readers look
//! through [`OpenSession::view`], which waits while a refresh is under way and never sees half of
//! one. Nothing runs by itself: the owner decides when to refresh.

use std::collections::HashMap;
use std::io;
use std::ops::{Deref, Range};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use unspool_model::conversation::{
    Conversation, Extension, KeptConversation, Liveness, RecordCounts, View,
};
use unspool_model::graph::Rule;
use unspool_model::ids::AgentId;

use super::Library;
use super::error::LibraryError;
use super::note::Listener;
use super::session::{LibrarySession, SessionRequest, siblings};
use crate::ops::agents::{self, AgentInfo};
use crate::ops::find::{self, FoundMessage, Needle};
use crate::ops::lineage::{self, RelatedSession};
use crate::ops::message::{MessageReader, MessageText, Unanswered};
use crate::ops::transcript::{Transcript, TranscriptRequest};
use unspool_store::home::{LiveSessions, Resolved};
use unspool_store::session::Session;
use unspool_store::tail::LogFileChange;

/// A session that is kept open.
pub struct OpenSession {
    found: Resolved,
    state: RwLock<OpenState>,
}

/// What is known of an open session at one moment.
pub struct OpenState {
    session: Session,
    kept: KeptConversation,
    agents: Vec<AgentInfo>,
    /// The agent of each call that started one.
    agent_of: HashMap<String, String>,
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
        Self {
            found: opened.found,
            state: RwLock::new(OpenState::new(opened.session)),
        }
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
        state.refresh(live)
    }
}

impl Library {
    /// Opens the session that a request means, to be kept.
    pub fn open_session(
        &self,
        request: &SessionRequest<'_>,
        listener: &dyn Listener,
    ) -> Result<Arc<OpenSession>, LibraryError> {
        Ok(Arc::new(OpenSession::new(self.session(request, listener)?)))
    }

    /// Finds the sessions of its project that share entries with an open session.
    pub fn lineage_of(&self, open: &OpenSession) -> Vec<RelatedSession> {
        let walk = self.walk();
        let others = siblings(open.found(), walk.found());
        lineage::lineage(open.view().session(), &others)
    }
}

impl Deref for OpenSessionView<'_> {
    type Target = OpenState;

    fn deref(&self) -> &OpenState {
        &self.0
    }
}

impl OpenState {
    fn new(session: Session) -> Self {
        let kept = KeptConversation::new(session.log(), Rule::Current, session.scope);
        let mut state = Self {
            session,
            kept,
            agents: Vec::new(),
            agent_of: HashMap::new(),
        };
        state.find_agents();
        state
    }

    fn find_agents(&mut self) {
        let conversation = self.kept.conversation(self.session.log());
        let inline = conversation.inline_agents();
        self.agents = agents::agents(&self.session, &conversation, &inline);
        self.agent_of = agents::by_call(&self.session, &self.agents);
    }

    fn refresh(&mut self, live: Option<&LiveSessions>) -> Result<SessionChange, LibraryError> {
        let scope = self.session.scope;
        let growth = self.session.refresh()?;
        let log = self.session.log();
        let history = if growth.main == LogFileChange::Replaced || self.session.scope != scope {
            self.kept = KeptConversation::new(log, Rule::Current, self.session.scope);
            Extension::Rebuilt
        } else {
            self.kept.extend(log)
        };
        if growth.relinked || !growth.agents.is_empty() || history == Extension::Rebuilt {
            self.find_agents();
        }
        Ok(SessionChange {
            history,
            agents: growth.agents,
            live: self.note_liveness(live),
        })
    }

    fn note_liveness(&mut self, live: Option<&LiveSessions>) -> Option<Liveness> {
        let now = if live?.is_live(&self.session.id) {
            Liveness::Live
        } else {
            Liveness::Resting
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
        self.kept.conversation(self.session.log())
    }

    /// Returns the history of the active path.
    pub fn history(&self) -> &View {
        self.kept.history()
    }

    /// Returns where the records of the session's own log belong.
    pub fn counts(&self) -> RecordCounts {
        self.kept.counts()
    }

    /// Returns all agents of the session.
    pub fn agents(&self) -> &[AgentInfo] {
        &self.agents
    }

    /// Lays the session out: which path, which view, which turns.
    pub fn transcript(&self, request: &TranscriptRequest) -> Result<Transcript<'_>, LibraryError> {
        Ok(match request.rule {
            Rule::Current => Transcript::of(&self.session, self.conversation(), request)?,
            Rule::NewestTime | Rule::Sdk => Transcript::new(&self.session, request)?,
        })
    }

    /// Reads messages of the history by their numbers, counted from zero. Numbers past the end are
    /// left out.
    pub fn messages(&self, range: Range<usize>) -> io::Result<Vec<MessageText>> {
        self.read(range, |messages| messages.collect())
    }

    /// Finds the messages of a part of the history that contain a text, in order.
    pub fn find(&self, needle: &Needle, range: Range<usize>) -> io::Result<Vec<FoundMessage>> {
        let first = range.start;
        self.read(range, |messages| find::find(needle, first, messages))
    }

    fn read<T>(
        &self,
        range: Range<usize>,
        take: impl FnOnce(&mut dyn Iterator<Item = io::Result<MessageText>>) -> T,
    ) -> T {
        let (history, conversation) = (self.history(), self.conversation());
        let mut reader = MessageReader::new(
            &conversation,
            &self.session.main,
            &self.agent_of,
            self.session.live,
            Unanswered::Mark,
        );
        let end = range.end.min(history.messages.len());
        let messages = &history.messages[range.start.min(end)..end];
        take(&mut messages.iter().map(|message| reader.read(history, message)))
    }
}
