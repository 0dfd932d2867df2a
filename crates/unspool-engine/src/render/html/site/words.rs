//! The words of a transcript, turn by turn, as a site's search wants them.
//!
//! A word is a run of letters and digits in small letters, without accents. Scripts that
//! write no spaces are cut into pairs of letters. The search script of the site cuts a query
//! in the same way.

use std::collections::BTreeSet;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The longest word that is kept; what is longer is cut.
const LONGEST: usize = 32;

/// What a transcript says, for a search.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Words {
    pub(super) turns: Vec<TurnWords>,
}

/// What one turn says.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct TurnWords {
    /// The way to it, from the other transcripts.
    pub(super) way: String,
    /// What stands for it in a list.
    pub(super) headline: String,
    pub(super) terms: BTreeSet<Box<str>>,
}

impl Words {
    /// Begins a transcript: its title is found, and whatever stands before the first turn.
    pub(in crate::render::html) fn begin(&mut self, title: &str, way: &str) {
        self.turns.push(TurnWords {
            way: way.to_owned(),
            headline: title.to_owned(),
            terms: BTreeSet::new(),
        });
        self.add(title);
    }

    /// Begins a turn.
    pub(in crate::render::html) fn begin_turn(&mut self, number: u32, page: &str, headline: &str) {
        self.turns.push(TurnWords {
            way: format!("{page}#turn-{number}"),
            headline: headline.to_owned(),
            terms: BTreeSet::new(),
        });
    }

    /// Adds what was said in the turn that was begun last.
    pub(in crate::render::html) fn add(&mut self, text: &str) {
        if let Some(turn) = self.turns.last_mut() {
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
            if word.len() + c.len_utf8() <= LONGEST {
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

/// Whether a letter's script writes no spaces between words.
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
        each_word(&"x".repeat(1000), |word| assert_eq!(word.len(), LONGEST));
    }

    #[test]
    fn turns_keep_each_word_once() {
        let mut words = Words::default();
        words.begin("A title", "t.html");
        words.begin_turn(1, "t.html", "go");
        words.add("go go on");
        let terms: Vec<&str> = words.turns[1].terms.iter().map(AsRef::as_ref).collect();
        assert_eq!(terms, ["go", "on"]);
        assert_eq!(words.turns[1].way, "t.html#turn-1");
    }
}
