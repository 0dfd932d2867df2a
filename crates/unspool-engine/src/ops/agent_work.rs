//! The work of each agent of a session, and its outcome.
//!
//! Computed from the tables of the logs, without reading a message. The log of an agent that has
//! ended ends with an answer. An agent without one is working if the session has a process that may
//! still run it ([`super::now`]). Otherwise the result of the call that started it reports its end,
//! or it was interrupted.

use std::collections::HashMap;

use unspool_model::conversation::{CallStatus, Conversation, Liveness, TurnOutcome, View};
use unspool_model::names;
use unspool_model::positions::NodeId;
use unspool_model::symbols::Symbol;
use unspool_model::time::Time;

use super::lanes::{AgentLane, AgentTree};
use super::now::{NowSubject, is_running};
use super::transcript::Transcript;

names! {
    /// The outcome of an agent.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum AgentOutcome {
        /// The agent is working.
        Working = "working",
        /// The agent has given its answer.
        Done = "done",
        /// The agent ended with an error.
        Failed = "failed",
        /// The agent was interrupted, or its process ended first.
        Interrupted = "interrupted",
    }
}

/// The work of an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentWork {
    /// The outcome of the agent.
    pub outcome: AgentOutcome,
    /// The time of its first entry.
    pub started: Option<Time>,
    /// The time of its last entry.
    pub ended: Option<Time>,
    /// The number of its calls.
    pub calls: u32,
    /// The number of its failed calls.
    pub failed_calls: u32,
}

impl AgentWork {
    /// Returns how long the agent worked; for a working agent, up to its last entry.
    pub fn duration_ms(&self) -> Option<u64> {
        Some(self.ended?.since(self.started?))
    }
}

/// Returns the work of each agent of a session, in the order of [`Transcript::agents`]; `None` for an inline
/// agent of a file that is not shown. `began` is the start time of the process that owns the session.
pub fn agent_work(shown: &Transcript<'_>, began: Option<Time>) -> Vec<Option<AgentWork>> {
    let tree = AgentTree::new(shown);
    let launches = launches(shown);
    let subject = NowSubject {
        session: shown.session,
        conversation: &shown.conversation,
        history: &shown.view,
        agents: &shown.agents,
        began,
    };
    let work = tree.rows().map(|row| {
        let (info, lane) = (tree.info(row), tree.lane(row)?);
        let mut work = counted(&lane, shown.live);
        let launch = info.call.as_deref().and_then(|call| launches.get(call));
        let ending = lane.conversation().ending(&lane.view);
        let may_run = ending.is_none() && shown.live == Liveness::Live;
        work.outcome = if may_run && is_running(&subject, info) {
            AgentOutcome::Working
        } else {
            ended(ending, launch.copied(), work.ended)
        };
        Some(work)
    });
    work.collect()
}

/// The status of the call that started an agent, and the time of its result.
type LaunchEnd = (CallStatus, Option<Time>);

/// Returns how the calls of the shown conversation ended, by call id.
fn launches<'t>(shown: &'t Transcript<'_>) -> HashMap<&'t str, LaunchEnd> {
    let (conversation, log) = (&shown.conversation, shown.conversation.log);
    let calls = calls(conversation, &shown.view);
    let ends = calls.map(|(node, call)| {
        let result = conversation.result_in(&shown.view, node, call);
        let status = conversation.call_status(node, result, shown.live);
        let time = result.and_then(|result| log.entries[result.entry].time);
        (log.text(call), (status, time))
    });
    ends.collect()
}

/// Returns the calls of a view with their nodes.
fn calls<'c>(
    conversation: &'c Conversation<'_>,
    view: &'c View,
) -> impl Iterator<Item = (NodeId, Symbol)> + 'c {
    let log = conversation.log;
    let nodes = view.messages.iter().flat_map(|it| view.nodes(it)).copied();
    nodes.flat_map(move |node| {
        let calls = log.calls_of(conversation.graph.entry(log, node));
        calls.filter_map(move |block| Some((node, block.call?)))
    })
}

/// Counts the work of an agent; the caller sets the outcome.
fn counted(lane: &AgentLane<'_>, live: Liveness) -> AgentWork {
    let (conversation, view) = (lane.conversation(), &lane.view);
    let nodes = view.walk().iter();
    let times = nodes.filter_map(|&node| conversation.graph.entry(lane.log(), node).time);
    let mut work = AgentWork {
        outcome: AgentOutcome::Done,
        started: times.clone().min(),
        ended: times.max(),
        calls: 0,
        failed_calls: 0,
    };
    for (node, call) in calls(conversation, view) {
        let result = conversation.result_in(view, node, call);
        let status = conversation.call_status(node, result, live);
        work.calls += 1;
        work.failed_calls += u32::from(status == CallStatus::Failed);
    }
    work
}

/// Returns the outcome of an agent that is not working.
fn ended(
    ending: Option<TurnOutcome>,
    launch: Option<LaunchEnd>,
    last: Option<Time>,
) -> AgentOutcome {
    let status = launch.map(|(status, _)| status);
    match (ending, status) {
        (Some(TurnOutcome::Error), _) | (_, Some(CallStatus::Failed)) => AgentOutcome::Failed,
        (Some(TurnOutcome::Done), _) => AgentOutcome::Done,
        // Entries after the result mean that the agent was resumed, and then interrupted.
        (None, Some(CallStatus::Done)) if launch.is_some_and(|(_, at)| last <= at) => {
            AgentOutcome::Done
        }
        _ => AgentOutcome::Interrupted,
    }
}
