//! What agents say of a session that has no conversation of its own.
//!
//! The client deletes old logs and leaves the folders next to them, so of many sessions nothing
//! but agents is left. Such a session is dated by them, and one without a log is called what
//! the first of them was asked to do.

use serde::{Deserialize, Serialize};
use unspool_model::log::Log;
use unspool_model::time::Time;

use super::{SessionRow, Status};
use crate::session::{Agent, Session};
use crate::titles::TitleOrigin;

/// What is known of one agent.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct AgentFacts {
    /// Its earliest entry.
    pub started: Option<Time>,
    /// Its latest entry.
    pub ended: Option<Time>,
    /// What it was asked to do, in one line.
    pub task: Option<String>,
    /// The folder it began in.
    pub cwd: Option<String>,
}

impl AgentFacts {
    /// Takes what an agent's log says, and what its sidecar file says it was asked to do.
    pub(crate) fn new(log: &Log, description: Option<&str>) -> Self {
        let facts = &log.facts;
        Self {
            started: facts.started,
            ended: facts.ended,
            task: description.or(log.openings().first_prompt()).map(str::to_owned),
            cwd: facts.cwd().map(|cwd| log.text(cwd).to_owned()),
        }
    }

    fn of(agent: &Agent) -> Self {
        Self::new(agent.file.log(), agent.sidecar.description.as_deref())
    }
}

/// Returns what the first agent of a session was asked to do.
pub fn first_task(session: &Session) -> Option<String> {
    let agents: Vec<AgentFacts> = session.agents.iter().map(AgentFacts::of).collect();
    first(&agents.iter().collect::<Vec<_>>())?.task.clone()
}

/// What the agents of a session say of it where its own log does not.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ToldByAgents {
    /// When the first of them began.
    pub started: Option<Time>,
    /// When the last of them ended.
    pub ended: Option<Time>,
    /// The folder that the first of them began in, for a session without a log.
    pub cwd: Option<String>,
}

impl ToldByAgents {
    /// Asks the agents of a session.
    pub fn of(session: &Session) -> Self {
        let agents: Vec<AgentFacts> = session.agents.iter().map(AgentFacts::of).collect();
        Self::told(&agents.iter().collect::<Vec<_>>(), session.log().bytes())
    }

    fn told(agents: &[&AgentFacts], bytes: u64) -> Self {
        let first = first(agents).filter(|_| bytes == 0);
        Self {
            started: agents.iter().filter_map(|agent| agent.started).min(),
            ended: agents.iter().filter_map(|agent| agent.ended).max(),
            cwd: first.and_then(|first| first.cwd.clone()),
        }
    }
}

/// Returns the agent that began first; of several the first one by path.
fn first<'a>(agents: &[&'a AgentFacts]) -> Option<&'a AgentFacts> {
    let began = |agent: &&AgentFacts| (agent.started.is_none(), agent.started);
    agents.iter().copied().min_by_key(began)
}

impl SessionRow {
    /// Tells whether agents are all that is left of the session.
    pub fn has_only_agents(&self) -> bool {
        self.status == Status::Empty && self.agents > 0
    }

    /// Takes from a session's agents what its own log does not say.
    pub(crate) fn take_from_session(&mut self, session: &Session) {
        let agents: Vec<AgentFacts> = session.agents.iter().map(AgentFacts::of).collect();
        self.take_from_agents(&agents.iter().collect::<Vec<_>>());
    }

    /// Takes from agents what the session's own log does not say; they come by path.
    pub(crate) fn take_from_agents(&mut self, agents: &[&AgentFacts]) {
        if !self.has_only_agents() {
            return;
        }
        let told = ToldByAgents::told(agents, self.bytes);
        self.started = self.started.or(told.started);
        self.ended = self.ended.or(told.ended);
        // A log that says anything may be named by another one.
        if self.bytes > 0 {
            return;
        }
        if let Some(first) = first(agents) {
            self.title.clone_from(&first.task);
            self.cwd = told.cwd;
            // Nothing that other logs say can be about it.
            self.title_origin = TitleOrigin::Log;
        }
    }
}
