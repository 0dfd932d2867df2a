//! What calls did to files: how many lines each gained and lost.

use std::collections::{BTreeMap, HashSet};

use unspool_model::conversation::CallStatus;
use unspool_model::names;

use crate::ops::changes::each_change;
use crate::ops::message::CallText;

/// What was done to one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileChange {
    /// The file.
    pub path: String,
    /// How many calls changed it.
    pub edits: u32,
    /// Lines that were added, over all of them.
    pub added: u64,
    /// Lines that were removed, over all of them.
    pub removed: u64,
    /// Whether it was made.
    pub created: bool,
    /// Who changed it.
    pub author: Author,
}

names! {
    /// Who changed a file.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Author {
        /// The shown conversation itself.
        Session = "session",
        /// Its agents.
        Agent = "agent",
        /// Both.
        Both = "both",
    }
}

/// Changes of files, added up.
#[derive(Default)]
pub(super) struct FileChanges {
    files: BTreeMap<String, FileChange>,
    /// Files that were changed since the turn began.
    turn: HashSet<String>,
}

impl FileChanges {
    /// Takes note that a turn begins.
    pub(super) fn begin_turn(&mut self) {
        self.turn.clear();
    }

    /// Returns how many files were changed since the turn began.
    pub(super) fn in_turn(&self) -> usize {
        self.turn.len()
    }

    /// Takes a call into account. Only one that worked has changed anything.
    pub(super) fn add(&mut self, call: &CallText, author: Author) {
        if call.status == CallStatus::Done {
            each_change(call, |change| {
                self.note(&change.path, change.lines, author, change.created);
            });
        }
    }

    fn note(&mut self, path: &str, lines: (u64, u64), author: Author, created: bool) {
        self.turn.insert(path.to_owned());
        let file = self.files.entry(path.to_owned()).or_insert_with(|| FileChange {
            path: path.to_owned(),
            edits: 0,
            added: 0,
            removed: 0,
            created: false,
            author,
        });
        file.edits += 1;
        file.added = file.added.saturating_add(lines.0);
        file.removed = file.removed.saturating_add(lines.1);
        file.created |= created;
        if file.author != author {
            file.author = Author::Both;
        }
    }

    /// Returns the files, by path.
    pub(super) fn into_files(self) -> Vec<FileChange> {
        self.files.into_values().collect()
    }
}
