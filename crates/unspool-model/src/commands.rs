//! Slash commands that the model answered.
//!
//! A slash command is one user entry. Some only act on the client, such as `/clear`; others
//! expand into a prompt that the client adds after them, and the model answers. Those are
//! prompts of a person, and nothing in their own entry tells them from the rest. So what
//! follows decides: an answer that the client did not make up, on an expansion, on the command.
//!
//! ```text
//! command ← expansion (injected) ← answer
//! ```
//!
//! Between them may be what the client adds by itself: attachments, progress records,
//! notices, reminders. A command that the model called as a tool is none of a person's.
//!
//! Only links that entries state are followed, not those that a graph makes up for missing
//! ones. So the answer is the same under every rule, a log that has grown keeps the prompts
//! that it had, and a file made of some of the lines of another has no prompt that the other
//! has not. The time is that of the entries: each is passed twice at most.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::entry::{BlockKind, Entry, EntryKind, Flags, MessageKind};
use crate::log::Log;
use crate::positions::EntryIndex;
use crate::symbols::Symbol;

/// The slash commands of a log that the model answered, by their uuids, each with the first answer.
#[derive(Clone, Default, Debug)]
pub struct AnsweredCommands(HashMap<Symbol, EntryIndex, FixedState>);

impl AnsweredCommands {
    /// Finds the answered commands of a log.
    pub fn of(log: &Log) -> Self {
        let is_slash = |entry: &Entry| entry.flags.has(Flags::SLASH);
        if !log.entries.iter().any(is_slash) {
            return Self::default();
        }
        let mut search = CommandSearch::new(log);
        for (index, entry) in EntryIndex::enumerate(&log.entries) {
            if entry.kind == EntryKind::Assistant && entry.says == Some(MessageKind::Answer) {
                search.above(index, entry);
            }
        }
        search.found
    }

    /// Tells whether an answer may be that to a command. `find` gives the only record of a uuid.
    pub(crate) fn may_gain<'l>(
        answer: &'l Entry,
        find: impl Fn(Symbol) -> Option<&'l Entry>,
    ) -> bool {
        if answer.kind != EntryKind::Assistant || answer.says != Some(MessageKind::Answer) {
            return false;
        }
        let mut at = answer;
        while let Some(parent) = at.parent {
            let Some(entry) = find(parent) else {
                return true;
            };
            if entry.flags.has(Flags::SLASH) {
                return true;
            }
            if !is_added(entry) {
                return false;
            }
            at = entry;
        }
        false
    }

    /// Tells whether an entry is an answered command.
    pub fn contain(&self, entry: &Entry) -> bool {
        self.answer_to(entry).is_some()
    }

    /// Returns the first answer to an entry that is an answered command: what makes it a prompt.
    pub fn answer_to(&self, entry: &Entry) -> Option<EntryIndex> {
        let uuid = entry.uuid.filter(|_| entry.flags.has(Flags::SLASH))?;
        self.0.get(&uuid).copied()
    }

    /// Returns what an entry says, where an answered command is a prompt.
    pub fn kind_of(&self, entry: &Entry) -> Option<MessageKind> {
        if self.contain(entry) { Some(MessageKind::Prompt) } else { entry.says }
    }

    /// Tells whether an entry begins a turn.
    pub fn begin_turn(&self, entry: &Entry) -> bool {
        entry.flags.has(Flags::STARTS_TURN) || self.contain(entry)
    }
}

/// Whether an entry was passed, and with an expansion below it or without.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Passed {
    No,
    Bare,
    Expanded,
}

/// Looks for commands above answers.
struct CommandSearch<'l> {
    log: &'l Log,
    /// The last record of each uuid, by symbol.
    places: Vec<Option<EntryIndex>>,
    passed: Vec<Passed>,
    found: AnsweredCommands,
}

impl<'l> CommandSearch<'l> {
    fn new(log: &'l Log) -> Self {
        let mut places = vec![None; log.symbols.len()];
        for (index, entry) in EntryIndex::enumerate(&log.entries) {
            if let Some(uuid) = entry.uuid.filter(|_| entry.kind.links()) {
                places[uuid.index()] = Some(index);
            }
        }
        Self {
            log,
            places,
            passed: vec![Passed::No; log.entries.len()],
            found: AnsweredCommands::default(),
        }
    }

    fn parent(&self, entry: &Entry) -> Option<(EntryIndex, &'l Entry)> {
        let place = self.places[entry.parent?.index()]?;
        Some((place, &self.log.entries[place]))
    }

    /// Goes up from an answer to the command that it answers, if there is one.
    fn above(&mut self, index: EntryIndex, answer: &'l Entry) {
        let mut state = Passed::Bare;
        let mut at = answer;
        while let Some((place, entry)) = self.parent(at) {
            if self.passed[place] >= state {
                return;
            }
            self.passed[place] = state;
            if entry.flags.has(Flags::SLASH) {
                let uuid = entry.uuid.filter(|_| state == Passed::Expanded);
                if let Some(uuid) = uuid.filter(|_| !self.is_called(entry)) {
                    self.found.0.entry(uuid).or_insert(index);
                }
                return;
            }
            if !is_added(entry) {
                return;
            }
            if entry.flags.has(Flags::EXPANSION) {
                state = Passed::Expanded;
            }
            at = entry;
        }
    }

    /// Tells whether the model called a command: it hangs on the result of a call.
    fn is_called(&self, command: &Entry) -> bool {
        self.parent(command).is_some_and(|(_, entry)| {
            let mut blocks = self.log.blocks_of(entry).iter();
            blocks.any(|block| matches!(block.kind, BlockKind::Result(_)))
        })
    }
}

/// Tells whether the client added an entry by itself between a command and the answer.
fn is_added(entry: &Entry) -> bool {
    match entry.kind {
        EntryKind::Attachment | EntryKind::Progress => true,
        EntryKind::User => entry.flags.has(Flags::META) && entry.says == Some(MessageKind::Meta),
        EntryKind::System => {
            matches!(entry.says, Some(MessageKind::Notice | MessageKind::Error))
        }
        EntryKind::Assistant | EntryKind::Metadata | EntryKind::Fragment => false,
    }
}
