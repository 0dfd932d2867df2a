//! Names typed as one word: `getuserbyid` for `getUserById`.
//!
//! The index has the humps of a long name, not the whole name. So a word that no text
//! contains is split into the fewest words that texts contain, and those are searched for as a
//! phrase.

use tantivy::Term;

use super::wanted::{QueryTerms, TermShape};
use crate::text::TextIndex;

/// The lengths of words that are split. Chosen by judgement, as is the next.
const LENGTHS: std::ops::RangeInclusive<usize> = 6..=40;
/// The length of the shortest part.
const SHORTEST: usize = 2;

/// Splits those words of a query that no text contains.
pub(super) fn take_apart(text: &TextIndex, wanted: &mut QueryTerms) {
    let is_known = |word: &str| {
        let fields = [text.fields.prose, text.fields.raw];
        let mut terms = fields.map(|field| Term::from_field_text(field, word)).into_iter();
        // An error is reported by the search itself.
        terms.any(|term| text.searcher.doc_freq(&term).is_ok_and(|count| count > 0))
    };
    for term in &mut wanted.terms {
        let [word] = &term.words[..] else { continue };
        if term.shape != TermShape::Word || !LENGTHS.contains(&word.len()) || is_known(word) {
            continue;
        }
        if let Some(parts) = parts(word, is_known) {
            term.words = parts;
            term.shape = TermShape::Phrase;
        }
    }
}

/// Splits a word into the fewest known words.
fn parts(word: &str, is_known: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    if !word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    // For each end, the start of the last part before it and the number of parts.
    let mut best: Vec<Option<(usize, usize)>> = vec![None; word.len() + 1];
    best[0] = Some((0, 0));
    for end in SHORTEST..=word.len() {
        for start in 0..=end - SHORTEST {
            let Some((_, count)) = best[start] else {
                continue;
            };
            let fewer = best[end].is_none_or(|(_, known)| count + 1 < known);
            if fewer && is_known(&word[start..end]) {
                best[end] = Some((start, count + 1));
            }
        }
    }
    let mut found = Vec::new();
    let mut end = word.len();
    while end > 0 {
        let (start, _) = best[end]?;
        found.push(word[start..end].to_owned());
        end = start;
    }
    found.reverse();
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_fewest_words() {
        let known = ["get", "user", "by", "id", "us", "er", "getu", "byid2"];
        let parts = |word| parts(word, |part| known.contains(&part)).map(|it| it.join(" "));
        assert_eq!(parts("getuserbyid").as_deref(), Some("get user by id"));
        assert_eq!(parts("getuserbyid2").as_deref(), Some("get user byid2"));
        assert_eq!(parts("getuserbyx"), None);
        assert_eq!(parts("gétuser"), None);
    }
}
