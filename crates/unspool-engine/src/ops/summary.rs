//! One session at a glance: prompts, tools, changes and usage.
//!
//! Uses a [`Transcript`]: turns, tools and the first message are those of the path that it shows.
//! If it shows the session itself, then changed files, tokens and agents are those of the whole
//! session, so that the work of its agents is included.

mod changes;

use std::collections::BTreeMap;
use std::io;

use unspool_model::conversation::{CallStatus, RecordCounts, TurnOutcome};
use unspool_model::entry::MessageKind;
use unspool_model::graph::Rule;
use unspool_model::ids::EntryId;
use unspool_model::names;
use unspool_model::paths::PathNodeLister;
use unspool_model::positions::{NodeId, PathNumber, TurnNumber};
use unspool_model::time::Time;
use unspool_model::usage::Tokens;

use super::agents::AgentInfo;
use super::lanes::AgentTree;
use super::message::{BlockText, CallText, MessageText};
use super::transcript::Transcript;
use unspool_store::prices::PriceTable;
use unspool_store::rows::{self, SessionRow};
use unspool_store::titles;

use changes::FileChanges;
pub use changes::{Author, FileChange};

/// One session at a glance.
#[derive(Clone, Debug)]
pub struct SessionSummary {
    /// The row of the session.
    pub row: SessionRow,
    /// The rule that selected the active path.
    pub rule: Rule,
    /// The shown agent; `None` for the session itself.
    pub agent: Option<String>,
    /// The number of the shown path; `None` without a conversation.
    pub path: Option<PathNumber>,
    /// All possible titles, the one in use first.
    pub titles: Vec<TitleCandidate>,
    /// The first prompt in full.
    pub first_message: Option<FirstMessage>,
    /// The turns in order.
    pub turns: Vec<TurnSummary>,
    /// The tools that were called, the most used first.
    pub tools: Vec<ToolSummary>,
    /// The changed files, by path.
    pub files: Vec<FileChange>,
    /// The models that answered, including those of agents, sorted by tokens in descending order.
    pub models: Vec<ModelSummary>,
    /// The compactions in the file.
    pub compactions: Vec<CompactionSummary>,
    /// The paths of the conversation.
    pub paths: Vec<PathSummary>,
    /// The agents of the session.
    pub agents: Vec<AgentSummary>,
    /// How many records of the file are in which place of the conversation.
    pub counts: RecordCounts,
}

/// A possible title of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TitleCandidate {
    /// The source of the title.
    pub source: TitleSource,
    /// The text.
    pub text: String,
}

names! {
    /// The source of a title.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum TitleSource {
        /// A title from a person.
        Custom = "custom",
        /// A title from the client.
        Ai = "ai",
        /// A summary, in any log, whose leaf is in this session.
        Summary = "summary",
        /// The first prompt.
        Prompt = "prompt",
        /// The first command.
        Command = "command",
        /// A summary of another session's conversation, which is never used.
        Foreign = "foreign",
    }
}

/// The first message of a conversation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirstMessage {
    /// The entry of the message.
    pub entry: Option<EntryId>,
    /// The time of the message.
    pub time: Option<Time>,
    /// The text in full.
    pub text: String,
}

/// One turn.
#[derive(Clone, Debug)]
pub struct TurnSummary {
    /// The number of the turn.
    pub index: TurnNumber,
    /// The text of its prompt.
    pub prompt: String,
    /// The entry of its prompt.
    pub entry: Option<EntryId>,
    /// Further messages to the model: replies, queued prompts, words of others.
    pub said: Vec<String>,
    /// The time of the first entry.
    pub started: Option<Time>,
    /// The time of the last entry.
    pub ended: Option<Time>,
    /// The duration of the turn.
    pub duration_ms: Option<u64>,
    /// The number of calls.
    pub calls: u32,
    /// The number of failed calls.
    pub failed_calls: u32,
    /// The number of changed files.
    pub files_changed: usize,
    /// The tokens that the turn used.
    pub tokens: Tokens,
    /// The outcome of the turn.
    pub outcome: TurnOutcome,
}

/// The calls of one tool, by status.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ToolSummary {
    /// The name of the tool.
    pub name: String,
    /// The number of calls.
    pub calls: u32,
    /// The number of successful calls.
    pub done: u32,
    /// The number of failed calls.
    pub failed: u32,
    /// The number of denied calls.
    pub denied: u32,
    /// The number of interrupted calls.
    pub interrupted: u32,
    /// The number of calls without a result yet.
    pub pending: u32,
    /// The total duration of the calls that have one.
    pub duration_ms: u64,
}

/// The usage of one model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelSummary {
    /// The model.
    pub model: String,
    /// The number of its answers on the shown path.
    pub answers: u32,
    /// Its tokens, including agents and all paths.
    pub tokens: Tokens,
}

/// A place where the context was replaced by a summary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompactionSummary {
    /// The entry of the boundary.
    pub entry: Option<EntryId>,
    /// The time of the compaction.
    pub time: Option<Time>,
    /// The trigger: `auto` or `manual`.
    pub trigger: Option<String>,
    /// The tokens in the context before.
    pub tokens_before: Option<u64>,
    /// The tokens in the context after.
    pub tokens_after: Option<u64>,
    /// How many entries stayed in the context.
    pub kept: usize,
}

/// One path of the conversation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathSummary {
    /// The number of the path.
    pub index: PathNumber,
    /// Whether a resume would continue this path.
    pub active: bool,
    /// The number of messages.
    pub message_count: usize,
    /// The time of the last entry.
    pub ended: Option<Time>,
    /// The last entry that it shares with another path.
    pub fork_point: Option<EntryId>,
}

/// One agent with its calls.
#[derive(Clone, Debug)]
pub struct AgentSummary {
    /// The description of the agent.
    pub info: AgentInfo,
    /// The number of its calls.
    pub calls: u32,
    /// The number of its failed calls.
    pub failed_calls: u32,
}

/// Returns the summary of a transcript.
pub fn summary(shown: &Transcript<'_>, prices: &PriceTable) -> io::Result<SessionSummary> {
    let rule = shown.conversation.rule;
    let mut tally = MessageTally::default();
    tally.shown(shown)?;
    let agents = tally.agents(shown)?;
    let mut tools: Vec<ToolSummary> = tally.tools.into_values().collect();
    tools.sort_by_key(|tool| std::cmp::Reverse(tool.calls));
    Ok(SessionSummary {
        row: row(shown, prices),
        rule,
        agent: shown.agent.clone(),
        path: shown.path.as_ref().map(|path| shown.number_of(path)),
        titles: titles(shown),
        first_message: tally.first,
        turns: tally.turns,
        tools,
        files: tally.changes.into_files(),
        models: models(shown, &tally.answers),
        compactions: compactions(shown),
        paths: paths(shown),
        agents,
        counts: shown.counts(),
    })
}

/// Returns the row of the session, reusing the shown conversation if it is the session's own.
fn row(shown: &Transcript<'_>, prices: &PriceTable) -> SessionRow {
    let session = shown.session;
    let modified = session.main.stamp().modified_ms();
    let conversation = &shown.conversation;
    if std::ptr::eq(shown.file, &raw const session.main) {
        rows::row_of(session, conversation, modified, prices)
    } else {
        rows::row(session, conversation.rule, modified, prices)
    }
}

/// The counts from all messages.
#[derive(Default)]
struct MessageTally {
    first: Option<FirstMessage>,
    turns: Vec<TurnSummary>,
    tools: BTreeMap<String, ToolSummary>,
    answers: BTreeMap<String, u32>,
    changes: FileChanges,
}

impl MessageTally {
    /// Reads the shown messages, turn by turn.
    fn shown(&mut self, shown: &Transcript<'_>) -> io::Result<()> {
        let mut reader = shown.reader();
        let mut turns = shown.turns.iter().peekable();
        for (index, message) in (0u32..).zip(&shown.view.messages) {
            let text = reader.read(&shown.view, message)?;
            if let Some(turn) = turns.next_if(|turn| turn.messages.start == index) {
                self.turns.push(TurnSummary {
                    index: TurnNumber::at(self.turns.len()),
                    prompt: text.said(),
                    entry: text.entries.first().cloned(),
                    said: Vec::new(),
                    started: turn.started,
                    ended: turn.ended,
                    duration_ms: turn.duration_ms,
                    calls: turn.calls,
                    failed_calls: 0,
                    files_changed: 0,
                    tokens: turn.tokens,
                    outcome: turn.outcome,
                });
                self.changes.begin_turn();
            }
            let turn = self.turns.last_mut().filter(|_| text.is_interjection());
            if let Some(turn) = turn {
                turn.said.push(text.said());
            }
            self.message(&text);
        }
        Ok(())
    }

    fn message(&mut self, text: &MessageText) {
        let asks =
            matches!(text.kind, MessageKind::Prompt | MessageKind::Queued | MessageKind::Command);
        if asks && self.first.is_none() {
            self.first = Some(FirstMessage {
                entry: text.entries.first().cloned(),
                time: text.time,
                text: text.said(),
            });
        }
        if let Some(model) = text.model.as_ref().filter(|_| text.kind == MessageKind::Answer) {
            *self.answers.entry(model.clone()).or_default() += 1;
        }
        for call in calls(text) {
            let tool = self.tools.entry(call.name.clone()).or_default();
            tool.name.clone_from(&call.name);
            tool.add(call);
            self.changes.add(call, Author::Session);
            if let Some(turn) = self.turns.last_mut() {
                turn.failed_calls += u32::from(call.status == CallStatus::Failed);
                turn.files_changed = self.changes.in_turn();
            }
        }
    }

    /// Reads the conversations of all agents, if the session itself is shown.
    fn agents(&mut self, shown: &Transcript<'_>) -> io::Result<Vec<AgentSummary>> {
        if shown.agent.is_some() {
            return Ok(Vec::new());
        }
        let tree = AgentTree::new(shown);
        let mut found = Vec::with_capacity(shown.agents.len());
        for row in tree.rows() {
            let info = tree.info(row).clone();
            let mut agent = AgentSummary { info, calls: 0, failed_calls: 0 };
            if let Some(lane) = tree.lane(row) {
                let mut reader = lane.reader(shown);
                for message in &lane.view.messages {
                    for call in calls(&reader.read(&lane.view, message)?) {
                        agent.calls += 1;
                        agent.failed_calls += u32::from(call.status == CallStatus::Failed);
                        self.changes.add(call, Author::Agent);
                    }
                }
            }
            found.push(agent);
        }
        Ok(found)
    }
}

impl ToolSummary {
    fn add(&mut self, call: &CallText) {
        self.calls += 1;
        *match call.status {
            CallStatus::Done => &mut self.done,
            CallStatus::Failed => &mut self.failed,
            CallStatus::Denied => &mut self.denied,
            CallStatus::Interrupted => &mut self.interrupted,
            CallStatus::Pending => &mut self.pending,
        } += 1;
        self.duration_ms += call.duration_ms.unwrap_or(0);
    }
}

fn calls(text: &MessageText) -> impl Iterator<Item = &CallText> {
    text.blocks.iter().filter_map(|block| match block {
        BlockText::Call(call) => Some(&**call),
        _ => None,
    })
}

/// Lists all possible titles, in the order of precedence.
fn titles(shown: &Transcript<'_>) -> Vec<TitleCandidate> {
    let session = shown.session;
    let facts = &session.log().facts;
    let (own, foreign) = titles::sorted_summaries(session.log());
    let some = |source, texts: Vec<&str>| {
        let title = move |text: &str| TitleCandidate { source, text: text.to_owned() };
        texts.into_iter().map(title).collect::<Vec<_>>()
    };
    let one = |source, text: Option<&str>| some(source, text.into_iter().collect());
    let mut titles = one(TitleSource::Custom, facts.custom_title.as_deref());
    titles.extend(one(TitleSource::Ai, facts.ai_title.as_deref()));
    titles.extend(some(TitleSource::Summary, own));
    titles.extend(one(TitleSource::Summary, session.called.as_deref()));
    let openings = session.log().openings();
    titles.extend(one(TitleSource::Prompt, openings.telling));
    titles.extend(one(TitleSource::Prompt, openings.prompt));
    titles.extend(one(TitleSource::Command, openings.command));
    titles.extend(some(TitleSource::Foreign, foreign));
    titles.dedup();
    titles
}

fn models(shown: &Transcript<'_>, answers: &BTreeMap<String, u32>) -> Vec<ModelSummary> {
    let usage = shown.session.usage();
    let mut used: BTreeMap<&str, Tokens> = BTreeMap::new();
    for ((model, _), tokens) in usage.counted() {
        *used.entry(model).or_default() += tokens;
    }
    let mut models: Vec<ModelSummary> = used
        .into_iter()
        .map(|(model, tokens)| ModelSummary {
            model: model.to_owned(),
            answers: answers.get(model).copied().unwrap_or(0),
            tokens,
        })
        .collect();
    models.sort_by(|a, b| {
        let most = b.tokens.sum().cmp(&a.tokens.sum());
        most.then_with(|| a.model.cmp(&b.model))
    });
    models
}

fn compactions(shown: &Transcript<'_>) -> Vec<CompactionSummary> {
    let log = shown.conversation.log;
    let one = |compaction: &unspool_model::log::Compaction| {
        let entry = &log.entries[compaction.entry];
        CompactionSummary {
            entry: entry.uuid.map(|uuid| EntryId::new(log.text(uuid))),
            time: entry.time,
            trigger: compaction.trigger.map(|text| log.text(text).to_owned()),
            tokens_before: compaction.tokens_before,
            tokens_after: compaction.tokens_after,
            kept: compaction.preserved.len(),
        }
    };
    log.compactions.iter().map(one).collect()
}

fn paths(shown: &Transcript<'_>) -> Vec<PathSummary> {
    let conversation = &shown.conversation;
    let (log, graph) = (conversation.log, &conversation.graph);
    let (set, listed) = shown.listed_paths();
    let mut speller = PathNodeLister::default();
    PathNumber::enumerate(listed)
        .map(|(index, path)| {
            let uuid = |node: NodeId| graph.entry(log, node).uuid;
            let fork_point = path.fork_point.and_then(uuid);
            PathSummary {
                index,
                active: path.active,
                message_count: {
                    let nodes = speller.nodes(set, graph, path);
                    conversation.view_of(&nodes).messages.len()
                },
                ended: graph.entry(log, path.head).time,
                fork_point: fork_point.map(|uuid| EntryId::new(log.text(uuid))),
            }
        })
        .collect()
}
