//! All changes of a session as JSON.

use serde::Serializer;
use unspool_engine::ops::changes::{ChangedFile, EditTotals, FileEdit, SessionChanges};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::ids::EntryId;
use unspool_model::positions::TurnNumber;
use unspool_text::diff::DiffHunk;

use super::{SCHEMA, SessionJson, all, time, wire};

wire! {
    /// The files that a path changed: one object.
    pub struct ChangesJson<'a> new(shown: &'a Transcript<'_>, changes: &'a SessionChanges) {
        schema: u32 = SCHEMA,
        session: SessionJson = shown.into(),
        agent: Option<&'a str> = shown.agent.as_deref(),
        path_index: Option<u32> = shown.path.as_ref().map(|path| shown.number_of(path).get()),
        totals: EditTotalsJson = changes.totals().into(),
        #[serde(serialize_with = "each_file")]
        #[cfg_attr(test, schemars(with = "Vec<FileEditsJson>"))]
        files: &'a [ChangedFile] = &changes.files,
    }
}

fn each_file<S: Serializer>(files: &[ChangedFile], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(files.iter().map(FileEditsJson::from))
}

wire! {
    /// The totals of edits.
    pub(super) struct EditTotalsJson from(totals: EditTotals) {
        edits: u32 = totals.edits,
        failed: u32 = totals.failed,
        lines_added: u64 = totals.added,
        lines_removed: u64 = totals.removed,
    }

    struct FileEditsJson<'a> from(file: &'a ChangedFile) {
        path: &'a str = &file.path,
        created: bool = file.is_new(),
        totals: EditTotalsJson = file.totals().into(),
        edits: Vec<EditJson<'a>> = all(&file.edits),
    }

    struct EditJson<'a> from(edit: &'a FileEdit) {
        entry: Option<&'a str> = edit.entry.as_ref().map(EntryId::as_str),
        call: Option<&'a str> = edit.call.as_deref(),
        turn: Option<u32> = edit.turn.map(TurnNumber::get),
        time: Option<String> = time(edit.time),
        tool: &'a str = &edit.tool,
        agent: Option<&'a str> = edit.agent.as_deref(),
        status: &'static str = edit.status.name(),
        source: &'static str = edit.source.name(),
        created: bool = edit.created,
        deleted: bool = edit.deleted,
        lines_added: u64 = edit.added,
        lines_removed: u64 = edit.removed,
        diff: Vec<HunkJson<'a>> = edit.diff.hunks().iter().map(HunkJson::from).collect(),
    }

    struct HunkJson<'a> from(hunk: &'a DiffHunk) {
        old_start: usize = hunk.old_start,
        old_lines: usize = hunk.old_lines,
        new_start: usize = hunk.new_start,
        new_lines: usize = hunk.new_lines,
        lines: &'a [String] = &hunk.lines,
    }
}
