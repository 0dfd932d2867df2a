//! Random session graphs for property tests.
//!
//! Knows how to make every shape and every kind of damage that a reader must survive, each at a rate
//! of its own. Does not know what a reader should make of the result. The same seed and shape give
//! the same bytes, so a failing seed is a test case.
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

/// Declares the shape, and the list of its rates.
macro_rules! random_shape {
    ($($(#[$doc:meta])* $rate:ident,)*) => {
        /// How a random session looks: rates are probabilities per line unless said otherwise.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct RandomShape {
            /// The number of lines before the damage, give or take a few.
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
    /// An entry hangs under an earlier one instead of the last.
    forks,
    /// An entry has a parent that is not in the file.
    orphans,
    /// An entry has a parent further down.
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
    /// A result answers a call that was never made.
    stray_results,
    /// A line has an unknown type, with or without a uuid.
    unknown_types,
    /// A `last-prompt` line, naming an entry, the zero uuid, an unknown uuid or none.
    last_prompts,
    /// Other metadata lines.
    metadata,
    /// A line in the flat dialect: the message a plain string, calls with `toolName`.
    flat,
    /// A field has a value of the wrong type.
    wrong_types,
    /// A text contains half of a surrogate pair as an escape.
    lone_surrogates,
    /// A key occurs twice in its object.
    duplicate_keys,
    /// A line moves elsewhere, so that children may come before parents.
    shuffled,
    /// A line is cut off.
    torn,
    /// A line has no line end, so the next is glued to it.
    glued,
    /// A line without content is put in.
    blank,
    /// A line that is not a JSON object is put in.
    non_objects,
    /// A byte that is not UTF-8 is put into a line.
    invalid_utf8,
    /// The file ends without a line end (probability per file).
    no_final_newline,
}

impl RandomShape {
    /// One unbroken conversation with calls and results: all rates are zero.
    pub fn linear(entries: usize) -> Self {
        Self { entries, ..Self::default() }
    }

    /// What an undamaged file may contain: forks, sidechains, compactions, parallel calls, metadata.
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

    /// Everything at once.
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

    /// Draws a shape: any number of entries up to the given one, each kind of oddity on or off.
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
