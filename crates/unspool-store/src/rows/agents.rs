//! Facts that a session without a conversation takes from its agents.
//!
//! The client deletes old logs and leaves the folders next to them, so of many sessions only the
//! agents remain. The agents date such a session, and if it has no log at all, its title is the
//! task of the first agent.

use serde::{Deserialize, Serialize};
use unspool_model::log::Log;
use unspool_model::time::Time;

use super::{SessionRow, Status};
use crate::session::{Agent, Session};
use crate::titles::TitleOrigin;

/// Facts about one agent.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct AgentFacts {
    /// The time of its earliest entry.
    pub started: Option<Time>,
    /// The time of its latest entry.
    pub ended: Option<Time>,
    /// Its task, in one line.
    pub task: Option<String>,
    /// The folder it began in.
    pub cwd: Option<String>,
}

impl AgentFacts {
    /// Collects the facts from an agent's log and from the task in its sidecar file.
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

/// Returns the task of a session's first agent.
pub fn first_task(session: &Session) -> Option<String> {
    let agents: Vec<AgentFacts> = session.agents.iter().map(AgentFacts::of).collect();
    first(&agents.iter().collect::<Vec<_>>())?.task.clone()
}

/// Facts about a session from its agents, for use where its own log has none.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FactsFromAgents {
    /// When the first agent began.
    pub started: Option<Time>,
    /// When the last agent ended.
    pub ended: Option<Time>,
    /// The folder that the first agent began in, for a session without a log.
    pub cwd: Option<String>,
}

impl FactsFromAgents {
    /// Collects the facts from the agents of a session.
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

/// Returns the agent that began first; of several, the first one in the order of paths.
fn first<'a>(agents: &[&'a AgentFacts]) -> Option<&'a AgentFacts> {
    let began = |agent: &&AgentFacts| (agent.started.is_none(), agent.started);
    agents.iter().copied().min_by_key(began)
}

impl SessionRow {
    /// Returns whether agents are all that is left of the session.
    pub fn has_only_agents(&self) -> bool {
        self.status == Status::Empty && self.agents > 0
    }

    /// Fills in what the session's own log lacks from its agents.
    pub(crate) fn take_from_session(&mut self, session: &Session) {
        let agents: Vec<AgentFacts> = session.agents.iter().map(AgentFacts::of).collect();
        self.take_from_agents(&agents.iter().collect::<Vec<_>>());
    }

    /// Fills in what the session's own log lacks from agents, which are sorted by path.
    pub(crate) fn take_from_agents(&mut self, agents: &[&AgentFacts]) {
        if !self.has_only_agents() {
            return;
        }
        let told = FactsFromAgents::told(agents, self.bytes);
        self.started = self.started.or(told.started);
        self.ended = self.ended.or(told.ended);
        // Another log may supply the title of a log that is not empty.
        if self.bytes > 0 {
            return;
        }
        if let Some(first) = first(agents) {
            self.title.clone_from(&first.task);
            self.cwd = told.cwd;
            // Summaries in other logs cannot refer to a session without a log.
            self.title_origin = TitleOrigin::Log;
        }
    }
}
