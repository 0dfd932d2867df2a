//! How common words are, and how long texts.
//!
//! A document has its words in one of two fields. The library divides the words of a field
//! by all documents, those without words in it included; here the documents that have some
//! are estimated from a sample, so that the lengths of texts are compared with their like.

use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::Field;
use tantivy::{Searcher, Term};

use crate::text::fields::IndexFields;

/// How many documents of a segment are looked at. Chosen by judgement: the mean length of texts
/// need not be exact, and a search has some milliseconds.
const SAMPLE: u32 = 512;

/// Statistics of the two fields of words.
pub(super) struct Statistics<'s> {
    searcher: &'s Searcher,
    prose: Lengths,
    raw: Lengths,
    fields: IndexFields,
}

/// How many words a field has.
#[derive(Clone, Copy, Default)]
struct Lengths {
    tokens: u64,
    /// How many documents have any, estimated.
    documents: f64,
}

impl<'s> Statistics<'s> {
    /// Looks at a sample of each segment.
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

    /// Returns how many words a text of a field has on average.
    pub(super) fn average(&self, field: Field) -> f32 {
        let lengths = self.lengths(field);
        (lengths.tokens as f64 / lengths.documents.max(1.0)).max(1.0) as f32
    }

    /// Counts all documents, deleted ones too as long as they take room: the library counts
    /// them for each word, and no word may be in more documents than there are.
    fn documents(&self) -> u64 {
        let segments = self.searcher.segment_readers().iter();
        segments.map(|segment| u64::from(segment.max_doc())).sum()
    }

    /// Returns how much a word says that is in so many documents.
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
        // Divided by all documents, this gives the average of those that have words.
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
