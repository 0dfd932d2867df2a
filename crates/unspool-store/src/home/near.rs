//! What a mistyped name may have meant.

use std::path::PathBuf;

use unspool_model::ids::{AgentId, ProjectId, SessionId};
use unspool_model::near::near_id;

use super::layout::{agent_name, is_agent_name};
use super::{AgentFile, Discovery, Home, Project, SessionFile};
use crate::files::FileStamp;

/// Limits how many near matches are offered.
const MAX_NEAR: usize = 5;

/// Describes a session or an agent that a name could mean.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameCandidate {
    /// What it is, with its id.
    pub kind: CandidateKind,
    /// The home that it was found in.
    pub home: Home,
    /// The project that it was found in.
    pub project: ProjectId,
    /// Its transcript.
    pub path: PathBuf,
    /// The transcript's size and time.
    pub stamp: FileStamp,
}

/// Tells sessions from agents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CandidateKind {
    /// A session.
    Session(SessionId),
    /// An agent.
    Agent(AgentId),
}

impl NameCandidate {
    /// Returns the text that names it: `agent-…` for an agent.
    pub fn name(&self) -> String {
        match &self.kind {
            CandidateKind::Session(id) => id.to_string(),
            CandidateKind::Agent(id) => agent_name(id.as_str()),
        }
    }

    pub(crate) fn session(found: &Discovery, project: &Project, session: &SessionFile) -> Self {
        Self {
            kind: CandidateKind::Session(session.id.clone()),
            home: found.home.clone(),
            project: project.id.clone(),
            path: session.path.clone(),
            stamp: session.stamp,
        }
    }

    pub(crate) fn agent(found: &Discovery, project: &Project, agent: &AgentFile) -> Self {
        Self {
            kind: CandidateKind::Agent(agent.id.clone()),
            home: found.home.clone(),
            project: project.id.clone(),
            path: agent.path.clone(),
            stamp: agent.stamp,
        }
    }
}

/// Lists the few names nearest to `text`, best first and then newest first.
pub(crate) fn near(text: &str, discoveries: &[Discovery]) -> Vec<NameCandidate> {
    let text = &text.to_ascii_lowercase();
    let mut ranked = Vec::new();
    for found in discoveries {
        if is_agent_name(text) {
            // Every agent's name starts alike, which says nothing.
            let common = agent_name("").len();
            for (project, file) in found.agents() {
                if let Some(rank) = near_id(text, &agent_name(file.id.as_str()), common) {
                    ranked.push((rank, NameCandidate::agent(found, project, file)));
                }
            }
        } else {
            for (project, file) in found.sessions() {
                if let Some(rank) = near_id(text, file.id.as_str(), 0) {
                    ranked.push((rank, NameCandidate::session(found, project, file)));
                }
            }
        }
    }
    ranked.sort_by(|(a_rank, a), (b_rank, b)| {
        let newest_first = b.stamp.modified.cmp(&a.stamp.modified);
        a_rank.cmp(b_rank).then(newest_first).then_with(|| a.path.cmp(&b.path))
    });
    ranked.truncate(MAX_NEAR);
    ranked.into_iter().map(|(_, candidate)| candidate).collect()
}
