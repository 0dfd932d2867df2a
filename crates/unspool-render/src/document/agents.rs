//! The agents of a transcript: where each is shown, and its messages.
//!
//! An agent is shown once, under the first call that leads to it. The message that contains this
//! call is found from the tables of the logs, so that a range of messages can be played without the
//! messages before it.

use std::collections::HashMap;

use unspool_model::conversation::{Conversation, Message, View};
use unspool_model::entry::MessageKind;
use unspool_model::graph::{Rule, Scope};
use unspool_model::paths::PathNodeLister;

use super::head::{AgentHead, AgentLocation};
use unspool_engine::ops::agents::{AgentInfo, AgentPlace};
use unspool_engine::ops::message::{MessageReader, Unanswered};
use unspool_engine::ops::transcript::Transcript;

/// Agents that are nested deeper are named but not shown.
pub(super) const DEEPEST: usize = 8;

/// All agents that a transcript may show, by id.
pub(super) struct TranscriptAgents<'a> {
    members: HashMap<&'a str, PlayedAgent<'a>>,
}

/// An agent and the transcript of its session.
#[derive(Clone, Copy)]
pub(super) struct PlayedAgent<'a> {
    of: &'a Transcript<'a>,
    info: &'a AgentInfo,
}

impl<'a> TranscriptAgents<'a> {
    /// Collects the agents of sessions; of agents with the same id, the first one counts.
    pub(super) fn of(sessions: impl IntoIterator<Item = &'a Transcript<'a>>) -> Self {
        let mut members = HashMap::new();
        for of in sessions {
            for info in &of.agents {
                let member = PlayedAgent { of, info };
                members.entry(info.id.as_str()).or_insert(member);
            }
        }
        Self { members }
    }

    /// Returns whether the transcript can show the conversation of an agent.
    pub(super) fn has(&self, id: &str) -> bool {
        self.members.get(id).is_some_and(PlayedAgent::is_here)
    }

    /// Describes an agent.
    pub(super) fn head(&self, id: &str, location: AgentLocation) -> AgentHead {
        match self.members.get(id) {
            Some(member) => AgentHead::of(member.info, location),
            None => AgentHead {
                id: id.to_owned(),
                kind: None,
                description: None,
                forked_at: None,
                messages: None,
                location,
            },
        }
    }

    /// Builds the conversation of an agent; `None` if it has no path.
    pub(super) fn talk(
        &self,
        id: &str,
        speller: &mut PathNodeLister,
    ) -> Option<AgentConversation<'a>> {
        self.members.get(id)?.talk(speller)
    }

    /// Returns, for each agent shown below a call, the message of `shown` that contains the call or
    /// leads to it through other agents.
    pub(super) fn homes(&self, shown: &Transcript<'_>, first: u32) -> HashMap<String, u32> {
        let mut homes =
            Homes { cast: self, found: HashMap::new(), speller: PathNodeLister::default() };
        if !self.members.is_empty() {
            let reader = shown.reader();
            for index in first..shown.shown.end {
                let message = &shown.view.messages[index as usize];
                homes.meet(&shown.view, message, &reader, (index, 0));
            }
        }
        homes.found
    }
}

impl<'a> PlayedAgent<'a> {
    /// Returns whether the transcript can show the conversation: an agent inside a file needs the
    /// transcript that shows this file.
    fn is_here(&self) -> bool {
        match self.info.place {
            AgentPlace::Inline(_) => self.of.file.path() == self.info.file,
            AgentPlace::File(_) => true,
        }
    }

    fn talk(&self, speller: &mut PathNodeLister) -> Option<AgentConversation<'a>> {
        let of = self.of;
        match self.info.place {
            AgentPlace::Inline(index) => {
                let agent = of.inline.agents.get(index)?;
                let (paths, graph) = (&of.inline.paths, &of.conversation.graph);
                let nodes = speller.nodes(paths, graph, &agent.path);
                let view = of.conversation.inline_history_of(&of.inline, nodes);
                let own = None;
                Some(AgentConversation { of, own, view })
            }
            AgentPlace::File(index) => {
                let file = &of.session.agents[index].file;
                let conversation = Conversation::new(file.log(), Rule::Current, Scope::Agent);
                let view = conversation.history(conversation.paths.active()?);
                let own = Some((index, conversation));
                Some(AgentConversation { of, own, view })
            }
        }
    }
}

/// The conversation of an agent.
pub(super) struct AgentConversation<'a> {
    of: &'a Transcript<'a>,
    /// The index of the agent's own file and the conversation in it; `None` for an agent inside the
    /// session's file.
    own: Option<(usize, Conversation<'a>)>,
    /// The messages.
    pub(super) view: View,
}

impl AgentConversation<'_> {
    /// Returns a reader of the messages.
    pub(super) fn reader(&self) -> MessageReader<'_> {
        let of = self.of;
        let Some((index, conversation)) = &self.own else {
            return of.reader();
        };
        let file = &of.session.agents[*index].file;
        MessageReader::new(conversation, file, &of.agent_of, of.live, Unanswered::Mark)
            .through(of.lens())
    }
}

/// Finds the messages under which agents are shown.
struct Homes<'c, 'a> {
    cast: &'c TranscriptAgents<'a>,
    found: HashMap<String, u32>,
    speller: PathNodeLister,
}

impl Homes<'_, '_> {
    /// Records the agents that a message leads to, including nested ones. `home` is the message of
    /// the transcript that contains the call, `depth` the number of agents around `message`.
    fn meet(
        &mut self,
        view: &View,
        message: &Message,
        reader: &MessageReader<'_>,
        (home, depth): (u32, usize),
    ) {
        // A boundary shows only its label.
        if depth >= DEEPEST || message.kind == MessageKind::Boundary {
            return;
        }
        for id in reader.agents_of(view, message) {
            if !self.cast.has(id) || self.found.contains_key(id) {
                continue;
            }
            self.found.insert(id.to_owned(), home);
            let Some(talk) = self.cast.talk(id, &mut self.speller) else {
                continue;
            };
            let reader = talk.reader();
            for message in &talk.view.messages {
                self.meet(&talk.view, message, &reader, (home, depth + 1));
            }
        }
    }
}

impl AgentHead {
    /// Describes an agent.
    pub fn of(info: &AgentInfo, location: AgentLocation) -> Self {
        Self {
            id: info.id.clone(),
            kind: info.kind.clone(),
            description: info.description.clone(),
            forked_at: info.forked_at.clone(),
            messages: Some(info.message_count),
            location,
        }
    }
}
