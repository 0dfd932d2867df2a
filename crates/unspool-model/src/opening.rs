//! The first texts of a session, which serve as its name if it has no title.
//!
//! | | The first prompt | The name of the session |
//! |---|---|---|
//! | first | the first prompt, typed or an answered slash command | the same, if over three characters |
//! | else | the first command that only acted on the client | the first prompt, then the first command |
//!
//! Only the entries after a slash command show whether it is a prompt, see [`crate::commands`]. So the
//! first commands are kept until a prompt decides ([`Facts::opening`](crate::facts::Facts::opening)),
//! and the name is chosen when a caller asks for it.

use crate::commands::AnsweredCommands;
use crate::facts::SaidText;
use crate::log::Log;

/// Possible names of a session without a title.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct NameCandidates<'l> {
    /// The first prompt of more than three characters.
    pub telling: Option<&'l str>,
    /// The first prompt.
    pub prompt: Option<&'l str>,
    /// The first command that only acted on the client.
    pub command: Option<&'l str>,
}

impl<'l> NameCandidates<'l> {
    /// Returns the first prompt, or else the first command.
    pub fn first_prompt(self) -> Option<&'l str> {
        self.prompt.or(self.command)
    }

    /// Returns the best name: a prompt that is not short, else the first prompt, else the first command.
    pub fn best(self) -> Option<&'l str> {
        self.telling.or(self.prompt).or(self.command)
    }
}

impl Log {
    /// Returns the possible names of the session if it has no title.
    pub fn openings(&self) -> NameCandidates<'_> {
        let opening = &self.facts.opening;
        let answered = if opening.commands.is_empty() {
            AnsweredCommands::default()
        } else {
            AnsweredCommands::of(self)
        };
        let is_answered = |said: &&SaidText| answered.contain(&self.entries[said.entry]);
        let (commands, others): (Vec<&SaidText>, Vec<&SaidText>) =
            opening.commands.iter().partition(is_answered);
        let typed = opening.prompt.iter().chain(&opening.telling);
        let mut prompts: Vec<&SaidText> = typed.chain(commands).collect();
        prompts.sort_by_key(|said| said.entry);
        let telling = prompts.iter().find(|said| !said.is_short());
        NameCandidates {
            telling: telling.map(|said| &*said.text),
            prompt: prompts.first().map(|said| &*said.text),
            command: others.first().map(|said| &*said.text),
        }
    }
}
