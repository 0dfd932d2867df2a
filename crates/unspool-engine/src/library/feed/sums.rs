//! Sums over the beginning of a list whose numbers change.

/// Numbers in a row, each of which can be added to, and the sums of the first of them. Both cost
/// work for the logarithm of their count (a Fenwick tree). Sums wrap around.
#[derive(Clone, Default, Debug)]
pub(super) struct PrefixSums {
    /// The sum of each number with those before it, as many as its lowest bit says.
    nodes: Vec<u64>,
}

impl PrefixSums {
    /// Makes room for so many numbers, all zero.
    pub(super) fn of(count: usize) -> Self {
        Self { nodes: vec![0; count] }
    }

    /// Makes room for more numbers, which are zero.
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

    /// Sums up the first numbers.
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
