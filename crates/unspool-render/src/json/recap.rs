//! What was done in some time, as scripts see it: one object.

use serde::Serialize;
use unspool_model::conversation::TurnOutcome;
use unspool_model::ids::{EntryId, ProjectId};

use super::stats::SumsJson;
use super::{SCHEMA, time, wire};
use unspool_engine::ops::recap::{
    Recap, RecapFile, RecapProject, RecapPrompt, RecapSession, RecapTotals,
};

wire! {
    /// What was done in some time.
    pub struct RecapJson<'a> from recap: &'a Recap {
        schema: u32 = SCHEMA,
        from: Option<String> = time(recap.time.from),
        until: Option<String> = time(recap.time.until),
        total: RecapTotalsJson = RecapTotalsJson::from(&recap.total),
        projects: Vec<RecapProjectJson<'a>> = recap.projects.iter().map(Into::into).collect(),
        unpriced_models: &'a [String] = &recap.unpriced_models,
    }

    struct RecapTotalsJson from total: &RecapTotals {
        prompts: usize = total.prompts,
        files_changed: usize = total.files,
        #[serde(flatten)]
        sums: SumsJson = SumsJson::from(&total.sums),
    }

    struct RecapProjectJson<'a> from project: &'a RecapProject {
        name: &'a str = &project.name,
        project: Option<&'a str> = project.project.as_ref().map(ProjectId::as_str),
        cwd: Option<&'a str> = project.cwd.as_deref(),
        total: RecapTotalsJson = RecapTotalsJson::from(&project.total),
        sessions: Vec<RecapSessionJson<'a>> = project.sessions.iter().map(Into::into).collect(),
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RecapSessionJson<'a> {
    id: &'a str,
    title: Option<&'a str>,
    kind: &'static str,
    git_branch: Option<&'a str>,
    live: bool,
    started: Option<String>,
    ended: Option<String>,
    outcome: Option<&'static str>,
    goes_on: bool,
    prompts: Vec<RecapPromptJson<'a>>,
    files: Vec<RecapFileJson<'a>>,
    sums: SumsJson,
}

wire! {
    struct RecapPromptJson<'a> from prompt: &'a RecapPrompt {
        entry: Option<&'a str> = prompt.entry.as_ref().map(EntryId::as_str),
        time: Option<String> = time(prompt.time),
        text: &'a str = &prompt.text,
        earlier: bool = prompt.earlier,
        outcome: &'static str = prompt.outcome.name(),
    }

    struct RecapFileJson<'a> from file: &'a RecapFile {
        path: &'a str = &file.path,
        edits: u32 = file.edits,
        added: u64 = file.added,
        removed: u64 = file.removed,
        created: bool = file.created,
        deleted: bool = file.deleted,
    }
}

impl<'a> From<&'a RecapSession> for RecapSessionJson<'a> {
    fn from(session: &'a RecapSession) -> Self {
        let row = &session.row;
        Self {
            id: row.id.as_str(),
            title: row.title.as_deref(),
            kind: row.kind.name(),
            git_branch: row.git_branch.as_deref(),
            live: row.live,
            started: time(session.active.map(|(started, _)| started)),
            ended: time(session.active.map(|(_, ended)| ended)),
            outcome: session.outcome.map(TurnOutcome::name),
            goes_on: session.goes_on,
            prompts: session.prompts.iter().map(Into::into).collect(),
            files: session.files.iter().map(Into::into).collect(),
            sums: SumsJson::from(&session.sums),
        }
    }
}
