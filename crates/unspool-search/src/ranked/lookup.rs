//! Turns the terms of a query into queries of the index.

use std::collections::HashMap;
use std::ops::Bound;

use tantivy::query::{
    BooleanQuery, BoostQuery, Occur, PhrasePrefixQuery, PhraseQuery, Query, RangeQuery, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Searcher, Term};
use unspool_model::query::Need;

use super::wanted::{QueryTerm, QueryTerms, TermShape};
use crate::text::TextIndex;
use crate::text::words::STEM;

/// Weight of matches in prose. Chosen by judgement: the unit that the other weights are relative to.
pub(super) const PROSE: f32 = 1.0;
/// Weight of matches in code and output. 0.25 gives the same, and 1 gives 0.780. Chosen by
/// judgement: what people said comes before output with the same words.
pub(super) const RAW: f32 = 0.5;
/// Weight of a word that is a part of a term. 0.1 gives the same, and 0.7 gives 0.751. Chosen by
/// judgement: two parts of a name are less than the name.
pub(super) const PART: f32 = 0.32;
/// How many optional terms are used to find candidates. 3 gives 0.661, and 12 the same as this.
const TELLING: usize = 6;
/// How many words a prefix is expanded to, the most common ones. The questions do not decide: 12
/// and 200 give the same. Chosen by judgement: a bound on the work for a short prefix.
const EXPANSIONS: usize = 48;
/// How many words of a segment are considered for one prefix. Chosen by judgement: a bound on the
/// work for a short prefix.
const LOOKED: usize = 4_000;

/// The queries of a search.
pub(super) struct Lookup {
    /// Queries that find candidates. Those of one list match different documents and share one
    /// threshold; the most promising comes first.
    pub(super) questions: Vec<Vec<Box<dyn Query>>>,
    /// Queries for documents that are left out.
    pub(super) excluded: Vec<Box<dyn Query>>,
    /// The words that prefixes are expanded to, by term.
    pub(super) expansions: HashMap<usize, Vec<String>>,
}

impl Lookup {
    /// Builds the queries.
    pub(super) fn of(text: &TextIndex, wanted: &QueryTerms) -> tantivy::Result<Self> {
        let mut builder = QueryBuilder { text, expansions: HashMap::new() };
        for (number, term) in wanted.terms.iter().enumerate() {
            if term.shape == TermShape::Prefix && term.words.len() == 1 {
                let found = expand(text, &term.words[0])?;
                builder.expansions.insert(number, found);
            }
        }
        let excluded = wanted.terms.iter().enumerate();
        let excluded = excluded
            .filter(|(_, term)| term.need == Need::Excluded)
            .map(|(number, term)| builder.as_written(number, term))
            .collect();
        Ok(Self { questions: builder.questions(wanted)?, excluded, expansions: builder.expansions })
    }
}

struct QueryBuilder<'t> {
    text: &'t TextIndex,
    expansions: HashMap<usize, Vec<String>>,
}

impl QueryBuilder<'_> {
    fn fields(&self) -> [(Field, f32); 2] {
        [(self.text.fields.prose, PROSE), (self.text.fields.raw, RAW)]
    }

    fn questions(&self, wanted: &QueryTerms) -> tantivy::Result<Vec<Vec<Box<dyn Query>>>> {
        let optional = self.telling(wanted)?;
        let [prose, raw] = self.fields().map(|(field, weight)| {
            let words = optional.iter();
            let words = words.flat_map(|(n, term)| self.words(*n, term, field, weight));
            words.collect::<Vec<_>>()
        });
        let clauses = self.required(wanted);
        if !clauses.is_empty() {
            let must = clauses.into_iter().map(|clause| (Occur::Must, clause));
            let should = prose.into_iter().chain(raw);
            let should = should.map(|word| (Occur::Should, word));
            let query = BooleanQuery::new(must.chain(should).collect());
            return Ok(vec![vec![Box::new(query)]]);
        }
        let mut questions = Vec::new();
        for (number, term) in optional.iter().filter(|(_, term)| term.words.len() > 1) {
            questions.push(vec![self.as_written(*number, term)]);
        }
        // A document has words in one field only, so the two unions match different documents.
        let unions = [prose, raw].into_iter().filter(|words| !words.is_empty());
        let unions = unions.map(|words| Box::new(BooleanQuery::union(words)) as Box<dyn Query>);
        questions.push(unions.collect());
        Ok(questions)
    }

    /// Returns the optional terms that find candidates: the rarest, weighted. The other terms count
    /// when candidates are ranked.
    fn telling<'w>(&self, wanted: &'w QueryTerms) -> tantivy::Result<Vec<(usize, &'w QueryTerm)>> {
        let mut terms = Vec::new();
        for (number, term) in wanted.terms.iter().enumerate() {
            if term.need == Need::Optional {
                let mut documents = 0;
                for (field, _) in self.fields() {
                    let word = Term::from_field_text(field, &term.words[0]);
                    documents += self.text.searcher.doc_freq(&word)?;
                }
                let common = (documents as f32 + 1.0) / term.weight;
                terms.push((common, number, term));
            }
        }
        // Stop words, with their low weight, find candidates only if there are no other terms.
        let told = terms.iter().any(|(_, _, term)| term.weight >= PART);
        terms.retain(|(_, _, term)| !told || term.weight >= PART);
        terms.sort_by(|a, b| a.0.total_cmp(&b.0));
        terms.truncate(TELLING);
        Ok(terms.into_iter().map(|(_, n, term)| (n, term)).collect())
    }

    /// Returns one query for each required clause.
    fn required(&self, wanted: &QueryTerms) -> Vec<Box<dyn Query>> {
        let numbered: Vec<_> = wanted.terms.iter().enumerate().collect();
        numbered
            .chunk_by(|a, b| a.1.clause == b.1.clause)
            .filter(|clause| clause[0].1.need == Need::Required)
            .map(|clause| {
                let alternatives = clause.iter().map(|(n, term)| self.as_written(*n, term));
                Box::new(BooleanQuery::union(alternatives.collect())) as Box<dyn Query>
            })
            .collect()
    }

    /// Returns a query for a term as written: all its words in a row.
    fn as_written(&self, number: usize, term: &QueryTerm) -> Box<dyn Query> {
        let mut alternatives: Vec<Box<dyn Query>> = Vec::new();
        for (field, weight) in self.fields() {
            let terms = || -> Vec<Term> {
                let words = term.words.iter();
                words.map(|word| Term::from_field_text(field, word)).collect()
            };
            let mut add = |query: Box<dyn Query>| {
                alternatives.push(Box::new(BoostQuery::new(query, weight * term.weight)));
            };
            match (term.shape, &term.words[..]) {
                (TermShape::Word, [word]) => add(word_query(field, word)),
                (TermShape::Prefix, [start]) => {
                    let words = self.expansions.get(&number).map_or(&[][..], |w| w);
                    for word in words {
                        add(word_query(field, word));
                    }
                    // The expansion is cut off, but no document may be missing here. Other words with
                    // this prefix match too, at a low score.
                    if words.len() == EXPANSIONS && term.need != Need::Optional {
                        add(Box::new(BoostQuery::new(range_query(field, start), 0.05)));
                    }
                }
                (TermShape::Prefix, _) => {
                    let mut query = PhrasePrefixQuery::new(terms());
                    query.set_max_expansions(EXPANSIONS as u32);
                    add(Box::new(query));
                }
                _ => add(Box::new(PhraseQuery::new(terms()))),
            }
            if term.shape == TermShape::Phrase {
                let wholes = term.forms.iter().filter(|(_, weight)| *weight >= 1.0);
                for (word, _) in wholes {
                    add(word_query(field, word));
                }
            }
        }
        Box::new(BooleanQuery::union(alternatives))
    }

    /// Returns queries for the words of a term in a field, one for each word.
    fn words(
        &self,
        number: usize,
        term: &QueryTerm,
        field: Field,
        boost: f32,
    ) -> Vec<Box<dyn Query>> {
        let mut words: Vec<(&str, f32)> = match term.shape {
            TermShape::Word => vec![(&term.words[0], 1.0)],
            TermShape::Phrase => term.words.iter().map(|word| (&**word, PART)).collect(),
            TermShape::Prefix => {
                let found = self.expansions.get(&number).map_or(&[][..], |found| found);
                found.iter().map(|word| (&**word, 0.8)).collect()
            }
        };
        words.extend(term.forms.iter().map(|(word, weight)| (&**word, *weight)));
        let is_prose = field == self.text.fields.prose;
        words
            .into_iter()
            // Only prose has stems, and only there other names are useful.
            .filter(|(word, weight)| is_prose || (*weight >= PART && !word.starts_with(STEM)))
            .map(|(word, weight)| {
                let weight = weight * boost * term.weight;
                Box::new(BoostQuery::new(word_query(field, word), weight)) as Box<dyn Query>
            })
            .collect()
    }
}

fn word_query(field: Field, word: &str) -> Box<dyn Query> {
    let term = Term::from_field_text(field, word);
    Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
}

fn range_query(field: Field, start: &str) -> Box<dyn Query> {
    let from = Bound::Included(Term::from_field_text(field, start));
    let to = match following(start) {
        Some(end) => Bound::Excluded(Term::from_field_text(field, &end)),
        None => Bound::Unbounded,
    };
    Box::new(RangeQuery::new(from, to))
}

/// Returns the first text after all texts with a prefix.
fn following(start: &str) -> Option<String> {
    let mut chars: Vec<char> = start.chars().collect();
    let last = chars.pop()?;
    let next = char::from_u32(last as u32 + 1).unwrap_or('\u{e000}');
    chars.push(next);
    Some(chars.into_iter().collect())
}

/// Returns the most common words with a prefix.
fn expand(text: &TextIndex, start: &str) -> tantivy::Result<Vec<String>> {
    let mut found: HashMap<Vec<u8>, u32> = HashMap::new();
    for field in [text.fields.prose, text.fields.raw] {
        count(&text.searcher, field, start, &mut found)?;
    }
    let mut found: Vec<(u32, String)> = found
        .into_iter()
        .filter_map(|(word, count)| Some((count, String::from_utf8(word).ok()?)))
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.truncate(EXPANSIONS);
    Ok(found.into_iter().map(|(_, word)| word).collect())
}

fn count(
    searcher: &Searcher,
    field: Field,
    start: &str,
    found: &mut HashMap<Vec<u8>, u32>,
) -> tantivy::Result<()> {
    for segment in searcher.segment_readers() {
        let index = segment.inverted_index(field)?;
        let mut range = index.terms().range().ge(start.as_bytes());
        if let Some(end) = following(start) {
            range = range.lt(end.as_bytes());
        }
        let mut words = range.into_stream()?;
        for _ in 0..LOOKED {
            if !words.advance() {
                break;
            }
            *found.entry(words.key().to_vec()).or_default() += words.value().doc_freq;
        }
    }
    Ok(())
}
