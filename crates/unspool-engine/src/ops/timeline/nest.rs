//! Puts spans in their places: inside their parents, in order, side by side where they overlap.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use unspool_model::time::Time;

use super::walk::DraftSpan;
use super::{SpanId, SpanKind};

/// Puts the spans in order, each directly after the span that it is inside of or after its
/// neighbour, and gives them depths and lanes.
///
/// A parent comes before its children among the drafts, so no walk is deeper than one step.
pub(super) fn nest(mut drafts: Vec<DraftSpan>) -> Vec<DraftSpan> {
    contain(&mut drafts);
    let order = in_order(&drafts);
    let mut places = vec![0; drafts.len()];
    for (place, &row) in order.iter().enumerate() {
        places[row] = place;
    }
    let mut slots: Vec<Option<DraftSpan>> = drafts.into_iter().map(Some).collect();
    let mut nested: Vec<DraftSpan> = Vec::with_capacity(slots.len());
    for row in order {
        let Some(mut draft) = slots[row].take() else {
            continue;
        };
        if let Some(parent) = draft.span.parent {
            let place = places[parent.row()];
            draft.span.parent = Some(SpanId::at(place));
            draft.span.depth = nested[place].span.depth + 1;
        }
        nested.push(draft);
    }
    set_lanes(&mut nested);
    nested
}

/// Makes each span lie inside its parent: what an agent's log says of the time before the call is
/// of another conversation, and an agent may go on after its call returned.
fn contain(drafts: &mut [DraftSpan]) {
    for row in 0..drafts.len() {
        if let Some(parent) = drafts[row].span.parent {
            let from = drafts[parent.row()].span.start;
            let draft = &mut drafts[row];
            draft.span.start = draft.span.start.max(from);
            let start = draft.span.start;
            draft.span.end = draft.span.end.map(|end| end.max(start));
            draft.returned = draft.returned.map(|end| end.max(start));
        }
    }
    for row in (0..drafts.len()).rev() {
        let span = &drafts[row].span;
        let (parent, end, spending) = (span.parent, span.end, span.spending);
        if let Some(parent) = parent {
            let span = &mut drafts[parent.row()].span;
            span.end = span.end.map(|known| known.max(end.unwrap_or(known)));
            if let Some(spending) = spending {
                *span.spending.get_or_insert_default() += spending;
            }
        }
    }
}

/// Returns the rows of spans in order.
fn in_order(drafts: &[DraftSpan]) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..drafts.len()).collect();
    rows.sort_by_key(|&row| (drafts[row].span.start, row));
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); drafts.len()];
    let mut waiting = Vec::new();
    for &row in rows.iter().rev() {
        match drafts[row].span.parent {
            Some(parent) => children[parent.row()].push(row),
            None => waiting.push(row),
        }
    }
    let mut order = Vec::with_capacity(drafts.len());
    while let Some(row) = waiting.pop() {
        unspool_work::add(1);
        order.push(row);
        waiting.append(&mut children[row]);
    }
    order
}

/// The spans of one kind in one conversation.
type Track = (Option<SpanId>, SpanKind);

/// Lanes of one track: those in use with the end of what is in them, and those that are free.
#[derive(Default)]
struct TrackLanes {
    used: BinaryHeap<Reverse<(Time, u32)>>,
    free: BinaryHeap<Reverse<u32>>,
    count: u32,
}

impl TrackLanes {
    /// Returns the first lane that is free from one instant on, and uses it until another.
    fn take(&mut self, start: Time, end: Time) -> u32 {
        while let Some(&Reverse((until, lane))) = self.used.peek()
            && until <= start
        {
            unspool_work::add(1);
            self.used.pop();
            self.free.push(Reverse(lane));
        }
        let lane = if let Some(Reverse(lane)) = self.free.pop() {
            lane
        } else {
            self.count += 1;
            self.count - 1
        };
        self.used.push(Reverse((end, lane)));
        lane
    }
}

/// Gives spans of one kind that overlap lanes of their own. They come in the order of their starts.
fn set_lanes(spans: &mut [DraftSpan]) {
    let mut tracks: HashMap<Track, TrackLanes> = HashMap::new();
    let forever = Time::from_millis(i64::MAX);
    for draft in spans {
        let span = &mut draft.span;
        let lanes = tracks.entry((span.parent, span.kind)).or_default();
        span.lane = lanes.take(span.start, span.end.unwrap_or(forever));
    }
}
