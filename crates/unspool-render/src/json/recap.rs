//! A recap as JSON: one object.

use unspool_model::conversation::TurnOutcome;
use unspool_model::ids::{EntryId, ProjectId};

use super::stats::SumsJson;
use super::{SCHEMA, all, time, wire};
use unspool_engine::ops::recap::{
    Recap, RecapFile, RecapProject, RecapPrompt, RecapSession, RecapTotals,
};

wire! {
    /// The work of a period: one object.
    pub struct RecapJson<'a> from(recap: &'a Recap) {
        schema: u32 = SCHEMA,
        from: Option<String> = time(recap.time.from),
        until: Option<String> = time(recap.time.until),
        total: RecapTotalsJson = RecapTotalsJson::from(&recap.total),
        projects: Vec<RecapProjectJson<'a>> = all(&recap.projects),
        unpriced_models: &'a [String] = &recap.unpriced_models,
    }

    struct RecapTotalsJson from(total: &RecapTotals) {
        prompts: usize = total.prompts,
        files_changed: usize = total.files,
        #[serde(flatten)]
        sums: SumsJson = SumsJson::from(&total.sums),
    }

    struct RecapProjectJson<'a> from(project: &'a RecapProject) {
        name: &'a str = &project.name,
        project: Option<&'a str> = project.project.as_ref().map(ProjectId::as_str),
        cwd: Option<&'a str> = project.cwd.as_deref(),
        total: RecapTotalsJson = RecapTotalsJson::from(&project.total),
        sessions: Vec<RecapSessionJson<'a>> = all(&project.sessions),
    }

    struct RecapSessionJson<'a> from(session: &'a RecapSession) {
        id: &'a str = session.row.id.as_str(),
        title: Option<&'a str> = session.row.title.as_deref(),
        kind: &'static str = session.row.kind.name(),
        git_branch: Option<&'a str> = session.row.git_branch.as_deref(),
        live: bool = session.row.live,
        started: Option<String> = time(session.active.map(|(started, _)| started)),
        ended: Option<String> = time(session.active.map(|(_, ended)| ended)),
        outcome: Option<&'static str> = session.outcome.map(TurnOutcome::name),
        goes_on: bool = session.goes_on,
        prompts: Vec<RecapPromptJson<'a>> = all(&session.prompts),
        files: Vec<RecapFileJson<'a>> = all(&session.files),
        sums: SumsJson = SumsJson::from(&session.sums),
    }

    struct RecapPromptJson<'a> from(prompt: &'a RecapPrompt) {
        entry: Option<&'a str> = prompt.entry.as_ref().map(EntryId::as_str),
        time: Option<String> = time(prompt.time),
        text: &'a str = &prompt.text,
        earlier: bool = prompt.earlier,
        outcome: &'static str = prompt.outcome.name(),
    }

    struct RecapFileJson<'a> from(file: &'a RecapFile) {
        path: &'a str = &file.path,
        edits: u32 = file.edits,
        added: u64 = file.added,
        removed: u64 = file.removed,
        created: bool = file.created,
        deleted: bool = file.deleted,
    }
}
