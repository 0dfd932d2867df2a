//! The agents of a followed session; the conversations of running agents are followed too.

use std::collections::BTreeMap;

use unspool_model::time::Time;

use super::strand::StrandFollower;
use super::{FollowStart, FollowedAgent, FollowedEventKind, TimedThing};
use crate::library::feed::FeedTarget;
use crate::library::open::OpenState;
use crate::ops::agents::AgentInfo;
use crate::ops::now::{AgentState, SessionNow};

/// The known agents of a session, by id.
#[derive(Default)]
pub(super) struct AgentFollowers {
    known: BTreeMap<String, KnownAgent>,
}

/// What was reported of an agent.
struct KnownAgent {
    /// Whether the agent was reported as running.
    is_running: bool,
    /// The follower of its conversation; `None` for an agent that had already ended.
    follower: Option<Box<StrandFollower>>,
}

/// An event in the conversation of an agent, or of the agent itself.
pub(super) type AgentThing = (String, Option<Time>, FollowedEventKind);

impl AgentFollowers {
    /// Registers the agents that exist when the session is first followed; only later events of
    /// them are reported.
    pub(super) fn begin(&mut self, state: &OpenState, now: &SessionNow) {
        for agent in state.agents() {
            let is_running = find(now, &agent.id) == Some(AgentState::Running);
            let known = KnownAgent {
                is_running,
                follower: is_running
                    .then(|| begin(agent, FollowStart::Now, state))
                    .flatten()
                    .map(|(follower, _)| follower),
            };
            self.known.insert(agent.id.clone(), known);
        }
    }

    /// Returns the events since the last step.
    pub(super) fn step(&mut self, state: &OpenState, now: &SessionNow) -> Vec<AgentThing> {
        let mut things = Vec::new();
        // The file of an agent exists before its first line is written.
        let begun = state.agents().iter().filter(|it| it.message_count > 0);
        for agent in begun {
            let is_running = find(now, &agent.id) == Some(AgentState::Running);
            self.step_agent(agent, is_running, state, now, &mut things);
        }
        things
    }

    fn step_agent(
        &mut self,
        agent: &AgentInfo,
        is_running: bool,
        state: &OpenState,
        now: &SessionNow,
        things: &mut Vec<AgentThing>,
    ) {
        let id = &agent.id;
        let is_new = !self.known.contains_key(id);
        let known = self
            .known
            .entry(id.clone())
            .or_insert(KnownAgent { is_running: false, follower: None });
        // An agent can be resumed after it has ended.
        if is_new || (is_running && !known.is_running) {
            let since = now.agents.iter().find(|it| it.id == *id);
            let since = since.and_then(|it| it.since).filter(|_| is_new);
            let started = FollowedEventKind::AgentStarted(told(agent));
            things.push((id.clone(), since, started));
            known.is_running = true;
        }
        if let Some(follower) = &mut known.follower {
            if let Ok(news) = follower.step(state) {
                add(things, id, news.things);
            }
        } else if known.is_running {
            let start = if is_new { FollowStart::BEGINNING } else { FollowStart::Now };
            if let Some((follower, new)) = begin(agent, start, state) {
                known.follower = Some(follower);
                add(things, id, new);
            }
        }
        if known.is_running && !is_running {
            known.is_running = false;
            let ended = FollowedEventKind::AgentEnded(told(agent));
            things.push((id.clone(), last_active(state, agent), ended));
        }
    }
}

/// Begins to follow the conversation of an agent, if the agent can be found.
fn begin(
    agent: &AgentInfo,
    start: FollowStart,
    state: &OpenState,
) -> Option<(Box<StrandFollower>, Vec<TimedThing>)> {
    let begun = StrandFollower::begin(FeedTarget::agent(&agent.id), start, state);
    let (follower, news) = begun.ok()?;
    Some((Box::new(follower), news.things))
}

fn find(now: &SessionNow, id: &str) -> Option<AgentState> {
    let agent = now.agents.iter().find(|agent| agent.id == id);
    agent.map(|agent| agent.state)
}

fn told(agent: &AgentInfo) -> FollowedAgent {
    FollowedAgent {
        kind: agent.kind.clone(),
        description: agent.description.clone(),
        messages: agent.message_count,
    }
}

fn last_active(state: &OpenState, agent: &AgentInfo) -> Option<Time> {
    let mut agents = state.session().agents.iter();
    let file = agents.find(|it| it.id.as_str() == agent.id)?;
    file.file.log().facts.ended
}

fn add(things: &mut Vec<AgentThing>, id: &str, new: Vec<TimedThing>) {
    let new = new.into_iter();
    things.extend(new.map(|(time, thing)| (id.to_owned(), time, thing)));
}
