//! A small seeded random number generator.
//!
//! `SplitMix64` with a few distributions. Not for secrets, and never seeded from the clock: the same seed
//! gives the same numbers in every run.

/// A `SplitMix64` generator.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Derives an independent generator for the part with a number.
    #[must_use]
    pub fn fork(&self, index: u64) -> Self {
        let mut child = Self::new(self.state ^ index.wrapping_mul(0xa076_1d64_78bd_642f));
        Self::new(child.next_u64())
    }

    /// Returns 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, or 0 when `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// Returns a number from `low` to `high`, both included.
    #[inline]
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below((high.saturating_sub(low) + 1) as usize) as u64
    }

    /// Returns a number from 0 (included) to 1 (excluded).
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns true with the given probability.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns a number from `low` to `high` with a uniformly distributed logarithm: small numbers are
    /// common, large ones rare.
    pub fn skewed(&mut self, low: u64, high: u64) -> u64 {
        if high <= low {
            return low;
        }
        let (from, to) = (low.max(1) as f64, high as f64);
        let value = from * (to / from).powf(self.unit());
        (value as u64).clamp(low, high)
    }

    /// Returns one of the items.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Shuffles the items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let mut one = Rng::new(7);
        let mut two = Rng::new(7);
        assert!((0..100).all(|_| one.next_u64() == two.next_u64()));
        assert_ne!(Rng::new(7).fork(0).next_u64(), Rng::new(7).fork(1).next_u64());
    }

    #[test]
    fn numbers_stay_in_their_range() {
        let mut rng = Rng::new(1);
        for _ in 0..1000 {
            assert!(rng.below(3) < 3);
            assert!((20..=200).contains(&rng.skewed(20, 200)));
            assert!((5..=6).contains(&rng.between(5, 6)));
            assert!((0.0..1.0).contains(&rng.unit()));
        }
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.between(4, 4), 4);
    }
}
