//! Arranges spans: inside their parents, in order, in parallel lanes where they overlap.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use unspool_model::time::Time;

use super::walk::DraftSpan;
use super::{SpanId, SpanKind};

/// Sorts the spans so that each is directly after its parent or the sibling before it, and sets
/// depths and lanes.
///
/// Parents come before their children in `drafts`, so each step needs only one pass.
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

/// Fits each span into its parent. Entries of an agent's log from before the call belong to another
/// conversation, so starts are clipped. An agent may continue after its call returned, so parents
/// are extended to the ends of their children.
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

/// Returns the indices of spans in order.
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

/// Identifies the spans of one kind in one conversation.
type Track = (Option<SpanId>, SpanKind);

/// The lanes of one track: used ones with the ends of their spans, and free ones.
#[derive(Default)]
struct TrackLanes {
    used: BinaryHeap<Reverse<(Time, u32)>>,
    free: BinaryHeap<Reverse<u32>>,
    count: u32,
}

impl TrackLanes {
    /// Returns the first lane that is free at `start`, and reserves it until `end`.
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

/// Assigns separate lanes to overlapping spans of one kind. The spans must be sorted by their starts.
fn set_lanes(spans: &mut [DraftSpan]) {
    let mut tracks: HashMap<Track, TrackLanes> = HashMap::new();
    let forever = Time::from_millis(i64::MAX);
    for draft in spans {
        let span = &mut draft.span;
        let lanes = tracks.entry((span.parent, span.kind)).or_default();
        span.lane = lanes.take(span.start, span.end.unwrap_or(forever));
    }
}
