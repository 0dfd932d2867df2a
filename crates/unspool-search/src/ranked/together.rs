//! Names that are written together: `getuserbyid` for `getUserById`.
//!
//! The index has the humps of a long name and not the name itself. So a word that no text
//! contains is taken apart into words that some text contains, as few as possible, and those are
//! looked for one after the other.

use tantivy::Term;

use super::wanted::{TermShape, WantedTerms};
use crate::text::TextIndex;

/// The lengths of names that are taken apart. Chosen by judgement, as is the next.
const LENGTHS: std::ops::RangeInclusive<usize> = 6..=40;
/// The length of the shortest part.
const SHORTEST: usize = 2;

/// Takes apart those words of a query that no text contains.
pub(super) fn take_apart(text: &TextIndex, wanted: &mut WantedTerms) {
    let is_known = |word: &str| {
        let fields = [text.fields.prose, text.fields.raw];
        let mut terms = fields.map(|field| Term::from_field_text(field, word)).into_iter();
        // What cannot be looked up is noticed when it is searched.
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

/// Divides a word into the fewest known ones.
fn parts(word: &str, is_known: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    if !word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    // For each place, where the last part before it begins and how many parts there are.
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
