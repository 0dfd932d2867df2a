//! Random session graphs for property tests.
//!
//! Generates every shape and every kind of damage that a reader must survive, each at its own rate. The same
//! seed and shape give the same bytes, so a failing seed is a test case.
//!
//! ```
//! use unspool_testkit::random::{self, RandomShape};
//!
//! let whole = random::session(7, &RandomShape::well_formed(50));
//! let lines = whole.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
//! assert!(lines.clone().count() >= 50);
//! assert!(lines.clone().all(|line| serde_json::from_slice::<serde_json::Value>(line).is_ok()));
//!
//! let damaged = random::session(7, &RandomShape::wild(50));
//! assert_eq!(damaged, random::session(7, &RandomShape::wild(50)));
//! ```

mod damage;
mod flat;
mod graph;
pub mod resumable;

#[cfg(test)]
mod tests;

use crate::rng::Rng;

/// Declares the shape and the list of its rates.
macro_rules! random_shape {
    ($($(#[$doc:meta])* $rate:ident,)*) => {
        /// The shape of a random session. Rates are probabilities per line unless noted.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct RandomShape {
            /// The approximate number of lines before the damage.
            pub entries: usize,
            $($(#[$doc])* pub $rate: f64,)*
        }

        impl RandomShape {
            fn rates(&mut self) -> impl Iterator<Item = &mut f64> {
                [$(&mut self.$rate,)*].into_iter()
            }
        }
    };
}

random_shape! {
    /// The parent of an entry is an earlier one instead of the last.
    forks,
    /// The parent of an entry is not in the file.
    orphans,
    /// The parent of an entry is further down.
    cycles,
    /// An entry is its own parent.
    self_parents,
    /// An entry repeats the uuid of an earlier one.
    duplicates,
    /// The conversation changes to or from a sidechain.
    sidechains,
    /// The conversation is compacted, with or without preserved messages.
    compactions,
    /// An assistant message has several calls.
    parallel,
    /// An assistant line repeats the message id of an unrelated one.
    repeated_messages,
    /// A call never gets its result.
    missing_results,
    /// A result belongs to a call that was never made.
    stray_results,
    /// A line has an unknown type, with or without a uuid.
    unknown_types,
    /// A `last-prompt` line with an entry, the zero uuid, an unknown uuid or none.
    last_prompts,
    /// Other metadata lines.
    metadata,
    /// A line in the flat dialect: the message is a string, calls have `toolName`.
    flat,
    /// A field has a value of the wrong type.
    wrong_types,
    /// A text contains half of a surrogate pair as an escape.
    lone_surrogates,
    /// A key occurs twice in its object.
    duplicate_keys,
    /// A line moves to another position, so that children may precede their parents.
    shuffled,
    /// A line is cut off.
    torn,
    /// A line has no line end, so the next one continues it.
    glued,
    /// An empty line is inserted.
    blank,
    /// A line that is not a JSON object is inserted.
    non_objects,
    /// A byte that is not UTF-8 is inserted into a line.
    invalid_utf8,
    /// The file ends without a line end (probability per file).
    no_final_newline,
}

impl RandomShape {
    /// Returns a shape whose rates are all zero: one conversation without forks, with calls and results.
    pub fn linear(entries: usize) -> Self {
        Self { entries, ..Self::default() }
    }

    /// Returns a shape that an undamaged file may have: forks, sidechains, compactions, parallel calls,
    /// metadata.
    ///
    /// Every line is a JSON object, uuids are unique, and every parent is above its children.
    pub fn well_formed(entries: usize) -> Self {
        Self {
            forks: 0.06,
            sidechains: 0.03,
            compactions: 0.02,
            parallel: 0.3,
            missing_results: 0.03,
            unknown_types: 0.02,
            last_prompts: 0.05,
            metadata: 0.08,
            ..Self::linear(entries)
        }
    }

    /// Returns a shape with everything at once.
    pub fn wild(entries: usize) -> Self {
        Self {
            orphans: 0.03,
            cycles: 0.02,
            self_parents: 0.01,
            duplicates: 0.03,
            repeated_messages: 0.03,
            stray_results: 0.03,
            flat: 0.05,
            wrong_types: 0.04,
            lone_surrogates: 0.02,
            duplicate_keys: 0.02,
            shuffled: 0.03,
            torn: 0.02,
            glued: 0.02,
            blank: 0.02,
            non_objects: 0.02,
            invalid_utf8: 0.02,
            no_final_newline: 0.3,
            ..Self::well_formed(entries)
        }
    }

    /// Returns a random shape: any number of entries up to a maximum, and each rate either zero or scaled.
    ///
    /// Damage of one kind alone finds other mistakes than all kinds at once.
    pub fn any(seed: u64, most_entries: usize) -> Self {
        let mut rng = Rng::new(seed ^ 0x0dd5_4a9e);
        let mut shape = Self::wild(rng.below(most_entries + 1));
        let scale = rng.pick(&[0.5, 1.0, 4.0]);
        for rate in shape.rates() {
            *rate = if rng.chance(0.5) { (*rate * scale).min(1.0) } else { 0.0 };
        }
        shape
    }
}

/// Returns the bytes of a random session.
pub fn session(seed: u64, shape: &RandomShape) -> Vec<u8> {
    let rng = Rng::new(seed);
    let lines = graph::lines(rng.fork(1), shape);
    damage::file(rng.fork(2), shape, lines)
}
