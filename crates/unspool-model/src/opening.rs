//! What was said at the beginning of a session, to call it by.
//!
//! | | The first prompt | What the session is called by |
//! |---|---|---|
//! | first | the first prompt, typed or an answered slash command | the same, if it has more than three characters |
//! | else | the first command, which only acted on the client | the first prompt, then the first command |
//!
//! Whether a slash command is a prompt is known when what follows it has been read, see
//! [`crate::commands`]. So commands are kept until a prompt settles the matter
//! ([`Facts::opening`](crate::facts::Facts::opening)), and the choice is made when a caller asks.

use crate::commands::AnsweredCommands;
use crate::facts::SaidText;
use crate::log::Log;

/// What a session without a title could be called.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Openings<'l> {
    /// The first prompt that is not short.
    pub telling: Option<&'l str>,
    /// The first prompt.
    pub prompt: Option<&'l str>,
    /// The first command that only acted on the client.
    pub command: Option<&'l str>,
}

impl<'l> Openings<'l> {
    /// Returns the first prompt; where there is none, the first command.
    pub fn first_prompt(self) -> Option<&'l str> {
        self.prompt.or(self.command)
    }

    /// Returns the best of them.
    pub fn best(self) -> Option<&'l str> {
        self.telling.or(self.prompt).or(self.command)
    }
}

impl Log {
    /// Returns what the session could be called if it has no title.
    pub fn openings(&self) -> Openings<'_> {
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
        Openings {
            telling: telling.map(|said| &*said.text),
            prompt: prompts.first().map(|said| &*said.text),
            command: others.first().map(|said| &*said.text),
        }
    }
}
