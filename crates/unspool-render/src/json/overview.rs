//! A session without its messages, as programs see it that ask for those page by page.

use serde::{Serialize, Serializer};
use unspool_engine::ops::transcript::Transcript;

use super::{
    AgentJson, CountsJson, LineageJson, PathHeadJson, SCHEMA, SessionJson, SideFileJson,
    TokensJson, TurnsJson, agents, each_path, lineage, number, session, side_files,
};

/// A session without its messages and without the entries of its paths: the other fields are
/// those of the whole document.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OverviewJson<'t, 's> {
    schema: u32,
    session: SessionJson,
    rule: &'static str,
    view: &'static str,
    agent: Option<&'t str>,
    path: Option<u32>,
    at: Option<u32>,
    counts: CountsJson,
    #[cfg_attr(test, schemars(with = "Vec<PathHeadJson>"))]
    paths: PathHeadsJson<'t, 's>,
    #[cfg_attr(test, schemars(with = "Vec<super::TurnJson>"))]
    turns: TurnsJson<'t, 's>,
    tokens: TokensJson,
    agents: Vec<AgentJson<'t>>,
    side_files: Vec<SideFileJson>,
    lineage: Vec<LineageJson<'t>>,
}

impl<'t, 's> From<&'t Transcript<'s>> for OverviewJson<'t, 's> {
    fn from(shown: &'t Transcript<'s>) -> Self {
        Self {
            schema: SCHEMA,
            session: session(shown),
            rule: shown.conversation.rule.name(),
            view: shown.kind.name(),
            agent: shown.agent.as_deref(),
            path: number(shown),
            at: shown.at.as_ref().map(|at| at.message),
            counts: CountsJson::from(shown.counts()),
            paths: PathHeadsJson(shown),
            turns: TurnsJson(shown),
            tokens: TokensJson::from(shown.tokens()),
            agents: agents(shown),
            side_files: side_files(shown),
            lineage: lineage(shown),
        }
    }
}

struct PathHeadsJson<'t, 's>(&'t Transcript<'s>);

impl Serialize for PathHeadsJson<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut paths: Vec<PathHeadJson<'_>> = Vec::new();
        each_path(self.0, |path, _| {
            paths.push(path);
            Ok::<_, S::Error>(())
        })?;
        paths.serialize(serializer)
    }
}
