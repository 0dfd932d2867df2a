//! The conversation that a person would recognise: messages, calls and turns.
//!
//! Stands on a log, its graph and its paths, and puts them in order for one view. It
//! holds numbers, not text: a message is a range of nodes, a call is a pair of block
//! positions, and whoever shows them reads the bytes.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use crate::entry::{BlockKind, EntryKind, Flags, MessageKind, Verdict};
use crate::graph::{Graph, Rule, Scope};
use crate::log::Log;
use crate::paths::{Path, Paths};
use crate::symbols::Symbol;
use crate::time::Time;
use crate::usage::{Ledger, Tokens};

/// A log with its graph, its paths and its calls.
pub struct Conversation<'l> {
    /// The log.
    pub log: &'l Log,
    /// How its entries hang together.
    pub graph: Graph,
    /// The ways through it.
    pub paths: Paths,
    /// The rule that chose the active one.
    pub rule: Rule,
    results: Results,
}

/// Who speaks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Speaker {
    /// The user's side.
    User,
    /// The model.
    Assistant,
    /// The client.
    System,
}

impl Speaker {
    /// Returns the name that scripts see.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
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
    pub group: Option<u32>,
}

/// One view of a conversation: messages in order.
#[derive(Default)]
pub struct View {
    /// The messages.
    pub messages: Vec<Message>,
    nodes: Vec<u32>,
}

impl View {
    /// Returns the nodes of a message.
    pub fn nodes(&self, message: &Message) -> &[u32] {
        &self.nodes[message.nodes.start as usize..message.nodes.end as usize]
    }
}

/// How a call ended, as scripts see it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CallStatus {
    /// It worked.
    Done,
    /// It failed.
    Failed,
    /// It was not allowed.
    Denied,
    /// It has no result and will get none, or was interrupted.
    Interrupted,
    /// It has no result yet.
    Pending,
}

impl CallStatus {
    /// Returns the name that scripts see.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Denied => "denied",
            Self::Interrupted => "interrupted",
            Self::Pending => "pending",
        }
    }
}

/// Whether a process is writing to the session right now.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Liveness {
    /// A process owns it.
    Live,
    /// No process does.
    Resting,
}

/// Where the result of a call stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallResult {
    /// The entry that holds it.
    pub entry: u32,
    /// The block of the entry, counted from zero; none in the flat dialect.
    pub block: Option<u32>,
    /// How it came out.
    pub verdict: Verdict,
}

/// One prompt and all that followed, up to the next one.
#[derive(Clone, Debug)]
pub struct Turn {
    /// Its messages, as a range of the view's messages.
    pub messages: std::ops::Range<u32>,
    /// When the prompt was given.
    pub started: Option<Time>,
    /// When the last thing in it happened.
    pub ended: Option<Time>,
    /// How long it took, by the client's own clock if it says so.
    pub duration_ms: Option<u64>,
    /// How many calls it made.
    pub calls: u32,
    /// What it used.
    pub tokens: Tokens,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a turn ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// With an answer.
    Done,
    /// The person interrupted it.
    Interrupted,
    /// With an API error.
    Error,
    /// The process died.
    Killed,
    /// It is still going on.
    Open,
}

impl Outcome {
    /// Returns the name that scripts see.
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Interrupted => "interrupted",
            Self::Error => "error",
            Self::Killed => "killed",
            Self::Open => "open",
        }
    }
}

/// In which bucket each record of a file counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// All records and fragments.
    pub entries: u64,
    /// Those on the active path.
    pub active: u64,
    /// Those on other paths only.
    pub other_paths: u64,
    /// Those of subagents inside this file.
    pub agents: u64,
    /// Those without a place in the graph.
    pub metadata: u64,
    /// Fragments.
    pub damaged: u64,
}

/// Where a record belongs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bucket {
    /// The active path.
    Active,
    /// Another path.
    OtherPath,
    /// A subagent inside this file.
    Agent,
    /// No place in the graph.
    Metadata,
    /// A fragment.
    Damaged,
}

impl<'l> Conversation<'l> {
    /// Puts a log's entries in order.
    pub fn new(log: &'l Log, rule: Rule, scope: Scope) -> Self {
        let graph = Graph::new(log, rule, scope);
        let paths = Paths::new(log, &graph, rule);
        let results = Results::new(log, &graph);
        Self {
            log,
            graph,
            paths,
            rule,
            results,
        }
    }

    /// Returns the conversations of subagents inside this file.
    pub fn inline_agents(&self) -> InlineAgents {
        InlineAgents::find(self)
    }

    /// Returns the history of a path of subagents inside this file.
    pub fn inline_history(&self, agents: &InlineAgents, path: &Path) -> View {
        self.view(&agents.paths, agents.paths.nodes(&self.graph, path))
    }

    /// Tells where every record belongs; the order is that of the log's entries.
    pub fn buckets(&self) -> Vec<Bucket> {
        let active = self
            .paths
            .active()
            .map(|path| self.paths.holds(&self.graph, path))
            .unwrap_or_default();
        let bucket = |node: u32| match self.paths.group_of(node) {
            _ if self.graph.nodes[node as usize].sidechain => Bucket::Agent,
            None => Bucket::Metadata,
            Some(_) if active.get(node as usize) == Some(&true) => Bucket::Active,
            Some(_) => Bucket::OtherPath,
        };
        self.log
            .entries
            .iter()
            .map(|entry| match entry.kind {
                EntryKind::Fragment => Bucket::Damaged,
                _ => match entry.uuid.and_then(|uuid| self.graph.node(uuid)) {
                    Some(node) => bucket(node),
                    None => Bucket::Metadata,
                },
            })
            .collect()
    }

    /// Counts the records of the file by where they belong.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for bucket in self.buckets() {
            counts.entries += 1;
            *match bucket {
                Bucket::Active => &mut counts.active,
                Bucket::OtherPath => &mut counts.other_paths,
                Bucket::Agent => &mut counts.agents,
                Bucket::Metadata => &mut counts.metadata,
                Bucket::Damaged => &mut counts.damaged,
            } += 1;
        }
        counts
    }

    /// Returns the history of a path: everything in place, compactions joined.
    pub fn history(&self, path: &Path) -> View {
        self.view(&self.paths, self.paths.nodes(&self.graph, path))
    }

    /// Returns what the model would be sent: from the last compaction on, kept messages in their place.
    pub fn context(&self, path: &Path) -> View {
        let nodes = self.context_nodes(self.paths.nodes(&self.graph, path));
        let mut view = self.view(&self.paths, nodes);
        view.messages
            .retain(|message| !matches!(message.kind, MessageKind::Boundary | MessageKind::Notice));
        view
    }

    fn context_nodes(&self, nodes: Vec<u32>) -> Vec<u32> {
        let is_boundary = |&node: &u32| self.graph.entry(self.log, node).flags.has(Flags::BOUNDARY);
        let Some(at) = nodes.iter().rposition(is_boundary) else {
            return nodes;
        };
        let boundary = nodes[at];
        let mut rest = nodes[at..].to_vec();
        let preserved = self
            .graph
            .preserved
            .iter()
            .find(|kept| kept.boundary == boundary);
        if let Some(preserved) = preserved {
            let anchor = preserved.anchor.unwrap_or(boundary);
            let behind = rest
                .iter()
                .position(|&node| node == anchor)
                .map_or(1, |at| at + 1);
            let there: HashSet<u32> = rest.iter().copied().collect();
            let kept = preserved
                .kept
                .iter()
                .copied()
                .filter(|node| !there.contains(node));
            let kept: Vec<u32> = kept.collect();
            rest.splice(behind..behind, kept);
        }
        rest
    }

    /// Puts the nodes of a path together into messages.
    pub fn view_of(&self, nodes: &[u32]) -> View {
        self.view(&self.paths, nodes.to_vec())
    }

    /// Puts nodes together into messages. Entries of one API message are one message.
    fn view(&self, paths: &Paths, nodes: Vec<u32>) -> View {
        let mut messages: Vec<Message> = Vec::new();
        let mut answers: HashMap<Symbol, u32, FixedState> = HashMap::default();
        let mut placed: Vec<(u32, u32)> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let entry = self.graph.entry(self.log, node);
            let Some(kind) = entry.says else { continue };
            if self
                .results
                .is_flat_result(self.graph.nodes[node as usize].content)
            {
                continue;
            }
            let next = messages.len() as u32;
            let known = entry
                .message
                .map(|message| *answers.entry(message).or_insert(next));
            let place = known.unwrap_or(next);
            if place == next {
                let speaker = match entry.kind {
                    EntryKind::Assistant => Speaker::Assistant,
                    EntryKind::System => Speaker::System,
                    _ => Speaker::User,
                };
                let group = paths.group_of(node);
                messages.push(Message {
                    speaker,
                    kind,
                    nodes: 0..0,
                    group,
                });
            }
            placed.push((place, node));
        }
        // Nearly sorted already: only an answer that goes on later is out of place.
        placed.sort_by_key(|(message, _)| *message);
        for (at, (message, _)) in (0u32..).zip(&placed) {
            let range = &mut messages[*message as usize].nodes;
            *range = if range.end == 0 {
                at..at + 1
            } else {
                range.start..at + 1
            };
        }
        View {
            messages,
            nodes: placed.into_iter().map(|(_, node)| node).collect(),
        }
    }

    /// Returns the result of the call in a block of a node.
    pub fn result_of(&self, node: u32, call: Symbol) -> Option<CallResult> {
        self.results.find(self, node, call)
    }

    /// Tells how a call ended that has this result, or none.
    pub fn call_status(&self, node: u32, result: Option<CallResult>, live: Liveness) -> CallStatus {
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
    pub fn call_duration(&self, node: u32, result: CallResult) -> Option<u64> {
        let started = self.graph.entry(self.log, node).time?;
        Some(self.log.entries[result.entry as usize].time?.since(started))
    }

    /// Cuts a view into turns.
    pub fn turns(&self, view: &View, live: Liveness) -> Vec<Turn> {
        let starts: Vec<u32> = (0u32..)
            .zip(&view.messages)
            .filter(|(_, message)| {
                let node = view.nodes(message)[0];
                self.graph
                    .entry(self.log, node)
                    .flags
                    .has(Flags::STARTS_TURN)
            })
            .map(|(index, _)| index)
            .collect();
        let ends = starts
            .iter()
            .skip(1)
            .copied()
            .chain([view.messages.len() as u32]);
        let count = starts.len();
        starts
            .iter()
            .zip(ends)
            .enumerate()
            .map(|(index, (&start, end))| {
                let last = index + 1 == count;
                self.turn(
                    view,
                    start..end,
                    if last { live } else { Liveness::Resting },
                )
            })
            .collect()
    }

    fn turn(&self, view: &View, messages: std::ops::Range<u32>, live: Liveness) -> Turn {
        let within = &view.messages[messages.start as usize..messages.end as usize];
        let mut turn = Turn {
            messages,
            started: None,
            ended: None,
            duration_ms: None,
            calls: 0,
            tokens: Tokens::default(),
            outcome: self.outcome(view, within, live),
        };
        let mut ledger = Ledger::default();
        let mut said = None;
        for node in within
            .iter()
            .flat_map(|message| view.nodes(message))
            .copied()
        {
            let entry = self.graph.entry(self.log, node);
            turn.started = turn.started.or(entry.time);
            turn.ended = turn.ended.max(entry.time);
            for block in self
                .log
                .blocks_of(entry)
                .iter()
                .filter(|b| b.kind == BlockKind::Call)
            {
                turn.calls += 1;
                let result = block.call.and_then(|call| self.result_of(node, call));
                let answered =
                    result.and_then(|result| self.log.entries[result.entry as usize].time);
                turn.ended = turn.ended.max(answered);
            }
            let content = self.graph.nodes[node as usize].content;
            self.log.claim_usage_of(content, &mut ledger);
            said = self.duration_of(content).or(said);
        }
        turn.tokens = ledger.total();
        let measured = turn
            .started
            .zip(turn.ended)
            .map(|(start, end)| end.since(start));
        turn.duration_ms = said.or(measured);
        turn
    }

    /// Returns how long a turn took, if an entry says so.
    fn duration_of(&self, entry: u32) -> Option<u64> {
        let durations = &self.log.durations;
        let at = durations
            .binary_search_by_key(&entry, |(entry, _)| *entry)
            .ok()?;
        Some(durations[at].1)
    }

    /// Tells how a turn ended, from the last thing in it that was said.
    fn outcome(&self, view: &View, messages: &[Message], live: Liveness) -> Outcome {
        let interrupted = messages
            .iter()
            .any(|message| message.kind == MessageKind::Interruption);
        let last = messages.iter().rev().find(|message| {
            matches!(message.kind, MessageKind::Answer | MessageKind::Error)
                && message.speaker == Speaker::Assistant
        });
        let unfinished = if live == Liveness::Live {
            Outcome::Open
        } else {
            Outcome::Killed
        };
        let Some(last) = last else {
            return if interrupted {
                Outcome::Interrupted
            } else {
                unfinished
            };
        };
        let nodes = view.nodes(last);
        let flags = |flag| {
            nodes
                .iter()
                .any(|&node| self.graph.entry(self.log, node).flags.has(flag))
        };
        if flags(Flags::API_ERROR) {
            return Outcome::Error;
        }
        if interrupted || flags(Flags::ABORTED) {
            return Outcome::Interrupted;
        }
        if flags(Flags::SYNTHETIC) {
            // The client answers in the model's name when it finds an unfinished turn.
            return Outcome::Killed;
        }
        let last_block = nodes.iter().rev().find_map(|&node| {
            self.log
                .blocks_of(self.graph.entry(self.log, node))
                .last()
                .copied()
        });
        let ends_with_call = last_block.is_some_and(|block| block.kind == BlockKind::Call);
        let ended = flags(Flags::ENDS_TURN) || !ends_with_call;
        if ended { Outcome::Done } else { unfinished }
    }
}

/// The results of a log's calls, by call.
struct Results {
    found: Vec<(Symbol, CallResult)>,
    flat: HashSet<u32>,
}

impl Results {
    fn new(log: &Log, graph: &Graph) -> Self {
        let mut found = Vec::new();
        for (index, entry) in (0u32..).zip(&log.entries) {
            for (position, block) in (0u32..).zip(log.blocks_of(entry)) {
                if let (BlockKind::Result(verdict), Some(call)) = (block.kind, block.call) {
                    let block = Some(position);
                    found.push((
                        call,
                        CallResult {
                            entry: index,
                            block,
                            verdict,
                        },
                    ));
                }
            }
        }
        let of_flat = flat_results(log, graph);
        let flat = of_flat.iter().map(|(_, result)| result.entry).collect();
        found.extend(of_flat);
        found.sort_by_key(|(call, result)| (*call, result.entry, result.block));
        Self { found, flat }
    }

    /// Tells whether an entry of the flat dialect is the result of a call and nothing else.
    fn is_flat_result(&self, entry: u32) -> bool {
        !self.flat.is_empty() && self.flat.contains(&entry)
    }

    /// Finds the result of a call. Where several answer to one id, the one that hangs on
    /// the call counts, then one that is told together with it, then the last.
    fn find(&self, within: &Conversation<'_>, node: u32, call: Symbol) -> Option<CallResult> {
        let start = self.found.partition_point(|(other, _)| *other < call);
        let same = self.found[start..]
            .iter()
            .take_while(|(other, _)| *other == call);
        let uuid = within.graph.entry(within.log, node).uuid;
        let group = within.paths.group_of(node);
        let closeness = |result: &CallResult| {
            let entry = &within.log.entries[result.entry as usize];
            let hangs = entry.parent.is_some() && entry.parent == uuid;
            let other = entry.uuid.and_then(|uuid| within.graph.node(uuid));
            let together = group.is_some() && other.and_then(|n| within.paths.group_of(n)) == group;
            (hangs, together, result.entry)
        };
        same.map(|(_, result)| *result).max_by_key(closeness)
    }
}

/// In the flat dialect the result of a call is the next system entry below it.
fn flat_results(log: &Log, graph: &Graph) -> Vec<(Symbol, CallResult)> {
    let is_flat = |node: u32| graph.entry(log, node).flags.has(Flags::FLAT);
    let call_in = |node: u32| {
        let blocks = log.blocks_of(graph.entry(log, node));
        blocks
            .iter()
            .find(|block| block.kind == BlockKind::Call)
            .and_then(|block| block.call)
    };
    let mut open: Vec<Option<Symbol>> = vec![None; graph.nodes.len()];
    let mut found = Vec::new();
    for &node in &graph.order {
        let above = graph.nodes[node as usize]
            .parent
            .and_then(|parent| open[parent as usize]);
        let entry = graph.entry(log, node);
        let content = graph.nodes[node as usize].content;
        open[node as usize] = match entry.kind {
            EntryKind::System if is_flat(node) => {
                if let Some(call) = above.filter(|_| entry.says == Some(MessageKind::Notice)) {
                    let verdict = Verdict::Done;
                    found.push((
                        call,
                        CallResult {
                            entry: content,
                            block: None,
                            verdict,
                        },
                    ));
                }
                None
            }
            EntryKind::Assistant if is_flat(node) => call_in(node),
            EntryKind::User | EntryKind::Assistant => None,
            _ => above,
        };
    }
    found
}

/// The subagents' conversations inside a session's file.
pub struct InlineAgents {
    /// All their paths; the active ones are one for each agent.
    pub paths: Paths,
    /// The agents, in file order.
    pub agents: Vec<InlineAgent>,
}

/// A subagent's conversation inside a session's file.
#[derive(Clone, Debug)]
pub struct InlineAgent {
    /// Its first node.
    pub root: u32,
    /// The agent's id, when its entries have one.
    pub agent: Option<Symbol>,
    /// Its messages.
    pub path: Path,
}

impl InlineAgents {
    fn find(within: &Conversation<'_>) -> Self {
        let paths = Paths::of_sidechains(within.log, &within.graph);
        let mut agents: Vec<InlineAgent> = paths
            .paths
            .iter()
            .filter(|path| path.active)
            .map(|path| {
                let first = paths.trail(path.last)[0];
                let root = paths.groups[first as usize].first;
                let agent = within.graph.entry(within.log, root).agent;
                InlineAgent {
                    root,
                    agent,
                    path: path.clone(),
                }
            })
            .collect();
        agents.sort_by_key(|agent| agent.root);
        Self { paths, agents }
    }
}
