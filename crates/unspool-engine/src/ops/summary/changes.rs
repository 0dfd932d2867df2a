//! What calls did to files: how many lines each gained and lost.

use std::collections::{BTreeMap, HashSet};

use unspool_model::conversation::CallStatus;
use unspool_model::tool::{self, Patch, Tool, ToolOutcome};
use unspool_text::diff::Diff;

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

/// Who changed a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Author {
    /// The shown conversation itself.
    Session,
    /// Its agents.
    Agent,
    /// Both.
    Both,
}

impl Author {
    /// Returns the name that scripts see.
    pub fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Agent => "agent",
            Self::Both => "both",
        }
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
        if call.status != CallStatus::Done {
            return;
        }
        let tool = tool::parse(&call.name, call.input.as_bytes());
        let result = call.result.as_ref();
        let raw = result.and_then(|result| result.outcome.as_deref());
        match raw.map(|raw| tool::outcome(&call.name, raw)) {
            Some(ToolOutcome::Shell(shell)) => {
                for patch in shell.patches {
                    self.patch(patch, author);
                }
            }
            Some(ToolOutcome::Patch(patch)) => self.patch(patch, author),
            outcome => {
                let Some(path) = tool.changes() else { return };
                let told = outcome.as_ref().and_then(ToolOutcome::line_changes);
                let lines = told.unwrap_or_else(|| asked(&tool));
                self.note(path, lines, author, false);
            }
        }
    }

    fn patch(&mut self, patch: Patch<'_>, author: Author) {
        let (file, created) = (patch.path.to_string(), patch.created);
        let lines = ToolOutcome::Patch(patch).line_changes().unwrap_or_default();
        self.note(&file, lines, author, created);
    }

    fn note(&mut self, path: &str, lines: (u64, u64), author: Author, created: bool) {
        self.turn.insert(path.to_owned());
        let file = self
            .files
            .entry(path.to_owned())
            .or_insert_with(|| FileChange {
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

/// Counts the lines that a call asks to add and remove, where its result does not tell.
fn asked(tool: &Tool<'_>) -> (u64, u64) {
    let between = |old: &str, new: &str| {
        let stat = Diff::between(old, new).stat();
        (stat.added as u64, stat.removed as u64)
    };
    match tool {
        Tool::Edit { old, new, .. } => between(old, new),
        Tool::Write { content, .. } => between("", content),
        Tool::MultiEdit { edits, .. } => edits.iter().fold((0, 0), |sum, edit| {
            let (added, removed) = between(&edit.old, &edit.new);
            (sum.0 + added, sum.1 + removed)
        }),
        _ => (0, 0),
    }
}
