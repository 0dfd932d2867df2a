//! Sessions and agents by exact ids.
//!
//! A request to a server contains ids, which must not be taken for a path or a part of a name. Here
//! an id is only compared with those that a walk over the homes found, so no part of a request
//! reaches the file system.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use unspool_model::ids::{ProjectId, SessionId};
use unspool_store::home::layout::agent_in;
use unspool_store::home::{
    self, Discovery, FoundLog, NameError, PlacedLog, Project, Resolved, SessionFile,
};

use super::Library;
use super::error::LibraryError;
use super::feed::FeedTarget;
use super::walk::HomesWalk;

/// Selects a session by its exact id.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SessionPlace {
    /// The root of its home; any home if `None`.
    pub home: Option<PathBuf>,
    /// Its project; any project if `None`.
    pub project: Option<ProjectId>,
    /// Its id.
    pub session: SessionId,
}

impl SessionPlace {
    /// Selects a resolved session.
    pub fn of_found(found: &Resolved, session: SessionId) -> Self {
        Self {
            home: found.home.as_ref().map(|home| home.root.clone()),
            project: found.project.clone(),
            session,
        }
    }

    /// Selects the session with an id in any home.
    pub fn of(session: SessionId) -> Self {
        Self { home: None, project: None, session }
    }

    fn is_in(&self, home: &Discovery, project: &Project) -> bool {
        let is_home = |root: &PathBuf| *root == home.home.root;
        self.home.as_ref().is_none_or(is_home)
            && self.project.as_ref().is_none_or(|id| is_named(project, id))
    }
}

/// The location of an agent's conversation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentSource {
    /// The session that has the agent, or the agent's own log if its session is missing.
    pub found: Resolved,
    /// The agent's conversation in that log.
    pub target: FeedTarget,
}

impl Library {
    /// Returns the session at a place, among those that the last walk over the homes found.
    pub fn find_session(&self, place: &SessionPlace) -> Result<Resolved, LibraryError> {
        Ok(find(&self.walk(), place)?)
    }

    /// Returns those of some ids that sessions of several projects share, by the current catalogue:
    /// the URL of such a session must name its project.
    pub fn shared_ids<'i>(
        &self,
        ids: impl IntoIterator<Item = &'i SessionId>,
    ) -> Result<BTreeSet<SessionId>, LibraryError> {
        self.with_index(|index| {
            let mut shared = BTreeSet::new();
            for id in ids {
                if index.is_shared(id)? {
                    shared.insert(id.clone());
                }
            }
            Ok(shared)
        })
    }

    /// Finds an agent of a project by its id, with or without the prefix `agent-`.
    pub fn find_agent(&self, project: &ProjectId, id: &str) -> Result<AgentSource, LibraryError> {
        Ok(find_agent(self.walk().found(), project, id)?)
    }
}

fn find(walk: &HomesWalk, place: &SessionPlace) -> Result<Resolved, NameError> {
    let found = walk.found();
    let mut logs: Vec<&Path> = Vec::new();
    for home in found {
        let sessions = home
            .sessions()
            .filter(|(project, session)| session.id == place.session && place.is_in(home, project));
        logs.extend(sessions.map(|(_, session)| session.path.as_path()));
    }
    if logs.is_empty() {
        return Err(unknown(place.session.as_str()));
    }
    home::of_logs(place.session.as_str(), &logs, found)
}

fn find_agent(
    found: &[Discovery],
    project: &ProjectId,
    id: &str,
) -> Result<AgentSource, NameError> {
    let id = agent_in(id);
    let projects =
        found.iter().flat_map(|home| home.projects.iter().map(move |project| (home, project)));
    let mut projects = projects.filter(|(_, it)| is_named(it, project));
    let found = projects.find_map(|(home, project)| {
        let has = |session: &&SessionFile| session.agents.iter().any(|it| it.id.as_str() == id);
        let mut loose = project.loose_agents.iter();
        if let Some(session) = project.sessions.iter().find(has) {
            return Some(AgentSource {
                found: PlacedLog { home, project, log: FoundLog::Session(session) }.resolved(),
                target: FeedTarget::agent(id),
            });
        }
        let agent = loose.find(|agent| agent.id.as_str() == id)?;
        Some(AgentSource {
            found: PlacedLog { home, project, log: FoundLog::Agent(agent) }.resolved(),
            target: FeedTarget::active(),
        })
    });
    found.ok_or_else(|| unknown(id))
}

fn is_named(project: &Project, id: &ProjectId) -> bool {
    project.id == *id || project.aliases.contains(id)
}

fn unknown(text: &str) -> NameError {
    NameError::Unknown { text: text.to_owned(), near: Vec::new(), names: Vec::new() }
}
