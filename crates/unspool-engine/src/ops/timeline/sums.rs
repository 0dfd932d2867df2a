//! Attributes time to the sides of a session: every moment counts once.
//!
//! Spans overlap: calls run in parallel, agents continue while the model answers. A moment counts
//! for the first of these that covers it: a compaction, the model, a tool, an agent, the person. So
//! the sums of all sides are the time from the first span to the last.

use unspool_model::time::Time;

use super::walk::{DraftSpan, DraftTurn};
use super::{GAP_MS, IdleGap, SpanKind};

/// The time by side, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TimeSums {
    /// The time of the model.
    pub model_ms: u64,
    /// The time of tools.
    pub tools_ms: u64,
    /// The time of agents, while neither the model nor a tool worked.
    pub agents_ms: u64,
    /// The time of compactions.
    pub compaction_ms: u64,
    /// The time of the person, without `away_ms`.
    pub you_ms: u64,
    /// The time that no span covers: background tasks, the client itself.
    pub other_ms: u64,
    /// The time in gaps in which the session waited for the person, see [`GAP_MS`].
    pub away_ms: u64,
}

impl TimeSums {
    /// Returns the time from the first span to the last, without `away_ms`.
    pub fn present_ms(&self) -> u64 {
        let parts = self.parts();
        parts.iter().fold(0, |sum, part| sum.saturating_add(*part))
    }

    /// Returns the time from the first span to the last.
    pub fn total_ms(&self) -> u64 {
        self.present_ms().saturating_add(self.away_ms)
    }

    fn parts(&self) -> [u64; 6] {
        [
            self.model_ms,
            self.tools_ms,
            self.agents_ms,
            self.compaction_ms,
            self.you_ms,
            self.other_ms,
        ]
    }

    /// Returns the shares of all sides in percent, without the gaps in which the person was away.
    pub fn shares(&self) -> TimeShares {
        let [model, tools, agents, compaction, you, other] = hundredths(self.parts());
        TimeShares { model, tools, agents, compaction, you, other }
    }

    fn add(&mut self, kind: Option<SpanKind>, millis: u64, in_gap: bool) {
        let part = match kind {
            Some(SpanKind::Model) => &mut self.model_ms,
            Some(SpanKind::Tool) => &mut self.tools_ms,
            Some(SpanKind::Agent) => &mut self.agents_ms,
            Some(SpanKind::Compaction) => &mut self.compaction_ms,
            Some(SpanKind::You) if in_gap => &mut self.away_ms,
            Some(SpanKind::You) => &mut self.you_ms,
            None => &mut self.other_ms,
        };
        *part = part.saturating_add(millis);
    }
}

/// Shares of the time in percent, which add up to 100, or to zero without any time.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TimeShares {
    /// The share of the model.
    pub model: u32,
    /// The share of tools.
    pub tools: u32,
    /// The share of agents.
    pub agents: u32,
    /// The share of compactions.
    pub compaction: u32,
    /// The share of the person.
    pub you: u32,
    /// The share that no span covers.
    pub other: u32,
}

/// Converts parts to percentages: rounded down, with the rest distributed to the parts that lost most.
fn hundredths(parts: [u64; 6]) -> [u32; 6] {
    let whole: u128 = parts.iter().map(|part| u128::from(*part)).sum();
    if whole == 0 {
        return [0; 6];
    }
    let scaled = parts.map(|part| u128::from(part) * 100);
    let mut shares = scaled.map(|part| (part / whole) as u32);
    let mut by_rest: Vec<usize> = (0..parts.len()).collect();
    by_rest.sort_by_key(|&at| std::cmp::Reverse(scaled[at] % whole));
    let left = 100 - shares.iter().sum::<u32>();
    for &at in by_rest.iter().take(left as usize) {
        shares[at] += 1;
    }
    shares
}

/// The result of a sweep over all moments.
#[derive(Default)]
pub(super) struct Swept {
    pub(super) started: Option<Time>,
    pub(super) ended: Option<Time>,
    pub(super) sums: TimeSums,
    pub(super) gaps: Vec<IdleGap>,
    /// The sums of each turn, and the time of its last work.
    pub(super) turns: Vec<(TimeSums, Option<Time>)>,
}

/// The number of kinds of spans.
const KINDS: usize = 5;

/// The kinds, in the order of precedence for a moment.
const CLAIMS: [SpanKind; KINDS] =
    [SpanKind::Compaction, SpanKind::Model, SpanKind::Tool, SpanKind::Agent, SpanKind::You];

/// A change at a moment: the beginning or end of a span with this place in [`CLAIMS`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Ends(usize),
    Begins(usize),
    /// Splits the time without a change of spans.
    Cut,
}

/// Sweeps over all moments from the first span to the last. Spans without an end last until the latest end.
pub(super) fn sweep(spans: &[DraftSpan], turns: &[DraftTurn]) -> Swept {
    let ends = spans.iter().map(|draft| {
        let span = &draft.span;
        span.end.unwrap_or(span.start)
    });
    let Some(latest) = ends.max() else {
        return Swept::default();
    };
    let mut changes: Vec<(Time, Change)> = Vec::with_capacity(spans.len() * 2 + turns.len());
    for draft in spans {
        let (start, end) = (draft.span.start, worked_until(draft).unwrap_or(latest));
        let place = place_of(counts_as(draft));
        if start < end {
            changes.push((start, Change::Begins(place)));
            changes.push((end, Change::Ends(place)));
        } else {
            changes.push((start, Change::Cut));
        }
    }
    changes.sort_unstable();
    if let (Some(&(first, _)), Some(&(last, _))) = (changes.first(), changes.last()) {
        let cuts = turns.iter().map(|turn| (turn.from, Change::Cut));
        changes.extend(cuts.filter(|(time, _)| (first..=last).contains(time)));
        changes.sort_unstable();
    }
    let mut sweep = Sweep {
        turns,
        next_turn: 0,
        running: [0; KINDS],
        found: Swept { turns: vec![(TimeSums::default(), None); turns.len()], ..Swept::default() },
    };
    for pair in changes.windows(2) {
        unspool_work::add(1);
        let [(from, change), (to, _)] = pair else {
            continue;
        };
        sweep.take(*change);
        sweep.stretch(*from, *to);
    }
    sweep.found.started = changes.first().map(|(time, _)| *time);
    sweep.found.ended = changes.last().map(|(time, _)| *time);
    sweep.found
}

/// Returns the end of a span's work. An agent counts while its call runs; its later work is in its
/// own spans.
fn worked_until(draft: &DraftSpan) -> Option<Time> {
    match draft.span.kind {
        SpanKind::Agent => draft.returned,
        _ => draft.span.end,
    }
}

/// Returns the kind that a span counts as: everything inside an agent counts for the agent.
fn counts_as(draft: &DraftSpan) -> SpanKind {
    match draft.span.parent {
        Some(_) => SpanKind::Agent,
        None => draft.span.kind,
    }
}

fn place_of(kind: SpanKind) -> usize {
    let place = CLAIMS.iter().position(|&claim| claim == kind);
    place.unwrap_or(KINDS - 1)
}

/// The state of a sweep up to one moment.
struct Sweep<'t> {
    turns: &'t [DraftTurn],
    /// The first turn that has not begun.
    next_turn: usize,
    /// The number of running spans of each kind.
    running: [u32; KINDS],
    found: Swept,
}

impl Sweep<'_> {
    fn take(&mut self, change: Change) {
        match change {
            Change::Begins(place) => self.running[place] += 1,
            Change::Ends(place) => self.running[place] = self.running[place].saturating_sub(1),
            Change::Cut => {}
        }
    }

    /// Counts the time between two changes.
    fn stretch(&mut self, from: Time, to: Time) {
        while self.turns.get(self.next_turn).is_some_and(|turn| turn.from <= from) {
            self.next_turn += 1;
        }
        let millis = to.since(from);
        if millis == 0 {
            return;
        }
        let claim = self.running.iter().position(|&count| count > 0);
        let kind = claim.map(|place| CLAIMS[place]);
        let in_gap = millis >= GAP_MS;
        if in_gap {
            let (start, end) = (from, to);
            self.found.gaps.push(IdleGap { start, end, kind });
        }
        self.found.sums.add(kind, millis, in_gap);
        if let Some(turn) = self.next_turn.checked_sub(1) {
            let (sums, ended) = &mut self.found.turns[turn];
            sums.add(kind, millis, in_gap);
            if kind.is_some_and(|kind| kind != SpanKind::You) {
                *ended = (*ended).max(Some(to));
            }
        }
    }
}
