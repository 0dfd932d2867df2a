//! Words: how a text is taken apart, in the index and in a query alike.
//!
//! Knows characters, not logs or queries. Text goes in, words with positions come out.
//! What counts: code words are found as written and by their parts, whatever a person
//! types finds the same word in another case, text without spaces is found by any piece
//! of it, and encoded data does not fill the index.

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

/// The length in bytes that a word is cut to. What is looked for is cut the same way.
/// Chosen by judgement: few names that people type are longer.
const LONGEST: usize = 64;

/// Comes before a stem, so that it is never taken for a word.
pub(crate) const STEM: char = '\u{1}';

/// What was found in a text.
#[derive(Clone, Debug)]
pub(crate) struct FoundWord<'s> {
    /// What it is to the text.
    pub(crate) form: WordForm,
    /// Its place among the words of the text.
    pub(crate) position: u32,
    /// The bytes of the text that it represents.
    pub(crate) span: Range<usize>,
    /// The word, in lower case.
    pub(crate) text: &'s str,
}

/// What a word is to the text that it was taken from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WordForm {
    /// The word at its position. Each position has one, or a [`WordForm::Last`].
    Word,
    /// The last character of a text without spaces, which makes no pair.
    Last,
    /// The word with a sign of it, or with the next one: `.env`, `c++`, `github`.
    Whole,
    /// The beginning of a version or a date.
    Part,
    /// The word without marks on its letters.
    Folded,
    /// The stem of the word, with [`STEM`] before it.
    Stem,
}
