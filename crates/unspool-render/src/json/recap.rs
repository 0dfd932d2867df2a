//! What was done in some time, as scripts see it: one object.

use serde::Serialize;
use unspool_model::conversation::TurnOutcome;
use unspool_model::ids::{EntryId, ProjectId};

use super::stats::SumsJson;
use super::{SCHEMA, time};
use unspool_engine::ops::recap::{
    Recap, RecapFile, RecapProject, RecapPrompt, RecapSession, RecapTotals,
};

/// What was done in some time.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RecapJson<'a> {
    schema: u32,
    from: Option<String>,
    until: Option<String>,
    total: RecapTotalsJson,
    projects: Vec<RecapProjectJson<'a>>,
    unpriced_models: &'a [String],
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RecapTotalsJson {
    prompts: usize,
    files_changed: usize,
    #[serde(flatten)]
    sums: SumsJson,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RecapProjectJson<'a> {
    name: &'a str,
    project: Option<&'a str>,
    cwd: Option<&'a str>,
    total: RecapTotalsJson,
    sessions: Vec<RecapSessionJson<'a>>,
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

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RecapPromptJson<'a> {
    entry: Option<&'a str>,
    time: Option<String>,
    text: &'a str,
    earlier: bool,
    outcome: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RecapFileJson<'a> {
    path: &'a str,
    edits: u32,
    added: u64,
    removed: u64,
    created: bool,
    deleted: bool,
}

impl<'a> From<&'a Recap> for RecapJson<'a> {
    fn from(recap: &'a Recap) -> Self {
        Self {
            schema: SCHEMA,
            from: time(recap.time.from),
            until: time(recap.time.until),
            total: RecapTotalsJson::from(&recap.total),
            projects: recap.projects.iter().map(Into::into).collect(),
            unpriced_models: &recap.unpriced_models,
        }
    }
}

impl From<&RecapTotals> for RecapTotalsJson {
    fn from(total: &RecapTotals) -> Self {
        Self {
            prompts: total.prompts,
            files_changed: total.files,
            sums: SumsJson::from(&total.sums),
        }
    }
}

impl<'a> From<&'a RecapProject> for RecapProjectJson<'a> {
    fn from(project: &'a RecapProject) -> Self {
        Self {
            name: &project.name,
            project: project.project.as_ref().map(ProjectId::as_str),
            cwd: project.cwd.as_deref(),
            total: RecapTotalsJson::from(&project.total),
            sessions: project.sessions.iter().map(Into::into).collect(),
        }
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

impl<'a> From<&'a RecapPrompt> for RecapPromptJson<'a> {
    fn from(prompt: &'a RecapPrompt) -> Self {
        Self {
            entry: prompt.entry.as_ref().map(EntryId::as_str),
            time: time(prompt.time),
            text: &prompt.text,
            earlier: prompt.earlier,
            outcome: prompt.outcome.name(),
        }
    }
}

impl<'a> From<&'a RecapFile> for RecapFileJson<'a> {
    fn from(file: &'a RecapFile) -> Self {
        Self {
            path: &file.path,
            edits: file.edits,
            added: file.added,
            removed: file.removed,
            created: file.created,
            deleted: file.deleted,
        }
    }
}
