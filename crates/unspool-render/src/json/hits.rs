//! Hits of a search as JSON: one line each.

use unspool_model::entry::MessageKind;
use unspool_model::ids::{AgentId, EntryId, ProjectId};

use super::{SCHEMA, time, wire};
use unspool_search::hit::SearchHit;

wire! {
    /// A hit of a search.
    pub struct HitJson<'a> from(hit: &'a SearchHit) {
        schema: u32 = SCHEMA,
        session: Option<&'a str> = Some(hit.session.as_str()).filter(|id| !id.is_empty()),
        home: Option<String> = hit.home.as_ref().map(|home| home.display().to_string()),
        project: Option<&'a str> = hit.project.as_ref().map(ProjectId::as_str),
        file: String = hit.file.display().to_string(),
        entry: Option<&'a str> = hit.entry.as_ref().map(EntryId::as_str),
        role: &'static str = hit.role.name(),
        kind: Option<&'static str> = hit.kind.map(MessageKind::name),
        time: Option<String> = time(hit.time),
        score: f32 = (hit.score * 1000.0).round() / 1000.0,
        active: Option<bool> = hit.active,
        agent: Option<&'a str> = hit.agent.as_ref().map(AgentId::as_str),
        gone: bool = hit.gone,
        snippet: &'a str = &hit.snippet.text,
        matches: Vec<[usize; 2]> = hit.snippet.matches.iter().map(|m| [m.start, m.end]).collect(),
    }
}
