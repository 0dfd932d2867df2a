//! Wider queries for a query without hits: the query without one of its filters or exclusions, or
//! with all its words optional.

use unspool_store::progress::Unwatched;

use super::request;
use crate::pages::zone::PageZone;
use crate::route::Call;

/// The maximum number of wider queries that are tried.
const TRIED: usize = 6;
/// The maximum number of hits that are counted.
const COUNTED: usize = 50;

/// A wider query that has hits.
pub(super) struct WiderQuery {
    /// How the query differs, in words.
    pub(super) words: String,
    /// The query.
    pub(super) query: String,
    pub(super) hits: usize,
}

/// Tries wider queries, and returns those that have hits.
pub(super) fn wider(call: &Call, zone: &PageZone, asked: &str) -> Vec<WiderQuery> {
    let mut found = Vec::new();
    for (words, query) in candidates(asked).into_iter().take(TRIED) {
        let request = request(&query, zone, COUNTED);
        let Ok(answer) = call.state.library.search(&request, &Unwatched) else {
            continue;
        };
        if !answer.hits.is_empty() {
            found.push(WiderQuery { words, query, hits: answer.hits.len() });
        }
    }
    found
}

/// Returns the wider queries, each with the words for how it differs.
fn candidates(asked: &str) -> Vec<(String, String)> {
    let words = typed_words(asked);
    let without = |at: usize| {
        let kept = words.iter().enumerate().filter(|(other, _)| *other != at);
        kept.map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
    };
    let mut all = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_filter = word.contains(':') && !word.starts_with('"');
        if (word.starts_with('-') || is_filter) && words.len() > 1 {
            all.push((format!("if `{word}` is dropped"), without(at)));
        }
    }
    let loose: Vec<&str> = words.iter().map(|word| optional(word)).collect();
    let loose = loose.join(" ");
    if loose != asked && !loose.is_empty() {
        let words = "with any of the words, in any order".to_owned();
        all.push((words, loose));
    }
    all
}

/// Returns a word that need not match, or words instead of a phrase. The quotes of a filter stay.
fn optional(word: &str) -> &str {
    let word = word.trim_start_matches('+');
    if word.starts_with('"') { word.trim_matches('"') } else { word }
}

/// Splits a query at white space outside of quotes.
pub(super) fn typed_words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut is_quoted) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            c if c.is_whitespace() && !is_quoted => {
                words.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    words.push(&text[start..]);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_widened_word_by_word() {
        let told: Vec<String> = candidates("importer -test project:\"my app\" +row")
            .into_iter()
            .map(|(_, query)| query)
            .collect();
        assert_eq!(
            told,
            [
                "importer project:\"my app\" +row",
                "importer -test +row",
                "importer -test project:\"my app\" row",
            ]
        );
        assert!(candidates("importer").is_empty());
        assert_eq!(candidates("\"a b\" +\"c d\"")[0].1, "a b c d");
    }
}
