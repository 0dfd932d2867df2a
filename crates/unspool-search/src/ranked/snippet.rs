//! Chooses snippets of hits and marks words in them.

use std::collections::HashMap;
use std::ops::Range;

use super::wanted::{QueryTerms, STOP_WEIGHT, TermShape};
use crate::excerpt::around;
use crate::hit::{CUT, Snippet, SnippetSize};
use crate::text::words::{Stems, WordScanner, without_colours};

/// How many bytes of a text are searched for words. Chosen by judgement: reading a longer text
/// takes longer than a search may.
const LOOKED: usize = 256 * 1024;

/// Finds the words of a query in texts.
#[derive(Clone, Debug)]
pub(super) struct Marker {
    /// Words of the index, each with its term and weight.
    words: HashMap<String, (usize, f32)>,
    /// Prefixes, each with its term.
    starts: Vec<(String, usize)>,
    terms: usize,
}

/// A word of the query in a text.
#[derive(Clone, Debug)]
struct WordMark {
    span: Range<usize>,
    term: usize,
    weight: f32,
}

impl Marker {
    pub(super) fn of(wanted: &QueryTerms) -> Self {
        let mut marker =
            Self { words: HashMap::new(), starts: Vec::new(), terms: wanted.terms.len() };
        for (number, term) in wanted.asked().enumerate() {
            let last = term.words.len() - 1;
            for (at, word) in term.words.iter().enumerate() {
                if term.shape == TermShape::Prefix && at == last {
                    marker.starts.push((word.clone(), number));
                } else {
                    marker.add(word, number, term.weight);
                }
            }
            for (word, weight) in &term.forms {
                marker.add(word, number, weight * term.weight);
            }
        }
        marker
    }

    fn add(&mut self, word: &str, term: usize, weight: f32) {
        let known = self.words.entry(word.to_owned()).or_insert((term, weight));
        if weight > known.1 {
            *known = (term, weight);
        }
    }

    /// Returns the best snippet of a text.
    pub(super) fn cut(&self, text: &str, extent: SnippetSize) -> Snippet {
        let text = &text[..text.floor_char_boundary(LOOKED)];
        // Colours go first: the end of a cut escape sequence would be read as letters.
        let plain = without_colours(text);
        let text = plain.trim_end();
        let marks = self.marks(text);
        let best = self.cluster(&marks, extent.width);
        if extent.context == 0 {
            return shown(text, &marks, best, extent.width).of_few_lines();
        }
        let found: Vec<Range<usize>> = marks.into_iter().map(|mark| mark.span).collect();
        around(text, &best, &found, extent)
    }

    /// Returns the matches in a text, without words that every sentence has.
    pub(super) fn telling(&self, text: &str) -> Vec<Range<usize>> {
        let marks = self.marks(text).into_iter();
        let telling = marks.filter(|mark| mark.weight > STOP_WEIGHT);
        telling.map(|mark| mark.span).collect()
    }

    fn marks(&self, text: &str) -> Vec<WordMark> {
        let mut stems = Stems::new();
        let mut scanner = WordScanner::new(text);
        let mut marks: Vec<WordMark> = Vec::new();
        let mut take = |found: crate::text::words::FoundWord<'_>| {
            let start = |(start, _): &&(String, usize)| found.text.starts_with(start.as_str());
            let known = self.words.get(found.text).copied();
            let begun = || self.starts.iter().find(start).map(|(_, term)| (*term, 1.0));
            let Some((term, weight)) = known.or_else(begun) else {
                return;
            };
            // Forms of one word overlap, and become one mark.
            match marks.last_mut() {
                Some(last) if last.span.end > found.span.start => {
                    if weight > last.weight {
                        (last.term, last.weight) = (term, weight);
                    }
                    last.span.end = last.span.end.max(found.span.end);
                }
                _ => marks.push(WordMark { span: found.span, term, weight }),
            }
        };
        while scanner.step(Some(&mut stems), &mut take) {}
        marks
    }

    /// Returns the range of at most `length` bytes that contains the most of the query.
    fn cluster(&self, marks: &[WordMark], length: usize) -> Range<usize> {
        let (mut best, mut best_score, mut start) = (0..0, 0.0_f32, 0);
        for end in 0..marks.len() {
            while marks[end].span.end - marks[start].span.start > length && start < end {
                start += 1;
            }
            let mut terms = vec![0.0_f32; self.terms];
            for mark in &marks[start..=end] {
                // A repeated word counts a little, so that it decides between equal ranges.
                let said = &mut terms[mark.term];
                *said = said.max(mark.weight) + 0.02 * mark.weight;
            }
            let stretch = marks[start].span.start..marks[end].span.end;
            let wide = stretch.len() as f32 / length.max(1) as f32;
            let score = terms.iter().sum::<f32>() - 0.2 * wide;
            if score > best_score {
                (best, best_score) = (stretch, score);
            }
        }
        best
    }
}

/// Returns the text around a range, with each run of white space as one space or line break.
fn shown(text: &str, marks: &[WordMark], around: Range<usize>, length: usize) -> Snippet {
    let from = beginning(text, &around, length);
    let mut snippet = Snippet::default();
    if !text[..from].trim().is_empty() {
        snippet.text.push(CUT);
    }
    let lead = snippet.text.chars().count();
    let (mut count, mut open) = (lead, None);
    let mut marks = marks.iter().skip_while(|mark| mark.span.start < from).peekable();
    let mut space = None;
    for (at, c) in text[from..].char_indices().map(|(at, c)| (from + at, c)) {
        if marks.peek().is_some_and(|mark| mark.span.end <= at) {
            snippet.matches.extend(open.take().map(|start| start..count));
            marks.next();
        }
        if c.is_whitespace() {
            let breaks = c == '\n' || space == Some('\n');
            space = (count > lead).then_some(if breaks { '\n' } else { ' ' });
            continue;
        }
        if count >= length && open.is_none() {
            snippet.text.push(CUT);
            break;
        }
        if let Some(space) = space.take() {
            snippet.text.push(space);
            count += 1;
        }
        if open.is_none() && marks.peek().is_some_and(|mark| mark.span.contains(&at)) {
            open = Some(count);
        }
        snippet.text.push(c);
        count += 1;
    }
    snippet.matches.extend(open.map(|start| start..count));
    snippet
}

/// Returns where a snippet begins: at the start of the line if that is close before the range,
/// otherwise at a word.
fn beginning(text: &str, around: &Range<usize>, length: usize) -> usize {
    let room = length.saturating_sub(around.len());
    let early = text.floor_char_boundary(around.start.saturating_sub(room / 3));
    if early == 0 {
        return 0;
    }
    let from = match text[..around.start].rfind('\n') {
        Some(newline) if newline >= early => newline,
        _ => early + text[early..].find(char::is_whitespace).unwrap_or(0),
    };
    from.min(around.start)
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use unspool_model::query::{Clock, parse};

    use super::*;

    fn cut(query: &str, text: &str, length: usize) -> String {
        let clock = Clock { now: unspool_model::time::Time::from_millis(0), zone: TimeZone::UTC };
        let query = parse(query, &clock).expect("a query");
        let snippet = Marker::of(&QueryTerms::of(&query))
            .cut(text, SnippetSize { width: length, context: 0 });
        let chars: Vec<char> = snippet.text.chars().collect();
        let mut out = String::new();
        for (at, c) in chars.iter().enumerate() {
            if snippet.matches.iter().any(|range| range.start == at) {
                out.push('[');
            }
            out.push(*c);
            if snippet.matches.iter().any(|range| range.end == at + 1) {
                out.push(']');
            }
        }
        out
    }

    #[test]
    fn words_are_marked_in_every_form() {
        for (query, text, expected) in [
            ("configure", "It was  configured\n\nhere.", "It was [configured]\nhere."),
            ("parse_config", "call parse_config()", "call [parse]_[config]()"),
            ("db", "The Database died", "The [Database] died"),
            ("café", "un café au lait", "un [café] au lait"),
            ("設定", "新しい設定です", "新しい[設定]です"),
            ("conf*", "config conform", "[config] [conform]"),
            ("nothing", "some text", "some text"),
        ] {
            assert_eq!(cut(query, text, 80), expected, "{query}");
        }
    }

    #[test]
    fn the_best_stretch_of_a_long_text_is_shown() {
        let filler = "lorem ipsum dolor ".repeat(300);
        let text = format!("{filler}alpha {filler}alpha then beta {filler}");
        let shown = cut("alpha beta", &text, 60);
        assert!(shown.contains("[alpha] then [beta]"), "{shown}");
        assert!(shown.chars().count() <= 70, "{shown}");
    }

    #[test]
    fn what_is_left_out_is_marked_and_lines_are_kept() {
        let text =
            "one two three four five six seven\neight nine\n\n  ten target\n  eleven\ntwelve";
        let shown = cut("target", text, 24);
        let is_marked = shown.starts_with('…') && shown.contains("[target]\neleven");
        assert!(is_marked, "{shown}");
        let shown = cut("one", text, 12);
        assert!(shown.starts_with("[one] two") && shown.ends_with('…'), "{shown}");
        let lines = (0..40).map(|n| format!("l{n}")).collect::<Vec<_>>().join("\n");
        assert_eq!(cut("l20", &lines, 400), "…l19\n[l20]\nl21\nl22…");
        let coloured =
            format!("{}\u{1b}[31mtarget\u{1b}[0m done", "\u{1b}[32mfill\u{1b}[0m ".repeat(30));
        let shown = cut("target", &coloured, 40);
        assert!(shown.contains("[target] done"), "{shown}");
        assert!(!shown.contains("32m") && !shown.contains('\u{1b}'), "{shown}");
    }

    #[test]
    fn any_length_is_safe() {
        for length in 0..30 {
            cut("b", "é b\n\n字字 b é", length);
        }
    }
}
