//! The added and removed lines of files, summed up over calls.

use std::collections::{BTreeMap, HashSet};

use unspool_model::conversation::CallStatus;
use unspool_model::names;

use crate::ops::changes::each_change;
use crate::ops::message::CallText;

/// The changes of one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileChange {
    /// The file.
    pub path: String,
    /// The number of calls that changed the file.
    pub edits: u32,
    /// The number of added lines in all calls.
    pub added: u64,
    /// The number of removed lines in all calls.
    pub removed: u64,
    /// Whether a call created the file.
    pub created: bool,
    /// The author of the changes.
    pub author: Author,
}

names! {
    /// The author of a file's changes.
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

/// The sums of changes by file.
#[derive(Default)]
pub(super) struct FileChanges {
    files: BTreeMap<String, FileChange>,
    /// The files changed since the turn began.
    turn: HashSet<String>,
}

impl FileChanges {
    /// Begins a turn.
    pub(super) fn begin_turn(&mut self) {
        self.turn.clear();
    }

    /// Returns the number of files changed since the turn began.
    pub(super) fn in_turn(&self) -> usize {
        self.turn.len()
    }

    /// Adds the changes of a call, if it succeeded.
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
