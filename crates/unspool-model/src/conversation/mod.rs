//! The conversation that a person would recognise: messages, calls and turns.
//!
//! Uses a log, its graph and its paths, and puts them in order for one view. It
//! contains numbers, not text: a message is a range of nodes, a call is a pair of block
//! positions, and the code that shows them reads the bytes.

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

/// How the entries of a log hang together: everything about a conversation but the log.
pub struct Arrangement {
    /// How the entries hang together.
    pub graph: Graph,
    /// The ways through the graph.
    pub paths: Paths,
    /// The rule that chose the active path.
    pub rule: Rule,
    /// The slash commands that are prompts.
    pub commands: AnsweredCommands,
    results: CallResults,
}

/// An arrangement that was made for one conversation, or that is kept elsewhere.
enum Held<'l> {
    Made(Box<Arrangement>),
    Kept(&'l Arrangement),
}

impl Deref for Conversation<'_> {
    type Target = Arrangement;

    fn deref(&self) -> &Arrangement {
        match &self.arrangement {
            Held::Made(made) => made,
            Held::Kept(kept) => kept,
        }
    }
}

impl Arrangement {
    /// Finds out how the entries of a log hang together.
    pub fn new(log: &Log, rule: Rule, scope: Scope) -> Self {
        let graph = Graph::new(log, rule, scope);
        let commands = AnsweredCommands::of(log);
        let paths = Paths::new(log, &graph, rule, &commands);
        let results = CallResults::new(log, &graph, &paths);
        Self { graph, paths, rule, commands, results }
    }
}

names! {
    /// Who speaks.
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
    /// Returns who speaks in a record of some kind.
    fn of(kind: EntryKind) -> Self {
        match kind {
            EntryKind::Assistant => Self::Assistant,
            EntryKind::System => Self::System,
            _ => Self::User,
        }
    }
}

/// What one side said.
#[derive(Clone, Debug)]
pub struct Message {
    /// Who said it.
    pub speaker: Speaker,
    /// What it is.
    pub kind: MessageKind,
    /// Its nodes, as a range of the view's nodes.
    pub nodes: std::ops::Range<u32>,
    /// The group it is a part of.
    pub group: Option<GroupId>,
    /// Whether it is on no path: it is shown in place though a resume would leave it out.
    pub left_out: bool,
}

/// One view of a conversation: messages in order.
#[derive(Default)]
pub struct View {
    /// The messages.
    pub messages: Vec<Message>,
    nodes: Vec<NodeId>,
    /// All nodes on the way, also those that are not part of a message.
    walk: Vec<NodeId>,
    /// What is sent of the nodes, if the view is exactly what the client would send.
    sent: Option<Sent>,
}

impl View {
    /// Returns the nodes of a message.
    pub fn nodes(&self, message: &Message) -> &[NodeId] {
        &self.nodes[message.nodes.start as usize..message.nodes.end as usize]
    }

    /// Returns all nodes on the way, also those that are not a part of a message.
    pub fn walk(&self) -> &[NodeId] {
        &self.walk
    }

    /// Removes the messages that a resume would leave out without a rewind.
    pub fn hide_left_out(&mut self) {
        self.messages.retain(|message| !message.left_out);
    }

    /// Tells whether a block of the log is a part of the view; `place` is its place in the log.
    pub fn has_block(&self, place: u32) -> bool {
        self.sent.as_ref().is_none_or(|sent| !sent.omitted.contains(&place))
    }

    /// Tells in which order the blocks of a message come.
    pub fn block_order(&self) -> BlockOrder {
        match self.sent {
            Some(_) => BlockOrder::CallsLast,
            None => BlockOrder::AsWritten,
        }
    }
}

/// In which order the blocks of a message come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockOrder {
    /// As they are in the log.
    AsWritten,
    /// Calls after everything else, as the client sends them.
    CallsLast,
}

names! {
    /// How a call ended, as scripts see it.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum CallStatus {
        /// It worked.
        Done = "done",
        /// It failed.
        Failed = "failed",
        /// It was not allowed.
        Denied = "denied",
        /// It has no result and will get none, or was interrupted.
        Interrupted = "interrupted",
        /// It has no result yet.
        Pending = "pending",
    }
}

/// Which entries of one API message are one message of a view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Merging {
    /// All of them.
    Anywhere,
    /// Those that nothing else was said between.
    Neighbours,
}

/// Whether a process is writing to the session right now.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Liveness {
    /// A process owns it.
    Live,
    /// No process does.
    Idle,
}

/// Where the result of a call is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallResult {
    /// The entry that contains it.
    pub entry: EntryIndex,
    /// The block of the entry, counted from zero; none in the flat dialect.
    pub block: Option<u32>,
    /// How it came out.
    pub verdict: Verdict,
}

impl<'l> Conversation<'l> {
    /// Puts a log's entries in order.
    pub fn new(log: &'l Log, rule: Rule, scope: Scope) -> Self {
        Self { log, arrangement: Held::Made(Box::new(Arrangement::new(log, rule, scope))) }
    }

    /// Takes an arrangement that was made for the log as it is now.
    pub fn of(log: &'l Log, arrangement: &'l Arrangement) -> Self {
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

    /// Returns the history of a path of subagents inside this file that was spelled out.
    pub fn inline_history_of(&self, agents: &InlineAgents, nodes: Vec<NodeId>) -> View {
        self.view(&agents.paths, nodes)
    }

    /// Returns the node that a resume starts with, if it names a parent that the client does not
    /// find: history joins it to what comes before.
    pub fn resume_start(&self) -> Option<NodeId> {
        self.graph.resumption.as_ref()?.cut
    }

    /// Returns the history of a path: everything in place, compactions joined, and the messages
    /// that a resume would leave out included.
    pub fn history(&self, path: &Path) -> View {
        self.history_of(self.paths.nodes(&self.graph, path))
    }

    /// Returns the history of a path that was spelled out.
    pub fn history_of(&self, nodes: Vec<NodeId>) -> View {
        self.view(&self.paths, self.paths.with_left_out(nodes))
    }

    /// Returns what the model would be sent: from the last compaction on, kept messages in their place.
    ///
    /// For the active path by the current rule that is exactly what the client sends. For others
    /// it is what would be in the context if they were resumed, with calls that are open.
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

    /// Puts what is sent together into messages. An answer that goes on after something else was
    /// said is two messages, as the model would see it.
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

    /// Puts the nodes of a path together into messages.
    pub fn view_of(&self, nodes: &[NodeId]) -> View {
        self.view(&self.paths, nodes.to_vec())
    }

    /// Puts nodes together into messages. Entries of one API message are one message.
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
            messages[place as usize].left_out &= left_out;
            placed.push((place, node));
        }
        messages.shrink_to_fit();
        drop(answers);
        // Nearly sorted already: only an answer that goes on later is out of place.
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

    /// Returns the result of the call in a block of a node, as a view has it.
    pub fn result_in(&self, view: &View, node: NodeId, call: Symbol) -> Option<CallResult> {
        let Some(sent) = &view.sent else {
            return self.result_of(node, call);
        };
        let &(entry, block, verdict) = sent.results.get(&call)?;
        Some(CallResult { entry, block: Some(block), verdict })
    }

    /// Returns the result of the call in a block of a node.
    pub fn result_of(&self, node: NodeId, call: Symbol) -> Option<CallResult> {
        self.results.find(self, node, call)
    }

    /// Tells how a call ended that has this result, or none.
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

    /// Returns how long a call took: from its entry to its result's.
    pub fn call_duration(&self, node: NodeId, result: CallResult) -> Option<u64> {
        let started = self.graph.entry(self.log, node).time?;
        Some(self.log.entries[result.entry].time?.since(started))
    }
}
