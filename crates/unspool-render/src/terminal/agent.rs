//! What is shown of the agents that a call started.

use std::io;

use unspool_model::conversation::{Conversation, View};
use unspool_model::graph::{Rule, Scope};
use unspool_text::human;
use unspool_text::markdown::{Breaks, markdown_with};
use unspool_text::style::{Line, Role};

use super::{Agents, Painter, Tools};
use crate::document::{Body, Call, Passage};
use unspool_engine::ops::agents::{AgentInfo, AgentPlace};
use unspool_engine::ops::message::{MessageReader, Unanswered};

/// Agents nested deeper than this are named and not shown.
const DEEPEST: usize = 8;

/// How many lines of an agent's answer are shown when it is folded.
const ANSWER: usize = 6;

impl Painter<'_, '_> {
    /// Shows the agent that a call started, below the line of the call.
    pub(super) fn agent(&mut self, prefix: &Line, call: &Call, depth: usize) -> io::Result<()> {
        let shown = self.shown;
        let agent = call
            .agent
            .as_ref()
            .and_then(|id| shown.agents.iter().find(|agent| agent.id == *id));
        let Some(agent) = agent else {
            return Ok(());
        };
        let mut inner = prefix.clone();
        inner.add("┆ ", Role::Muted);
        match self.options.agents {
            Agents::None => Ok(()),
            Agents::Folded => self.folded_agent(&inner, agent, call),
            Agents::Inline => self.whole_agent(&inner, agent, depth),
        }
    }

    /// Says what an agent is and how to see what it did, and begins its answer.
    fn folded_agent(&mut self, prefix: &Line, agent: &AgentInfo, call: &Call) -> io::Result<()> {
        self.folded += 1;
        let mut words: Vec<String> = agent.kind.iter().cloned().collect();
        let description = agent.description.iter();
        words.extend(description.filter(|said| **said != call.summary).cloned());
        words.push(human::plural(agent.message_count, "message"));
        let mut head = Line::of(format!("{} · ", words.join(" · ")), Role::Muted);
        head.add(format!("--agent {}", agent.id), Role::Id)
            .add(" shows it", Role::Muted);
        self.emit(prefix, head)?;
        for detail in &call.details {
            let Body::Prose(answer) = &detail.body else {
                continue;
            };
            let lines = markdown_with(answer, self.room(prefix), Breaks::Keep);
            let hidden = match lines.len() {
                // The note would take the place of a single line.
                count if count <= ANSWER + 1 => 0,
                count => count - ANSWER,
            };
            let shown = lines.len() - hidden;
            self.emit_all(prefix, lines.into_iter().take(shown).collect())?;
            if hidden > 0 {
                let note = format!("… {}", human::plural(hidden, "more line"));
                self.emit(prefix, Line::of(note, Role::Muted))?;
            }
        }
        Ok(())
    }

    /// Shows an agent's conversation.
    fn whole_agent(&mut self, prefix: &Line, agent: &AgentInfo, depth: usize) -> io::Result<()> {
        let shown = self.shown;
        let mut head = Line::of("agent ", Role::Muted);
        head.add(agent.id.clone(), Role::Id);
        for said in [&agent.kind, &agent.description].into_iter().flatten() {
            head.add(format!(" · {said}"), Role::Muted);
        }
        if let Some(uuid) = &agent.forked_at {
            let short: String = uuid.chars().take(8).collect();
            head.add(format!(" · goes on from {short}"), Role::Muted);
        }
        let count = human::plural(agent.message_count, "message");
        head.add(format!(" · {count}"), Role::Muted);
        self.emit(prefix, head)?;
        if depth >= DEEPEST || !self.open.insert(agent.id.clone()) {
            return Ok(());
        }
        match agent.place {
            AgentPlace::Inline(index) => {
                let inside = shown.inline.agents.get(index);
                if let Some(inside) = inside.filter(|_| shown.file.path() == agent.file) {
                    let view = shown
                        .conversation
                        .inline_history(&shown.inline, &inside.path);
                    self.conversation(prefix, &view, shown.reader(), depth)?;
                }
            }
            AgentPlace::File(index) => self.agent_file(prefix, index, depth)?,
        }
        self.open.remove(&agent.id);
        Ok(())
    }

    fn agent_file(&mut self, prefix: &Line, index: usize, depth: usize) -> io::Result<()> {
        let shown = self.shown;
        let file = &shown.session.agents[index].file;
        let conversation = Conversation::new(file.log(), Rule::Current, Scope::Agent);
        let Some(path) = conversation.paths.active() else {
            return Ok(());
        };
        let view = conversation.history(path);
        let reader = MessageReader::new(
            &conversation,
            file,
            &shown.agent_of,
            shown.live,
            Unanswered::Mark,
        );
        self.conversation(prefix, &view, reader, depth)
    }

    fn conversation(
        &mut self,
        prefix: &Line,
        view: &View,
        mut reader: MessageReader<'_>,
        depth: usize,
    ) -> io::Result<()> {
        for message in &view.messages {
            let passage = Passage::of(reader.read(view, message)?, &self.folder);
            self.turn = None;
            self.message(prefix, &passage, Tools::Line, depth + 1)?;
        }
        Ok(())
    }
}
