//! The logs of a home, of sessions and agents alike, each with its place.

use std::path::Path;

use unspool_model::ids::ProjectId;

use super::layout::agent_name;
use super::{AgentFile, Discovery, Home, Project, SessionFile};
use crate::files::FileStamp;

/// A log that a walk found.
#[derive(Clone, Copy, Debug)]
pub enum FoundLog<'a> {
    /// The log of a session.
    Session(&'a SessionFile),
    /// The log of an agent.
    Agent(&'a AgentFile),
}

/// A log with its home and its project.
#[derive(Clone, Copy, Debug)]
pub struct PlacedLog<'a> {
    /// The home, as it was walked.
    pub home: &'a Discovery,
    /// The project.
    pub project: &'a Project,
    /// The log.
    pub log: FoundLog<'a>,
}

/// A session or an agent that a name or a path leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A main log.
    Session(SessionFile),
    /// An agent's log, read as a conversation of its own.
    Agent(AgentFile),
}

/// What a name leads to, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// The home, unless the file is outside of every searched home.
    pub home: Option<Home>,
    /// The project, if there is a home.
    pub project: Option<ProjectId>,
    /// The session or agent.
    pub target: Target,
}

impl<'a> FoundLog<'a> {
    /// Returns the path of the log.
    pub fn path(self) -> &'a Path {
        match self {
            Self::Session(session) => &session.path,
            Self::Agent(agent) => &agent.path,
        }
    }

    /// Returns the stamp of the log.
    pub fn stamp(self) -> FileStamp {
        match self {
            Self::Session(session) => session.stamp,
            Self::Agent(agent) => agent.stamp,
        }
    }

    /// Returns the id of the session or the agent.
    pub(crate) fn id(self) -> &'a str {
        match self {
            Self::Session(session) => session.id.as_str(),
            Self::Agent(agent) => agent.id.as_str(),
        }
    }

    /// Returns its name: `agent-…` for an agent.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Session(session) => session.id.to_string(),
            Self::Agent(agent) => agent_name(agent.id.as_str()),
        }
    }

    pub(crate) fn is_session(self) -> bool {
        matches!(self, Self::Session(_))
    }
}

impl Target {
    /// Returns the log.
    pub fn log(&self) -> FoundLog<'_> {
        match self {
            Self::Session(session) => FoundLog::Session(session),
            Self::Agent(agent) => FoundLog::Agent(agent),
        }
    }

    /// Returns the path of the log.
    pub fn path(&self) -> &Path {
        self.log().path()
    }
}

impl PlacedLog<'_> {
    /// Returns the log as the result of resolving a name.
    pub fn resolved(&self) -> Resolved {
        Resolved {
            home: Some(self.home.home.clone()),
            project: Some(self.project.id.clone()),
            target: match self.log {
                FoundLog::Session(session) => Target::Session(session.clone()),
                FoundLog::Agent(agent) => Target::Agent(agent.clone()),
            },
        }
    }
}

impl Discovery {
    /// Iterates over the logs of all sessions and then of all agents, loose ones too.
    pub fn logs(&self) -> impl Iterator<Item = PlacedLog<'_>> {
        let sessions = self.sessions().map(|(project, file)| (project, FoundLog::Session(file)));
        let agents = self.agents().map(|(project, file)| (project, FoundLog::Agent(file)));
        sessions.chain(agents).map(move |(project, log)| PlacedLog { home: self, project, log })
    }
}
