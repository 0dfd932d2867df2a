//! What each agent of a session did, and what became of it.
//!
//! Read from the tables of the logs; no message is read for it. The log of an agent that has ended ends
//! with an answer. One that does not works if its session has a process that may still run it
//! ([`super::now`]); else the result of the call that started it says that it came to an end, or it was
//! cut off.

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
    /// What became of an agent.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum AgentOutcome {
        /// It works.
        Working = "working",
        /// It gave its answer.
        Done = "done",
        /// It ended with an error.
        Failed = "failed",
        /// It was interrupted, or its process ended before it did.
        Interrupted = "interrupted",
    }
}

/// What an agent did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentWork {
    /// What became of it.
    pub outcome: AgentOutcome,
    /// Its first entry.
    pub started: Option<Time>,
    /// Its last entry.
    pub ended: Option<Time>,
    /// How many calls it made.
    pub calls: u32,
    /// How many of them failed.
    pub failed_calls: u32,
}

impl AgentWork {
    /// Returns how long it worked; for one that works, until it last wrote something.
    pub fn duration_ms(&self) -> Option<u64> {
        Some(self.ended?.since(self.started?))
    }
}

/// Says what each agent of a session did, in the order of [`Transcript::agents`]; none for an agent
/// inside a file that is not shown. `began` is when the process began that owns the session.
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

/// How the call ended that started an agent, and when.
type LaunchEnd = (CallStatus, Option<Time>);

/// Finds how the calls of the shown conversation ended.
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

/// Returns the calls of a view with the nodes that they are in.
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

/// Counts what an agent did. What became of it is not known yet.
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

/// Says what became of an agent that does not work.
fn ended(
    ending: Option<TurnOutcome>,
    launch: Option<LaunchEnd>,
    last: Option<Time>,
) -> AgentOutcome {
    let status = launch.map(|(status, _)| status);
    match (ending, status) {
        (Some(TurnOutcome::Error), _) | (_, Some(CallStatus::Failed)) => AgentOutcome::Failed,
        (Some(TurnOutcome::Done), _) => AgentOutcome::Done,
        (None, Some(CallStatus::Done)) if launch.is_some_and(|(_, at)| last <= at) => {
            AgentOutcome::Done
        }
        _ => AgentOutcome::Interrupted,
    }
}
