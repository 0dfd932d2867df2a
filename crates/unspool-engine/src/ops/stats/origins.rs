//! Joins the keys of an entry, of its copies, and of copies of those.
//!
//! A fork names for each entry the one that it copied, and a fork of a fork names the fork's. So
//! keys are joined pairwise as files name them, in any order. If the file in between is gone, no
//! record links the two ends, and entries that both have count twice.

use std::collections::HashMap;

use foldhash::fast::FixedState;

/// Keys that were joined (a disjoint-set forest).
///
/// Each set is a tree. A join always attaches the shallower tree to the deeper one, so that even
/// long chains of copies have short paths to the root.
#[derive(Default)]
pub(super) struct JoinedKeys {
    above: HashMap<u64, u64, FixedState>,
    depth: HashMap<u64, u8, FixedState>,
}

impl JoinedKeys {
    /// Returns the key that represents all keys joined with a key.
    pub(super) fn root(&self, mut key: u64) -> u64 {
        while let Some(&above) = self.above.get(&key) {
            key = above;
        }
        key
    }

    /// Joins two keys of the same thing.
    pub(super) fn join(&mut self, one: u64, other: u64) {
        let (one, other) = (self.root(one), self.root(other));
        if one == other {
            return;
        }
        let depth = |key| self.depth.get(&key).copied().unwrap_or(0);
        let (lower, upper) = if depth(one) > depth(other) { (other, one) } else { (one, other) };
        let deeper = depth(upper).max(depth(lower) + 1);
        self.depth.insert(upper, deeper);
        self.depth.remove(&lower);
        self.above.insert(lower, upper);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_keys_have_one_root_in_any_order_and_circles_end() {
        let pairs = [(1, 0), (2, 1), (3, 2), (0, 3), (9, 8)];
        for turn in 0..pairs.len() {
            let mut origins = JoinedKeys::default();
            for at in 0..pairs.len() {
                let (copy, original) = pairs[(turn + at) % pairs.len()];
                origins.join(copy, original);
            }
            let root = origins.root(0);
            assert!((1..4).all(|key| origins.root(key) == root));
            assert_eq!(origins.root(9), origins.root(8));
            assert_ne!(origins.root(9), root);
            assert_eq!(origins.root(7), 7);
        }
    }

    #[test]
    fn a_long_chain_of_copies_is_no_long_way() {
        let mut origins = JoinedKeys::default();
        for key in 0..100_000 {
            origins.join(key + 1, key);
        }
        assert!(origins.depth.values().all(|&depth| depth <= 17));
        assert_eq!(origins.root(100_000), origins.root(0));
    }
}
