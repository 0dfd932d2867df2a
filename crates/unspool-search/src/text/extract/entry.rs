//! One entry: which of its strings are texts, and with which roles.
//!
//! The table in [`unspool_model::schema`] gives the meaning of keys; this module turns texts into
//! documents. It reads the message first and then the fields next to it, to recognise repeats.

use unspool_model::dialect::{self, RecordDialect};
use unspool_model::entry::{BlockKind, Entry, EntryKind, Flags, MessageKind};
use unspool_model::json::{Cursor, JsonShape, Str};
use unspool_model::log::{Log, Observer};
use unspool_model::query::TextRole;
use unspool_model::roles;
use unspool_model::schema::{self, FlatKey, Level, ProgressKey, RecordKey, Slot, TextKind};

use super::blocks::{EntryReading, EntryResults, is_tool_name};
use super::outcome::{self, New};
use super::pieces::{Pieces, Sink};
use super::side_files::spilled_names;
use super::strings::{KeyedValue, each_text};
use super::{Extractor, LogOwner};
use crate::text::document::{DocumentFlags, EntryPart, TextDocument, TextPlace, WritingStyle};

/// Makes documents of the entries that a log reads.
pub(super) struct DocumentObserver<'w, 'c, 'a, 's> {
    pub(super) extractor: &'w mut Extractor<'c>,
    pub(super) sink: &'w mut Sink<'s>,
    /// The offset of the log's first line in the file.
    pub(super) offset: u64,
    pub(super) fields: TextFields<'a>,
}

impl<'a> Observer<'a> for DocumentObserver<'_, '_, 'a, '_> {
    fn begin(&mut self) {
        self.fields.clear();
    }

    fn field(&mut self, mut dialect: RecordDialect, key: &[u8], value: &'a [u8]) {
        self.fields.note(dialect.slot(key, value), key, value);
    }

    fn entry(&mut self, log: &Log, bytes: &'a [u8]) {
        if let Some(entry) = log.entries.last() {
            let mut reading = EntryReading::new(self.extractor, log, entry, self.offset);
            reading.read(bytes, &self.fields, self.sink);
        }
    }
}

/// The fields of a record that contain texts, as raw JSON.
#[derive(Default)]
pub(super) struct TextFields<'a> {
    slots: Vec<(Slot, KeyedValue<'a>)>,
    /// The tool's name in a call of the flat dialect.
    tool: Option<Str<'a>>,
}

impl<'a> TextFields<'a> {
    fn clear(&mut self) {
        self.slots.clear();
        self.tool = None;
    }

    fn note(&mut self, slot: Slot, key: &[u8], value: &'a [u8]) {
        if FlatKey::of(key) == Some(FlatKey::ToolName)
            && let Some(name) = string(value)
        {
            self.tool = Some(name);
            return;
        }
        match slot {
            Slot::Envelope => {}
            _ if !schema::may_contain_texts(key, value) => {}
            Slot::Object(level @ Level::Own(_)) => self.note_object(level, key, value),
            slot => self.slots.push((slot, KeyedValue::new(key, value))),
        }
    }

    /// Notes the fields of an object that only one dialect has.
    fn note_object(&mut self, level: Level, key: &[u8], value: &'a [u8]) {
        if Cursor::new(value).shape() != Ok(JsonShape::Object) {
            self.note(Slot::Text(level.plain()), key, value);
            return;
        }
        // The value was parsed as JSON before, so the walk reaches its end.
        let _ = Cursor::new(value).object(|cursor, key| {
            self.note(level.slot(key), key, cursor.skip()?);
            Ok(())
        });
    }

    /// Returns the raw values of a slot.
    fn of(&self, slot: Slot) -> impl Iterator<Item = &'a [u8]> {
        self.named(slot).map(|value| value.raw)
    }

    fn named(&self, slot: Slot) -> impl Iterator<Item = KeyedValue<'a>> {
        let of_slot =
            move |&(other, value): &(Slot, KeyedValue<'a>)| (other == slot).then_some(value);
        self.slots.iter().filter_map(of_slot)
    }

    /// Returns the texts of a kind.
    fn texts(&self, kind: TextKind) -> impl Iterator<Item = KeyedValue<'a>> {
        self.named(Slot::Text(kind))
    }
}

/// Returns the value if it is a string.
fn string(value: &[u8]) -> Option<Str<'_>> {
    Cursor::new(value).string().ok().flatten()
}

impl<'r, 'c> EntryReading<'r, 'c> {
    /// Prepares to read an entry of a log whose lines begin at `offset` of the file.
    fn new(extractor: &'r mut Extractor<'c>, log: &'r Log, entry: &'r Entry, offset: u64) -> Self {
        let is_image = |kind| kind == BlockKind::Image;
        let image = log.blocks_of(entry).iter().any(|b| is_image(b.kind));
        let is_error = entry.says == Some(MessageKind::Error);
        let is_agent = extractor.whose == LogOwner::Agent || entry.flags.has(Flags::SIDECHAIN);
        let is_queued = roles::is_queue_operation(log, entry);
        let marks = DocumentFlags::default()
            .with(DocumentFlags::AGENT, is_agent)
            .with(DocumentFlags::IMAGE, image)
            .with(DocumentFlags::ERROR, is_error)
            .with(DocumentFlags::REPEAT, is_queued);
        extractor.time = entry.time.or(extractor.time);
        let is_spoken = is_conversation(entry) || entry.says.is_some() || is_queued;
        let like = TextDocument {
            place: TextPlace {
                offset: offset + entry.span.start,
                part: EntryPart::Fields,
                piece: 0,
            },
            role: roles::role(TextKind::Said, log, entry),
            style: if is_spoken { WritingStyle::Prose } else { WritingStyle::Raw },
            time: extractor.time,
            tool: None,
            marks,
            text: String::new(),
        };
        Self { extractor, log, entry, said: TextKind::Said, like }
    }

    /// Returns the role of texts of a kind in this entry.
    fn role(&self, kind: TextKind) -> TextRole {
        roles::role(kind, self.log, self.entry)
    }

    /// Makes the documents of the entry.
    fn read(&mut self, raw: &[u8], fields: &TextFields<'_>, sink: &mut Sink<'_>) {
        if self.entry.kind == EntryKind::Fragment {
            self.fragment(raw, sink);
            return;
        }
        if self.entry.flags.has(Flags::SPILLED) {
            self.note_spilled(raw);
        }
        if is_conversation(self.entry) {
            self.note_flat_result();
        }
        let mut results = EntryResults::default();
        for raw in fields.of(Slot::Object(Level::Message(TextKind::Said))) {
            self.message(raw, &mut results, sink);
        }
        for raw in fields.of(Slot::Content(TextKind::Said)) {
            // The value was parsed as JSON before, so the walk reaches its end.
            let _ = self.content(&mut Cursor::new(raw), &mut results, sink);
        }
        self.flat_call(fields, sink);
        for raw in fields.of(Slot::Object(Level::Outcome)) {
            self.outcome(raw, &results, sink);
        }
        for raw in fields.of(Slot::Object(Level::Attachment)) {
            self.attachment(raw, &mut results, sink);
        }
        for raw in fields.of(Slot::Object(Level::Progress)) {
            self.progress(raw, sink);
        }
        self.own_texts(fields, sink);
        results.remarks.extend(fields.texts(TextKind::Remark));
        self.remarks(&results.remarks, sink);
    }

    /// Gives a record of the flat dialect the role of a result if it follows its call.
    fn note_flat_result(&mut self) {
        let flat_call = self.extractor.flat_call.take();
        let is_result = roles::is_flat_result(self.entry);
        if let Some(tool) = flat_call.filter(|_| is_result) {
            self.like.role = TextRole::Result;
            self.like.style = WritingStyle::Raw;
            self.like.tool = Some(tool);
        }
    }

    /// Makes a document of the entry if it is a call of the flat dialect.
    fn flat_call(&mut self, fields: &TextFields<'_>, sink: &mut Sink<'_>) {
        let inputs: Vec<KeyedValue<'_>> = fields.texts(TextKind::Input).collect();
        let name = fields.tool.filter(|&name| is_tool_name(name));
        let name = name.map(Str::decode).unwrap_or_default();
        let tool = self.extractor.calls.tool(&name);
        if roles::is_flat_call(self.log, self.entry) {
            self.extractor.flat_call = Some(tool.clone());
        }
        if fields.tool.is_none() && inputs.is_empty() {
            return;
        }
        let like = TextDocument {
            role: self.role(TextKind::Input),
            style: WritingStyle::Raw,
            tool: Some(tool),
            ..self.like.of_part(EntryPart::Block(1))
        };
        self.input(&inputs, like, sink);
    }

    fn outcome(&mut self, raw: &[u8], results: &EntryResults<'_>, sink: &mut Sink<'_>) {
        let like = TextDocument {
            role: self.role(TextKind::Result),
            ..results.like.as_ref().unwrap_or(&self.like).of_part(EntryPart::Outcome)
        };
        let mut pieces = Pieces::new(sink, like);
        let call = results.call.as_ref();
        let input = call.map(|call| &call.input[..]).unwrap_or_default();
        let lines = &mut self.extractor.lines;
        outcome::each_new(raw, &results.contents, input, lines, |new| match new {
            New::Whole(text) => pieces.push(text),
            New::Lines(text) => pieces.push_text(&text),
        });
        pieces.finish();
    }

    fn attachment<'a>(
        &mut self,
        raw: &'a [u8],
        results: &mut EntryResults<'a>,
        sink: &mut Sink<'_>,
    ) {
        if Cursor::new(raw).shape() != Ok(JsonShape::Object) {
            results.remarks.push(KeyedValue::of(RecordKey::Attachment, raw));
            return;
        }
        let _ = Cursor::new(raw).object(|cursor, key| match Level::Attachment.slot(key) {
            Slot::Content(_) => self.content(cursor, results, sink),
            Slot::Text(_) => {
                results.remarks.push(KeyedValue::new(key, cursor.skip()?));
                Ok(())
            }
            _ => cursor.skip().map(drop),
        });
    }

    /// Makes documents of a progress record, unless the agent's own log contains its messages.
    fn progress(&mut self, raw: &[u8], sink: &mut Sink<'_>) {
        let progress = ProgressData::read(raw);
        for &raw in &progress.records {
            let record = AgentRecord::read(raw);
            let agent = progress.agent.map(Str::decode).unwrap_or_default();
            let uuid = record.uuid.map(Str::decode).unwrap_or_default();
            if (self.extractor.is_copied)(&agent, &uuid) {
                return;
            }
            self.agent_record(&record, sink);
            if !progress.remarks.is_empty() {
                // The remarks may repeat these messages in another form, so their lines are noted.
                let seen = &mut self.extractor.seen;
                each_text(KeyedValue::new(b"", raw), TextKind::Input, |_, text| {
                    seen.new_lines(&text.decode());
                });
            }
        }
        self.new_lines(&progress.remarks, sink);
    }

    /// Makes documents of a record of an agent inside a progress record.
    fn agent_record(&mut self, record: &AgentRecord<'_>, sink: &mut Sink<'_>) {
        let like = TextDocument {
            role: self.role(record.said),
            style: WritingStyle::Prose,
            marks: self.like.marks.with(DocumentFlags::AGENT, true),
            ..self.like.clone_without_text()
        };
        let own = std::mem::replace(&mut self.like, like);
        let said = std::mem::replace(&mut self.said, record.said);
        let mut results = EntryResults::default();
        for &message in &record.messages {
            self.message(message, &mut results, sink);
        }
        for outcome in &record.outcomes {
            self.outcome(outcome, &results, sink);
        }
        results.remarks.extend(&record.remarks);
        (self.like, self.said) = (own, said);
        self.remarks(&results.remarks, sink);
    }

    /// Makes a document of the lines of a progress record that are new.
    fn new_lines(&mut self, remarks: &[KeyedValue<'_>], sink: &mut Sink<'_>) {
        let like = TextDocument {
            role: self.role(TextKind::Remark),
            style: WritingStyle::Raw,
            ..self.like.of_part(EntryPart::Outcome)
        };
        let mut pieces = Pieces::new(sink, like);
        let seen = &mut self.extractor.seen;
        for remark in remarks {
            each_text(*remark, TextKind::Remark, |_, text| {
                let new = seen.new_lines(&text.decode());
                if !new.is_empty() {
                    pieces.push_text(new.trim_end());
                }
            });
        }
        pieces.finish();
    }

    /// Makes documents of texts in the record itself: titles, and prompts that metadata repeats; in
    /// some dialects also messages and results.
    fn own_texts(&mut self, fields: &TextFields<'_>, sink: &mut Sink<'_>) {
        let of = |kind| fields.texts(kind).collect::<Vec<KeyedValue<'_>>>();
        for kind in [TextKind::Title, TextKind::Prompt, TextKind::Result] {
            let repeats = kind == TextKind::Prompt;
            let style = match kind {
                TextKind::Result => WritingStyle::Raw,
                _ => WritingStyle::Prose,
            };
            let like = TextDocument {
                role: self.role(kind),
                style,
                marks: self.like.marks.with(DocumentFlags::REPEAT, repeats),
                ..self.like.of_part(EntryPart::Block(0))
            };
            self.new_strings(&of(kind), kind, like, sink);
        }
        let (said, thought) = (of(TextKind::Said), of(TextKind::Thinking));
        if !said.is_empty() {
            self.say(0, &said, sink);
        }
        if !thought.is_empty() {
            self.think(0, &thought, sink);
        }
    }

    /// Makes a document of all other texts of the record.
    fn remarks(&mut self, remarks: &[KeyedValue<'_>], sink: &mut Sink<'_>) {
        let like = TextDocument {
            role: self.role(TextKind::Remark),
            style: WritingStyle::Raw,
            ..self.like.of_part(EntryPart::Fields)
        };
        self.new_strings(remarks, TextKind::Remark, like, sink);
    }

    fn new_strings(
        &mut self,
        all: &[KeyedValue<'_>],
        kind: TextKind,
        like: TextDocument,
        sink: &mut Sink<'_>,
    ) {
        let mut pieces = Pieces::new(sink, like);
        let seen = &mut self.extractor.seen;
        for value in all {
            each_text(*value, kind, |_, text| {
                if !text.raw().is_empty() && seen.note(text) {
                    pieces.push(text);
                }
            });
        }
        pieces.finish();
    }

    /// Makes a document of the texts in a torn record.
    fn fragment(&mut self, raw: &[u8], sink: &mut Sink<'_>) {
        let mut pieces = Pieces::new(sink, self.like.of_part(EntryPart::Fields));
        // The error at the end of the bytes is expected.
        let _ = dialect::texts_of_fragment(raw, &mut |_, text| {
            pieces.push(text);
            Ok(())
        });
        pieces.finish();
    }

    fn note_spilled(&mut self, raw: &[u8]) {
        for name in spilled_names(raw) {
            let known = |(_, known): &(u64, String)| *known == name;
            let spilled = &mut self.extractor.notes.spilled;
            if !spilled.iter().any(known) {
                spilled.push((self.like.place.offset, name.into_owned()));
            }
        }
    }
}

/// Tells whether an entry is part of the conversation.
fn is_conversation(entry: &Entry) -> bool {
    matches!(entry.kind, EntryKind::User | EntryKind::Assistant | EntryKind::System)
}

/// The `data` of a progress record.
#[derive(Default)]
struct ProgressData<'a> {
    agent: Option<Str<'a>>,
    /// Records of the agent.
    records: Vec<&'a [u8]>,
    remarks: Vec<KeyedValue<'a>>,
}

impl<'a> ProgressData<'a> {
    fn read(raw: &'a [u8]) -> Self {
        let mut progress = Self::default();
        if Cursor::new(raw).shape() != Ok(JsonShape::Object) {
            progress.remarks.push(KeyedValue::of(RecordKey::Data, raw));
            return progress;
        }
        let is_agent = |key: &[u8]| ProgressKey::of(key) == Some(ProgressKey::AgentId);
        let _ = Cursor::new(raw).object(|cursor, key| {
            match Level::Progress.slot(key) {
                _ if is_agent(key) && cursor.shape()? == JsonShape::String => {
                    progress.agent = cursor.string()?;
                }
                Slot::AgentRecord => progress.records.push(cursor.skip()?),
                Slot::Text(_) => progress.remarks.push(KeyedValue::new(key, cursor.skip()?)),
                _ => drop(cursor.skip()?),
            }
            Ok(())
        });
        progress
    }
}

/// A record of an agent inside a progress record.
struct AgentRecord<'a> {
    /// The kind of its message's texts: from the agent or from its caller.
    said: TextKind,
    uuid: Option<Str<'a>>,
    messages: Vec<&'a [u8]>,
    outcomes: Vec<&'a [u8]>,
    remarks: Vec<KeyedValue<'a>>,
}

impl<'a> AgentRecord<'a> {
    fn read(raw: &'a [u8]) -> Self {
        let mut cursor = Cursor::new(raw);
        let said = schema::agent_speaker(&cursor);
        let mut record = Self {
            said,
            uuid: None,
            messages: Vec::new(),
            outcomes: Vec::new(),
            remarks: Vec::new(),
        };
        if cursor.shape() != Ok(JsonShape::Object) {
            record.remarks.push(KeyedValue::of(RecordKey::Message, raw));
            return record;
        }
        let is_uuid = |key: &[u8]| RecordKey::of(key) == Some(RecordKey::Uuid);
        let _ = cursor.object(|cursor, key| {
            match Level::Agent(said).slot(key) {
                _ if is_uuid(key) && cursor.shape()? == JsonShape::String => {
                    record.uuid = cursor.string()?;
                }
                Slot::Object(Level::Outcome) => record.outcomes.push(cursor.skip()?),
                Slot::Object(_) => record.messages.push(cursor.skip()?),
                Slot::Text(_) => record.remarks.push(KeyedValue::new(key, cursor.skip()?)),
                _ => drop(cursor.skip()?),
            }
            Ok(())
        });
        record
    }
}

#[cfg(test)]
mod tests {
    use unspool_model::schema::OwnLevel;

    use super::*;

    /// The keys of an object in a made-up dialect.
    static OWN: OwnLevel = OwnLevel {
        keys: &[
            ("words", Slot::Text(TextKind::Said)),
            ("thoughts", Slot::Text(TextKind::Thinking)),
            ("gave", Slot::Text(TextKind::Result)),
            ("id", Slot::Envelope),
        ],
        other: TextKind::Remark,
    };

    #[test]
    fn texts_of_a_dialect_with_tables_of_its_own_are_kept_with_their_roles() {
        let own = br#"{"id":"no","words":"hello","thoughts":"hm","gave":"a","more":["b"]}"#;
        let mut fields = TextFields::default();
        let slot = Slot::Object(Level::Own(&OWN));
        fields.note(slot, b"own", own);
        fields.note(slot, b"own", br#""plain""#);
        let is_copied = |_: &str, _: &str| false;
        let mut extractor = Extractor::new(LogOwner::Session, &is_copied);
        let log = Log::read(br#"{"type":"assistant"}"#);
        let entry = log.entries.last().expect("an entry");
        let mut found = Vec::new();
        let mut sink = |document: TextDocument| found.push((document.role, document.text));
        EntryReading::new(&mut extractor, &log, entry, 0).read(b"", &fields, &mut sink);
        let expected = [
            (TextRole::Result, "a"),
            (TextRole::Assistant, "hello"),
            (TextRole::Thinking, "hm"),
            (TextRole::System, "b\nplain"),
        ];
        assert_eq!(found, expected.map(|(role, text)| (role, text.to_owned())));
    }
}
