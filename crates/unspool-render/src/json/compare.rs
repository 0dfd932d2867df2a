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
use super::{SCHEMA, SessionJson, TokensJson, session, time, wire};

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

wire! {
    struct ForkJson<'a> from fork: &'a ForkPoint {
        entry: Option<&'a str> = fork.entry.as_ref().map(EntryId::as_str),
        time: Option<String> = time(fork.time),
        turn: Option<u32> = fork.turn.map(TurnNumber::get),
    }

    struct SideJson<'a> from side: &'a PathSide {
        path: u32 = side.number.get(),
        status: &'static str = match side.kind {
            PathKind::Active => "active",
            PathKind::Rewind | PathKind::Retry => "abandoned",
        },
        kind: &'static str = side.kind.name(),
        head: Option<&'a str> = side.head.as_ref().map(EntryId::as_str),
        messages: usize = side.messages,
        turns: Vec<SideTurnJson<'a>> = side.turns.iter().map(SideTurnJson::from).collect(),
        calls: u32 = side.calls,
        failed_calls: u32 = side.failed_calls,
        agents: u32 = side.agents,
        tokens: TokensJson = side.spending.tokens.into(),
        cost_usd: Option<f64> = side.spending.cost_usd(),
        started: Option<String> = time(side.started),
        ended: Option<String> = time(side.ended),
        active_ms: u64 = side.worked_ms,
        edits: EditTotalsJson = side.edits.into(),
        outcome: Option<&'static str> = side.outcome.map(TurnOutcome::name),
        last_answer: Option<LastAnswerJson<'a>> =
            side.last_answer.as_ref().map(LastAnswerJson::from),
    }

    struct SideTurnJson<'a> from turn: &'a SideTurn {
        index: u32 = turn.index.get(),
        prompt: Option<&'a str> = turn.prompt.as_deref(),
        entry: Option<&'a str> = turn.entry.as_ref().map(EntryId::as_str),
        started: Option<String> = time(turn.started),
        duration_ms: Option<u64> = turn.duration_ms,
        calls: u32 = turn.calls,
        outcome: &'static str = turn.outcome.name(),
    }

    struct LastAnswerJson<'a> from answer: &'a LastAnswer {
        entry: Option<&'a str> = answer.entry.as_ref().map(EntryId::as_str),
        text: &'a str = &answer.text,
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
