//! The summary of a session as JSON.

use serde::Serializer;
use unspool_model::ids::EntryId;
use unspool_model::positions::PathNumber;

use super::rows::RowFields;
use super::{AgentJson, CountsJson, SCHEMA, TokensJson, all, time, wire};
use unspool_engine::ops::summary::{
    AgentSummary, CompactionSummary, FileChange, FirstMessage, ModelSummary, PathSummary,
    SessionSummary, TitleCandidate, ToolSummary, TurnSummary,
};

wire! {
    /// The summary of a session: one object.
    pub struct SummaryJson<'a> from(summary: &'a SessionSummary) {
        schema: u32 = SCHEMA,
        session: RowFields<'a> = RowFields(&summary.row),
        rule: &'static str = summary.rule.name(),
        agent: Option<&'a str> = summary.agent.as_deref(),
        path: Option<u32> = summary.path.map(PathNumber::get),
        titles: Vec<TitleJson<'a>> = all(&summary.titles),
        first_message: Option<FirstJson<'a>> = summary.first_message.as_ref().map(FirstJson::from),
        #[serde(serialize_with = "each_turn")]
        #[cfg_attr(test, schemars(with = "Vec<TurnSummaryJson>"))]
        turns: &'a [TurnSummary] = &summary.turns,
        tools: Vec<ToolJson<'a>> = all(&summary.tools),
        files: Vec<ChangedFileJson<'a>> = all(&summary.files),
        models: Vec<ModelJson<'a>> = all(&summary.models),
        compactions: Vec<CompactionJson<'a>> = all(&summary.compactions),
        paths: Vec<PathSummaryJson<'a>> = all(&summary.paths),
        agents: Vec<AgentDoneJson<'a>> = all(&summary.agents),
        counts: CountsJson = CountsJson::from(summary.counts),
    }
}

/// Writes turns one by one: a session may have a million.
fn each_turn<S: Serializer>(turns: &[TurnSummary], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(turns.iter().map(TurnSummaryJson::from))
}

fn uuid(entry: Option<&EntryId>) -> Option<&str> {
    entry.map(EntryId::as_str)
}

wire! {
    struct TitleJson<'a> from(title: &'a TitleCandidate) {
        source: &'static str = title.source.name(),
        text: &'a str = &title.text,
    }

    struct FirstJson<'a> from(first: &'a FirstMessage) {
        entry: Option<&'a str> = uuid(first.entry.as_ref()),
        time: Option<String> = time(first.time),
        text: &'a str = &first.text,
    }

    struct TurnSummaryJson<'a> from(turn: &'a TurnSummary) {
        index: u32 = turn.index.get(),
        prompt: Option<&'a str> = Some(turn.prompt.as_str()).filter(|text| !text.is_empty()),
        entry: Option<&'a str> = uuid(turn.entry.as_ref()),
        said: &'a [String] = &turn.said,
        started: Option<String> = time(turn.started),
        ended: Option<String> = time(turn.ended),
        duration_ms: Option<u64> = turn.duration_ms,
        calls: u32 = turn.calls,
        failed_calls: u32 = turn.failed_calls,
        files_changed: usize = turn.files_changed,
        tokens: TokensJson = turn.tokens.into(),
        outcome: &'static str = turn.outcome.name(),
    }

    struct ToolJson<'a> from(tool: &'a ToolSummary) {
        name: &'a str = &tool.name,
        calls: u32 = tool.calls,
        done: u32 = tool.done,
        failed: u32 = tool.failed,
        denied: u32 = tool.denied,
        interrupted: u32 = tool.interrupted,
        pending: u32 = tool.pending,
        duration_ms: u64 = tool.duration_ms,
    }

    struct ChangedFileJson<'a> from(file: &'a FileChange) {
        path: &'a str = &file.path,
        edits: u32 = file.edits,
        lines_added: u64 = file.added,
        lines_removed: u64 = file.removed,
        created: bool = file.created,
        author: &'static str = file.author.name(),
    }

    struct ModelJson<'a> from(model: &'a ModelSummary) {
        model: &'a str = &model.model,
        answers: u32 = model.answers,
        tokens: TokensJson = model.tokens.into(),
    }

    struct CompactionJson<'a> from(compaction: &'a CompactionSummary) {
        entry: Option<&'a str> = uuid(compaction.entry.as_ref()),
        time: Option<String> = time(compaction.time),
        trigger: Option<&'a str> = compaction.trigger.as_deref(),
        tokens_before: Option<u64> = compaction.tokens_before,
        tokens_after: Option<u64> = compaction.tokens_after,
        kept: usize = compaction.kept,
    }

    struct PathSummaryJson<'a> from(path: &'a PathSummary) {
        index: u32 = path.index.get(),
        status: &'static str = if path.active { "active" } else { "abandoned" },
        message_count: usize = path.message_count,
        ended: Option<String> = time(path.ended),
        fork_point: Option<&'a str> = uuid(path.fork_point.as_ref()),
    }

    struct AgentDoneJson<'a> from(agent: &'a AgentSummary) {
        #[serde(flatten)]
        info: AgentJson<'a> = AgentJson::from(&agent.info),
        calls: u32 = agent.calls,
        failed_calls: u32 = agent.failed_calls,
    }
}
