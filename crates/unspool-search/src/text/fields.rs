//! The fields of the index, and how a document fills them.
//!
//! Two fields contain words: one for sentences, where stems count too, and one for code and
//! output. Each word of a text is in one of them, so what people said can count more
//! than what programs printed, and is compared with its like. Everything else is kept in
//! columns, to filter and rank by without reading a text.

use std::array::IntoIter;
use std::hash::BuildHasher as _;
use std::iter::Flatten;
use std::ops::Range;
use std::sync::Arc;

use foldhash::fast::FixedState;
use tantivy::Index;
use tantivy::schema::document::{ReferenceValue, ReferenceValueLeaf};
use tantivy::schema::{
    Field, IndexRecordOption, NumericOptions, Schema, SchemaBuilder, TextFieldIndexing,
    TextOptions, Value,
};
use tantivy::tokenizer::RAW_TOKENIZER_NAME;

use unspool_model::time::Time;

use super::document::{TextDocument, WritingStyle, role_number};
use super::queue::TextQueue;
use super::words::{Stemming, WordTokenizer};

/// The fields of the index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexFields {
    /// Words of sentences.
    pub(crate) prose: Field,
    /// Words of code and output.
    pub(crate) raw: Field,
    /// The file, by its [`TextSource`](super::source::TextSource) number.
    pub(crate) source: Field,
    /// Where the entry begins.
    pub(crate) offset: Field,
    /// Part and piece.
    pub(crate) place: Field,
    /// Role and marks.
    pub(crate) facts: Field,
    /// The time.
    pub(crate) time: Field,
    /// The tool's name.
    pub(crate) tool: Field,
    /// A hash of the text, to tell repeats.
    pub(crate) print: Field,
    /// The batch that the document came with.
    pub(crate) batch: Field,
}

/// Names of columns, as a segment's readers want them.
pub(crate) mod column {
    pub(crate) const SOURCE: &str = "source";
    pub(crate) const OFFSET: &str = "offset";
    pub(crate) const PLACE: &str = "place";
    pub(crate) const FACTS: &str = "facts";
    pub(crate) const TIME: &str = "time";
    pub(crate) const TOOL: &str = "tool";
    pub(crate) const PRINT: &str = "print";
}

const PROSE_WORDS: &str = "prose words";
const RAW_WORDS: &str = "raw words";

/// Makes the schema and names its fields.
pub(crate) fn schema() -> (Schema, IndexFields) {
    let mut builder = Schema::builder();
    let words = |builder: &mut SchemaBuilder, name, tokenizer| {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(tokenizer)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let options = TextOptions::default().set_indexing_options(indexing);
        builder.add_text_field(name, options)
    };
    let column = || NumericOptions::default().set_fast();
    let fields = IndexFields {
        prose: words(&mut builder, "prose", PROSE_WORDS),
        raw: words(&mut builder, "raw", RAW_WORDS),
        source: builder.add_u64_field(column::SOURCE, column().set_indexed()),
        offset: builder.add_u64_field(column::OFFSET, column()),
        place: builder.add_u64_field(column::PLACE, column()),
        facts: builder.add_u64_field(column::FACTS, column()),
        time: builder.add_i64_field(column::TIME, column()),
        tool: builder
            .add_text_field(column::TOOL, TextOptions::default().set_fast(RAW_TOKENIZER_NAME)),
        print: builder.add_u64_field(column::PRINT, column()),
        batch: builder.add_u64_field("batch", NumericOptions::default().set_indexed()),
    };
    (builder.build(), fields)
}

/// Tells an index how words are taken apart.
pub(crate) fn register_tokenizers(index: &Index) {
    for (name, stemming) in [(PROSE_WORDS, Stemming::Stems), (RAW_WORDS, Stemming::Words)] {
        let tokenizer = tantivy::tokenizer::TextAnalyzer::from(WordTokenizer::new(stemming));
        index.tokenizers().register(name, tokenizer);
    }
}

/// A document on its way into the index.
pub(crate) struct IndexEntry {
    /// The document without its text.
    pub(crate) document: TextDocument,
    /// Its text among those that are sent with it.
    pub(crate) texts: Arc<TextQueue>,
    pub(crate) span: Range<usize>,
    pub(crate) source: u64,
    pub(crate) batch: u64,
    pub(crate) fields: IndexFields,
    /// The hash of the text, see [`print()`].
    pub(crate) print: u64,
}

/// A value of a field.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldValue<'a> {
    Text(&'a str),
    Number(u64),
    Signed(i64),
}

impl<'a> Value<'a> for FieldValue<'a> {
    type ArrayIter = std::iter::Empty<Self>;
    type ObjectIter = std::iter::Empty<(&'a str, Self)>;

    fn as_value(&self) -> ReferenceValue<'a, Self> {
        ReferenceValue::Leaf(match *self {
            Self::Text(text) => ReferenceValueLeaf::Str(text),
            Self::Number(number) => ReferenceValueLeaf::U64(number),
            Self::Signed(number) => ReferenceValueLeaf::I64(number),
        })
    }
}

impl tantivy::schema::Document for IndexEntry {
    type Value<'a> = FieldValue<'a>;
    type FieldsValuesIter<'a> = Flatten<IntoIter<Option<(Field, FieldValue<'a>)>, 9>>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        let Self { document, fields, .. } = self;
        let field = match document.style {
            WritingStyle::Prose => fields.prose,
            WritingStyle::Raw => fields.raw,
        };
        let text = &self.texts.text()[self.span.clone()];
        let number = |field, number| Some((field, FieldValue::Number(number)));
        let time = document.time.map(Time::as_millis);
        let tool = document.tool.as_deref();
        let values = [
            Some((field, FieldValue::Text(text))),
            number(fields.source, self.source),
            number(fields.offset, document.place.offset),
            number(fields.place, place_number(document)),
            number(fields.facts, facts_number(document)),
            number(fields.print, self.print),
            number(fields.batch, self.batch),
            time.map(|time| (fields.time, FieldValue::Signed(time))),
            tool.map(|tool| (fields.tool, FieldValue::Text(tool))),
        ];
        values.into_iter().flatten()
    }
}

fn place_number(document: &TextDocument) -> u64 {
    u64::from(document.place.part.number()) << 16 | u64::from(document.place.piece)
}

fn facts_number(document: &TextDocument) -> u64 {
    u64::from(role_number(document.role)) | u64::from(document.marks.0) << 3
}

/// Hashes a text to 32 bits, white space around it apart.
pub(crate) fn print(text: &str) -> u64 {
    FixedState::default().hash_one(text.trim()) & 0xffff_ffff
}
