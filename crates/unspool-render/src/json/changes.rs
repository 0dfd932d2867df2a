//! All changes of a session, as scripts see them.

use serde::{Serialize, Serializer};
use unspool_engine::ops::changes::{ChangedFile, EditTotals, FileEdit, SessionChanges};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::ids::EntryId;
use unspool_model::positions::TurnNumber;
use unspool_text::diff::DiffHunk;

use super::{SCHEMA, SessionJson, session, time};

/// The files that a path changed: one object.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangesJson<'a> {
    schema: u32,
    session: SessionJson,
    agent: Option<&'a str>,
    path_index: Option<u32>,
    totals: EditTotalsJson,
    #[serde(serialize_with = "each_file")]
    #[cfg_attr(test, schemars(with = "Vec<FileEditsJson>"))]
    files: &'a [ChangedFile],
}

impl<'a> ChangesJson<'a> {
    /// Takes the changes of what a transcript shows.
    pub fn new(shown: &'a Transcript<'_>, changes: &'a SessionChanges) -> Self {
        Self {
            schema: SCHEMA,
            session: session(shown),
            agent: shown.agent.as_deref(),
            path_index: shown.path.as_ref().map(|path| shown.number_of(path).get()),
            totals: changes.totals().into(),
            files: &changes.files,
        }
    }
}

fn each_file<S: Serializer>(files: &[ChangedFile], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(files.iter().map(FileEditsJson::from))
}

/// What edits did together, as scripts see it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct EditTotalsJson {
    edits: u32,
    failed: u32,
    lines_added: u64,
    lines_removed: u64,
}

impl From<EditTotals> for EditTotalsJson {
    fn from(totals: EditTotals) -> Self {
        Self {
            edits: totals.edits,
            failed: totals.failed,
            lines_added: totals.added,
            lines_removed: totals.removed,
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FileEditsJson<'a> {
    path: &'a str,
    created: bool,
    totals: EditTotalsJson,
    edits: Vec<EditJson<'a>>,
}

impl<'a> From<&'a ChangedFile> for FileEditsJson<'a> {
    fn from(file: &'a ChangedFile) -> Self {
        Self {
            path: &file.path,
            created: file.is_new(),
            totals: file.totals().into(),
            edits: file.edits.iter().map(EditJson::from).collect(),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct EditJson<'a> {
    entry: Option<&'a str>,
    call: Option<&'a str>,
    turn: Option<u32>,
    time: Option<String>,
    tool: &'a str,
    agent: Option<&'a str>,
    status: &'static str,
    source: &'static str,
    created: bool,
    deleted: bool,
    lines_added: u64,
    lines_removed: u64,
    diff: Vec<HunkJson<'a>>,
}

impl<'a> From<&'a FileEdit> for EditJson<'a> {
    fn from(edit: &'a FileEdit) -> Self {
        Self {
            entry: edit.entry.as_ref().map(EntryId::as_str),
            call: edit.call.as_deref(),
            turn: edit.turn.map(TurnNumber::get),
            time: time(edit.time),
            tool: &edit.tool,
            agent: edit.agent.as_deref(),
            status: edit.status.name(),
            source: edit.source.name(),
            created: edit.created,
            deleted: edit.deleted,
            lines_added: edit.added,
            lines_removed: edit.removed,
            diff: edit.diff.hunks().iter().map(HunkJson::from).collect(),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct HunkJson<'a> {
    old_start: usize,
    old_lines: usize,
    new_start: usize,
    new_lines: usize,
    lines: &'a [String],
}

impl<'a> From<&'a DiffHunk> for HunkJson<'a> {
    fn from(hunk: &'a DiffHunk) -> Self {
        Self {
            old_start: hunk.old_start,
            old_lines: hunk.old_lines,
            new_start: hunk.new_start,
            new_lines: hunk.new_lines,
            lines: &hunk.lines,
        }
    }
}
