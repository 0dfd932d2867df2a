//! Slash commands that the model answered.
//!
//! A slash command is one user entry. Some commands only act on the client, such as `/clear`.
//! Others expand into a prompt, which the client appends and the model answers. Those are
//! prompts of a person, although their own entry does not show it. So the entries after a
//! command decide: it is a prompt if the model itself answered an expansion of it.
//! ```text
//! command ← expansion (injected) ← answer
//! ```
//!
//! Between them may be entries that the client adds by itself: attachments, progress records,
//! notices, reminders. A command that the model called as a tool is not a prompt.
//!
//! Only parents that entries name are followed, not those that a graph assigns where one is missing. So the
//! result is the same under every rule, a log that grows keeps its prompts, and a file that consists of some
//! lines of another has no additional prompts. Each entry is visited at most twice, so the time is linear.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::entry::{BlockKind, Entry, EntryKind, Flags, MessageKind};
use crate::log::Log;
use crate::positions::EntryIndex;
use crate::symbols::Symbol;

/// The slash commands of a log that the model answered: the first answer to each, by its uuid.
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

    /// Tells whether an answer may turn a command into a prompt. `find` returns the only record
    /// of a uuid; a parent that it does not find counts as a command.
    pub(crate) fn may_be_answered_by<'l>(
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

    /// Returns the first answer to an entry if that is an answered command: the reason why it is a prompt.
    pub fn answer_to(&self, entry: &Entry) -> Option<EntryIndex> {
        let uuid = entry.uuid.filter(|_| entry.flags.has(Flags::SLASH))?;
        self.0.get(&uuid).copied()
    }

    /// Returns the kind of message of an entry; an answered command is a prompt.
    pub fn kind_of(&self, entry: &Entry) -> Option<MessageKind> {
        if self.contain(entry) { Some(MessageKind::Prompt) } else { entry.says }
    }

    /// Tells whether an entry begins a turn.
    pub fn begins_turn(&self, entry: &Entry) -> bool {
        entry.flags.has(Flags::STARTS_TURN) || self.contain(entry)
    }
}

/// Whether a walk has visited an entry, and whether it had passed an expansion before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Passed {
    No,
    Bare,
    Expanded,
}

/// Walks from answers up to commands.
struct CommandSearch<'l> {
    log: &'l Log,
    /// The last record of each uuid, indexed by symbol.
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

    /// Walks from an answer up to the command that it answers, if there is one.
    fn above(&mut self, index: EntryIndex, answer: &'l Entry) {
        let mut state = Passed::Bare;
        let mut at = answer;
        while let Some((place, entry)) = self.parent(at) {
            // An earlier walk in the same state found everything above. A walk that has passed
            // an expansion may find more than one that has not.
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

    /// Tells whether the model called a command: its parent contains the result of a call.
    fn is_called(&self, command: &Entry) -> bool {
        self.parent(command).is_some_and(|(_, entry)| {
            let mut blocks = self.log.blocks_of(entry).iter();
            blocks.any(|block| matches!(block.kind, BlockKind::Result(_)))
        })
    }
}

/// Tells whether the client added an entry by itself, so that it may be between a command and the answer.
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
