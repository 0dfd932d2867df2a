//! The terms of a query, split into words of the index.

use unspool_model::query::{Need, Query, Term, TermKind};

use super::vocabulary;
use crate::text::words::{STEM, Stems, WordForm, WordScanner};

/// Weight of another form of a word, relative to the word as written. A stem at 0.5 gives a
/// mean reciprocal rank of 0.731, at 0.9 0.740 and at 1 0.731; another name at 0.1 gives 0.757 and
/// at 0.6 0.753. The questions do not decide the weight of folded letters.
const STEM_WEIGHT: f32 = 0.75;
const FOLDED_WEIGHT: f32 = 0.8;
const ALIKE_WEIGHT: f32 = 0.3;
/// Weight of a word that is joined or split elsewhere. The questions do not decide:
/// 0.5 and 1 give the same. Chosen by judgement: nearly the word as written.
const JOINED_WEIGHT: f32 = 0.9;
/// Weight of a word that says little. 0.8 gives 0.734, and 0.2 the same as this.
const WEAK_WEIGHT: f32 = 0.4;
/// Weight of a word that every sentence has. 0.2 gives 0.716, and 0.01 the same as this: such
/// words decide between texts that are otherwise equal.
pub(super) const STOP_WEIGHT: f32 = 0.04;

/// The maximal length of a joined word. The questions do not decide: 8 and 32
/// give the same. Chosen by judgement: longer words are names as a whole.
const LONGEST_JOINED: usize = 16;
/// Words of a query with more words than this are not searched under other names. 3 gives 0.760, and
/// 20 the same as this.
const FEW: usize = 7;

/// Whether a word is searched for under its other names too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OtherNames {
    Alike,
    AsWritten,
}

/// The terms of a query.
#[derive(Clone, Default, Debug)]
pub(super) struct QueryTerms {
    /// The terms, in the order of the query.
    pub(super) terms: Vec<QueryTerm>,
}

/// One term.
#[derive(Clone, Debug)]
pub(super) struct QueryTerm {
    /// The term in lower case, as written.
    pub(super) written: String,
    /// Whether a text must contain it.
    pub(super) need: Need,
    /// The number of its clause; terms of one clause are alternatives.
    pub(super) clause: usize,
    /// Its words in order.
    pub(super) words: Vec<String>,
    /// How the words are matched.
    pub(super) shape: TermShape,
    /// Words of the index that match the whole term, with their weights.
    pub(super) forms: Vec<(String, f32)>,
    /// The weight of the term.
    pub(super) weight: f32,
}

/// How the words of a term are matched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TermShape {
    /// One word.
    Word,
    /// Several words in a row.
    Phrase,
    /// The start of a word; a text has it after the words before it.
    Prefix,
}

impl QueryTerms {
    /// Splits the terms of a query.
    pub(super) fn of(query: &Query) -> Self {
        let mut stems = Stems::new();
        let says = |term: &&Term| !vocabulary::is_stop(&term.text.to_lowercase());
        let names = if query.terms.iter().filter(says).count() > FEW {
            OtherNames::AsWritten
        } else {
            OtherNames::Alike
        };
        let terms = query.terms.iter();
        let mut wanted = Self {
            terms: terms.filter_map(|term| QueryTerm::of(term, names, &mut stems)).collect(),
        };
        wanted.weigh();
        wanted
    }

    /// Lowers the weights of words that say nothing, unless there are no others, or that say little.
    fn weigh(&mut self) {
        let is_stop = |term: &QueryTerm| {
            term.need == Need::Optional
                && term.shape == TermShape::Word
                && vocabulary::is_stop(&term.words[0])
        };
        let asks = |term: &&QueryTerm| term.need != Need::Excluded && !is_stop(term);
        if self.terms.iter().any(|term| asks(&term)) {
            for term in self.terms.iter_mut().filter(|term| is_stop(term)) {
                term.weight = STOP_WEIGHT;
                term.forms.clear();
            }
        }
        for term in self.terms.iter_mut().filter(|term| term.need == Need::Optional) {
            if term.shape == TermShape::Word && vocabulary::is_weak(&term.words[0]) {
                term.weight = WEAK_WEIGHT;
            }
        }
    }

    /// Returns the terms that are not excluded.
    pub(super) fn asked(&self) -> impl Iterator<Item = &QueryTerm> {
        self.terms.iter().filter(|term| term.need != Need::Excluded)
    }
}

impl QueryTerm {
    fn of(term: &Term, names: OtherNames, stems: &mut Stems) -> Option<Self> {
        let (words, mut forms) = take_apart(&term.text);
        let first = words.first()?.clone();
        let shape = match (term.kind, words.len()) {
            (TermKind::Prefix, _) => TermShape::Prefix,
            (_, 1) if is_one_dense(&first) && term.text.trim() == first => TermShape::Prefix,
            (_, 1) => TermShape::Word,
            _ => TermShape::Phrase,
        };
        if shape == TermShape::Word && term.need == Need::Optional && term.kind == TermKind::Word {
            if let Some(stem) = stems.find(&first) {
                forms.push((stem.to_owned(), STEM_WEIGHT));
                let bare = stem.trim_start_matches(STEM);
                forms.push((bare.to_owned(), STEM_WEIGHT));
            } else if first.bytes().all(|byte| byte.is_ascii_lowercase()) {
                // The word may itself be the stem of others.
                forms.push((format!("{STEM}{first}"), STEM_WEIGHT));
            }
            for word in vocabulary::alike(&first).filter(|_| names == OtherNames::Alike) {
                forms.push((word.to_owned(), ALIKE_WEIGHT));
                let stem = stems.find(word).map(str::to_owned);
                forms.extend(stem.map(|stem| (stem, ALIKE_WEIGHT)));
            }
        }
        if shape == TermShape::Phrase && !term.text.contains(char::is_whitespace) {
            let joined = words.concat();
            if joined.len() <= LONGEST_JOINED {
                forms.push((joined, JOINED_WEIGHT));
            }
        }
        let known = |word: &str| words.len() == 1 && word == first;
        forms.retain(|(word, _)| !known(word));
        dedup(&mut forms);
        Some(Self {
            written: term.text.to_lowercase(),
            need: term.need,
            clause: term.clause,
            words,
            shape,
            forms,
            weight: 1.0,
        })
    }

    /// Tells whether the term is one word of code, which the index has in parts.
    pub(super) fn is_code(&self) -> bool {
        self.shape == TermShape::Phrase && !self.written.contains(char::is_whitespace)
    }

    /// Tells whether the term contains signs, which are not in the index.
    pub(super) fn has_signs(&self) -> bool {
        self.written.chars().any(|c| !c.is_alphanumeric() && !c.is_whitespace())
    }
}

/// Keeps each form once, with its largest weight.
fn dedup(forms: &mut Vec<(String, f32)>) {
    forms.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    forms.dedup_by(|a, b| a.0 == b.0);
}

/// Splits a term into its words in order, and other forms of the whole term.
fn take_apart(text: &str) -> (Vec<String>, Vec<(String, f32)>) {
    let mut words: Vec<(String, usize)> = Vec::new();
    let mut forms = Vec::new();
    let mut scanner = WordScanner::new(text);
    while scanner.step(None, &mut |found| {
        let word = found.text.to_owned();
        let whole = found.span.start <= first_letter(text) && found.span.end >= last_letter(text);
        match found.form {
            WordForm::Word => words.push((word, found.span.end)),
            // After a pair of characters, the last one adds nothing.
            WordForm::Last if words.last().is_none_or(|(_, end)| *end != found.span.end) => {
                words.push((word, found.span.end));
            }
            WordForm::Whole if whole => forms.push((word, 1.0)),
            WordForm::Folded if whole => forms.push((word, FOLDED_WEIGHT)),
            _ => {}
        }
    }) {}
    let mut words: Vec<String> = words.into_iter().map(|(word, _)| word).collect();
    // A word typed with a sign is meant with the sign: `c++` is not `c`.
    if let [(whole, _)] = &forms[..]
        && words.len() == 1
        && !whole.chars().all(char::is_alphanumeric)
    {
        words = vec![whole.clone()];
        forms.clear();
    }
    (words, forms)
}

fn first_letter(text: &str) -> usize {
    text.find(char::is_alphanumeric).unwrap_or(0)
}

fn last_letter(text: &str) -> usize {
    let last = text.char_indices().rfind(|(_, c)| c.is_alphanumeric());
    last.map_or(text.len(), |(at, c)| at + c.len_utf8())
}

/// Tells whether a word is a single character of a script without spaces. The index has pairs of
/// characters, so the word is matched as a prefix.
fn is_one_dense(word: &str) -> bool {
    let mut forms = Vec::new();
    let mut scanner = WordScanner::new(word);
    while scanner.step(None, &mut |found| forms.push(found.form)) {}
    forms == [WordForm::Last]
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use unspool_model::query::{Clock, parse};

    use super::*;

    fn wanted(query: &str) -> Vec<String> {
        let clock = Clock { now: unspool_model::time::Time::from_millis(0), zone: TimeZone::UTC };
        let query = parse(query, &clock).expect("a query");
        QueryTerms::of(&query)
            .terms
            .iter()
            .map(|term| {
                let forms: Vec<&str> = term.forms.iter().map(|form| form.0.as_str()).collect();
                format!(
                    "{:?} {} [{}]",
                    term.shape,
                    term.words.join(" "),
                    forms.join(" ").replace(STEM, "~")
                )
            })
            .collect()
    }

    #[test]
    fn terms_become_words_of_the_index() {
        for (query, expected) in [
            ("parse_config", "Phrase parse config [parseconfig]"),
            ("src/main.rs", "Phrase src main rs [srcmainrs]"),
            ("+foo::bar", "Phrase foo bar [foobar]"),
            ("fooBar", "Phrase foo bar [foobar]"),
            ("C++", "Word c++ []"),
            (".env", "Word .env []"),
            ("--no-verify", "Phrase no verify [noverify]"),
            ("+tests", "Word tests []"),
            ("Tables", "Word tables [~tabl tabl]"),
            ("café", "Word café [cafe]"),
            ("設定ファイル", "Phrase 設定 定フ ファ ァイ イル []"),
            ("設", "Prefix 設 []"),
            ("conf*", "Prefix conf []"),
            ("\"two words\"", "Phrase two words []"),
            ("🚀", "Word 🚀 []"),
            ("1.2.3", "Word 1.2.3 []"),
        ] {
            assert_eq!(wanted(query), [expected], "{query}");
        }
    }
}
