//! The current activity of a session, read from the end of its logs.
//!
//! An open session goes in with its agents. Out come the calls without a result, the agents that
//! are running or have just ended, the size of the context, and the last sentence of the model.
//! Only the last turn is examined, and only the records in the answer are read.

mod agents;
mod call;
mod sentence;

use std::collections::HashMap;
use std::io;
use std::path::Path;

use unspool_model::conversation::{CallStatus, Conversation, Message, Speaker, TurnOutcome, View};
use unspool_model::entry::{BlockKind, Flags, MessageKind};
use unspool_model::log::Log;
use unspool_model::positions::{EntryIndex, NodeId};
use unspool_model::record::{Record, RecordPart};
use unspool_model::symbols::Symbol;
use unspool_model::time::Time;
use unspool_model::usage::Ledger;

use self::call::{BlockPlace, read_call};
use self::sentence::last_sentence;
use crate::ops::agents::AgentInfo;
use unspool_store::files::last_lines;
use unspool_store::session::Session;

pub(super) use self::agents::is_running;
pub use self::agents::{AgentNow, AgentState};
pub use self::call::{CallAsk, CallNow};

/// How many messages are searched for the last sentence. Chosen by judgement: a long row of calls
/// without a text between them.
const LOOK_BACK: usize = 400;

/// How many bytes at the end of a log that is not open are read for the last sentence. Chosen by
/// judgement: most answers fit, and a list of fifty sessions is read in a moment.
const END: u64 = 64 * 1024;

/// The current activity of a session.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SessionNow {
    /// The time at which its last turn began.
    pub turn_started: Option<Time>,
    /// The outcome of that turn; `Open` while it continues.
    pub outcome: Option<TurnOutcome>,
    /// The calls of that turn without a result, in order.
    pub calls: Vec<CallNow>,
    /// The running agents, and those that ended in that turn.
    pub agents: Vec<AgentNow>,
    /// The size of the model's context in tokens, from the last answer: what the model read.
    pub context_tokens: Option<u64>,
    /// The last sentence of the model.
    pub last_said: Option<String>,
}

impl SessionNow {
    /// Returns the number of its agents in a state.
    pub fn agents_in(&self, state: AgentState) -> usize {
        let agents = self.agents.iter();
        agents.filter(|agent| agent.state == state).count()
    }
}

/// An open session as the input of [`now()`].
#[derive(Clone, Copy)]
pub struct NowSubject<'s> {
    /// The session.
    pub session: &'s Session,
    /// Its conversation.
    pub conversation: &'s Conversation<'s>,
    /// The history of its active path.
    pub history: &'s View,
    /// Its agents.
    pub agents: &'s [AgentInfo],
    /// The time at which its process began.
    pub began: Option<Time>,
}

/// The calls of the last turn by id, each with its end.
type TurnCalls<'l> = HashMap<&'l str, CallEnd>;

/// Whether a call has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CallEnd {
    /// The call has no result yet.
    Pending,
    /// The call has ended, at this time if it is known.
    Ended(Option<Time>),
}

/// Returns the current activity of a session.
pub fn now(subject: &NowSubject<'_>) -> io::Result<SessionNow> {
    let NowSubject { session, conversation, history, .. } = *subject;
    let turn = conversation.last_turn(history, session.live);
    let first = turn.as_ref().map_or(0, |turn| turn.messages.start as usize);
    let mut calls = TurnCalls::new();
    let mut pending = Vec::new();
    for message in history.messages.get(first..).unwrap_or_default() {
        for (place, node, call) in calls_of(conversation, history, message) {
            let end = call_end(subject, node, call);
            calls.insert(conversation.log.text(call), end);
            pending.extend((end == CallEnd::Pending).then_some(place));
        }
    }
    let mut reader = session.main.reader();
    let mut open = Vec::new();
    for place in pending {
        open.extend(read_call(conversation.log, &mut reader, place)?);
    }
    for call in &mut open {
        call.find_plan(session);
    }
    Ok(SessionNow {
        turn_started: turn.as_ref().and_then(|turn| turn.started),
        outcome: turn.map(|turn| turn.outcome),
        calls: open,
        agents: agents::agents(subject, &calls)?,
        context_tokens: context_tokens(conversation, history),
        last_said: last_said(subject)?,
    })
}

/// Returns the calls of a message: the place, the node and the id of each.
fn calls_of<'c>(
    conversation: &'c Conversation<'_>,
    view: &'c View,
    message: &Message,
) -> impl Iterator<Item = (BlockPlace, NodeId, Symbol)> + 'c {
    view.nodes(message).iter().flat_map(move |&node| {
        let entry = conversation.graph.nodes[node].content;
        let blocks = conversation.log.blocks_of(&conversation.log.entries[entry]).iter();
        let calls = blocks.enumerate().filter(|(_, block)| block.kind == BlockKind::Call);
        calls.filter_map(move |(position, block)| {
            Some((BlockPlace { entry, position }, node, block.call?))
        })
    })
}

fn call_end(subject: &NowSubject<'_>, node: NodeId, call: Symbol) -> CallEnd {
    let conversation = subject.conversation;
    let result = conversation.result_of(node, call);
    let status = conversation.call_status(node, result, subject.session.live);
    if status == CallStatus::Pending {
        return CallEnd::Pending;
    }
    let entry = result.map(|result| &conversation.log.entries[result.entry]);
    CallEnd::Ended(entry.and_then(|entry| entry.time))
}

/// Returns the size of the context in tokens at the last answer, or after a later compaction.
fn context_tokens(conversation: &Conversation<'_>, view: &View) -> Option<u64> {
    let log = conversation.log;
    let content = |node: NodeId| conversation.graph.nodes[node].content;
    for message in view.messages.iter().rev().filter(|message| !message.left_out) {
        if message.kind == MessageKind::Boundary {
            let entry = content(view.nodes(message)[0]);
            return log.compaction_at(entry).and_then(|compaction| compaction.tokens_after);
        }
        if message.speaker != Speaker::Assistant {
            continue;
        }
        let mut ledger = Ledger::default();
        for &node in view.nodes(message) {
            log.claim_usage_of(content(node), &mut ledger);
        }
        let tokens = ledger.total().context();
        if tokens > 0 {
            return Some(tokens);
        }
    }
    None
}

/// Returns the last sentence at the end of a log that is not open: from an answer of the model or
/// an error.
pub fn said_at_end(log: &Path) -> Option<String> {
    let bytes = last_lines(log, END).ok()?;
    let end = Log::read(&bytes);
    let mut said = end.entries.iter().rev().filter(|entry| {
        matches!(entry.says, Some(MessageKind::Answer | MessageKind::Error))
            && !entry.flags.has(Flags::SIDECHAIN)
    });
    said.find_map(|entry| {
        let start = usize::try_from(entry.span.start).ok()?;
        let bytes = bytes.get(start..usize::try_from(entry.span.end()).ok()?)?;
        last_text(&Record::read(bytes))
    })
}

/// Returns the last sentence of the last text in a record.
fn last_text(record: &Record<'_>) -> Option<String> {
    record.parts.iter().rev().find_map(|part| match part {
        RecordPart::Text(text) => last_sentence(text),
        _ => None,
    })
}

/// Returns the last sentence of the model.
fn last_said(subject: &NowSubject<'_>) -> io::Result<Option<String>> {
    let NowSubject { session, conversation, history, .. } = *subject;
    let log = conversation.log;
    let mut reader = session.main.reader();
    let answers = history.messages.iter().rev().take(LOOK_BACK);
    let answers = answers.filter(|it| it.kind == MessageKind::Answer && !it.left_out);
    for &node in answers.flat_map(|answer| history.nodes(answer).iter().rev()) {
        let entry: EntryIndex = conversation.graph.nodes[node].content;
        let entry = &log.entries[entry];
        let mut blocks = log.blocks_of(entry).iter();
        if !blocks.any(|block| block.kind == BlockKind::Text) {
            continue;
        }
        let said = last_text(&Record::read(reader.bytes(entry.span)?));
        if said.is_some() {
            return Ok(said);
        }
    }
    Ok(None)
}
