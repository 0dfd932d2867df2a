//! Stems of English words, remembered.

use frostem::{Algorithm, Stemmer};

use super::STEM;

/// How many words are remembered where there are many: those met last, each in the place that
/// its letters give it. Chosen by judgement: several times the few thousand words below; other
/// sizes were not measured.
const MANY: usize = 1 << 14;
/// How many are remembered for a query. Chosen by judgement: a query has few words.
const FEW: usize = 1 << 6;
/// The lengths of words that have stems. Chosen by judgement: shorter words have few endings, and
/// longer ones are rarely English.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=20;

/// Finds stems. The same few thousand words make up most of what people write.
pub(crate) struct Stems {
    stemmer: Stemmer,
    known: Vec<KnownStem>,
}

/// A word with its stem, if that is another word.
#[derive(Clone, Default)]
struct KnownStem {
    word: PackedWord,
    stem: Option<Box<str>>,
}

/// A word of at most 24 bytes as numbers, which are compared and hashed at once.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct PackedWord {
    length: u64,
    first: u64,
    inner: u64,
    last: u64,
}

impl PackedWord {
    /// Packs a word of at least four bytes.
    #[inline]
    fn new(word: &[u8]) -> Self {
        let eight = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let four = |bytes: Option<&[u8; 4]>| bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes));
        let (first, last) = if word.len() < 8 {
            let (first, last) = (four(word.first_chunk()), four(word.last_chunk()));
            (u64::from(first), u64::from(last))
        } else {
            (eight(word.first_chunk()), eight(word.last_chunk()))
        };
        let inner = word.get(8..).filter(|_| word.len() > 16);
        Self {
            length: word.len() as u64,
            first,
            inner: inner.map_or(0, |inner| eight(inner.first_chunk())),
            last,
        }
    }

    /// Returns the place that a word has among so many.
    #[inline]
    fn place(self, places: usize) -> usize {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mixed = (self.first ^ self.inner.rotate_left(17)).wrapping_mul(ODD);
        let mixed = (mixed ^ self.last.rotate_left(32) ^ self.length).wrapping_mul(ODD);
        (mixed >> 32) as usize % places
    }
}

impl Stems {
    /// Prepares for the texts of an index.
    pub(crate) fn for_many() -> Self {
        Self::new(MANY)
    }

    /// Prepares for a query, or a text or two.
    pub(crate) fn for_few() -> Self {
        Self::new(FEW)
    }

    fn new(places: usize) -> Self {
        Self {
            stemmer: Stemmer::new(Algorithm::English),
            known: vec![KnownStem::default(); places],
        }
    }

    /// Returns the stem of a lower-case word, with [`STEM`] before it, if it is another word than
    /// the word itself.
    #[inline]
    pub(crate) fn find(&mut self, word: &str) -> Option<&str> {
        if !LENGTHS.contains(&word.len()) {
            return None;
        }
        let packed = PackedWord::new(word.as_bytes());
        let place = packed.place(self.known.len());
        let known = &mut self.known[place];
        if known.word != packed {
            known.word = packed;
            known.stem = stem(&self.stemmer, word);
        }
        known.stem.as_deref()
    }
}

fn stem(stemmer: &Stemmer, word: &str) -> Option<Box<str>> {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let stem = stemmer.stem(word);
    (stem != word).then(|| format!("{STEM}{stem}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_packed_without_loss() {
        let letters = "abcdefghijklmnopqrstuvwx";
        let mut words: Vec<String> = (4..=24).map(|length| letters[..length].into()).collect();
        for length in 4..=24 {
            for at in 0..length {
                let mut word = letters[..length].to_owned();
                word.replace_range(at..=at, "z");
                words.push(word);
            }
        }
        for (at, word) in words.iter().enumerate() {
            let packed = PackedWord::new(word.as_bytes());
            let same = words.iter().map(|other| PackedWord::new(other.as_bytes()) == packed);
            assert_eq!(same.filter(|same| *same).count(), 1, "{at} {word}");
        }
    }

    #[test]
    fn a_word_that_takes_anothers_place_changes_no_answer() {
        let mut stems = Stems::for_few();
        for round in 0..3 {
            for number in 0..4 * FEW {
                let word: String = format!("{number:05}")
                    .bytes()
                    .map(|digit| char::from(digit - b'0' + b'b'))
                    .collect();
                let plural = format!("{word}ing");
                let found = stems.find(&plural).map(str::to_owned);
                assert_eq!(
                    found.as_deref(),
                    stem(&Stemmer::new(Algorithm::English), &plural).as_deref(),
                    "{round} {plural}"
                );
            }
        }
        assert_eq!(stems.find("running"), Some("\u{1}run"));
        assert_eq!(stems.find("größer"), None);
        assert_eq!(stems.find("run"), None);
    }
}
