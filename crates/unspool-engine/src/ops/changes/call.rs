//! The changes of one call to files, made or requested.
//!
//! The best source is the outcome that the client recorded with the result. Without one, as in
//! three out of four results of agents, the change is taken from the input of the call.

use std::borrow::Cow;

use unspool_model::conversation::CallStatus;
use unspool_model::names;
use unspool_model::tool::{self, Patch, Tool, ToolOutcome};
use unspool_text::diff::{Diff, DiffHunk};

use crate::ops::message::CallText;

names! {
    /// The source of a change.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum EditSource {
        /// The client recorded the change with the result.
        Recorded = "recorded",
        /// The change is what the call requested.
        Asked = "asked",
    }
}

/// The change of a call to one file.
pub(crate) struct CallChange<'c> {
    /// The file.
    pub(crate) path: Cow<'c, str>,
    /// The numbers of added and removed lines.
    pub(crate) lines: (u64, u64),
    /// Whether the file was created.
    pub(crate) created: bool,
    /// Whether the file was deleted.
    pub(crate) deleted: bool,
    /// The source of the change.
    pub(crate) source: EditSource,
    body: ChangeBody<'c>,
}

/// The data of a change.
enum ChangeBody<'c> {
    Patch(&'c Patch<'c>),
    Edit(&'c Tool<'c>, Option<&'c ToolOutcome<'c>>),
}

impl CallChange<'_> {
    /// Returns the change line by line.
    pub(crate) fn diff(&self) -> Diff {
        match self.body {
            ChangeBody::Patch(patch) => patch_diff(patch),
            ChangeBody::Edit(tool, outcome) => {
                edit_of(tool, outcome).map_or_else(Diff::default, |(_, diff)| diff)
            }
        }
    }
}

/// Passes the changes of a call to `take`; for a call without success, the changes that it requested.
pub(crate) fn each_change(call: &CallText, mut take: impl FnMut(&CallChange<'_>)) {
    let tool = tool::parse(&call.name, call.input.as_bytes());
    let worked = call.status == CallStatus::Done;
    let result = call.result.as_ref().filter(|_| worked);
    let raw = result.and_then(|result| result.outcome.as_deref());
    let outcome = raw.map(|raw| tool::outcome(&call.name, raw));
    match &outcome {
        Some(ToolOutcome::Shell(shell)) => {
            for patch in &shell.patches {
                take(&patched(patch));
            }
        }
        Some(ToolOutcome::Patch(patch)) => take(&patched(patch)),
        outcome => {
            let Some(path) = tool.changes() else { return };
            let outcome = outcome.as_ref();
            let told = outcome.and_then(ToolOutcome::line_changes);
            take(&CallChange {
                path: path.into(),
                lines: told.unwrap_or_else(|| asked_lines(&tool)),
                created: false,
                deleted: false,
                source: match outcome {
                    Some(ToolOutcome::Notebook(_)) => EditSource::Recorded,
                    _ => EditSource::Asked,
                },
                body: ChangeBody::Edit(&tool, outcome),
            });
        }
    }
}

fn patched<'c>(patch: &'c Patch<'c>) -> CallChange<'c> {
    CallChange {
        path: Cow::Borrowed(&*patch.path),
        lines: patch.line_changes().unwrap_or_default(),
        created: patch.created,
        deleted: patch.deleted,
        source: EditSource::Recorded,
        body: ChangeBody::Patch(patch),
    }
}

/// Returns the diff of an edit with its file: the recorded one, or else the requested one. `None`
/// for a call that changes no file.
pub fn edit_of(tool: &Tool<'_>, outcome: Option<&ToolOutcome<'_>>) -> Option<(String, Diff)> {
    match outcome {
        Some(ToolOutcome::Patch(patch)) if !patch.hunks.is_empty() || patch.content.is_some() => {
            return Some((patch.path.to_string(), patch_diff(patch)));
        }
        Some(ToolOutcome::Notebook(edit)) if edit.error.is_some() => return None,
        Some(ToolOutcome::Notebook(edit)) => {
            let old = edit.old_source.as_deref().unwrap_or_default();
            return Some((edit.path.to_string(), Diff::between(old, &edit.source)));
        }
        _ => {}
    }
    let (path, diff) = match tool {
        Tool::Edit { path, old, new, .. } => (path, Diff::between(old, new)),
        Tool::Write { path, content } => (path, Diff::between("", content)),
        Tool::NotebookEdit { path, source, .. } => (path, Diff::between("", source)),
        Tool::MultiEdit { path, edits } => {
            let hunks =
                edits.iter().flat_map(|edit| Diff::between(&edit.old, &edit.new).hunks().to_vec());
            (path, Diff::from_hunks(hunks.collect()))
        }
        _ => return None,
    };
    Some((path.to_string(), diff))
}

/// Returns the diff that the client recorded; for a new file, its whole content.
pub fn patch_diff(patch: &Patch<'_>) -> Diff {
    if let (true, Some(content)) = (patch.hunks.is_empty(), &patch.content) {
        return Diff::between("", content);
    }
    let hunks = patch.hunks.iter().map(|hunk| DiffHunk {
        old_start: hunk.old_start as usize,
        old_lines: hunk.old_lines as usize,
        new_start: hunk.new_start as usize,
        new_lines: hunk.new_lines as usize,
        lines: hunk.lines.iter().map(ToString::to_string).collect(),
    });
    Diff::from_hunks(hunks.collect())
}

/// Counts the lines that a call requests to add and remove.
fn asked_lines(tool: &Tool<'_>) -> (u64, u64) {
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
