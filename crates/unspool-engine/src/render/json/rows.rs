//! Lists and trees as scripts see them.

use std::collections::BTreeMap;

use serde::Serialize;
use unspool_model::ids::{EntryId, ProjectId};

use super::{SCHEMA, TokensJson, time};
use crate::ops::transcript::Transcript;
use crate::ops::tree::{TreeBranch, TreeRow};
use crate::rows::Row;

/// A session of a list as scripts see it: one line.
#[derive(Serialize)]
pub struct RowJson<'a> {
    schema: u32,
    #[serde(flatten)]
    fields: RowFields<'a>,
}

impl<'a> From<&'a Row> for RowJson<'a> {
    fn from(row: &'a Row) -> Self {
        Self {
            schema: SCHEMA,
            fields: row.into(),
        }
    }
}

/// What scripts see of a session, wherever it is told.
#[derive(Serialize)]
pub(super) struct RowFields<'a> {
    id: &'a str,
    home: Option<String>,
    project: Option<&'a str>,
    cwd: Option<&'a str>,
    cwds: Vec<&'a str>,
    file: String,
    title: Option<&'a str>,
    first_prompt: Option<&'a str>,
    started: Option<String>,
    ended: Option<String>,
    duration_ms: Option<u64>,
    turns: usize,
    messages: usize,
    calls: usize,
    failed_calls: usize,
    active_ms: u64,
    tools: &'a BTreeMap<String, usize>,
    models: &'a [String],
    git_branch: Option<&'a str>,
    version: Option<&'a str>,
    tokens: TokensJson,
    cost_usd: Option<f64>,
    files_changed: usize,
    agents: usize,
    branches: usize,
    compactions: usize,
    bytes: u64,
    status: &'static str,
    kind: &'static str,
    live: bool,
}

impl<'a> From<&'a Row> for RowFields<'a> {
    fn from(row: &'a Row) -> Self {
        Self {
            id: row.id.as_str(),
            home: row.home.as_ref().map(|home| home.display().to_string()),
            project: row.project.as_ref().map(ProjectId::as_str),
            cwd: row.cwd.as_deref(),
            cwds: row.cwds().collect(),
            file: row.file.display().to_string(),
            title: row.title.as_deref(),
            first_prompt: row.first_prompt.as_deref(),
            started: time(row.started),
            ended: time(row.ended),
            duration_ms: row.duration_ms(),
            turns: row.turns,
            messages: row.messages,
            calls: row.calls,
            failed_calls: row.failed_calls,
            active_ms: row.active_ms,
            tools: &row.tools,
            models: &row.models,
            git_branch: row.git_branch.as_deref(),
            version: row.version.as_deref(),
            tokens: row.tokens.into(),
            cost_usd: row.cost_usd,
            files_changed: row.files_changed,
            agents: row.agents,
            branches: row.branches,
            compactions: row.compactions,
            bytes: row.bytes,
            status: row.status.name(),
            kind: row.kind.name(),
            live: row.live,
        }
    }
}

/// The tree of a session as scripts see it: one object.
#[derive(Serialize)]
pub struct TreeJson<'a> {
    schema: u32,
    session: &'a str,
    rule: &'static str,
    rows: Vec<TreeRowJson<'a>>,
    unlinked_agents: Vec<&'a str>,
}

#[derive(Serialize)]
struct TreeRowJson<'a> {
    depth: u32,
    kind: &'static str,
    entry: Option<&'a str>,
    time: Option<String>,
    text: &'a str,
    active: bool,
    messages: u32,
    calls: u32,
    said: &'a [String],
    agents: Vec<&'a str>,
    paths: &'a [u32],
    forks: u32,
    branch: Option<&'static str>,
}

impl<'a> TreeJson<'a> {
    /// Takes the rows of a session.
    pub fn new(shown: &'a Transcript<'_>, rows: &'a [TreeRow]) -> Self {
        let rows = rows
            .iter()
            .map(|row| TreeRowJson {
                depth: row.depth,
                kind: row.kind.name(),
                entry: row.entry.as_ref().map(EntryId::as_str),
                time: time(row.time),
                text: &row.text,
                active: row.active,
                messages: row.messages,
                calls: row.calls,
                said: &row.said,
                agents: row.agents.iter().map(|agent| agent.id.as_str()).collect(),
                paths: &row.paths,
                forks: row.forks,
                branch: row.branch.map(TreeBranch::name),
            })
            .collect();
        let session = shown.session.id.as_str();
        Self {
            schema: SCHEMA,
            session,
            rule: shown.conversation.rule.name(),
            rows,
            unlinked_agents: shown.unlinked().map(|agent| agent.id.as_str()).collect(),
        }
    }
}
