//! Words of a query that no text contains, with suggestions for typos.

use std::collections::HashMap;

use tantivy::Term;
use tantivy::schema::Field;
use unspool_model::near::near_distance;
use unspool_model::query::Need;

use super::wanted::{QueryTerm, QueryTerms, TermShape};
use crate::text::TextIndex;

/// How many words of a segment are compared with a missing word. Chosen by judgement: a
/// bound on the work for one mistyped word.
const COMPARED: usize = 300_000;

/// Words with fewer letters are not compared: one typo makes another word of them.
/// Chosen by judgement.
const SHORTEST: usize = 4;

/// A word that no text contains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingWord {
    /// The word, as written.
    pub word: String,
    /// A word that texts contain and that differs by a typo or two.
    pub near: Option<String>,
}

/// Returns the words of a query that no text contains in any form.
pub(super) fn missing(text: &TextIndex, wanted: &QueryTerms) -> tantivy::Result<Vec<MissingWord>> {
    let mut missing = Vec::new();
    for term in wanted.terms.iter().filter(|term| term.need != Need::Excluded) {
        if term.shape != TermShape::Word || !is_nowhere(text, term)? {
            continue;
        }
        missing
            .push(MissingWord { word: term.written.clone(), near: nearest(text, &term.words[0])? });
    }
    Ok(missing)
}

fn is_nowhere(text: &TextIndex, term: &QueryTerm) -> tantivy::Result<bool> {
    let forms = term.forms.iter().map(|(word, _)| word);
    for word in term.words.iter().chain(forms) {
        for field in fields(text) {
            let term = Term::from_field_text(field, word);
            if text.searcher.doc_freq(&term)? > 0 {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Returns the word nearest to a missing one; of equally near words, the most common.
///
/// Typos in the first letter are rare, so only words with the same first letter are compared.
fn nearest(text: &TextIndex, word: &str) -> tantivy::Result<Option<String>> {
    let first = word.chars().next().filter(char::is_ascii_alphanumeric);
    let Some(first) = first.filter(|_| word.len() >= SHORTEST) else {
        return Ok(None);
    };
    let (from, to) = (first.to_string(), char::from(first as u8 + 1).to_string());
    let mut found: HashMap<String, (usize, u32)> = HashMap::new();
    for segment in text.searcher.segment_readers() {
        for field in fields(text) {
            let index = segment.inverted_index(field)?;
            let range = index.terms().range().ge(from.as_bytes()).lt(to.as_bytes());
            let mut stream = range.into_stream()?;
            let mut compared = 0;
            while stream.advance() && compared < COMPARED {
                compared += 1;
                let Ok(known) = std::str::from_utf8(stream.key()) else {
                    continue;
                };
                if let Some(distance) = near_distance(word, known) {
                    let known = found.entry(known.to_owned()).or_insert((distance, 0));
                    known.1 += stream.value().doc_freq;
                }
            }
        }
    }
    let better = |(word, (distance, count)): &(String, (usize, u32))| {
        (*distance, std::cmp::Reverse(*count), word.clone())
    };
    Ok(found.into_iter().min_by_key(better).map(|(word, _)| word))
}

fn fields(text: &TextIndex) -> [Field; 2] {
    [text.fields.prose, text.fields.raw]
}
