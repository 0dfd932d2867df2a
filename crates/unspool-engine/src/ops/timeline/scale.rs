//! The position of moments in a drawing: time runs to the right, gaps are compressed.

use unspool_model::time::Time;

use super::{IdleGap, SessionTimeline};

/// The maximum width of a compressed gap, as a fraction of the drawing. Chosen by looking at
/// drawings: wide enough to be seen, and twenty gaps leave half of the width.
const GAP_SHARE: f64 = 0.025;

/// Maps moments to positions from 0, the beginning of a timeline, to 1, its end.
///
/// The scale is linear, except that each gap has a small fixed width, whatever its duration.
#[derive(Clone, Debug)]
pub struct TimeScale {
    start: Time,
    end: Time,
    gaps: Vec<IdleGap>,
    /// The position at which each gap begins.
    places: Vec<f64>,
    /// The width of a gap.
    gap: f64,
    /// The width of a millisecond outside gaps.
    step: f64,
}

impl TimeScale {
    /// Returns the scale of a timeline; `None` without spans.
    pub fn new(timeline: &SessionTimeline) -> Option<Self> {
        let (start, end) = (timeline.started?, timeline.ended?);
        let gaps = timeline.gaps.clone();
        let idle: u64 = gaps.iter().map(IdleGap::duration_ms).sum();
        let busy = end.since(start).saturating_sub(idle);
        let count = gaps.len() as f64;
        let gap = match busy {
            0 => 1.0 / count.max(1.0),
            _ => GAP_SHARE.min(0.5 / count.max(1.0)),
        };
        let step = (1.0 - gap * count).max(0.0) / (busy.max(1) as f64);
        let mut places = Vec::with_capacity(gaps.len());
        let (mut place, mut from) = (0.0, start);
        for idle in &gaps {
            place += idle.start.since(from) as f64 * step;
            places.push(place);
            place += gap;
            from = idle.end;
        }
        Some(Self { start, end, gaps, places, gap, step })
    }

    /// Returns the position of a moment; moments outside the timeline are at its ends.
    pub fn place(&self, time: Time) -> f64 {
        let time = time.clamp(self.start, self.end);
        let after = self.gaps.partition_point(|gap| gap.start <= time);
        let Some(at) = after.checked_sub(1) else {
            return self.bounded(time.since(self.start) as f64 * self.step);
        };
        let (gap, place) = (&self.gaps[at], self.places[at]);
        if time < gap.end {
            let part = time.since(gap.start) as f64 / gap.duration_ms().max(1) as f64;
            return self.bounded(place + self.gap * part);
        }
        self.bounded(place + self.gap + time.since(gap.end) as f64 * self.step)
    }

    fn bounded(&self, place: f64) -> f64 {
        debug_assert!(self.step >= 0.0, "time runs to the right");
        place.clamp(0.0, 1.0)
    }

    /// Returns each gap with the positions of its beginning and end.
    pub fn gaps(&self) -> impl Iterator<Item = (&IdleGap, f64, f64)> {
        let places = self.gaps.iter().zip(&self.places);
        places.map(|(gap, place)| (gap, *place, self.bounded(place + self.gap)))
    }
}
