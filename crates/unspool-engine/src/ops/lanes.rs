//! The conversations below a path: those of the agents that it started.
//!
//! Finds the agents that a call started, in any layout, and lays out their conversations. Each
//! agent is returned once, so that a walk ends even if agents name each other in a cycle. Callers
//! read the conversations themselves. No file is opened: the session has the logs of all its
//! agents.

use std::collections::HashMap;
use std::ops::Deref;

use unspool_model::conversation::{Conversation, View};
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_store::tail::LogFile;

use super::agents::{AgentInfo, AgentPlace};
use super::message::{MessageReader, Unanswered};
use super::transcript::Transcript;

/// An agent of a session: its index in [`Transcript::agents`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct AgentRow(usize);

/// The agents of a session, by the calls that started them.
pub(crate) struct AgentTree<'t, 's> {
    shown: &'t Transcript<'s>,
    by_call: HashMap<&'t str, Vec<AgentRow>>,
    /// The agents that were already returned.
    taken: Vec<bool>,
}

/// The conversation of an agent.
pub(crate) struct AgentLane<'t> {
    conversation: LaneConversation<'t>,
    file: &'t LogFile,
    /// The messages of the agent.
    pub(crate) view: View,
}

/// The conversation of an inline agent in the shown file, or that of a separate file.
enum LaneConversation<'t> {
    Shown(&'t Conversation<'t>),
    Own(Box<Conversation<'t>>),
}

impl<'t> Deref for LaneConversation<'t> {
    type Target = Conversation<'t>;

    fn deref(&self) -> &Conversation<'t> {
        match self {
            Self::Shown(shown) => shown,
            Self::Own(own) => own,
        }
    }
}

impl<'t, 's> AgentTree<'t, 's> {
    /// Groups the agents of a session by the calls that started them.
    pub(crate) fn new(shown: &'t Transcript<'s>) -> Self {
        let mut by_call: HashMap<&str, Vec<AgentRow>> = HashMap::new();
        for (index, agent) in shown.agents.iter().enumerate() {
            if let Some(call) = agent.call.as_deref() {
                by_call.entry(call).or_default().push(AgentRow(index));
            }
        }
        let is_shown = |agent: &AgentInfo| shown.agent.as_ref() == Some(&agent.id);
        Self { shown, by_call, taken: shown.agents.iter().map(is_shown).collect() }
    }

    /// Returns the agents that a call started: most calls start none, a few one, a workflow many.
    /// Each agent is returned once.
    pub(crate) fn started_by(&mut self, call: &str) -> Vec<AgentRow> {
        let call = self.shown.entry_id(call);
        let Some(rows) = self.by_call.get(&*call) else {
            return Vec::new();
        };
        let rows = rows.clone();
        self.take(rows)
    }

    /// Returns the agents without a known call, each once. They belong to the session as a whole,
    /// so only its active path has them.
    pub(crate) fn unlinked(&mut self) -> Vec<AgentRow> {
        let is_active = self.shown.path.as_ref().is_some_and(|path| path.active);
        if self.shown.agent.is_some() || !is_active {
            return Vec::new();
        }
        let agents = self.shown.agents.iter().enumerate();
        let loose = agents.filter(|(_, agent)| agent.call.is_none());
        let rows = loose.map(|(index, _)| AgentRow(index)).collect();
        self.take(rows)
    }

    /// Returns all agents in the order of [`Transcript::agents`].
    pub(crate) fn rows(&self) -> impl Iterator<Item = AgentRow> + use<> {
        (0..self.taken.len()).map(AgentRow)
    }

    fn take(&mut self, rows: Vec<AgentRow>) -> Vec<AgentRow> {
        let is_new = |row: &AgentRow| !std::mem::replace(&mut self.taken[row.0], true);
        rows.into_iter().filter(is_new).collect()
    }

    /// Returns the description of an agent.
    pub(crate) fn info(&self, row: AgentRow) -> &'t AgentInfo {
        &self.shown.agents[row.0]
    }

    /// Lays out the conversation of an agent; `None` for an inline agent of a file that is not shown.
    pub(crate) fn lane(&self, row: AgentRow) -> Option<AgentLane<'t>> {
        let shown = self.shown;
        match shown.agents[row.0].place {
            AgentPlace::Inline(index) => {
                if !std::ptr::eq(shown.file, &raw const shown.session.main) {
                    return None;
                }
                let path = &shown.inline.agents.get(index)?.path;
                Some(AgentLane {
                    view: shown.conversation.inline_history(&shown.inline, path),
                    conversation: LaneConversation::Shown(&shown.conversation),
                    file: shown.file,
                })
            }
            AgentPlace::File(index) => {
                let file = &shown.session.agents[index].file;
                let own = Conversation::new(file.log(), Rule::Current, Scope::Agent);
                let active = own.paths.active().cloned();
                Some(AgentLane {
                    view: active.map(|path| own.history(&path)).unwrap_or_default(),
                    conversation: LaneConversation::Own(Box::new(own)),
                    file,
                })
            }
        }
    }
}

impl<'t> AgentLane<'t> {
    /// Returns the conversation.
    pub(crate) fn conversation(&self) -> &Conversation<'t> {
        &self.conversation
    }

    /// Returns the log of the conversation.
    pub(crate) fn log(&self) -> &'t Log {
        self.file.log()
    }

    /// Returns a reader of the messages, with the settings of the transcript above.
    pub(crate) fn reader<'l>(&'l self, shown: &'l Transcript<'_>) -> MessageReader<'l> {
        let agents = &shown.agent_of;
        MessageReader::new(&self.conversation, self.file, agents, shown.live, Unanswered::Mark)
            .through(shown.lens())
    }
}
