//! The turns of a conversation as lines of the rail, from the tables of the log.

use std::ops::Range;

use unspool_engine::ops::transcript::Transcript;
use unspool_model::conversation::{Message, Turn, TurnOutcome};
use unspool_model::entry::MessageKind;
use unspool_model::time::Time;

use crate::pages::session::signs::{MessageSign, signs};

/// The number of turns up to which each has its own line.
const ALL: u32 = 120;
/// The number of turns before and after the reader's one that have their own lines in a long rail.
const NEAR: u32 = 30;
/// The approximate number of lines for the other turns of a long rail.
const SPANS: u32 = 60;

/// A line of the rail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RailLine {
    /// One turn.
    Turn(RailTurn),
    /// Several turns: the range of their numbers, and their facts together.
    Span(Range<u32>, RailTurn),
}

/// The facts about a turn, or about several together.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct RailTurn {
    /// The number of the turn, counted from one.
    pub(super) number: u32,
    /// The first message.
    pub(super) start: u32,
    /// The number of messages.
    pub(super) messages: u32,
    pub(super) started: Option<Time>,
    pub(super) marks: Vec<RailMark>,
    /// The tokens in the context before and after the last compaction.
    pub(super) compacted: Option<(Option<u64>, Option<u64>)>,
}

/// A mark for an event in a turn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum RailMark {
    /// A call failed, or the turn ended with an error.
    Error,
    /// A person interrupted the turn.
    Interrupted,
    /// A file was changed.
    Change,
    /// Another path forks off.
    Fork,
    /// The context was replaced by a summary.
    Compaction,
    /// The turn has messages that were not read yet.
    Unread,
}

impl RailMark {
    /// Returns the class, the words and the symbol of the mark.
    pub(super) fn look(self) -> [&'static str; 3] {
        match self {
            Self::Error => ["error", "error", "\u{2717}"],
            Self::Interrupted => ["stop", "interrupted", "\u{25a0}"],
            Self::Change => ["change", "changes files", "\u{b1}"],
            Self::Fork => ["branch", "another branch leaves", "\u{2387}"],
            Self::Compaction => ["cut", "compaction", "\u{25bd}"],
            Self::Unread => ["new", "new", "\u{25cf}"],
        }
    }
}

/// Builds the lines of a rail for a reader at a turn, which is counted from one.
pub(super) fn lines(shown: &Transcript<'_>, near: u32) -> Vec<RailLine> {
    let count = shown.turns.len() as u32;
    let ranges = ranges(count, near);
    let mut lines = Vec::with_capacity(ranges.len());
    for range in ranges {
        let mut turns = range.clone().map(|at| turn(shown, at + 1, &shown.turns[at as usize]));
        let Some(mut whole) = turns.next() else {
            continue;
        };
        if range.len() == 1 {
            lines.push(RailLine::Turn(whole));
            continue;
        }
        for turn in turns {
            whole.messages += turn.messages;
            whole.marks.extend(turn.marks);
            whole.compacted = turn.compacted.or(whole.compacted);
        }
        whole.marks.sort_unstable();
        whole.marks.dedup();
        lines.push(RailLine::Span(range.start + 1..range.end + 1, whole));
    }
    lines
}

/// Splits the positions of turns into lines: one by one near the reader, several together elsewhere.
fn ranges(count: u32, near: u32) -> Vec<Range<u32>> {
    if count <= ALL {
        return (0..count).map(|at| at..at + 1).collect();
    }
    let at = near.clamp(1, count) - 1;
    let (first, last) = (at.saturating_sub(NEAR), (at + NEAR + 1).min(count));
    let step = count.div_ceil(SPANS).max(2);
    // Borders are multiples of the step, so that lines stay the same when the reader moves.
    let steps = |from: u32, to: u32| {
        let borders = (from / step..to.div_ceil(step)).map(move |at| at * step);
        borders.map(move |start| start.max(from)..(start + step).min(to))
    };
    let before = steps(0, first);
    let own = (first..last).map(|at| at..at + 1);
    let all = before.chain(own).chain(steps(last, count));
    all.filter(|range| !range.is_empty()).collect()
}

fn turn(shown: &Transcript<'_>, number: u32, turn: &Turn) -> RailTurn {
    let mut marks = Vec::new();
    match turn.outcome {
        TurnOutcome::Error => marks.push(RailMark::Error),
        TurnOutcome::Interrupted => marks.push(RailMark::Interrupted),
        _ => {}
    }
    let mut compacted = None;
    let within = turn.messages.start as usize..turn.messages.end as usize;
    for message in &shown.view.messages[within] {
        if message.kind == MessageKind::Boundary {
            marks.push(RailMark::Compaction);
            compacted = compaction(shown, message);
        }
        let group = message.group.filter(|_| !message.left_out);
        if group.is_some_and(|group| shown.leaving(group).is_some_and(|it| it.count() > 0)) {
            marks.push(RailMark::Fork);
        }
        marks.extend(signs(shown, message).filter_map(|sign| match sign {
            MessageSign::Error => Some(RailMark::Error),
            MessageSign::Change => Some(RailMark::Change),
            MessageSign::Call => None,
        }));
    }
    marks.sort_unstable();
    marks.dedup();
    RailTurn {
        number,
        start: turn.messages.start,
        messages: turn.messages.end - turn.messages.start,
        started: turn.started,
        marks,
        compacted,
    }
}

/// Returns the tokens in the context before and after a compaction.
fn compaction(shown: &Transcript<'_>, message: &Message) -> Option<(Option<u64>, Option<u64>)> {
    let (conversation, log) = (&shown.conversation, shown.conversation.log);
    let node = *shown.view.nodes(message).first()?;
    let entry = conversation.graph.nodes[node].content;
    let compaction = log.compaction_at(entry)?;
    Some((compaction.tokens_before, compaction.tokens_after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rail_has_every_turn_once_and_few_lines() {
        for count in [0, 1, 119, 120, 121, 200, 5_000, 100_000] {
            for near in [0, 1, 60, count / 2, count, count + 9] {
                let ranges = ranges(count, near);
                let all: Vec<u32> = ranges.iter().cloned().flatten().collect();
                assert_eq!(all, (0..count).collect::<Vec<_>>(), "{count} at {near}");
                assert!(ranges.len() <= 125, "{count} at {near}: {}", ranges.len());
                let at = near.clamp(1, count.max(1)) - 1;
                let own = ranges.iter().find(|range| range.contains(&at));
                assert!(own.is_none_or(|own| own.len() == 1), "{count} at {near}");
            }
        }
    }
}
