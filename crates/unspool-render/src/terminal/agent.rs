//! Paints the agents that calls started.

use std::io;

use unspool_model::ids::short;
use unspool_text::human;
use unspool_text::markdown::{Breaks, markdown_with};
use unspool_text::style::{Line, Role};

use super::AgentDisplay;
use super::surface::{FoldHints, TerminalSurface};
use crate::document::{AgentHead, DetailBody, ShownCall};

/// The most lines of a folded agent's answer.
const ANSWER: usize = 6;

impl TerminalSurface<'_> {
    /// Names the agent that a call started, below the line of the call.
    pub(super) fn name_agent(
        &mut self,
        prefix: &Line,
        agent: &AgentHead,
        call: &ShownCall,
    ) -> io::Result<()> {
        match self.options.agents {
            AgentDisplay::None => Ok(()),
            AgentDisplay::Folded => self.folded_agent(prefix, agent, call),
            AgentDisplay::Inline => self.emit(prefix, agent_line(agent)),
        }
    }

    /// Paints the facts about an agent, how to open it, and the beginning of its answer.
    fn folded_agent(
        &mut self,
        prefix: &Line,
        agent: &AgentHead,
        call: &ShownCall,
    ) -> io::Result<()> {
        self.folded += 1;
        let mut words: Vec<String> = agent.kind.iter().cloned().collect();
        let description = agent.description.iter();
        words.extend(description.filter(|said| **said != call.summary).cloned());
        words.extend(message_count(agent));
        let mut head = Line::of(format!("{} · ", words.join(" · ")), Role::Muted);
        match self.hints {
            FoldHints::Options => {
                head.add(format!("--agent {}", agent.id), Role::Id).add(" shows it", Role::Muted)
            }
            FoldHints::Keys => {
                head.add(agent.id.clone(), Role::Id).add(" · Enter opens", Role::Muted)
            }
        };
        self.emit(prefix, head)?;
        for detail in &call.details {
            let DetailBody::Prose(answer) = &detail.body else {
                continue;
            };
            let lines = markdown_with(answer, self.room(prefix), Breaks::Keep);
            let hidden = match lines.len() {
                // The note would replace only a single line.
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
}

/// Returns the line above an agent's conversation.
fn agent_line(agent: &AgentHead) -> Line {
    let mut line = Line::of("agent ", Role::Muted);
    line.add(agent.id.clone(), Role::Id);
    for said in [&agent.kind, &agent.description].into_iter().flatten() {
        line.add(format!(" · {said}"), Role::Muted);
    }
    if let Some(uuid) = &agent.forked_at {
        line.add(format!(" · goes on from {}", short(uuid)), Role::Muted);
    }
    if let Some(count) = message_count(agent) {
        line.add(format!(" · {count}"), Role::Muted);
    }
    line
}

fn message_count(agent: &AgentHead) -> Option<String> {
    Some(human::plural(agent.messages?, "message"))
}
