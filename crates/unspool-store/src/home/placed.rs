//! The logs of a home, those of sessions and of agents alike, each with where it was found.

use std::path::Path;

use unspool_model::ids::ProjectId;

use super::layout::agent_name;
use super::{AgentFile, Discovery, Home, Project, SessionFile};
use crate::files::FileStamp;

/// A log that a walk found.
#[derive(Clone, Copy, Debug)]
pub enum FoundLog<'a> {
    /// A session's.
    Session(&'a SessionFile),
    /// An agent's.
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

/// Says what a name or a path leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A main transcript.
    Session(SessionFile),
    /// An agent's transcript, read as a conversation of its own.
    Agent(AgentFile),
}

/// What a name leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// The home, unless the file is outside every home that was searched.
    pub home: Option<Home>,
    /// The project, under the same condition.
    pub project: Option<ProjectId>,
    /// The session or agent.
    pub target: Target,
}

impl<'a> FoundLog<'a> {
    /// Returns the file.
    pub fn path(self) -> &'a Path {
        match self {
            Self::Session(session) => &session.path,
            Self::Agent(agent) => &agent.path,
        }
    }

    /// Returns the file's size and time.
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

    /// Returns the text that names it: `agent-…` for an agent.
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
    /// Returns the transcript.
    pub fn log(&self) -> FoundLog<'_> {
        match self {
            Self::Session(session) => FoundLog::Session(session),
            Self::Agent(agent) => FoundLog::Agent(agent),
        }
    }

    /// Returns the transcript's file.
    pub fn path(&self) -> &Path {
        self.log().path()
    }
}

impl PlacedLog<'_> {
    /// Returns it as what a name leads to.
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
    /// Iterates over the logs of all sessions, and then over those of all agents, loose ones too.
    pub fn logs(&self) -> impl Iterator<Item = PlacedLog<'_>> {
        let sessions = self.sessions().map(|(project, file)| (project, FoundLog::Session(file)));
        let agents = self.agents().map(|(project, file)| (project, FoundLog::Agent(file)));
        sessions.chain(agents).map(move |(project, log)| PlacedLog { home: self, project, log })
    }
}
