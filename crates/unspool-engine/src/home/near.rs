//! What a mistyped name may have meant.

use std::path::PathBuf;

use strsim::levenshtein;
use unspool_model::ids::{AgentId, ProjectId, SessionId};

use super::layout::agent_name;
use super::{AgentFile, Discovery, Home, Project, SessionFile};
use crate::files::Stamp;

/// Limits how many near matches are offered.
const MAX_NEAR: usize = 5;
/// A name that shares this many first characters is near.
const SHARED: usize = 4;

/// Describes a session or an agent that a name could mean.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// What it is, with its id.
    pub kind: CandidateKind,
    /// The home that it was found in.
    pub home: Home,
    /// The project that it was found in.
    pub project: ProjectId,
    /// Its transcript.
    pub path: PathBuf,
    /// The transcript's size and time.
    pub stamp: Stamp,
}

/// Tells sessions from agents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CandidateKind {
    /// A session.
    Session(SessionId),
    /// An agent.
    Agent(AgentId),
}

impl Candidate {
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
pub(crate) fn near(text: &str, discoveries: &[Discovery]) -> Vec<Candidate> {
    let text: Vec<char> = text.to_ascii_lowercase().chars().take(64).collect();
    let agent = text.starts_with(&['a', 'g', 'e', 'n', 't', '-']);
    let mut ranked = Vec::new();
    for found in discoveries {
        if agent {
            for (project, file) in found.agents() {
                if let Some(rank) = rank(&text, &agent_name(file.id.as_str())) {
                    ranked.push((rank, Candidate::agent(found, project, file)));
                }
            }
        } else {
            for (project, file) in found.sessions() {
                if let Some(rank) = rank(&text, file.id.as_str()) {
                    ranked.push((rank, Candidate::session(found, project, file)));
                }
            }
        }
    }
    ranked.sort_by(|(a_rank, a), (b_rank, b)| {
        let newest_first = b.stamp.modified.cmp(&a.stamp.modified);
        a_rank
            .cmp(b_rank)
            .then(newest_first)
            .then_with(|| a.path.cmp(&b.path))
    });
    ranked.truncate(MAX_NEAR);
    ranked.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Ranks an id by its distance from what was typed; nothing if it is far.
pub(crate) fn rank(text: &[char], id: &str) -> Option<usize> {
    let id: Vec<char> = id.to_ascii_lowercase().chars().collect();
    if text.is_empty() {
        return None;
    }
    if text.len() >= SHARED && id.windows(text.len()).any(|part| part == text) {
        return Some(0);
    }
    let start = &id[..id.len().min(text.len())];
    let distance = distance(text, start);
    let shared = text.iter().zip(&id).take_while(|(a, b)| a == b).count();
    // Every agent's name starts alike, which says nothing.
    let common = if id.starts_with(&['a', 'g', 'e', 'n', 't', '-']) {
        6
    } else {
        0
    };
    let shared = shared.saturating_sub(common);
    let allowed = ((text.len() - common.min(text.len())) / 4).clamp(1, 6);
    (distance <= allowed || shared >= SHARED.min(text.len())).then_some(distance)
}

/// Counts the insertions, deletions and replacements from one text to the other.
pub(crate) fn distance(one: &[char], other: &[char]) -> usize {
    let text = |chars: &[char]| chars.iter().collect::<String>();
    levenshtein(&text(one), &text(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn an_id_is_near_by_its_start_its_inside_or_few_changes() {
        let id = "7fa0e2b7-6895-4c54-a062-cb7837a03d1c";
        for (text, expected) in [
            ("7fa0e3b7", Some(1)),
            ("7fa0ffff", Some(4)),
            ("cb7837a0", Some(0)),
            ("7f", Some(0)),
            ("00000000", None),
            ("", None),
        ] {
            assert_eq!(rank(&chars(text), id), expected, "{text}");
        }
        assert_eq!(rank(&chars("agent-0000"), "agent-abcdef"), None);
        assert_eq!(rank(&chars("agent-abce"), "agent-abcdef"), Some(1));
    }
}
