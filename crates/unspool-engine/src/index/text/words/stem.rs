//! Stems of English words, remembered.

use foldhash::fast::FixedState;
use frostem::{Algorithm, Stemmer};
use hashbrown::HashMap;

use super::STEM;

/// How many words are remembered before all are forgotten.
const KEPT: usize = 32 * 1024;
/// The lengths of words that have stems.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=20;

/// Finds stems. The same few thousand words make up most of what people write.
pub(crate) struct Stems {
    stemmer: Stemmer,
    known: HashMap<String, Option<Box<str>>, FixedState>,
}

impl Default for Stems {
    fn default() -> Self {
        Self {
            stemmer: Stemmer::new(Algorithm::English),
            known: HashMap::default(),
        }
    }
}

impl Stems {
    /// Returns the stem of a lower-case word, behind [`STEM`], if it is another word than the
    /// word itself.
    pub(crate) fn find(&mut self, word: &str) -> Option<&str> {
        if !LENGTHS.contains(&word.len()) || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        if self.known.len() >= KEPT {
            self.known.clear();
        }
        let known = self.known.entry_ref(word).or_insert_with(|| {
            let stem = self.stemmer.stem(word);
            (stem != word).then(|| format!("{STEM}{stem}").into())
        });
        known.as_deref()
    }
}
