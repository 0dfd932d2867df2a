//! Two paths side by side, as scripts see them.

use serde::Serialize;
use unspool_engine::ops::changes::EditTotals;
use unspool_engine::ops::path_diff::{
    ComparedFile, ForkPoint, LastAnswer, PathDiff, PathSide, SideTurn,
};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::conversation::TurnOutcome;
use unspool_model::ids::EntryId;
use unspool_model::paths::PathKind;
use unspool_model::positions::TurnNumber;

use super::changes::EditTotalsJson;
use super::{SCHEMA, SessionJson, TokensJson, session, time};

/// Two paths side by side: one object.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CompareJson<'a> {
    schema: u32,
    session: SessionJson,
    agent: Option<&'a str>,
    fork: Option<ForkJson<'a>>,
    shared_messages: usize,
    a: SideJson<'a>,
    b: SideJson<'a>,
    files: Vec<ComparedFileJson<'a>>,
}

impl<'a> CompareJson<'a> {
    /// Takes two paths of the conversation that a transcript shows.
    pub fn new(shown: &'a Transcript<'_>, diff: &'a PathDiff) -> Self {
        Self {
            schema: SCHEMA,
            session: session(shown),
            agent: shown.agent.as_deref(),
            fork: diff.fork.as_ref().map(ForkJson::from),
            shared_messages: diff.shared_messages,
            a: SideJson::from(&diff.a),
            b: SideJson::from(&diff.b),
            files: diff.files.iter().map(ComparedFileJson::from).collect(),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ForkJson<'a> {
    entry: Option<&'a str>,
    time: Option<String>,
    turn: Option<u32>,
}

impl<'a> From<&'a ForkPoint> for ForkJson<'a> {
    fn from(fork: &'a ForkPoint) -> Self {
        Self {
            entry: fork.entry.as_ref().map(EntryId::as_str),
            time: time(fork.time),
            turn: fork.turn.map(TurnNumber::get),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SideJson<'a> {
    path: u32,
    status: &'static str,
    kind: &'static str,
    head: Option<&'a str>,
    messages: usize,
    turns: Vec<SideTurnJson<'a>>,
    calls: u32,
    failed_calls: u32,
    agents: u32,
    tokens: TokensJson,
    cost_usd: Option<f64>,
    started: Option<String>,
    ended: Option<String>,
    active_ms: u64,
    edits: EditTotalsJson,
    outcome: Option<&'static str>,
    last_answer: Option<LastAnswerJson<'a>>,
}

impl<'a> From<&'a PathSide> for SideJson<'a> {
    fn from(side: &'a PathSide) -> Self {
        Self {
            path: side.number.get(),
            status: match side.kind {
                PathKind::Active => "active",
                PathKind::Rewind | PathKind::Retry => "abandoned",
            },
            kind: side.kind.name(),
            head: side.head.as_ref().map(EntryId::as_str),
            messages: side.messages,
            turns: side.turns.iter().map(SideTurnJson::from).collect(),
            calls: side.calls,
            failed_calls: side.failed_calls,
            agents: side.agents,
            tokens: side.spending.tokens.into(),
            cost_usd: side.spending.cost_usd(),
            started: time(side.started),
            ended: time(side.ended),
            active_ms: side.worked_ms,
            edits: side.edits.into(),
            outcome: side.outcome.map(TurnOutcome::name),
            last_answer: side.last_answer.as_ref().map(LastAnswerJson::from),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SideTurnJson<'a> {
    index: u32,
    prompt: Option<&'a str>,
    entry: Option<&'a str>,
    started: Option<String>,
    duration_ms: Option<u64>,
    calls: u32,
    outcome: &'static str,
}

impl<'a> From<&'a SideTurn> for SideTurnJson<'a> {
    fn from(turn: &'a SideTurn) -> Self {
        Self {
            index: turn.index.get(),
            prompt: turn.prompt.as_deref(),
            entry: turn.entry.as_ref().map(EntryId::as_str),
            started: time(turn.started),
            duration_ms: turn.duration_ms,
            calls: turn.calls,
            outcome: turn.outcome.name(),
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LastAnswerJson<'a> {
    entry: Option<&'a str>,
    text: &'a str,
}

impl<'a> From<&'a LastAnswer> for LastAnswerJson<'a> {
    fn from(answer: &'a LastAnswer) -> Self {
        Self { entry: answer.entry.as_ref().map(EntryId::as_str), text: &answer.text }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ComparedFileJson<'a> {
    path: &'a str,
    a: Option<EditTotalsJson>,
    b: Option<EditTotalsJson>,
}

impl<'a> From<&'a ComparedFile> for ComparedFileJson<'a> {
    fn from(file: &'a ComparedFile) -> Self {
        let totals = |totals: Option<EditTotals>| totals.map(EditTotalsJson::from);
        Self { path: &file.path, a: totals(file.a), b: totals(file.b) }
    }
}
