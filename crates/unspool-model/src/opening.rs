//! What was said at the beginning of a session, to call it by.
//!
//! | | The first prompt | What the session is called by |
//! |---|---|---|
//! | first | the first prompt, typed or an answered slash command | the same, if it has more than three characters |
//! | else | the first command, which only acted on the client | the first prompt, then the first command |
//!
//! Whether a slash command is a prompt is known when what follows it has been read, see
//! [`crate::commands`]. So commands are kept until a prompt settles the matter, and the choice
//! is made when a caller asks.

use crate::commands::AnsweredCommands;
use crate::log::Log;
use crate::positions::EntryIndex;
use crate::words::FirstPrompt;

/// A prompt of so many characters or fewer, such as `9` or `ok`, says nothing about a session.
const SHORT: usize = 3;
/// Commands that are kept; a session begins with a few at most.
const COMMANDS: usize = 32;

/// What was said at the beginning of a session, cut to a line.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Opening {
    /// The first typed prompt.
    pub(crate) prompt: Option<SaidText>,
    /// The first typed prompt that is not short.
    pub(crate) telling: Option<SaidText>,
    /// The slash commands before that, as they were typed.
    pub(crate) commands: Vec<SaidText>,
}

/// A text with the entry that it is from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SaidText {
    /// The entry.
    pub entry: EntryIndex,
    /// The text, on one line.
    pub text: Box<str>,
}

impl Opening {
    /// Tells whether nothing that follows can change anything.
    pub(crate) fn is_settled(&self) -> bool {
        self.telling.is_some()
    }

    /// Takes one text of an entry into account.
    pub(crate) fn note(&mut self, entry: EntryIndex, text: FirstPrompt) {
        if self.is_settled() {
            return;
        }
        let said = |text: String| SaidText {
            entry,
            text: text.into(),
        };
        match text {
            FirstPrompt::Prompt(text) => {
                let said = said(text);
                if !said.is_short() {
                    self.telling = Some(said.clone());
                }
                self.prompt.get_or_insert(said);
            }
            FirstPrompt::Command(text) if self.commands.len() < COMMANDS => {
                self.commands.push(said(text));
            }
            FirstPrompt::Command(_) | FirstPrompt::Nothing => {}
        }
    }

    /// Chooses between commands that are prompts and those that only acted on the client.
    fn choose<'o>(&'o self, log: &Log) -> Openings<'o> {
        let answered = if self.commands.is_empty() {
            AnsweredCommands::default()
        } else {
            AnsweredCommands::of(log)
        };
        let is_answered = |said: &&SaidText| answered.contain(&log.entries[said.entry]);
        let (commands, others): (Vec<&SaidText>, Vec<&SaidText>) =
            self.commands.iter().partition(is_answered);
        let typed = self.prompt.iter().chain(&self.telling);
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

impl SaidText {
    fn is_short(&self) -> bool {
        self.text.chars().nth(SHORT).is_none()
    }
}

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
        self.facts.opening.choose(self)
    }
}
