//! The fields of the index, and how documents fill them.
//!
//! Two fields contain words: one for prose, where stems are indexed too, and one for code and
//! output. Each text is in one of the two, so what people write can weigh more than what
//! programs print, and word counts are compared among texts of one style. Everything else is
//! in columns, for filtering and ranking without reading a text.

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
    /// Words of prose.
    pub(crate) prose: Field,
    /// Words of code and output.
    pub(crate) raw: Field,
    /// The file, as the number of its [`TextSource`](super::source::TextSource).
    pub(crate) source: Field,
    /// The offset of the entry.
    pub(crate) offset: Field,
    /// The part and the piece.
    pub(crate) place: Field,
    /// The role and the flags.
    pub(crate) facts: Field,
    /// The time of the entry.
    pub(crate) time: Field,
    /// The name of the tool.
    pub(crate) tool: Field,
    /// A hash of the text, by which repeats are recognised.
    pub(crate) print: Field,
    /// The batch in which the document was added.
    pub(crate) batch: Field,
}

/// The names of columns, by which a segment's readers open them.
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

/// Returns the schema and its fields.
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

/// Registers the tokenizers of both text fields.
pub(crate) fn register_tokenizers(index: &Index) {
    for (name, stemming) in [(PROSE_WORDS, Stemming::Stems), (RAW_WORDS, Stemming::Words)] {
        let tokenizer = tantivy::tokenizer::TextAnalyzer::from(WordTokenizer::new(stemming));
        index.tokenizers().register(name, tokenizer);
    }
}

/// A document that is sent to the writer.
pub(crate) struct IndexEntry {
    /// The document; its text is in `texts`.
    pub(crate) document: TextDocument,
    /// The texts of all documents that are sent together; `span` is the range of this one.
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

/// Hashes a text to 32 bits, without the white space at its ends.
pub(crate) fn print(text: &str) -> u64 {
    FixedState::default().hash_one(text.trim()) & 0xffff_ffff
}
