//! Prefix sums of the heights of messages, to convert between messages and rows.

/// The heights of messages, and the row at which each message ends.
#[derive(Clone, Default, Debug)]
pub(super) struct MessageHeights {
    heights: Vec<u32>,
    ends: Vec<u64>,
}

impl MessageHeights {
    /// Computes the sums of these heights.
    pub(super) fn of(heights: Vec<u32>) -> Self {
        let mut rows = 0;
        let end = |&height: &u32| {
            rows += u64::from(height);
            rows
        };
        Self { ends: heights.iter().map(end).collect(), heights }
    }

    /// Changes some heights. The messages must exist.
    pub(super) fn change(&mut self, heights: impl IntoIterator<Item = (usize, u32)>) {
        for (at, height) in heights {
            self.heights[at] = height;
        }
        *self = Self::of(std::mem::take(&mut self.heights));
    }

    /// Returns the sum of the first `count` heights.
    pub(super) fn above(&self, count: usize) -> u64 {
        let last = count.min(self.ends.len()).checked_sub(1);
        last.map_or(0, |last| self.ends[last])
    }

    pub(super) fn total(&self) -> u64 {
        self.above(self.ends.len())
    }

    /// Finds the message that contains a row, and the row within that message.
    pub(super) fn find(&self, row: u64) -> Option<(usize, u64)> {
        let at = self.ends.partition_point(|&end| end <= row);
        (at < self.ends.len()).then(|| (at, row - self.above(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_those_of_the_heights(
            heights in proptest::collection::vec(0u32..9, 1..70),
            changes in proptest::collection::vec((0usize..70, 0u32..9), 0..20),
        ) {
            let count = heights.len();
            let changes = changes.into_iter().map(|(at, height)| (at % count, height));
            let mut known = heights.clone();
            for (at, height) in changes.clone() {
                known[at] = height;
            }
            let mut sums = MessageHeights::of(heights);
            sums.change(changes);
            let rows: Vec<(usize, u64)> = (0..)
                .zip(&known)
                .flat_map(|(at, &height)| (0..u64::from(height)).map(move |row| (at, row)))
                .collect();
            prop_assert_eq!(sums.total(), rows.len() as u64);
            for (row, &place) in (0..).zip(&rows) {
                prop_assert_eq!(sums.find(row), Some(place));
            }
            prop_assert_eq!(sums.find(rows.len() as u64), None);
            for count in 0..=known.len() {
                let sum: u64 = known[..count].iter().map(|&height| u64::from(height)).sum();
                prop_assert_eq!(sums.above(count), sum);
            }
        }
    }
}
