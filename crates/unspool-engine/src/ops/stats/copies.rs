//! Finds keys that occur more than once.

/// The number of bits per key: sixteen slots or more, so that at most one key in sixteen shares its
/// slot with another one and is merged needlessly. Chosen by judgement: with eight slots one in
/// eight is merged, and with thirty-two the slots of a million keys take 8 MB.
const BITS: usize = 32;

/// The bits of a word.
const WORD: usize = u64::BITS as usize;

/// The set of keys that may occur more than once.
///
/// The lower half of a key, which is that of a hash, selects a slot. Two keys may have the same
/// slot, and then both count as repeated.
pub(super) struct RepeatedKeys {
    /// Two bits for each slot: seen, and seen again.
    words: Vec<u64>,
}

impl RepeatedKeys {
    /// Returns the repeated keys of an iterator over `count` keys.
    pub(super) fn among(count: usize, keys: impl Iterator<Item = u32>) -> Self {
        let words = (count * BITS).div_ceil(WORD).next_power_of_two();
        let mut copies = Self { words: vec![0; words] };
        for key in keys {
            let (word, bit) = copies.slot(key);
            let word = &mut copies.words[word];
            *word |= if *word >> bit & 1 == 1 { 2 } else { 1 } << bit;
        }
        copies
    }

    /// Reports whether a key may occur more than once.
    pub(super) fn may_have(&self, key: u64) -> bool {
        let (word, bit) = self.slot(key as u32);
        self.words[word] >> bit & 2 == 2
    }

    /// Returns the index of the word with a key's slot, and the first of the slot's two bits.
    fn slot(&self, key: u32) -> (usize, usize) {
        let slot = key as usize;
        let word = (slot / (WORD / 2)) & (self.words.len() - 1);
        (word, slot % (WORD / 2) * 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_that_comes_twice_is_missed() {
        let keys = (0..1000u64).map(|key| key.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let again = keys.clone().step_by(10);
        let copies =
            RepeatedKeys::among(1100, keys.clone().chain(again.clone()).map(|key| key as u32));
        assert!(again.clone().all(|key| copies.may_have(key)));
        let alone = keys.filter(|key| !copies.may_have(*key)).count();
        assert!((800..=900).contains(&alone), "{alone}");
        assert!(!RepeatedKeys::among(0, std::iter::empty()).may_have(7));
    }
}
