//! How common words are, and how long texts are.
//!
//! A document has words in one of two fields. Tantivy divides the number of words in a field
//! by the number of all documents, including those without words in it. Here, the number of
//! documents with words is estimated from a sample, so that a text is compared with texts of its
//! own field.

use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::Field;
use tantivy::{Searcher, Term};

use crate::text::fields::IndexFields;

/// How many documents of a segment are sampled. Chosen by judgement: the mean length of texts
/// need not be exact, and a search has some milliseconds.
const SAMPLE: u32 = 512;

/// Statistics of the two text fields.
pub(super) struct Statistics<'s> {
    searcher: &'s Searcher,
    prose: Lengths,
    raw: Lengths,
    fields: IndexFields,
}

/// The number of words in a field and of documents with words.
#[derive(Clone, Copy, Default)]
struct Lengths {
    tokens: u64,
    /// The estimated number of documents with words.
    documents: f64,
}

impl<'s> Statistics<'s> {
    /// Samples each segment.
    pub(super) fn of(searcher: &'s Searcher, fields: IndexFields) -> tantivy::Result<Self> {
        Ok(Self {
            searcher,
            prose: lengths(searcher, fields.prose)?,
            raw: lengths(searcher, fields.raw)?,
            fields,
        })
    }

    fn lengths(&self, field: Field) -> Lengths {
        if field == self.fields.prose { self.prose } else { self.raw }
    }

    /// Returns the average number of words of the texts in a field.
    pub(super) fn average(&self, field: Field) -> f32 {
        let lengths = self.lengths(field);
        (lengths.tokens as f64 / lengths.documents.max(1.0)).max(1.0) as f32
    }

    /// Returns the number of documents, including deleted ones that were not merged away: they
    /// are in the document frequencies, which must not exceed the number of documents.
    fn documents(&self) -> u64 {
        let segments = self.searcher.segment_readers().iter();
        segments.map(|segment| u64::from(segment.max_doc())).sum()
    }

    /// Returns the inverse document frequency of a word in `documents` documents.
    pub(super) fn rarity(&self, documents: u64) -> f32 {
        let all = self.documents().max(documents) as f32;
        let with = documents as f32;
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }
}

fn lengths(searcher: &Searcher, field: Field) -> tantivy::Result<Lengths> {
    let mut lengths = Lengths::default();
    for segment in searcher.segment_readers() {
        lengths.tokens += segment.inverted_index(field)?.total_num_tokens();
        let all = segment.max_doc();
        let norms = segment.get_fieldnorms_reader(field)?;
        let step = (all / SAMPLE).max(1);
        let sample = (0..all).step_by(step as usize);
        let (mut looked, mut with) = (0u32, 0u32);
        for document in sample {
            looked += 1;
            with += u32::from(norms.fieldnorm_id(document) > 0);
        }
        lengths.documents += f64::from(all) * f64::from(with) / f64::from(looked.max(1));
    }
    Ok(lengths)
}

impl Bm25StatisticsProvider for Statistics<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        // Divided by the number of all documents, this gives the average of those with words.
        let average = f64::from(self.average(field));
        Ok((average * self.documents() as f64) as u64)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.documents())
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        self.searcher.doc_freq(term)
    }
}
