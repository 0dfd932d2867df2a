//! A session without its messages, for programs that request messages page by page.

use serde::{Serialize, Serializer};
use unspool_engine::ops::transcript::Transcript;

use super::{
    AgentJson, CountsJson, LineageJson, PathHeadJson, SCHEMA, SessionJson, SideFileJson,
    TokensJson, TurnsJson, agents, each_path, lineage, number, side_files, wire,
};

wire! {
    /// A session without its messages and without the entries of its paths: the other fields are
    /// those of the whole document.
    pub struct OverviewJson<'t, 's> from(shown: &'t Transcript<'s>) {
        schema: u32 = SCHEMA,
        session: SessionJson = shown.into(),
        rule: &'static str = shown.conversation.rule.name(),
        view: &'static str = shown.kind.name(),
        agent: Option<&'t str> = shown.agent.as_deref(),
        path: Option<u32> = number(shown),
        at: Option<u32> = shown.at.as_ref().map(|at| at.message),
        counts: CountsJson = CountsJson::from(shown.counts()),
        #[cfg_attr(test, schemars(with = "Vec<PathHeadJson>"))]
        paths: PathHeadsJson<'t, 's> = PathHeadsJson(shown),
        #[cfg_attr(test, schemars(with = "Vec<super::TurnJson>"))]
        turns: TurnsJson<'t, 's> = TurnsJson(shown),
        tokens: TokensJson = TokensJson::from(shown.tokens()),
        agents: Vec<AgentJson<'t>> = agents(shown),
        side_files: Vec<SideFileJson> = side_files(shown),
        lineage: Vec<LineageJson<'t>> = lineage(shown),
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
