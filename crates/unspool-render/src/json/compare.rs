//! Two paths side by side as JSON.

use unspool_engine::ops::path_diff::{
    ComparedFile, ForkPoint, LastAnswer, PathDiff, PathSide, SideTurn,
};
use unspool_engine::ops::transcript::Transcript;
use unspool_model::conversation::TurnOutcome;
use unspool_model::ids::EntryId;
use unspool_model::paths::PathKind;
use unspool_model::positions::TurnNumber;

use super::changes::EditTotalsJson;
use super::{SCHEMA, SessionJson, TokensJson, all, time, wire};

wire! {
    /// Two paths side by side: one object.
    pub struct CompareJson<'a> new(shown: &'a Transcript<'_>, diff: &'a PathDiff) {
        schema: u32 = SCHEMA,
        session: SessionJson = shown.into(),
        agent: Option<&'a str> = shown.agent.as_deref(),
        fork: Option<ForkJson<'a>> = diff.fork.as_ref().map(ForkJson::from),
        shared_messages: usize = diff.shared_messages,
        a: SideJson<'a> = SideJson::from(&diff.a),
        b: SideJson<'a> = SideJson::from(&diff.b),
        files: Vec<ComparedFileJson<'a>> = all(&diff.files),
    }

    struct ForkJson<'a> from(fork: &'a ForkPoint) {
        entry: Option<&'a str> = fork.entry.as_ref().map(EntryId::as_str),
        time: Option<String> = time(fork.time),
        turn: Option<u32> = fork.turn.map(TurnNumber::get),
    }

    struct SideJson<'a> from(side: &'a PathSide) {
        path: u32 = side.number.get(),
        status: &'static str = match side.kind {
            PathKind::Active => "active",
            PathKind::Rewind | PathKind::Retry => "abandoned",
        },
        kind: &'static str = side.kind.name(),
        head: Option<&'a str> = side.head.as_ref().map(EntryId::as_str),
        messages: usize = side.messages,
        turns: Vec<SideTurnJson<'a>> = all(&side.turns),
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

    struct SideTurnJson<'a> from(turn: &'a SideTurn) {
        index: u32 = turn.index.get(),
        prompt: Option<&'a str> = turn.prompt.as_deref(),
        entry: Option<&'a str> = turn.entry.as_ref().map(EntryId::as_str),
        started: Option<String> = time(turn.started),
        duration_ms: Option<u64> = turn.duration_ms,
        calls: u32 = turn.calls,
        outcome: &'static str = turn.outcome.name(),
    }

    struct LastAnswerJson<'a> from(answer: &'a LastAnswer) {
        entry: Option<&'a str> = answer.entry.as_ref().map(EntryId::as_str),
        text: &'a str = &answer.text,
    }

    struct ComparedFileJson<'a> from(file: &'a ComparedFile) {
        path: &'a str = &file.path,
        a: Option<EditTotalsJson> = file.a.map(EditTotalsJson::from),
        b: Option<EditTotalsJson> = file.b.map(EditTotalsJson::from),
    }
}
