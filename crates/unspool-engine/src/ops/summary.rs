//! One session at a glance: what was asked, what was done, what it changed and used.
//!
//! Uses a [`Transcript`]: turns, tools and the first message are those of the path that
//! it shows. Changed files, tokens and agents are those of the session as a whole when the
//! session itself is shown, so that what its agents did is not lost.

mod changes;

use std::collections::BTreeMap;
use std::io;

use unspool_model::conversation::{CallStatus, RecordCounts, TurnOutcome};
use unspool_model::entry::MessageKind;
use unspool_model::graph::Rule;
use unspool_model::ids::EntryId;
use unspool_model::names;
use unspool_model::paths::Speller;
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
    /// The session, as lists show it.
    pub row: SessionRow,
    /// How the active path was found.
    pub rule: Rule,
    /// The agent that this is about; none for the session itself.
    pub agent: Option<String>,
    /// The number of the path that this is about; none without a conversation.
    pub path: Option<PathNumber>,
    /// Everything that could be its title, what is taken first.
    pub titles: Vec<TitleCandidate>,
    /// The first prompt, all of it.
    pub first_message: Option<FirstMessage>,
    /// The turns in order.
    pub turns: Vec<TurnSummary>,
    /// The tools that were called, the most used first.
    pub tools: Vec<ToolSummary>,
    /// The files that were changed, by path.
    pub files: Vec<FileChange>,
    /// The models that answered, agents' included, those that used most first.
    pub models: Vec<ModelSummary>,
    /// The compactions in the file.
    pub compactions: Vec<CompactionSummary>,
    /// The paths there are.
    pub paths: Vec<PathSummary>,
    /// The agents of the session.
    pub agents: Vec<AgentSummary>,
    /// Where the records of the file are.
    pub counts: RecordCounts,
}

/// Something that could be a session's title.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TitleCandidate {
    /// Where it comes from.
    pub source: TitleSource,
    /// The text.
    pub text: String,
}

names! {
    /// Where a title comes from.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum TitleSource {
        /// A person gave it.
        Custom = "custom",
        /// The client made it up.
        Ai = "ai",
        /// It is a summary whose leaf this session contains, wherever it is.
        Summary = "summary",
        /// It is the first prompt.
        Prompt = "prompt",
        /// It is the first command.
        Command = "command",
        /// It is a summary of another session's conversation, and never taken.
        Foreign = "foreign",
    }
}

/// What a conversation began with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FirstMessage {
    /// Its entry.
    pub entry: Option<EntryId>,
    /// When it was said.
    pub time: Option<Time>,
    /// All of its text.
    pub text: String,
}

/// One turn.
#[derive(Clone, Debug)]
pub struct TurnSummary {
    /// Its number.
    pub index: TurnNumber,
    /// The text of its prompt.
    pub prompt: String,
    /// The entry of its prompt.
    pub entry: Option<EntryId>,
    /// What else was said to the model in it: replies, queued prompts, words of others.
    pub said: Vec<String>,
    /// When it began.
    pub started: Option<Time>,
    /// When the last thing in it happened.
    pub ended: Option<Time>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// How many calls it made.
    pub calls: u32,
    /// How many of them failed.
    pub failed_calls: u32,
    /// How many files it changed.
    pub files_changed: usize,
    /// What it used.
    pub tokens: Tokens,
    /// How it ended.
    pub outcome: TurnOutcome,
}

/// What became of the calls of one tool.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ToolSummary {
    /// The tool.
    pub name: String,
    /// How often it was called.
    pub calls: u32,
    /// How often it worked.
    pub done: u32,
    /// How often it failed.
    pub failed: u32,
    /// How often it was not allowed.
    pub denied: u32,
    /// How often it was interrupted.
    pub interrupted: u32,
    /// How many results are yet to come.
    pub pending: u32,
    /// How long the calls took together, as far as they say.
    pub duration_ms: u64,
}

/// What one model used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelSummary {
    /// The model.
    pub model: String,
    /// How many messages of the shown path it answered with.
    pub answers: u32,
    /// What it used, agents and all paths included.
    pub tokens: Tokens,
}

/// A place where the context was replaced by a summary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompactionSummary {
    /// Its entry.
    pub entry: Option<EntryId>,
    /// When it happened.
    pub time: Option<Time>,
    /// Who asked for it: `auto` or `manual`.
    pub trigger: Option<String>,
    /// Tokens in the context before.
    pub tokens_before: Option<u64>,
    /// Tokens in the context after.
    pub tokens_after: Option<u64>,
    /// How many entries stayed in the context.
    pub kept: usize,
}

/// One way through the conversation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathSummary {
    /// Its number.
    pub index: PathNumber,
    /// Whether a resume would go on from it.
    pub active: bool,
    /// How many messages it has.
    pub message_count: usize,
    /// When its last entry was written.
    pub ended: Option<Time>,
    /// The last entry that it shares with another path.
    pub fork_point: Option<EntryId>,
}

/// One agent, with what it did.
#[derive(Clone, Debug)]
pub struct AgentSummary {
    /// What it is.
    pub info: AgentInfo,
    /// How many calls it made.
    pub calls: u32,
    /// How many of them failed.
    pub failed_calls: u32,
}

/// Sums up what a transcript shows.
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

/// Sums up the session as lists do, by the conversation that is there if that is its own.
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

/// What was counted on the way through the messages.
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

/// Lists everything that could be the title, in the order in which it is taken.
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
    let mut speller = Speller::default();
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
