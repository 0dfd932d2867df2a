//! Made-up rows for tests.

use std::collections::BTreeMap;
use std::path::PathBuf;

use unspool_model::ids::{ProjectId, SessionId};
use unspool_model::path_name;
use unspool_model::time::Time;
use unspool_model::usage::Tokens;

use crate::rows::{Kind, Row, Status};
use crate::titles::TitleOrigin;

/// Reads an instant.
pub(crate) fn time(text: &str) -> Time {
    Time::parse(text).expect(text)
}

/// Makes a plain row of a project.
pub(crate) fn row(id: &str, cwd: &str) -> Row {
    Row {
        id: SessionId::new(id),
        home: None,
        project: Some(ProjectId::new(path_name::encode(cwd))),
        cwd: Some(cwd.to_owned()),
        file: PathBuf::from(format!("/h/{id}.jsonl")),
        title: Some(format!("about {id}")),
        title_origin: TitleOrigin::Log,
        name: None,
        first_prompt: None,
        called_by: None,
        other_cwds: Vec::new(),
        started: Some(time("2026-11-01T10:00:00Z")),
        ended: Some(time("2026-11-01T11:00:00Z")),
        turns: 1,
        messages: 2,
        calls: 0,
        failed_calls: 0,
        active_ms: 0,
        tools: BTreeMap::new(),
        models: Vec::new(),
        git_branch: None,
        other_git_branches: Vec::new(),
        version: None,
        tokens: Tokens::default(),
        cost_usd: None,
        files_changed: 0,
        files: Vec::new(),
        agents: 0,
        branches: 0,
        compactions: 0,
        bytes: 1000,
        modified: 0,
        status: Status::Complete,
        unfinished: false,
        kind: Kind::Main,
        live: false,
        oddities: 0,
    }
}
