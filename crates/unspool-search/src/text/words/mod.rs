//! Splits texts into words, in the index and in queries alike.
//!
//! Knows characters, not logs or queries. Text goes in, words with positions come out. Names in
//! code are found as written and by their parts, words are found in any case, text without
//! spaces is found by any piece of it, and encoded data does not fill the index.

mod class;
mod colour;
mod fold;
mod kinds;
mod letters;
mod numbering;
mod scan;
mod stem;
mod stream;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub(crate) use colour::{length as escape_length, without_colours};
pub(crate) use scan::WordScanner;
pub(crate) use stem::Stems;
pub(crate) use stream::{Stemming, WordTokenizer};

/// The length in bytes that words are cut to, in the index and in queries. Chosen by judgement:
/// few names that people type are longer.
const LONGEST: usize = 64;

/// Precedes each stem in the index, so that no stem equals a word.
pub(crate) const STEM: char = '\u{1}';

/// A word, or another form of it, found in a text.
#[derive(Clone, Debug)]
pub(crate) struct FoundWord<'s> {
    /// The form.
    pub(crate) form: WordForm,
    /// The position among the words of the text.
    pub(crate) position: u32,
    /// The bytes of the text that the word comes from.
    pub(crate) span: Range<usize>,
    /// The word in lower case.
    pub(crate) text: &'s str,
}

/// The form of a word in the index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WordForm {
    /// The word at its position. Each position has one, or a [`WordForm::Last`].
    Word,
    /// The last character of a text without spaces, which begins no pair.
    Last,
    /// The word with its sign, or both humps as one word: `.env`, `c++`, `github`.
    Whole,
    /// The start of a version or a date.
    Part,
    /// The word without diacritics.
    Folded,
    /// The stem of the word, with [`STEM`] before it.
    Stem,
}
