//! Where the time of a path went: spans of the model, of tools, of agents, of waiting.
//!
//! A [`Transcript`] goes in; spans come out, each with a beginning, an end and the entry that it
//! leads to, those of an agent below the call that started it, at any depth. Sums say whose time
//! it was, and stretches in which nothing happened are marked so that a drawing can compress them.
//!
//! Times are those of the log's entries. An entry is written when a block, a result or a prompt is
//! complete, so a span ends with its entry and begins where the conversation was before:
//!
//! | Span | Begins with | Ends with |
//! |---|---|---|
//! | `you` | the last work before a prompt | the prompt. Also a call that only asks the person |
//! | `model` | the prompt, the last result or the report that it answers | the last entry of the answer |
//! | `tool` | the entry of the call | its result: waiting for a permission looks like a slow tool |
//! | `agent` | the entry of the call | its result, or what the agent did last if that is later |
//! | `compaction` | so long before its boundary as that says; without that, the last work if it was automatic | its boundary |
//!
//! Spans are made from the tables of the logs in work that is linear in the messages, apart from
//! sorting; only names and labels are read from the files.

mod clock;
mod label;
mod nest;
mod scale;
mod sums;
mod walk;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;

use unspool_model::conversation::CallStatus;
use unspool_model::ids::EntryId;
use unspool_model::names;
use unspool_model::positions::TurnNumber;
use unspool_model::time::Time;

use super::spending::{QuoteCache, Spending};
use super::transcript::Transcript;
use unspool_store::prices::PriceTable;

pub use scale::TimeScale;
pub use sums::{TimeShares, TimeSums};
use walk::{LabelReading, TimelineBuilder};

/// A stretch without anything in the log counts as a gap from here on. Chosen by judgement: it is
/// longer than nearly every call, and as long as the cache of the model's context lasts.
pub const GAP_MS: u64 = 5 * 60 * 1000;

/// How many of the slowest calls are named.
const SLOWEST: usize = 10;

/// Where the time of a path went.
#[derive(Clone, Debug)]
pub struct SessionTimeline {
    /// When the first span begins.
    pub started: Option<Time>,
    /// When the last one ends.
    pub ended: Option<Time>,
    /// Whose time it was.
    pub sums: TimeSums,
    /// The spans: those of an agent directly after it, else by when they begin.
    pub spans: Vec<TimeSpan>,
    /// Stretches in which nothing happened, in order.
    pub gaps: Vec<IdleGap>,
    /// The turns in order.
    pub turns: Vec<TurnTime>,
    /// The calls that took longest, slowest first.
    pub slowest: Vec<SpanId>,
    /// What the answers of all spans used and cost.
    pub spending: Spending,
    /// How many answers and calls have no span, since the log does not say when they were.
    pub untimed: u32,
}

/// Names a span: its row in [`SessionTimeline::spans`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpanId(u32);

impl SpanId {
    /// Names the span in a row.
    pub fn at(row: usize) -> Self {
        Self(row as u32)
    }

    /// Returns the row.
    pub fn row(self) -> usize {
        self.0 as usize
    }
}

/// A stretch of time that belongs to one side.
#[derive(Clone, Debug)]
pub struct TimeSpan {
    /// Whose time it is.
    pub kind: SpanKind,
    /// The agent's span that it is inside of.
    pub parent: Option<SpanId>,
    /// How many spans it is inside of.
    pub depth: u32,
    /// Its place among spans of its kind in the same conversation that run at the same time.
    pub lane: u32,
    /// When it begins.
    pub start: Time,
    /// When it ends; none while it goes on.
    pub end: Option<Time>,
    /// The turn of the path that it belongs to; none before the first prompt.
    pub turn: Option<TurnNumber>,
    /// The entry to show for it.
    pub entry: Option<EntryId>,
    /// The call, for calls and the agents that they started.
    pub call: Option<String>,
    /// The agent, for agents.
    pub agent: Option<String>,
    /// The tool or the model.
    pub name: Option<String>,
    /// What it was about, on one line: what a call does, what was asked.
    pub label: Option<String>,
    /// How it ended.
    pub status: CallStatus,
    /// What the answers in it used and cost; none for spans without answers.
    pub spending: Option<Spending>,
}

impl TimeSpan {
    /// Returns how long it took; none while it goes on.
    pub fn duration_ms(&self) -> Option<u64> {
        Some(self.end?.since(self.start))
    }
}

names! {
    /// Whose time a span is.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum SpanKind {
        /// The person's, whom the session waited for.
        You = "you",
        /// The model's, which thought and answered.
        Model = "model",
        /// A tool's.
        Tool = "tool",
        /// An agent's.
        Agent = "agent",
        /// That of a compaction.
        Compaction = "compaction",
    }
}

/// A stretch of [`GAP_MS`] or more in which nothing happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdleGap {
    /// When it begins.
    pub start: Time,
    /// When it ends.
    pub end: Time,
    /// Whose time it was; none if no span says so.
    pub kind: Option<SpanKind>,
}

impl IdleGap {
    /// Returns how long it is.
    pub fn duration_ms(&self) -> u64 {
        self.end.since(self.start)
    }
}

/// Where the time of a turn went, the wait for its prompt included.
#[derive(Clone, Debug)]
pub struct TurnTime {
    /// Its number, from one.
    pub index: TurnNumber,
    /// The entry of its prompt.
    pub entry: Option<EntryId>,
    /// The beginning of its prompt, on one line.
    pub prompt: Option<String>,
    /// When the prompt was given.
    pub started: Time,
    /// When the last work in it was done.
    pub ended: Time,
    /// Whose time it was.
    pub sums: TimeSums,
}

/// Says where the time of what a transcript shows went.
pub fn timeline(shown: &Transcript<'_>, prices: &PriceTable) -> io::Result<SessionTimeline> {
    let mut builder = TimelineBuilder::new(shown, LabelReading::Read);
    builder.walk()?;
    Ok(finish(builder, prices))
}

/// Says whose time it was, without names and labels: nothing is read from the files but the
/// boundaries of compactions.
pub fn time_sums(shown: &Transcript<'_>) -> io::Result<TimeSums> {
    let mut builder = TimelineBuilder::new(shown, LabelReading::Skip);
    builder.walk()?;
    let spans = nest::nest(builder.spans);
    Ok(sums::sweep(&spans, &[]).sums)
}

fn finish(builder: TimelineBuilder<'_, '_>, prices: &PriceTable) -> SessionTimeline {
    let (mut drafts, turns) = (builder.spans, builder.turns);
    let mut quotes = QuoteCache::new(prices);
    let mut spending = Spending::default();
    for ((model, Reverse(row)), tokens) in builder.ledger.counted() {
        let answer = quotes.answer(model, tokens);
        spending += answer;
        *drafts[row].span.spending.get_or_insert_default() += answer;
    }
    let drafts = nest::nest(drafts);
    let swept = sums::sweep(&drafts, &turns);
    let turns = turns.into_iter().zip(swept.turns);
    let turns = turns.map(|(turn, (sums, ended))| TurnTime {
        index: turn.index,
        entry: turn.entry,
        prompt: turn.prompt,
        started: turn.started,
        ended: ended.unwrap_or(turn.started).max(turn.started),
        sums,
    });
    let spans: Vec<TimeSpan> = drafts.into_iter().map(|draft| draft.span).collect();
    SessionTimeline {
        started: swept.started,
        ended: swept.ended,
        sums: swept.sums,
        gaps: swept.gaps,
        turns: turns.collect(),
        slowest: slowest(&spans),
        spans,
        spending,
        untimed: builder.untimed,
    }
}

/// Finds the calls that took longest, those of agents included.
fn slowest(spans: &[TimeSpan]) -> Vec<SpanId> {
    let mut least: BinaryHeap<Reverse<(u64, Reverse<usize>)>> = BinaryHeap::new();
    for (row, span) in spans.iter().enumerate() {
        let is_call = matches!(span.kind, SpanKind::Tool | SpanKind::Agent);
        let Some(took) = span.duration_ms().filter(|&took| is_call && took > 0) else {
            continue;
        };
        least.push(Reverse((took, Reverse(row))));
        if least.len() > SLOWEST {
            least.pop();
        }
    }
    let sorted = least.into_sorted_vec().into_iter();
    sorted.map(|Reverse((_, Reverse(row)))| SpanId::at(row)).collect()
}
