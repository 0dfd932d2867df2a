//! The time of a path: spans of the model, tools, agents and waiting.
//!
//! A [`Transcript`] goes in; spans come out, each with a beginning, an end and the entry to show for it.
//! Spans of an agent are below the call that started it, at any depth. Sums attribute the time to the
//! model, tools, agents and the person, and periods without events are marked as gaps, so that a
//! drawing can compress them.
//!
//! Times are those of the log's entries. An entry is written when a block, a result or a prompt is
//! complete, so a span ends with its entry and begins with an earlier one:
//!
//! | Span | Begins with | Ends with |
//! |---|---|---|
//! | `you` | the last work before a prompt | the prompt. Also a call that only asks the person |
//! | `model` | the prompt, the last result or the report that it answers | the last entry of the answer |
//! | `tool` | the entry of the call | its result: waiting for a permission looks like a slow tool |
//! | `agent` | the entry of the call | its result, or the agent's last entry if that is later |
//! | `compaction` | its duration before the boundary; if unknown, the last work if automatic | its boundary |
//!
//! Spans are built from the tables of the logs in time linear in the messages, apart from sorting; only
//! names and labels are read from the files.

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

/// The shortest period without log entries that counts as a gap. Chosen by judgement: it is longer
/// than nearly every call, and as long as the cache of the model's context lasts.
pub const GAP_MS: u64 = 5 * 60 * 1000;

/// How many of the slowest calls are listed.
const SLOWEST: usize = 10;

/// The time of a path.
#[derive(Clone, Debug)]
pub struct SessionTimeline {
    /// The beginning of the first span.
    pub started: Option<Time>,
    /// The end of the last span.
    pub ended: Option<Time>,
    /// The sums of the time by its kind.
    pub sums: TimeSums,
    /// The spans: those of an agent directly after it, otherwise sorted by their beginnings.
    pub spans: Vec<TimeSpan>,
    /// The periods without events, in order.
    pub gaps: Vec<IdleGap>,
    /// The turns in order.
    pub turns: Vec<TurnTime>,
    /// The slowest calls, the slowest first.
    pub slowest: Vec<SpanId>,
    /// The tokens and cost of the answers in all spans.
    pub spending: Spending,
    /// How many answers and calls have no span, because they have no time in the log.
    pub untimed: u32,
}

/// Identifies a span by its index in [`SessionTimeline::spans`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SpanId(u32);

impl SpanId {
    /// Returns the id of the span at an index.
    pub fn at(row: usize) -> Self {
        Self(row as u32)
    }

    /// Returns the index of the span.
    pub fn row(self) -> usize {
        self.0 as usize
    }
}

/// A span of time of one kind.
#[derive(Clone, Debug)]
pub struct TimeSpan {
    /// The kind of the span.
    pub kind: SpanKind,
    /// The agent's span that contains this one.
    pub parent: Option<SpanId>,
    /// The number of spans that contain this one.
    pub depth: u32,
    /// The lane of the span among overlapping spans of its kind in the same conversation.
    pub lane: u32,
    /// The beginning.
    pub start: Time,
    /// The end; `None` while the span continues.
    pub end: Option<Time>,
    /// The turn of the path; `None` before the first prompt.
    pub turn: Option<TurnNumber>,
    /// The entry to show for the span.
    pub entry: Option<EntryId>,
    /// The call, for calls and the agents that they started.
    pub call: Option<String>,
    /// The agent, for agents.
    pub agent: Option<String>,
    /// The name of the tool or the model.
    pub name: Option<String>,
    /// The label in one line: the summary of a call, or the prompt.
    pub label: Option<String>,
    /// The status at the end of the span.
    pub status: CallStatus,
    /// The tokens and cost of the answers in the span; `None` for spans without answers.
    pub spending: Option<Spending>,
}

impl TimeSpan {
    /// Returns the duration of the span; `None` while it continues.
    pub fn duration_ms(&self) -> Option<u64> {
        Some(self.end?.since(self.start))
    }
}

names! {
    /// The kind of a span.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum SpanKind {
        /// The session waited for the person.
        You = "you",
        /// The model was thinking or answering.
        Model = "model",
        /// A tool was running.
        Tool = "tool",
        /// An agent was running.
        Agent = "agent",
        /// The context was being compacted.
        Compaction = "compaction",
    }
}

/// A period of [`GAP_MS`] or more without events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdleGap {
    /// The beginning.
    pub start: Time,
    /// The end.
    pub end: Time,
    /// The kind of span that covers the gap; `None` if no span does.
    pub kind: Option<SpanKind>,
}

impl IdleGap {
    /// Returns the duration of the gap.
    pub fn duration_ms(&self) -> u64 {
        self.end.since(self.start)
    }
}

/// The time of a turn, including the wait for its prompt.
#[derive(Clone, Debug)]
pub struct TurnTime {
    /// The number of the turn.
    pub index: TurnNumber,
    /// The entry of its prompt.
    pub entry: Option<EntryId>,
    /// The beginning of its prompt, on one line.
    pub prompt: Option<String>,
    /// The time of the prompt.
    pub started: Time,
    /// The time of the last work in the turn.
    pub ended: Time,
    /// The sums of the time by its kind.
    pub sums: TimeSums,
}

/// Returns the timeline of a transcript.
pub fn timeline(shown: &Transcript<'_>, prices: &PriceTable) -> io::Result<SessionTimeline> {
    let mut builder = TimelineBuilder::new(shown, LabelReading::Read);
    builder.walk()?;
    Ok(finish(builder, prices))
}

/// Returns only the sums of the time, without names and labels: only the boundaries of compactions
/// are read from the files.
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

/// Returns the slowest calls, including those of agents.
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
