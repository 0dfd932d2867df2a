//! The agents of a transcript: which there are, where each is shown, and what it said.
//!
//! An agent is shown once, under the first call that leads to it. Which message that call is
//! in is found from the tables of the logs, so that a range of messages can be played without
//! those before it.

use std::collections::HashMap;

use unspool_model::conversation::{Conversation, Message, View};
use unspool_model::entry::MessageKind;
use unspool_model::graph::{Rule, Scope};
use unspool_model::paths::Speller;

use super::head::{AgentHead, AgentLocation};
use unspool_engine::ops::agents::{AgentInfo, AgentPlace};
use unspool_engine::ops::message::{MessageReader, Unanswered};
use unspool_engine::ops::transcript::Transcript;

/// Agents nested deeper than this are named and not shown.
pub(super) const DEEPEST: usize = 8;

/// All agents that a transcript may show, by their ids.
pub(super) struct Cast<'a> {
    members: HashMap<&'a str, PlayedAgent<'a>>,
}

/// An agent and the transcript of the session that has it.
#[derive(Clone, Copy)]
pub(super) struct PlayedAgent<'a> {
    of: &'a Transcript<'a>,
    info: &'a AgentInfo,
}

impl<'a> Cast<'a> {
    /// Gathers the agents of sessions; those of the first ones count before those of others.
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

    /// Tells whether what an agent said can be read from here.
    pub(super) fn has(&self, id: &str) -> bool {
        self.members.get(id).is_some_and(PlayedAgent::is_here)
    }

    /// Says what is known of an agent.
    pub(super) fn head(&self, id: &str, whereabouts: AgentLocation) -> AgentHead {
        match self.members.get(id) {
            Some(member) => AgentHead::of(member.info, whereabouts),
            None => AgentHead {
                id: id.to_owned(),
                kind: None,
                description: None,
                forked_at: None,
                messages: None,
                whereabouts,
            },
        }
    }

    /// Lays out what an agent said; nothing if there is no path in it.
    pub(super) fn talk(&self, id: &str, speller: &mut Speller) -> Option<AgentTalk<'a>> {
        self.members.get(id)?.talk(speller)
    }

    /// Returns for each agent that is shown below a call the message of `shown` that the call
    /// belongs to, or that leads to it through other agents.
    pub(super) fn homes(&self, shown: &Transcript<'_>, first: u32) -> HashMap<String, u32> {
        let mut homes = Homes { cast: self, found: HashMap::new(), speller: Speller::default() };
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
    /// Tells whether the agent's conversation is one that the transcript can lay out: an agent
    /// inside a file is found while the transcript shows that file.
    fn is_here(&self) -> bool {
        match self.info.place {
            AgentPlace::Inline(_) => self.of.file.path() == self.info.file,
            AgentPlace::File(_) => true,
        }
    }

    fn talk(&self, speller: &mut Speller) -> Option<AgentTalk<'a>> {
        let of = self.of;
        match self.info.place {
            AgentPlace::Inline(index) => {
                let agent = of.inline.agents.get(index)?;
                let (paths, graph) = (&of.inline.paths, &of.conversation.graph);
                let nodes = speller.nodes(paths, graph, &agent.path);
                let view = of.conversation.inline_history_of(&of.inline, nodes);
                let own = None;
                Some(AgentTalk { of, own, view })
            }
            AgentPlace::File(index) => {
                let file = &of.session.agents[index].file;
                let conversation = Conversation::new(file.log(), Rule::Current, Scope::Agent);
                let view = conversation.history(conversation.paths.active()?);
                let own = Some((index, conversation));
                Some(AgentTalk { of, own, view })
            }
        }
    }
}

/// What an agent said, laid out.
pub(super) struct AgentTalk<'a> {
    of: &'a Transcript<'a>,
    /// The position of the agent's own file and the conversation in it; none for one inside the
    /// session's file.
    own: Option<(usize, Conversation<'a>)>,
    /// Its messages.
    pub(super) view: View,
}

impl AgentTalk<'_> {
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

/// Finds where agents are shown.
struct Homes<'c, 'a> {
    cast: &'c Cast<'a>,
    found: HashMap<String, u32>,
    speller: Speller,
}

impl Homes<'_, '_> {
    /// Notes the agents that a message leads to, those inside of them included; `place` is the
    /// message of the transcript that it belongs to, and how many agents it is inside.
    fn meet(
        &mut self,
        view: &View,
        message: &Message,
        reader: &MessageReader<'_>,
        (home, depth): (u32, usize),
    ) {
        // A boundary is its label.
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
    /// Says what is known of an agent.
    pub fn of(info: &AgentInfo, whereabouts: AgentLocation) -> Self {
        Self {
            id: info.id.clone(),
            kind: info.kind.clone(),
            description: info.description.clone(),
            forked_at: info.forked_at.clone(),
            messages: Some(info.message_count),
            whereabouts,
        }
    }
}
