//! One session at a glance, as scripts see it.

use serde::{Serialize, Serializer};
use unspool_model::ids::EntryId;
use unspool_model::positions::PathNumber;

use super::rows::RowFields;
use super::{AgentJson, CountsJson, SCHEMA, TokensJson, agent_json, time};
use unspool_engine::ops::summary::{
    AgentSummary, CompactionSummary, FileChange, FirstMessage, ModelSummary, PathSummary,
    SessionSummary, TitleCandidate, ToolSummary, TurnSummary,
};

/// The summary of a session as scripts see it: one object.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SummaryJson<'a> {
    schema: u32,
    session: RowFields<'a>,
    rule: &'static str,
    agent: Option<&'a str>,
    path: Option<u32>,
    titles: Vec<TitleJson<'a>>,
    first_message: Option<FirstJson<'a>>,
    #[serde(serialize_with = "each_turn")]
    #[cfg_attr(test, schemars(with = "Vec<TurnSummaryJson>"))]
    turns: &'a [TurnSummary],
    tools: Vec<ToolJson<'a>>,
    files: Vec<ChangedFileJson<'a>>,
    models: Vec<ModelJson<'a>>,
    compactions: Vec<CompactionJson<'a>>,
    paths: Vec<PathSummaryJson<'a>>,
    agents: Vec<AgentDoneJson<'a>>,
    counts: CountsJson,
}

impl<'a> From<&'a SessionSummary> for SummaryJson<'a> {
    fn from(summary: &'a SessionSummary) -> Self {
        Self {
            schema: SCHEMA,
            session: RowFields(&summary.row),
            rule: summary.rule.name(),
            agent: summary.agent.as_deref(),
            path: summary.path.map(PathNumber::get),
            titles: all(&summary.titles),
            first_message: summary.first_message.as_ref().map(FirstJson::from),
            turns: &summary.turns,
            tools: all(&summary.tools),
            files: all(&summary.files),
            models: all(&summary.models),
            compactions: all(&summary.compactions),
            paths: all(&summary.paths),
            agents: all(&summary.agents),
            counts: CountsJson::from(summary.counts),
        }
    }
}

fn all<'a, T, J: From<&'a T>>(items: &'a [T]) -> Vec<J> {
    items.iter().map(J::from).collect()
}

/// Writes turns one after the other: a session may have a million.
fn each_turn<S: Serializer>(turns: &[TurnSummary], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(turns.iter().map(TurnSummaryJson::from))
}

fn uuid(entry: Option<&EntryId>) -> Option<&str> {
    entry.map(EntryId::as_str)
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TitleJson<'a> {
    source: &'static str,
    text: &'a str,
}

impl<'a> From<&'a TitleCandidate> for TitleJson<'a> {
    fn from(title: &'a TitleCandidate) -> Self {
        Self { source: title.source.name(), text: &title.text }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FirstJson<'a> {
    entry: Option<&'a str>,
    time: Option<String>,
    text: &'a str,
}

impl<'a> From<&'a FirstMessage> for FirstJson<'a> {
    fn from(first: &'a FirstMessage) -> Self {
        Self { entry: uuid(first.entry.as_ref()), time: time(first.time), text: &first.text }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TurnSummaryJson<'a> {
    index: u32,
    prompt: Option<&'a str>,
    entry: Option<&'a str>,
    said: &'a [String],
    started: Option<String>,
    ended: Option<String>,
    duration_ms: Option<u64>,
    calls: u32,
    failed_calls: u32,
    files_changed: usize,
    tokens: TokensJson,
    outcome: &'static str,
}

impl<'a> From<&'a TurnSummary> for TurnSummaryJson<'a> {
    fn from(turn: &'a TurnSummary) -> Self {
        Self {
            index: turn.index.get(),
            prompt: Some(turn.prompt.as_str()).filter(|text| !text.is_empty()),
            entry: uuid(turn.entry.as_ref()),
            said: &turn.said,
            started: time(turn.started),
            ended: time(turn.ended),
            duration_ms: turn.duration_ms,
            calls: turn.calls,
            failed_calls: turn.failed_calls,
            files_changed: turn.files_changed,
            tokens: turn.tokens.into(),
            outcome: turn.outcome.name(),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ToolJson<'a> {
    name: &'a str,
    calls: u32,
    done: u32,
    failed: u32,
    denied: u32,
    interrupted: u32,
    pending: u32,
    duration_ms: u64,
}

impl<'a> From<&'a ToolSummary> for ToolJson<'a> {
    fn from(tool: &'a ToolSummary) -> Self {
        Self {
            name: &tool.name,
            calls: tool.calls,
            done: tool.done,
            failed: tool.failed,
            denied: tool.denied,
            interrupted: tool.interrupted,
            pending: tool.pending,
            duration_ms: tool.duration_ms,
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ChangedFileJson<'a> {
    path: &'a str,
    edits: u32,
    lines_added: u64,
    lines_removed: u64,
    created: bool,
    author: &'static str,
}

impl<'a> From<&'a FileChange> for ChangedFileJson<'a> {
    fn from(file: &'a FileChange) -> Self {
        Self {
            path: &file.path,
            edits: file.edits,
            lines_added: file.added,
            lines_removed: file.removed,
            created: file.created,
            author: file.author.name(),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ModelJson<'a> {
    model: &'a str,
    answers: u32,
    tokens: TokensJson,
}

impl<'a> From<&'a ModelSummary> for ModelJson<'a> {
    fn from(model: &'a ModelSummary) -> Self {
        Self { model: &model.model, answers: model.answers, tokens: model.tokens.into() }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CompactionJson<'a> {
    entry: Option<&'a str>,
    time: Option<String>,
    trigger: Option<&'a str>,
    tokens_before: Option<u64>,
    tokens_after: Option<u64>,
    kept: usize,
}

impl<'a> From<&'a CompactionSummary> for CompactionJson<'a> {
    fn from(compaction: &'a CompactionSummary) -> Self {
        Self {
            entry: uuid(compaction.entry.as_ref()),
            time: time(compaction.time),
            trigger: compaction.trigger.as_deref(),
            tokens_before: compaction.tokens_before,
            tokens_after: compaction.tokens_after,
            kept: compaction.kept,
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PathSummaryJson<'a> {
    index: u32,
    status: &'static str,
    message_count: usize,
    ended: Option<String>,
    fork_point: Option<&'a str>,
}

impl<'a> From<&'a PathSummary> for PathSummaryJson<'a> {
    fn from(path: &'a PathSummary) -> Self {
        Self {
            index: path.index.get(),
            status: if path.active { "active" } else { "abandoned" },
            message_count: path.message_count,
            ended: time(path.ended),
            fork_point: uuid(path.fork_point.as_ref()),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AgentDoneJson<'a> {
    #[serde(flatten)]
    info: AgentJson<'a>,
    calls: u32,
    failed_calls: u32,
}

impl<'a> From<&'a AgentSummary> for AgentDoneJson<'a> {
    fn from(agent: &'a AgentSummary) -> Self {
        Self {
            info: agent_json(&agent.info, |file| file),
            calls: agent.calls,
            failed_calls: agent.failed_calls,
        }
    }
}
