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

/// How a random session looks: rates are probabilities per line unless said otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RandomShape {
    /// The number of lines before the damage, give or take a few.
    pub entries: usize,
    /// An entry hangs under an earlier one instead of the last.
    pub forks: f64,
    /// An entry has a parent that is not in the file.
    pub orphans: f64,
    /// An entry has a parent further down.
    pub cycles: f64,
    /// An entry is its own parent.
    pub self_parents: f64,
    /// An entry repeats the uuid of an earlier one.
    pub duplicates: f64,
    /// The conversation changes to or from a sidechain.
    pub sidechains: f64,
    /// The conversation is compacted, with or without preserved messages.
    pub compactions: f64,
    /// An assistant message has several calls.
    pub parallel: f64,
    /// An assistant line repeats the message id of an unrelated one.
    pub repeated_messages: f64,
    /// A call never gets its result.
    pub missing_results: f64,
    /// A result answers a call that was never made.
    pub stray_results: f64,
    /// A line has an unknown type, with or without a uuid.
    pub unknown_types: f64,
    /// A `last-prompt` line, naming an entry, the zero uuid, an unknown uuid or none.
    pub last_prompts: f64,
    /// Other metadata lines.
    pub metadata: f64,
    /// A line in the flat dialect: the message a plain string, calls with `toolName`.
    pub flat: f64,
    /// A field has a value of the wrong type.
    pub wrong_types: f64,
    /// A text contains half of a surrogate pair as an escape.
    pub lone_surrogates: f64,
    /// A key occurs twice in its object.
    pub duplicate_keys: f64,
    /// A line moves elsewhere, so that children may come before parents.
    pub shuffled: f64,
    /// A line is cut off.
    pub torn: f64,
    /// A line has no line end, so the next is glued to it.
    pub glued: f64,
    /// A line without content is put in.
    pub blank: f64,
    /// A line that is not a JSON object is put in.
    pub non_objects: f64,
    /// A byte that is not UTF-8 is put into a line.
    pub invalid_utf8: f64,
    /// The file ends without a line end (probability per file).
    pub no_final_newline: f64,
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

    fn rates(&mut self) -> [&mut f64; 25] {
        [
            &mut self.forks,
            &mut self.orphans,
            &mut self.cycles,
            &mut self.self_parents,
            &mut self.duplicates,
            &mut self.sidechains,
            &mut self.compactions,
            &mut self.parallel,
            &mut self.repeated_messages,
            &mut self.missing_results,
            &mut self.stray_results,
            &mut self.unknown_types,
            &mut self.last_prompts,
            &mut self.metadata,
            &mut self.flat,
            &mut self.wrong_types,
            &mut self.lone_surrogates,
            &mut self.duplicate_keys,
            &mut self.shuffled,
            &mut self.torn,
            &mut self.glued,
            &mut self.blank,
            &mut self.non_objects,
            &mut self.invalid_utf8,
            &mut self.no_final_newline,
        ]
    }
}

/// Returns the bytes of a random session.
pub fn session(seed: u64, shape: &RandomShape) -> Vec<u8> {
    let rng = Rng::new(seed);
    let lines = graph::lines(rng.fork(1), shape);
    damage::file(rng.fork(2), shape, lines)
}
