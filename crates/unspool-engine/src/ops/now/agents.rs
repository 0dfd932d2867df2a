//! The agents of a session that are running or have just ended.
//!
//! The log of an agent that has ended ends with an answer. An agent without one is running while
//! its call has no result. It is also running in the background if its call had a result at once,
//! and the agent has written since. A killed process leaves logs without an end, so an agent that
//! has not written since the current process began is not running.

use std::collections::HashSet;
use std::io;

use unspool_model::entry::{BlockKind, EntryKind, Flags};
use unspool_model::log::Log;
use unspool_model::names;
use unspool_model::positions::EntryIndex;
use unspool_model::symbols::Symbol;
use unspool_model::time::Time;

use super::call::{BlockPlace, CallNow, read_call};
use super::{CallEnd, NowSubject, TurnCalls, call_end, calls_of};
use crate::ops::agents::{AgentInfo, AgentPlace};

/// How many entries at the end of an agent's log are read. Chosen by judgement: more than an agent
/// has calls at a time.
const LOOK_BACK: usize = 500;

names! {
    /// The state of an agent.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum AgentState {
        /// The agent is running.
        Running = "running",
        /// The agent has ended.
        Done = "done",
    }
}

/// The current activity of an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentNow {
    /// The id of the agent.
    pub id: String,
    /// The kind of the agent.
    pub kind: Option<String>,
    /// The short description of its task.
    pub description: Option<String>,
    /// The state of the agent.
    pub state: AgentState,
    /// The time at which it began.
    pub since: Option<Time>,
    /// The time of its last entry.
    pub last_active: Option<Time>,
    /// The number of messages in its conversation.
    pub messages: usize,
    /// The call that it waits for, the last one of several.
    pub call: Option<CallNow>,
}

/// Returns the current activity of the agents.
pub(super) fn agents(subject: &NowSubject<'_>, calls: &TurnCalls<'_>) -> io::Result<Vec<AgentNow>> {
    let mut found = Vec::new();
    for info in subject.agents {
        let of_turn = info.call.as_deref().and_then(|call| calls.get(call));
        match info.place {
            AgentPlace::Inline(_) => {
                let Some(end) = of_turn else { continue };
                let state = match end {
                    CallEnd::Pending => AgentState::Running,
                    CallEnd::Ended(_) => AgentState::Done,
                };
                found.push(agent_now(info, state));
            }
            AgentPlace::File(index) => {
                let file = &subject.session.agents[index].file;
                let end = LogEnd::of(file.log());
                let state = state(subject, info, &end, of_turn.copied());
                if state == AgentState::Done && of_turn.is_none() {
                    continue;
                }
                let pending = end.pending.filter(|_| state == AgentState::Running);
                let call = pending.map(|place| read_call(file.log(), &mut file.reader(), place));
                found.push(AgentNow {
                    since: file.log().facts.started,
                    last_active: end.last,
                    call: call.transpose()?.flatten(),
                    ..agent_now(info, state)
                });
            }
        }
    }
    Ok(found)
}

/// Reports whether an agent is running whose log does not end with an answer.
pub(in crate::ops) fn is_running(subject: &NowSubject<'_>, info: &AgentInfo) -> bool {
    match info.place {
        AgentPlace::Inline(_) => {
            let call = info.call.as_deref();
            call.and_then(|call| find_end(subject, call)) == Some(CallEnd::Pending)
        }
        AgentPlace::File(index) => {
            let end = LogEnd::of(subject.session.agents[index].file.log());
            state(subject, info, &end, None) == AgentState::Running
        }
    }
}

fn agent_now(info: &AgentInfo, state: AgentState) -> AgentNow {
    AgentNow {
        id: info.id.clone(),
        kind: info.kind.clone(),
        description: info.description.clone(),
        state,
        since: None,
        last_active: None,
        messages: info.message_count,
        call: None,
    }
}

fn state(
    subject: &NowSubject<'_>,
    info: &AgentInfo,
    end: &LogEnd,
    of_turn: Option<CallEnd>,
) -> AgentState {
    let since_began = |time: Time| subject.began.is_none_or(|began| time >= began);
    if end.is_finished || !end.last.is_none_or(since_began) {
        return AgentState::Done;
    }
    let call = || info.call.as_deref().and_then(|call| find_end(subject, call));
    match of_turn.or_else(call) {
        Some(CallEnd::Ended(at)) if end.last <= at => AgentState::Done,
        _ => AgentState::Running,
    }
}

/// Finds the end of a call of an earlier turn.
fn find_end(subject: &NowSubject<'_>, call: &str) -> Option<CallEnd> {
    let conversation = subject.conversation;
    let wanted = conversation.log.symbols.find(call)?;
    let messages = subject.history.messages.iter().rev();
    let mut calls = messages.flat_map(|message| calls_of(conversation, subject.history, message));
    let (_, node, call) = calls.find(|(.., call)| *call == wanted)?;
    Some(call_end(subject, node, call))
}

/// The end of an agent's log.
struct LogEnd {
    is_finished: bool,
    /// The last call without a result.
    pending: Option<BlockPlace>,
    /// The time of the last entry.
    last: Option<Time>,
}

impl LogEnd {
    fn of(log: &Log) -> Self {
        let mut answered: HashSet<Symbol> = HashSet::new();
        let mut pending = None;
        let mut last_said = None;
        let all = log.entries.len();
        for index in (all.saturating_sub(LOOK_BACK)..all).rev().map(EntryIndex::at) {
            let entry = &log.entries[index];
            let is_said = matches!(entry.kind, EntryKind::User | EntryKind::Assistant);
            if is_said && last_said.is_none() {
                last_said = Some(entry);
            }
            for (position, block) in log.blocks_of(entry).iter().enumerate().rev() {
                match (block.kind, block.call) {
                    (BlockKind::Result(_), Some(call)) => {
                        answered.insert(call);
                    }
                    (BlockKind::Call, Some(call)) if !answered.contains(&call) => {
                        let place = BlockPlace { entry: index, position };
                        pending = pending.or(Some(place));
                    }
                    _ => {}
                }
            }
        }
        let is_finished = last_said.is_some_and(|entry| {
            entry.kind == EntryKind::Assistant && {
                let last = log.blocks_of(entry).last();
                entry.flags.has(Flags::ENDS_TURN)
                    || last.is_some_and(|block| block.kind == BlockKind::Text)
            }
        });
        Self { is_finished, pending, last: log.facts.ended }
    }
}
