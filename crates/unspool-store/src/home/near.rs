//! Suggestions for a mistyped name.

use std::path::PathBuf;

use unspool_model::ids::{AgentId, ProjectId, SessionId};
use unspool_model::near::near_id;

use super::layout::{agent_name, is_agent_name};
use super::{Discovery, FoundLog, Home, PlacedLog};
use crate::files::FileStamp;

/// How many suggestions are made.
const MAX_NEAR: usize = 5;

/// A session or an agent that a name could mean.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameCandidate {
    /// Whether it is a session or an agent, with its id.
    pub kind: CandidateKind,
    /// The home that it was found in.
    pub home: Home,
    /// The project that it was found in.
    pub project: ProjectId,
    /// The path of its log.
    pub path: PathBuf,
    /// The stamp of its log.
    pub stamp: FileStamp,
}

/// A session or an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CandidateKind {
    /// A session.
    Session(SessionId),
    /// An agent.
    Agent(AgentId),
}

impl NameCandidate {
    /// Returns its name: `agent-…` for an agent.
    pub fn name(&self) -> String {
        match &self.kind {
            CandidateKind::Session(id) => id.to_string(),
            CandidateKind::Agent(id) => agent_name(id.as_str()),
        }
    }

    pub(crate) fn of(placed: &PlacedLog<'_>) -> Self {
        Self {
            kind: match placed.log {
                FoundLog::Session(session) => CandidateKind::Session(session.id.clone()),
                FoundLog::Agent(agent) => CandidateKind::Agent(agent.id.clone()),
            },
            home: placed.home.home.clone(),
            project: placed.project.id.clone(),
            path: placed.log.path().to_owned(),
            stamp: placed.log.stamp(),
        }
    }
}

/// Lists the few sessions or agents with names nearest to `text`, best first, then newest first.
pub(crate) fn near(text: &str, discoveries: &[Discovery]) -> Vec<NameCandidate> {
    let text = &text.to_ascii_lowercase();
    let wants_agent = is_agent_name(text);
    // All names of agents have the same prefix, which must not count as a similarity.
    let common = if wants_agent { agent_name("").len() } else { 0 };
    let logs = discoveries.iter().flat_map(Discovery::logs);
    let mut ranked: Vec<(usize, NameCandidate)> = logs
        .filter(|placed| placed.log.is_session() != wants_agent)
        .filter_map(|placed| {
            let rank = near_id(text, &placed.log.name(), common)?;
            Some((rank, NameCandidate::of(&placed)))
        })
        .collect();
    ranked.sort_by(|(a_rank, a), (b_rank, b)| {
        let newest_first = b.stamp.modified.cmp(&a.stamp.modified);
        a_rank.cmp(b_rank).then(newest_first).then_with(|| a.path.cmp(&b.path))
    });
    ranked.truncate(MAX_NEAR);
    ranked.into_iter().map(|(_, candidate)| candidate).collect()
}
