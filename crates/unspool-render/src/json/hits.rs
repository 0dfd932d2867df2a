//! Hits of a search as scripts see them: one line each.

use serde::Serialize;
use unspool_model::entry::MessageKind;
use unspool_model::ids::{AgentId, EntryId, ProjectId};

use super::{SCHEMA, time};
use unspool_search::hit::SearchHit;

/// A hit as scripts see it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HitJson<'a> {
    schema: u32,
    session: Option<&'a str>,
    home: Option<String>,
    project: Option<&'a str>,
    file: String,
    entry: Option<&'a str>,
    role: &'static str,
    kind: Option<&'static str>,
    time: Option<String>,
    score: f32,
    active: Option<bool>,
    agent: Option<&'a str>,
    gone: bool,
    snippet: &'a str,
    matches: Vec<[usize; 2]>,
}

impl<'a> From<&'a SearchHit> for HitJson<'a> {
    fn from(hit: &'a SearchHit) -> Self {
        Self {
            schema: SCHEMA,
            session: Some(hit.session.as_str()).filter(|id| !id.is_empty()),
            home: hit.home.as_ref().map(|home| home.display().to_string()),
            project: hit.project.as_ref().map(ProjectId::as_str),
            file: hit.file.display().to_string(),
            entry: hit.entry.as_ref().map(EntryId::as_str),
            role: hit.role.name(),
            kind: hit.kind.map(MessageKind::name),
            time: time(hit.time),
            score: (hit.score * 1000.0).round() / 1000.0,
            active: hit.active,
            agent: hit.agent.as_ref().map(AgentId::as_str),
            gone: hit.gone,
            snippet: &hit.snippet.text,
            matches: hit.snippet.matches.iter().map(|m| [m.start, m.end]).collect(),
        }
    }
}
