//! Prefix sums of a list whose numbers change.

/// A list of numbers that can be added to, and the sums of its first numbers. Both operations take
/// logarithmic time (a Fenwick tree). Sums wrap around.
#[derive(Clone, Default, Debug)]
pub(super) struct PrefixSums {
    /// The sum of each number with those before it; the lowest bit of its one-based index says how many.
    nodes: Vec<u64>,
}

impl PrefixSums {
    /// Returns a list of `count` zeros.
    pub(super) fn of(count: usize) -> Self {
        Self { nodes: vec![0; count] }
    }

    /// Appends zeros until the list has `count` numbers.
    pub(super) fn grow(&mut self, count: usize) {
        while self.nodes.len() < count {
            let at = self.nodes.len() + 1;
            let start = at & (at - 1);
            let sum = self.first(at - 1).wrapping_sub(self.first(start));
            self.nodes.push(sum);
        }
    }

    /// Adds to one number.
    pub(super) fn add(&mut self, index: usize, number: u64) {
        let mut at = index + 1;
        while let Some(sum) = self.nodes.get_mut(at - 1) {
            *sum = sum.wrapping_add(number);
            at += at & at.wrapping_neg();
        }
    }

    /// Returns the sum of the first `count` numbers.
    pub(super) fn first(&self, count: usize) -> u64 {
        let mut at = count.min(self.nodes.len());
        let mut sum = 0u64;
        while at > 0 {
            sum = sum.wrapping_add(self.nodes[at - 1]);
            at &= at - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_a_plain_list() {
        let mut sums = PrefixSums::of(3);
        let mut plain = vec![0u64; 3];
        for step in 0..200usize {
            if step % 3 == 0 {
                plain.push(0);
                sums.grow(plain.len());
            }
            let at = step * 7 % plain.len();
            let number = (step as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            plain[at] = plain[at].wrapping_add(number);
            sums.add(at, number);
            for count in 0..=plain.len() {
                let expected = plain[..count].iter().fold(0u64, |a, b| a.wrapping_add(*b));
                assert_eq!(sums.first(count), expected, "{count} of {}", plain.len());
            }
        }
    }
}
