//! Finds the words of a query in shown texts.

use std::ops::Range;

use unspool_model::query::Query;

use super::snippet::Marker;
use super::wanted::QueryTerms;
use crate::hit::{Snippet, SnippetSize};

/// Finds the words of a query in a text, in all forms that a search matches.
#[derive(Clone, Debug)]
pub struct WordFinder(Marker);

impl WordFinder {
    /// Creates a finder for a query.
    pub fn of(query: &Query) -> Self {
        Self(Marker::of(&QueryTerms::of(query)))
    }

    /// Returns the matches in a text, without words that every sentence has.
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        self.0.telling(text)
    }

    /// Returns the snippet of a text that contains the most words.
    pub fn cut(&self, text: &str, extent: SnippetSize) -> Snippet {
        self.0.cut(text, extent)
    }
}
