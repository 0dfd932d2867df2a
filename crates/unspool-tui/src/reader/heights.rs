//! How high messages are, added up: where a row of all of them is, and how many are above one.
//!
//! A Fenwick tree: changing a height and asking for a sum both take steps in proportion to the logarithm of
//! the count.

/// The heights of messages.
#[derive(Clone, Default, Debug)]
pub(super) struct HeightTree {
    heights: Vec<u32>,
    sums: Vec<u64>,
}

impl HeightTree {
    /// Adds these heights up.
    pub(super) fn of(heights: Vec<u32>) -> Self {
        let mut sums: Vec<u64> = heights.iter().map(|&height| u64::from(height)).collect();
        for at in 0..sums.len() {
            let parent = at | (at + 1);
            if parent < sums.len() {
                sums[parent] += sums[at];
            }
        }
        Self { heights, sums }
    }

    /// Changes a height; one that there is not is left alone.
    pub(super) fn set(&mut self, at: usize, height: u32) {
        let Some(known) = self.heights.get_mut(at) else {
            return;
        };
        let before = std::mem::replace(known, height);
        let mut at = at;
        while at < self.sums.len() {
            self.sums[at] = self.sums[at] + u64::from(height) - u64::from(before);
            at |= at + 1;
        }
    }

    /// Returns the sum of the first heights.
    pub(super) fn above(&self, count: usize) -> u64 {
        let mut sum = 0;
        let mut end = count.min(self.sums.len());
        while end > 0 {
            sum += self.sums[end - 1];
            end &= end - 1;
        }
        sum
    }

    pub(super) fn total(&self) -> u64 {
        self.above(self.sums.len())
    }

    /// Finds the message that a row is in, and the row within it.
    pub(super) fn find(&self, row: u64) -> Option<(usize, u64)> {
        let (mut at, mut rest) = (0, row);
        let mut step = self.sums.len().next_power_of_two();
        while step > 0 {
            let next = at + step;
            if next <= self.sums.len() && self.sums[next - 1] <= rest {
                rest -= self.sums[next - 1];
                at = next;
            }
            step /= 2;
        }
        (at < self.sums.len()).then_some((at, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_those_of_the_heights(
            heights in proptest::collection::vec(0u32..9, 0..70),
            changes in proptest::collection::vec((0usize..70, 0u32..9), 0..20),
        ) {
            let mut tree = HeightTree::of(heights.clone());
            let mut known = heights;
            for (at, height) in changes {
                tree.set(at, height);
                if let Some(known) = known.get_mut(at) {
                    *known = height;
                }
            }
            let rows: Vec<(usize, u64)> = (0..)
                .zip(&known)
                .flat_map(|(at, &height)| (0..u64::from(height)).map(move |row| (at, row)))
                .collect();
            prop_assert_eq!(tree.total(), rows.len() as u64);
            for (row, &place) in (0..).zip(&rows) {
                prop_assert_eq!(tree.find(row), Some(place));
            }
            prop_assert_eq!(tree.find(rows.len() as u64), None);
            for count in 0..=known.len() {
                let sum: u64 = known[..count].iter().map(|&height| u64::from(height)).sum();
                prop_assert_eq!(tree.above(count), sum);
            }
        }
    }
}
