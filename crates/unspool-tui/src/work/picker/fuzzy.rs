//! Fuzzy matching of titles with the query syntax of fzf: `'exact ^begin end$ !not`.

use frizbee::{Config, Match, Matcher, SortStrategy};

use super::rows::PickerRows;

/// The number of rows that are matched before the worker checks for a newer request.
const STEP: usize = 4096;

/// The largest part of a query that is matched, in bytes.
const LONGEST: usize = 400;

/// The least score of a match, for each letter of the query. Adjacent letters score 16 each; of the pairs
/// in the test below, those that should match score above 13 and the others below 12.
const LEAST_SCORE: usize = 12;

/// Returns the rows that match, best first, newest first among equals; `None` if `is_stale` reports a newer
/// request.
pub(crate) fn matching(
    rows: &PickerRows,
    words: &str,
    is_stale: &dyn Fn() -> bool,
) -> Option<Vec<u32>> {
    let mut matcher = matcher(words);
    let least = least_score(&matcher);
    let mut found: Vec<Match> = Vec::new();
    let mut first = 0;
    for part in rows.all().chunks(STEP) {
        if is_stale() {
            return None;
        }
        let texts: Vec<&str> = part.iter().map(|row| rows.haystack(row)).collect();
        let part = matcher.match_list(&texts).into_iter();
        let part = part.filter(|found| found.score >= least);
        found.extend(part.map(|found| Match { index: found.index + first, ..found }));
        first += STEP as u32;
    }
    // Rows are newest first, so a stable sort keeps the newest of equals first.
    found.sort_by_key(|found| std::cmp::Reverse(found.score));
    Some(found.into_iter().map(|found| found.index).collect())
}

/// Returns the least score that counts as a match. A prompt is long and contains most letters somewhere: a
/// row whose matching letters are far apart is not the one that the person meant.
fn least_score(matcher: &Matcher) -> u16 {
    let wanted = matcher.patterns().iter().filter(|it| !it.negated);
    let letters: usize = wanted.map(|it| it.needle.chars().count()).sum();
    u16::try_from(letters * LEAST_SCORE).unwrap_or(u16::MAX)
}

fn matcher(words: &str) -> Matcher {
    let config = Config::default().sort(SortStrategy::IndexAsc);
    Matcher::from_query(&words[..words.floor_char_boundary(LONGEST)], &config)
}

/// Finds the letters of titles that match the query.
pub(crate) struct LetterMarks {
    matchers: Vec<Matcher>,
}

impl LetterMarks {
    /// Creates a matcher for each word of the query: a title may match only some of them, because the
    /// others match a project or a prompt.
    pub(crate) fn new(words: &str) -> Self {
        let words = words.split_whitespace();
        let matchers = words.filter(|word| !word.starts_with('!')).map(matcher);
        Self { matchers: matchers.collect() }
    }

    /// Returns the byte offsets of the matching letters, in order.
    pub(crate) fn of(&mut self, text: &str) -> Vec<usize> {
        let mut marked = Vec::new();
        for matcher in &mut self.matchers {
            let found = matcher.match_one_indices(text, 0);
            let bytes = found.into_iter().flat_map(|found| found.indices);
            // The matcher may report every byte of a multi-byte character.
            let bytes = bytes.map(|at| at as usize);
            marked.extend(bytes.filter(|&at| at < text.len() && text.is_char_boundary(at)));
        }
        marked.sort_unstable();
        marked.dedup();
        marked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_are_far_apart_do_not_fit() {
        for (words, text, fits) in [
            ("median", "CI on main is red since last night  tidepool  main", false),
            ("median", "Importer drops the last row  tidepool  main", false),
            ("img", "Importer drops the last row g", false),
            ("median", "a median filter", true),
            ("scphim", "Scale the photos in img/ to 1600 px  lanterna  main", true),
            ("impro", "Importer drops the last row  tidepool  main", true),
            ("rdgs", "tidepool should keep a year of readings", true),
            ("tp", "tidepool should keep", true),
            ("row tide", "Importer drops the last row  tidepool  main", true),
            ("'last !photo", "Importer drops the last row  tidepool  main", true),
            ("!row", "Importer drops the last row  tidepool  main", false),
        ] {
            let mut matcher = matcher(words);
            let least = least_score(&matcher);
            let found = matcher.match_one(text, 0);
            let found = found.filter(|found| found.score >= least);
            assert_eq!(found.is_some(), fits, "{words} in {text}");
        }
    }

    fn marked(words: &str, text: &str) -> String {
        let marks = LetterMarks::new(words).of(text);
        let letters = marks.iter().filter_map(|&at| text[at..].chars().next());
        letters.collect()
    }

    #[test]
    fn letters_of_the_query_are_marked() {
        assert_eq!(marked("imp", "the importer"), "imp");
        assert_eq!(marked("row imp", "importer drops rows"), "improw");
        assert_eq!(marked("!row imp", "importer"), "imp");
        assert_eq!(marked("zz imp", "importer"), "imp");
        assert_eq!(marked("ß", "Straße"), "ß");
        assert_eq!(marked("str", "größe str"), "str");
    }
}
