//! The conversation as a person would recognise it: messages, calls and turns.
//!
//! Combines a log, its graph and its paths into views. A view contains positions, not text: a message is
//! a range of nodes, a call is a pair of block positions, and the code that shows them reads the bytes.

mod counts;
mod inline;
mod kept;
mod length;
mod results;
mod tally;
mod turns;

use std::collections::{HashMap, HashSet};
use std::ops::Deref;

use foldhash::fast::FixedState;

use crate::commands::AnsweredCommands;
use crate::entry::{EntryKind, Flags, MessageKind, Verdict};
use crate::graph::{Graph, Rule, Scope};
use crate::log::Log;
use crate::names;
use crate::paths::{Path, Paths};
use crate::positions::{EntryIndex, GroupId, NodeId};
use crate::resume::Sent;
use crate::symbols::Symbol;

pub use counts::{Bucket, RecordCounts};
pub use inline::{InlineAgent, InlineAgents};
pub use kept::{Extension, KeptConversation};
pub use length::TurnLength;
use results::CallResults;
pub use tally::{CountedCall, CountedMessage, CountedTurn, Tally};
pub use turns::{Turn, TurnOutcome};

/// A log with its graph, its paths and its calls.
pub struct Conversation<'l> {
    /// The log.
    pub log: &'l Log,
    arrangement: Held<'l>,
}

/// The structure of a log's entries: everything about a conversation except the log.
pub struct ConversationStructure {
    /// The links between the entries.
    pub graph: Graph,
    /// The ways through the graph.
    pub paths: Paths,
    /// The rule that chose the active path.
    pub rule: Rule,
    /// The slash commands that are prompts.
    pub commands: AnsweredCommands,
    results: CallResults,
}

/// An arrangement that was created for one conversation, or that is stored elsewhere.
enum Held<'l> {
    Made(Box<ConversationStructure>),
    Kept(&'l ConversationStructure),
}

impl Deref for Conversation<'_> {
    type Target = ConversationStructure;

    fn deref(&self) -> &ConversationStructure {
        match &self.arrangement {
            Held::Made(made) => made,
            Held::Kept(kept) => kept,
        }
    }
}

impl ConversationStructure {
    /// Computes the structure of a log's entries.
    pub fn new(log: &Log, rule: Rule, scope: Scope) -> Self {
        let graph = Graph::new(log, rule, scope);
        let commands = AnsweredCommands::of(log);
        let paths = Paths::new(log, &graph, rule, &commands);
        let results = CallResults::new(log, &graph, &paths);
        Self { graph, paths, rule, commands, results }
    }
}

names! {
    /// The speaker of a message.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Speaker {
        /// The user's side.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// The client.
        System = "system",
    }
}

impl Speaker {
    /// Returns the speaker of a kind of record.
    fn of(kind: EntryKind) -> Self {
        match kind {
            EntryKind::Assistant => Self::Assistant,
            EntryKind::System => Self::System,
            _ => Self::User,
        }
    }
}

/// What one side said: all entries of one API response, or one other entry.
#[derive(Clone, Debug)]
pub struct Message {
    /// The speaker.
    pub speaker: Speaker,
    /// The kind of the message.
    pub kind: MessageKind,
    /// The nodes, as a range of the view's nodes.
    pub nodes: std::ops::Range<u32>,
    /// The group that the message belongs to.
    pub group: Option<GroupId>,
    /// Set if the message is on no path: it is shown in place although a resume would leave it out.
    pub left_out: bool,
}

/// One view of a conversation: messages in order.
#[derive(Default)]
pub struct View {
    /// The messages.
    pub messages: Vec<Message>,
    nodes: Vec<NodeId>,
    /// All nodes on the way, including those that are not part of a message.
    walk: Vec<NodeId>,
    /// What the client sends of the nodes, if the view shows exactly that.
    sent: Option<Sent>,
}

impl View {
    /// Returns the nodes of a message.
    pub fn nodes(&self, message: &Message) -> &[NodeId] {
        &self.nodes[message.nodes.start as usize..message.nodes.end as usize]
    }

    /// Returns all nodes on the way, including those that are not part of a message.
    pub fn walk(&self) -> &[NodeId] {
        &self.walk
    }

    /// Removes the messages that a resume would leave out without a rewind.
    pub fn hide_left_out(&mut self) {
        self.messages.retain(|message| !message.left_out);
    }

    /// Tells whether the view contains a block; `place` is the block's index in the log.
    pub fn has_block(&self, place: u32) -> bool {
        self.sent.as_ref().is_none_or(|sent| !sent.omitted.contains(&place))
    }

    /// Returns the order of a message's blocks.
    pub fn block_order(&self) -> BlockOrder {
        match self.sent {
            Some(_) => BlockOrder::CallsLast,
            None => BlockOrder::AsWritten,
        }
    }
}

/// The order of a message's blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockOrder {
    /// The order in the log.
    AsWritten,
    /// Calls after everything else, as the client sends them.
    CallsLast,
}

names! {
    /// How a call ended, as scripts see it.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum CallStatus {
        /// The call succeeded.
        Done = "done",
        /// The call failed.
        Failed = "failed",
        /// A person or a rule did not allow the call.
        Denied = "denied",
        /// The call was interrupted, or has no result and will not get one.
        Interrupted = "interrupted",
        /// The call has no result yet.
        Pending = "pending",
    }
}

/// Which entries of one API message become one message of a view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Merging {
    /// All entries.
    Anywhere,
    /// Adjacent entries: nothing else was said between them.
    Neighbours,
}

/// Whether a process is writing to the session.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Liveness {
    /// A process owns the session.
    Live,
    /// No process owns the session.
    Idle,
}

/// The position of a call's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallResult {
    /// The entry that contains it.
    pub entry: EntryIndex,
    /// The block of the entry, counted from zero; `None` in the flat dialect.
    pub block: Option<u32>,
    /// The verdict on the call.
    pub verdict: Verdict,
}

impl<'l> Conversation<'l> {
    /// Computes the conversation of a log.
    pub fn new(log: &'l Log, rule: Rule, scope: Scope) -> Self {
        Self {
            log,
            arrangement: Held::Made(Box::new(ConversationStructure::new(log, rule, scope))),
        }
    }

    /// Combines a log with an arrangement that was computed for its current state.
    pub fn of(log: &'l Log, arrangement: &'l ConversationStructure) -> Self {
        Self { log, arrangement: Held::Kept(arrangement) }
    }

    /// Returns the conversations of subagents inside this file.
    pub fn inline_agents(&self) -> InlineAgents {
        InlineAgents::find(self)
    }

    /// Returns the history of a path of subagents inside this file.
    pub fn inline_history(&self, agents: &InlineAgents, path: &Path) -> View {
        self.inline_history_of(agents, agents.paths.nodes(&self.graph, path))
    }

    /// Returns the history of a path of subagents inside this file, given its nodes.
    pub fn inline_history_of(&self, agents: &InlineAgents, nodes: Vec<NodeId>) -> View {
        self.view(&agents.paths, nodes)
    }

    /// Returns the node that a resume starts with, if it names a parent that the client does
    /// not find; the history joins it to the entry before it.
    pub fn resume_start(&self) -> Option<NodeId> {
        self.graph.resumption.as_ref()?.cut
    }

    /// Returns the history of a path: every message in place, with compactions joined, and
    /// including the messages that a resume would leave out.
    pub fn history(&self, path: &Path) -> View {
        self.history_of(self.paths.nodes(&self.graph, path))
    }

    /// Returns the history of a path, given its nodes.
    pub fn history_of(&self, nodes: Vec<NodeId>) -> View {
        self.view(&self.paths, self.paths.with_left_out(nodes))
    }

    /// Returns the context that the model would be sent: from the last compaction on, with kept
    /// messages in their place.
    ///
    /// For the active path under the current rule, this is exactly what the client sends. For
    /// other paths it is what a resume of them would have in the context, including open calls.
    pub fn context(&self, path: &Path) -> View {
        let resumption = self.graph.resumption.as_ref().filter(|_| path.active);
        let mut view = if let Some(resumption) = resumption {
            self.sent_view(Sent::new(self.graph.table(self.log), resumption))
        } else {
            let nodes = self.context_nodes(self.paths.nodes(&self.graph, path));
            self.view(&self.paths, nodes)
        };
        view.messages
            .retain(|message| !matches!(message.kind, MessageKind::Boundary | MessageKind::Notice));
        view
    }

    /// Merges what is sent into messages. An answer that continues after something else was
    /// said is two messages, as the model sees it.
    fn sent_view(&self, mut sent: Sent) -> View {
        let nodes = std::mem::take(&mut sent.nodes);
        let mut view = self.assemble(&self.paths, nodes, Merging::Neighbours);
        for message in &mut view.messages {
            message.left_out = false;
        }
        view.sent = Some(sent);
        view
    }

    fn context_nodes(&self, nodes: Vec<NodeId>) -> Vec<NodeId> {
        let is_boundary =
            |&node: &NodeId| self.graph.entry(self.log, node).flags.has(Flags::BOUNDARY);
        let Some(at) = nodes.iter().rposition(is_boundary) else {
            return nodes;
        };
        let boundary = nodes[at];
        let mut rest = nodes[at..].to_vec();
        // Kept messages are before the boundary; the model gets them after the anchor.
        let preserved = self.graph.preserved.iter().find(|kept| kept.boundary == boundary);
        if let Some(preserved) = preserved {
            let anchor = preserved.anchor.unwrap_or(boundary);
            let after = rest.iter().position(|&node| node == anchor).map_or(1, |at| at + 1);
            let there: HashSet<NodeId> = rest.iter().copied().collect();
            let kept = preserved.kept.iter().copied().filter(|node| !there.contains(node));
            let kept: Vec<NodeId> = kept.collect();
            rest.splice(after..after, kept);
        }
        rest
    }

    /// Merges the nodes of a path into messages.
    pub fn view_of(&self, nodes: &[NodeId]) -> View {
        self.view(&self.paths, nodes.to_vec())
    }

    /// Merges nodes into messages. Entries of one API message are one message.
    fn view(&self, paths: &Paths, nodes: Vec<NodeId>) -> View {
        self.assemble(paths, nodes, Merging::Anywhere)
    }

    fn assemble(&self, paths: &Paths, nodes: Vec<NodeId>, merging: Merging) -> View {
        let mut messages: Vec<Message> = Vec::with_capacity(nodes.len());
        let mut answers: HashMap<Symbol, u32, FixedState> = HashMap::default();
        let mut placed: Vec<(u32, NodeId)> = Vec::with_capacity(nodes.len());
        for &node in &nodes {
            let entry = self.graph.entry(self.log, node);
            let Some(kind) = self.commands.kind_of(entry) else {
                continue;
            };
            // The result of a flat call is shown with its call.
            if self.results.is_flat_result(self.graph.nodes[node].content) {
                continue;
            }
            let next = messages.len() as u32;
            if merging == Merging::Neighbours {
                answers.retain(|_, place| *place + 1 == next);
            }
            let known = entry.message.map(|message| *answers.entry(message).or_insert(next));
            let place = known.unwrap_or(next);
            let left_out = paths.is_left_out(node);
            if place == next {
                messages.push(Message {
                    speaker: Speaker::of(entry.kind),
                    kind,
                    nodes: 0..0,
                    group: paths.group_of(node),
                    left_out,
                });
            }
            // A message is left out only if all its entries are.
            messages[place as usize].left_out &= left_out;
            placed.push((place, node));
        }
        messages.shrink_to_fit();
        drop(answers);
        // Nearly sorted already: only entries of an answer that continues later are out of place.
        placed.sort_by_key(|(message, _)| *message);
        for (at, (message, _)) in (0u32..).zip(&placed) {
            let range = &mut messages[*message as usize].nodes;
            *range = if range.end == 0 { at..at + 1 } else { range.start..at + 1 };
        }
        View {
            messages,
            nodes: placed.into_iter().map(|(_, node)| node).collect(),
            walk: nodes,
            sent: None,
        }
    }

    /// Returns the result of a call of a node, as a view has it.
    pub fn result_in(&self, view: &View, node: NodeId, call: Symbol) -> Option<CallResult> {
        let Some(sent) = &view.sent else {
            return self.result_of(node, call);
        };
        let &(entry, block, verdict) = sent.results.get(&call)?;
        Some(CallResult { entry, block: Some(block), verdict })
    }

    /// Returns the result of a call of a node.
    pub fn result_of(&self, node: NodeId, call: Symbol) -> Option<CallResult> {
        self.results.find(self, node, call)
    }

    /// Returns how a call ended, from its result, if there is one.
    pub fn call_status(
        &self,
        node: NodeId,
        result: Option<CallResult>,
        live: Liveness,
    ) -> CallStatus {
        let aborted = self.graph.entry(self.log, node).flags.has(Flags::ABORTED);
        match result.map(|result| result.verdict) {
            Some(Verdict::Done) => CallStatus::Done,
            Some(Verdict::Failed) => CallStatus::Failed,
            Some(Verdict::Denied) => CallStatus::Denied,
            None if live == Liveness::Live && !aborted => CallStatus::Pending,
            Some(Verdict::Interrupted) | None => CallStatus::Interrupted,
        }
    }

    /// Returns how long a call took in milliseconds: from its entry to the entry of its result.
    pub fn call_duration(&self, node: NodeId, result: CallResult) -> Option<u64> {
        let started = self.graph.entry(self.log, node).time?;
        Some(self.log.entries[result.entry].time?.since(started))
    }
}
