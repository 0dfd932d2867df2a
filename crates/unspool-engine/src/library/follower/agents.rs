//! The agents of a session that is followed: those that run have their conversations followed too.

use std::collections::BTreeMap;

use unspool_model::time::Time;

use super::strand::StrandFollower;
use super::{FollowStart, FollowedAgent, FollowedThing, TimedThing};
use crate::library::feed::FeedTarget;
use crate::library::open::OpenState;
use crate::ops::agents::AgentInfo;
use crate::ops::now::{AgentState, SessionNow};

/// Agents of a session, and which of them were told to run.
#[derive(Default)]
pub(super) struct AgentFollowers {
    known: BTreeMap<String, KnownAgent>,
}

/// An agent that is known.
struct KnownAgent {
    /// Whether it was told to run.
    is_running: bool,
    /// Follows its conversation; none for one that had ended before.
    follower: Option<Box<StrandFollower>>,
}

/// Something that happened in an agent, or to it.
pub(super) type AgentThing = (String, Option<Time>, FollowedThing);

impl AgentFollowers {
    /// Notes the agents that are there when the session is first followed; nothing is told of them
    /// but what comes.
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

    /// Returns what happened since the last step.
    pub(super) fn step(&mut self, state: &OpenState, now: &SessionNow) -> Vec<AgentThing> {
        let mut things = Vec::new();
        // The file of an agent is there before its first line.
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
        // An agent may be sent on after it has ended.
        if is_new || (is_running && !known.is_running) {
            let since = now.agents.iter().find(|it| it.id == *id);
            let since = since.and_then(|it| it.since).filter(|_| is_new);
            let started = FollowedThing::AgentStarted(told(agent));
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
            let ended = FollowedThing::AgentEnded(told(agent));
            things.push((id.clone(), last_active(state, agent), ended));
        }
    }
}

/// Begins to follow the conversation of an agent, if it can be found.
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
