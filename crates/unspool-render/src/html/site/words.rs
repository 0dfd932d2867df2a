//! The words of a transcript, turn by turn, for the search of a site, and the text that its results show.
//!
//! A word is a run of letters and digits in lower case, without accents. Text in scripts without spaces is
//! split into pairs of letters. The search script of the site splits a query in the same way.

use std::collections::BTreeSet;
use unspool_model::positions::TurnNumber;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unspool_text::fold::fold_chars;
use unspool_text::sanitize::clean;

/// The most letters of a word; a longer word is cut.
const LONGEST: usize = 32;

/// Bytes of text that are kept of a turn for snippets: of messages, and of calls. All of the text
/// would double the site; this much gives a snippet for most hits.
const SAID_BYTES: usize = 8 * 1024;
const CALL_BYTES: usize = 6 * 1024;
/// Characters kept of one text: from its beginning and from its end.
const SAID: (usize, usize) = (2400, 600);
const CALL: (usize, usize) = (240, 120);

/// The kind of a text, which decides how much of it is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::html) enum WordSource {
    /// A message or thinking.
    Said,
    /// The input or the result of a call.
    Call,
}

/// The words of a transcript, for a search.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Words {
    pub(super) turns: Vec<TurnWords>,
}

/// The words of a turn.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct TurnWords {
    /// The address of the turn, relative to the other transcripts.
    pub(super) way: String,
    /// The headline in a list.
    pub(super) headline: String,
    pub(super) terms: BTreeSet<Box<str>>,
    /// The text that snippets are cut from, on one line.
    pub(super) text: String,
    /// The number of its bytes that come from calls.
    from_calls: usize,
}

impl TurnWords {
    fn new(way: String, headline: &str) -> Self {
        Self { way, headline: headline.to_owned(), ..Self::default() }
    }

    /// Keeps a text for snippets, if there is room.
    fn keep(&mut self, text: &str, source: WordSource) {
        let (used, most, (head, tail)) = match source {
            WordSource::Said => (self.text.len() - self.from_calls, SAID_BYTES, SAID),
            WordSource::Call => (self.from_calls, CALL_BYTES, CALL),
        };
        if used >= most {
            return;
        }
        // Marks of Markdown are noise in a snippet.
        let cleaned = clean(text).replace("**", "").replace('`', "");
        let folded = fold_chars(cleaned.trim(), head, tail);
        let before = self.text.len();
        let gap = if folded.hidden > 0 { " \u{2026} " } else { "" };
        for word in folded
            .head
            .split_whitespace()
            .chain(gap.split_whitespace())
            .chain(folded.tail.split_whitespace())
        {
            if !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(word);
        }
        if source == WordSource::Call {
            self.from_calls += self.text.len() - before;
        }
    }
}

impl Words {
    /// Returns the turns to be found. The part above the first turn is not one of them if the first
    /// turn contains all of its words: a title that is the first prompt.
    pub(super) fn found(&self) -> &[TurnWords] {
        match self.turns.as_slice() {
            [front, first, ..] if front.terms.is_subset(&first.terms) => &self.turns[1..],
            all => all,
        }
    }

    /// Begins a transcript with its title, which is found like everything before the first turn.
    pub(in crate::html) fn begin(&mut self, title: &str, way: &str) {
        self.turns.push(TurnWords::new(way.to_owned(), title));
        self.add(title, WordSource::Said);
    }

    /// Begins a turn.
    pub(in crate::html) fn begin_turn(&mut self, number: TurnNumber, page: &str, headline: &str) {
        let way = format!("{page}#turn-{number}");
        self.turns.push(TurnWords::new(way, headline));
    }

    /// Adds a text to the current turn.
    pub(in crate::html) fn add(&mut self, text: &str, source: WordSource) {
        if let Some(turn) = self.turns.last_mut() {
            turn.keep(text, source);
            each_word(text, |word| {
                if !turn.terms.contains(word) {
                    turn.terms.insert(word.into());
                }
            });
        }
    }
}

/// Calls for each word of a text.
fn each_word(text: &str, mut found: impl FnMut(&str)) {
    let mut word = String::new();
    let mut run = Vec::new();
    let mut end = |word: &mut String, run: &mut Vec<char>| {
        if word.len() > 1 {
            found(word);
        }
        for pair in run.windows(2) {
            found(&pair.iter().collect::<String>());
        }
        if let [one] = run[..] {
            found(one.encode_utf8(&mut [0; 4]));
        }
        word.clear();
        run.clear();
    };
    let mut letter = |c: char| {
        if is_spaceless(c) {
            if !word.is_empty() {
                end(&mut word, &mut run);
            }
            run.push(c);
        } else if c.is_alphanumeric() {
            if !run.is_empty() {
                end(&mut word, &mut run);
            }
            // Letters are counted only in a word with many bytes.
            if word.len() < LONGEST || word.chars().count() < LONGEST {
                word.push(c);
            }
        } else {
            end(&mut word, &mut run);
        }
    };
    if text.is_ascii() {
        text.chars().for_each(|c| letter(c.to_ascii_lowercase()));
    } else {
        let bare = text.nfkd().filter(|c| !is_combining_mark(*c));
        bare.flat_map(char::to_lowercase).for_each(&mut letter);
    }
    letter(' ');
}

/// Returns whether a letter belongs to a script without spaces between words.
fn is_spaceless(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_into_words() {
        let cases: [(&str, &[&str]); 6] = [
            ("Fix the Parser, x2!", &["fix", "the", "parser", "x2"]),
            ("snake_case a", &["snake", "case"]),
            ("Äpfel naïve", &["apfel", "naive"]),
            ("漢字テ ab", &["漢字", "字テ", "ab"]),
            ("猫", &["猫"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let mut words = Vec::new();
            each_word(text, |word| words.push(word.to_owned()));
            assert_eq!(words, expected, "{text:?}");
        }
        for long in ["x".repeat(1000), "\u{436}".repeat(1000), "\u{436}".repeat(31) + "xy"] {
            let expected: String = long.chars().take(LONGEST).collect();
            each_word(&long, |word| assert_eq!(word, expected));
        }
    }

    #[test]
    fn turns_keep_each_word_once() {
        let mut words = Words::default();
        words.begin("A title", "t.html");
        words.begin_turn(TurnNumber::at(0), "t.html", "go");
        words.add("go go on", WordSource::Said);
        let terms: Vec<&str> = words.turns[1].terms.iter().map(AsRef::as_ref).collect();
        assert_eq!(terms, ["go", "on"]);
        assert_eq!(words.turns[1].way, "t.html#turn-1");
    }

    #[test]
    fn a_title_that_is_the_first_prompt_is_found_once() {
        let mut words = Words::default();
        words.begin("Fix it", "t.html");
        words.begin_turn(TurnNumber::at(0), "t.html", "Fix it");
        words.add("Fix it, please", WordSource::Said);
        assert_eq!(words.found().len(), 1);
        words.turns[0].terms.insert("parser".into());
        assert_eq!(words.found().len(), 2);
    }

    #[test]
    fn texts_for_snippets_are_short_and_clean() {
        let mut words = Words::default();
        words.begin_turn(TurnNumber::at(0), "t.html", "go");
        words.add("first\n\x1b[31mline", WordSource::Said);
        words.add(&format!("a{}z", "x".repeat(5000)), WordSource::Call);
        let text = &words.turns[0].text;
        assert!(text.starts_with("first line ax"), "{text}");
        assert!(text.ends_with("xz") && text.contains(" \u{2026} ") && text.len() < 400);
        for _ in 0..1000 {
            words.add(&"y".repeat(5000), WordSource::Call);
            words.add(&"said ".repeat(500), WordSource::Said);
        }
        assert!(words.turns[0].text.len() < SAID_BYTES + CALL_BYTES + 4 * 1024);
    }
}
