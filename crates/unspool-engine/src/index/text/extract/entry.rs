//! One entry: which of its strings are texts, and whose they are.

use unspool_model::entry::{BlockKind, Entry, EntryKind, Flags, MessageKind};
use unspool_model::json::{Cursor, Str};
use unspool_model::log::{Log, Observer};
use unspool_model::query::Role;

use super::beside::spilled_names;
use super::blocks::Results;
use super::outcome::{self, New};
use super::pieces::{Pieces, Sink};
use super::strings::{Choice, each_string, is_encoded};
use super::{Extractor, Whose};
use crate::index::text::document::{Document, Marks, Part, Place, Style};

/// Makes documents of the entries that a log reads.
pub(super) struct Watch<'w, 'c, 'a, 's> {
    pub(super) extractor: &'w mut Extractor<'c>,
    pub(super) sink: &'w mut Sink<'s>,
    /// Where the log begins in the file.
    pub(super) offset: u64,
    pub(super) fields: Fields<'a>,
}

impl<'a> Observer<'a> for Watch<'_, '_, 'a, '_> {
    fn begin(&mut self) {
        self.fields.clear();
    }

    fn field(&mut self, key: &[u8], value: &'a [u8]) {
        self.fields.note(key, value);
    }

    fn entry(&mut self, log: &Log, bytes: &'a [u8]) {
        if let Some(entry) = log.entries.last() {
            let mut reading = Reading::new(self.extractor, log, entry, self.offset);
            reading.read(bytes, &mut self.fields, self.sink);
        }
    }
}

/// Reads one entry.
pub(super) struct Reading<'r, 'c> {
    pub(super) extractor: &'r mut Extractor<'c>,
    pub(super) log: &'r Log,
    pub(super) entry: &'r Entry,
    /// What all documents of the entry have in common.
    pub(super) like: Document,
}

/// The fields of a record that hold texts, as raw JSON.
#[derive(Default)]
pub(super) struct Fields<'a> {
    message: Option<&'a [u8]>,
    outcome: Option<&'a [u8]>,
    attachment: Option<&'a [u8]>,
    progress: Option<&'a [u8]>,
    content: Option<&'a [u8]>,
    title: Option<Str<'a>>,
    prompt: Option<Str<'a>>,
    tool: Option<Str<'a>>,
    arguments: Option<&'a [u8]>,
    others: Vec<&'a [u8]>,
}

impl<'a> Fields<'a> {
    fn clear(&mut self) {
        let mut others = std::mem::take(&mut self.others);
        others.clear();
        *self = Self {
            others,
            ..Self::default()
        };
    }

    fn note(&mut self, key: &[u8], value: &'a [u8]) {
        match key {
            b"message" => self.message = Some(value),
            b"toolUseResult" => self.outcome = Some(value),
            b"attachment" => self.attachment = Some(value),
            b"data" => self.progress = Some(value),
            b"content" => self.content = Some(value),
            b"customTitle" | b"aiTitle" | b"summary" | b"agentName" | b"tag" => {
                self.title = string(value);
            }
            b"lastPrompt" => self.prompt = string(value),
            b"toolName" => self.tool = string(value),
            b"toolArguments" => self.arguments = Some(value),
            _ if is_envelope(key) => {}
            _ => self.others.push(value),
        }
    }
}

/// Returns the string that a value is.
fn string(value: &[u8]) -> Option<Str<'_>> {
    Cursor::new(value).string().ok().flatten()
}

/// Tells whether a field says where a record belongs and not what it says.
fn is_envelope(key: &[u8]) -> bool {
    matches!(
        key,
        b"type"
            | b"subtype"
            | b"uuid"
            | b"parentUuid"
            | b"logicalParentUuid"
            | b"sessionId"
            | b"session_id"
            | b"timestamp"
            | b"version"
            | b"requestId"
            | b"userType"
            | b"entrypoint"
            | b"cwd"
            | b"gitBranch"
            | b"slug"
            | b"agentId"
            | b"teamName"
            | b"isSidechain"
            | b"promptId"
            | b"leafUuid"
            | b"messageId"
            | b"permissionMode"
            | b"promptSource"
            | b"origin"
            | b"sourceToolAssistantUUID"
            | b"sourceToolUseID"
            | b"toolUseID"
            | b"parentToolUseID"
            | b"level"
            | b"effort"
            | b"forkedFrom"
            | b"interruptedMessageId"
            | b"toolDenialKind"
            | b"compactMetadata"
            | b"microcompactMetadata"
            | b"parentLastUuid"
            | b"parentSessionId"
            | b"bridgeSessionId"
            | b"shapeHash"
            | b"hash"
            | b"id"
            | b"sessionKind"
            | b"snapshotMessageId"
            | b"operation"
            | b"usage"
            | b"supersedesUuids"
    )
}

impl<'r, 'c> Reading<'r, 'c> {
    /// Prepares to read an entry of a log whose lines begin at `offset` of the file.
    fn new(extractor: &'r mut Extractor<'c>, log: &'r Log, entry: &'r Entry, offset: u64) -> Self {
        let is_image = |kind| kind == BlockKind::Image;
        let image = log.blocks_of(entry).iter().any(|b| is_image(b.kind));
        let is_error = entry.says == Some(MessageKind::Error);
        let is_agent = extractor.whose == Whose::Agent || entry.flags.has(Flags::SIDECHAIN);
        let marks = Marks::default()
            .with(Marks::AGENT, is_agent)
            .with(Marks::IMAGE, image)
            .with(Marks::ERROR, is_error);
        let (role, style) = role_of(entry);
        extractor.time = entry.time.or(extractor.time);
        let like = Document {
            place: Place {
                offset: offset + entry.span.start,
                part: Part::Fields,
                piece: 0,
            },
            role,
            style,
            time: extractor.time,
            tool: None,
            marks,
            text: String::new(),
        };
        Self {
            extractor,
            log,
            entry,
            like,
        }
    }

    /// Makes the documents of the entry.
    fn read(&mut self, raw: &[u8], fields: &mut Fields<'_>, sink: &mut Sink<'_>) {
        if self.entry.kind == EntryKind::Fragment {
            self.fragment(raw, sink);
            return;
        }
        if self.entry.flags.has(Flags::SPILLED) {
            self.note_spilled(raw);
        }
        match self.entry.kind {
            EntryKind::User | EntryKind::Assistant | EntryKind::System => {
                self.conversation(fields, sink);
            }
            EntryKind::Attachment => self.attachment(fields, sink),
            EntryKind::Progress => self.progress(fields, sink),
            EntryKind::Metadata | EntryKind::Fragment => self.metadata(fields, sink),
        }
        self.rest(fields, sink);
    }

    fn conversation(&mut self, fields: &mut Fields<'_>, sink: &mut Sink<'_>) {
        let flat_call = self.extractor.flat_call.take();
        let is_system = self.entry.kind == EntryKind::System;
        if let Some(tool) = flat_call.filter(|_| is_system && self.entry.flags.has(Flags::FLAT)) {
            self.like.role = Role::Result;
            self.like.style = Style::Raw;
            self.like.tool = Some(tool);
        }
        let results = fields.message.take().map(|raw| self.message(raw, sink));
        if let Some(content) = fields.content.take() {
            let mut cursor = Cursor::new(content);
            let _ = self.content(&mut cursor, &mut Results::default(), sink);
        }
        if fields.tool.is_some() || fields.arguments.is_some() {
            self.flat_call(fields, sink);
        }
        if let Some(raw) = fields.outcome.take() {
            self.outcome(raw, results.unwrap_or_default(), sink);
        }
    }

    /// Keeps a call of the flat dialect, which the entry itself is.
    fn flat_call(&mut self, fields: &mut Fields<'_>, sink: &mut Sink<'_>) {
        let name = fields.tool.take().map(Str::decode).unwrap_or_default();
        let tool = self.extractor.calls.tool(&name);
        self.extractor.flat_call = Some(tool.clone());
        let like = Document {
            role: Role::Tool,
            style: Style::Raw,
            tool: Some(tool),
            ..self.like.of_part(Part::Block(1))
        };
        self.input(fields.arguments.take().unwrap_or(b"{}"), like, sink);
    }

    fn outcome(&mut self, raw: &[u8], results: Results<'_>, sink: &mut Sink<'_>) {
        let like = results.like.as_ref().unwrap_or(&self.like);
        let mut pieces = Pieces::new(sink, like.of_part(Part::Outcome));
        let input = results.call.map(|call| call.input).unwrap_or_default();
        let lines = &mut self.extractor.lines;
        outcome::each_new(raw, &results.contents, &input, lines, |new| match new {
            New::Whole(text) => pieces.push(text),
            New::Lines(text) => pieces.push_text(&text),
        });
        pieces.finish();
    }

    fn attachment(&mut self, fields: &mut Fields<'_>, sink: &mut Sink<'_>) {
        let Some(raw) = fields.attachment.take() else {
            return;
        };
        let mut others = Vec::new();
        let mut results = Results::default();
        let queued = self.entry.says.is_some();
        let _ = Cursor::new(raw).object(|cursor, key| {
            match key {
                b"prompt" if queued => self.content(cursor, &mut results, sink)?,
                b"type" | b"commandMode" | b"origin" | b"timestamp" | b"toolUseID"
                | b"hookEvent" => {
                    cursor.skip()?;
                }
                _ => others.push(cursor.skip()?),
            }
            Ok(())
        });
        fields.others.append(&mut others);
    }

    fn progress(&mut self, fields: &mut Fields<'_>, sink: &mut Sink<'_>) {
        let Some(raw) = fields.progress.take() else {
            return;
        };
        let mut copied = false;
        let (mut agent, mut message) = (None, None);
        let _ = Cursor::new(raw).object(|cursor, key| {
            match key {
                b"agentId" => agent = cursor.string()?,
                b"message" => message = Some(cursor.skip()?),
                _ => {
                    cursor.skip()?;
                }
            }
            Ok(())
        });
        if let Some(message) = message {
            let inner = Inner::read(message);
            let agent = agent.map(Str::decode).unwrap_or_default();
            let uuid = inner.uuid.map(Str::decode).unwrap_or_default();
            copied = (self.extractor.is_copied)(&agent, &uuid);
            if !copied {
                self.like.marks = self.like.marks.with(Marks::AGENT, true);
                self.like.role = inner.role();
                self.like.style = Style::Prose;
                inner.message.into_iter().for_each(|raw| {
                    self.message(raw, sink);
                });
            }
        }
        if !copied {
            self.new_lines(raw, sink);
        }
    }

    /// Keeps the lines of a sign of life that no earlier one had.
    fn new_lines(&mut self, raw: &[u8], sink: &mut Sink<'_>) {
        let like = Document {
            role: Role::System,
            style: Style::Raw,
            ..self.like.of_part(Part::Outcome)
        };
        let mut pieces = Pieces::new(sink, like);
        let seen = &mut self.extractor.seen;
        each_string(raw, choose, |key, text| {
            if key != b"type" && !is_encoded(key, text) {
                let new = seen.new_lines(&text.decode());
                if !new.is_empty() {
                    pieces.push_text(new.trim_end());
                }
            }
        });
        pieces.finish();
    }

    fn metadata(&mut self, fields: &mut Fields<'_>, sink: &mut Sink<'_>) {
        let title = fields.title.take().map(|title| (Role::Title, title));
        let prompt = fields.prompt.take().map(|prompt| (Role::User, prompt));
        for (role, text) in title.into_iter().chain(prompt) {
            if self.extractor.seen.note(text) {
                let repeats = role == Role::User;
                let like = Document {
                    role,
                    style: Style::Prose,
                    marks: self.like.marks.with(Marks::REPEAT, repeats),
                    ..self.like.of_part(Part::Block(0))
                };
                let mut pieces = Pieces::new(sink, like);
                pieces.push(text);
                pieces.finish();
            }
        }
        let name = self.entry.name.map(|name| self.log.text(name));
        if let Some(raw) = fields.content.take_if(|_| name == Some("queue-operation")) {
            let like = Document {
                role: Role::User,
                style: Style::Prose,
                marks: self.like.marks.with(Marks::REPEAT, true),
                ..self.like.of_part(Part::Block(0))
            };
            self.new_strings(&[raw], like, sink);
        }
    }

    /// Keeps whatever else the record says.
    fn rest(&mut self, fields: &Fields<'_>, sink: &mut Sink<'_>) {
        let known = [
            fields.message,
            fields.outcome,
            fields.attachment,
            fields.progress,
            fields.content,
            fields.arguments,
        ];
        let all: Vec<&[u8]> = known
            .into_iter()
            .flatten()
            .chain(fields.others.iter().copied())
            .collect();
        let role = match self.like.role {
            role @ (Role::User | Role::Summary) => role,
            _ => Role::System,
        };
        let like = Document {
            role,
            style: Style::Raw,
            ..self.like.of_part(Part::Fields)
        };
        self.new_strings(&all, like, sink);
    }

    fn new_strings(&mut self, all: &[&[u8]], like: Document, sink: &mut Sink<'_>) {
        let mut pieces = Pieces::new(sink, like);
        let seen = &mut self.extractor.seen;
        for raw in all {
            each_string(raw, choose, |key, text| {
                if !text.raw().is_empty() && !is_encoded(key, text) && seen.note(text) {
                    pieces.push(text);
                }
            });
        }
        pieces.finish();
    }

    /// Keeps bytes that are no record. Escapes are taken apart as in a string.
    fn fragment(&mut self, raw: &[u8], sink: &mut Sink<'_>) {
        let mut pieces = Pieces::new(sink, self.like.of_part(Part::Fields));
        let mut rest = raw;
        while !rest.is_empty() {
            let length = rest.len().min(super::LONGEST);
            let (head, tail) = rest.split_at(length);
            pieces.push_text(&loosened(head));
            rest = tail;
        }
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

/// The entry of an agent inside a sign of life.
#[derive(Default)]
struct Inner<'a> {
    kind: Option<Str<'a>>,
    uuid: Option<Str<'a>>,
    message: Option<&'a [u8]>,
}

impl<'a> Inner<'a> {
    fn read(raw: &'a [u8]) -> Self {
        let mut inner = Self::default();
        let _ = Cursor::new(raw).object_or_skip(|cursor, key| {
            match key {
                b"type" => inner.kind = cursor.string()?,
                b"uuid" => inner.uuid = cursor.string()?,
                b"message" => inner.message = Some(cursor.skip()?),
                _ => {
                    cursor.skip()?;
                }
            }
            Ok(())
        });
        inner
    }

    fn role(&self) -> Role {
        match self.kind.map(Str::raw) {
            Some(b"assistant") => Role::Assistant,
            _ => Role::User,
        }
    }
}

/// Says whose the text of an entry is, and how it is written.
fn role_of(entry: &Entry) -> (Role, Style) {
    let role = match (entry.kind, entry.says) {
        (EntryKind::User, None) => Role::Result,
        (_, Some(MessageKind::Prompt | MessageKind::Command | MessageKind::Queued)) => Role::User,
        (_, Some(MessageKind::Answer)) => Role::Assistant,
        (_, Some(MessageKind::Summary)) => Role::Summary,
        _ => Role::System,
    };
    let spoken = matches!(
        entry.kind,
        EntryKind::User | EntryKind::Assistant | EntryKind::System
    ) || entry.says.is_some();
    let style = if spoken { Style::Prose } else { Style::Raw };
    (role, style)
}

/// Leaves out names, ids and times.
fn choose(key: &[u8]) -> Choice {
    let is_id = is_envelope(key)
        || matches!(
            key,
            b"backupFileName"
                | b"backupTime"
                | b"signature"
                | b"tool_use_id"
                | b"media_type"
                | b"cache_control"
                | b"encrypted_content"
                | b"$schema"
        );
    // What is an id at the top may be text further down.
    match key {
        b"level" | b"operation" | b"origin" => Choice::Read,
        _ if is_id => Choice::Skip,
        _ => Choice::Read,
    }
}

/// Decodes bytes of a torn record: escapes become what they stand for, or a space.
pub(super) fn loosened(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let behind = &rest[at + 1..];
        let unicode = behind.strip_prefix('u').and_then(|hex| {
            let code = u32::from_str_radix(hex.get(..4)?, 16).ok()?;
            Some(char::from_u32(code).unwrap_or(' '))
        });
        let (shown, used) = match (unicode, behind.chars().next()) {
            (Some(c), _) => (c, 5),
            (None, Some(c @ ('"' | '\\' | '/'))) => (c, 1),
            (None, Some('n' | 't' | 'r' | 'b' | 'f')) => (' ', 1),
            _ => (' ', 0),
        };
        out.push(shown);
        rest = &behind[used..];
    }
    out.push_str(rest);
    out
}
