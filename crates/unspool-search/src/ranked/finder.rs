//! Words of a query in texts that are shown.

use std::ops::Range;

use unspool_model::query::Query;

use super::snippet::Marker;
use super::wanted::WantedTerms;
use crate::hit::{Snippet, SnippetSize};

/// Finds the words of a query in a text, in all the forms in which a search finds them.
#[derive(Clone, Debug)]
pub struct WordFinder(Marker);

impl WordFinder {
    /// Looks for the words of a query.
    pub fn of(query: &Query) -> Self {
        Self(Marker::of(&WantedTerms::of(query)))
    }

    /// Returns where words are in a text, but for words that every sentence has.
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        self.0.telling(text)
    }

    /// Cuts the piece out of a text that contains most of the words.
    pub fn cut(&self, text: &str, extent: SnippetSize) -> Snippet {
        self.0.cut(text, extent)
    }
}
