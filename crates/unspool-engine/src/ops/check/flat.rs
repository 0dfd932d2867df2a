//! The rules of the flat dialect.
//!
//! That dialect has a description with rules, and a message that breaks one is an error.
//! The log does not keep what the rules ask for, so the bytes of such messages are read
//! again. Files without a flat message, which all files of real clients are, are not.
//!
//! Records that bear a client's `version` are never judged here, whatever else they look
//! like: lookalikes of the wire dialect with a plain text for a message exist.

use std::io;

use unspool_model::entry::{BlockKind, Entry, EntryKind, Flags};
use unspool_model::json::{Cursor, Result, Shape};

use super::findings::Findings;
use super::{RuleId, Subject};

/// Which entries of a file are messages of the flat dialect.
#[derive(Default)]
pub(super) struct FlatEntries(Vec<bool>);

impl FlatEntries {
    pub(super) fn has(&self, entry: usize) -> bool {
        self.0.get(entry) == Some(&true)
    }
}

/// Finds the messages of the flat dialect and holds them against its rules.
pub(super) fn check(subject: &Subject<'_>, findings: &mut Findings) -> FlatEntries {
    judge(subject, findings).unwrap_or_else(|error| {
        findings.whole(RuleId::UnreadableFile, || {
            format!("cannot be read: {error}")
        });
        FlatEntries::default()
    })
}

fn judge(subject: &Subject<'_>, findings: &mut Findings) -> io::Result<FlatEntries> {
    let log = subject.log;
    if !speaks_flat(subject)? {
        return Ok(FlatEntries::default());
    }
    let mut reader = subject.file.reader();
    let mut flat = vec![false; log.entries.len()];
    for (index, entry) in log.entries.iter().enumerate() {
        if !may_be_message(entry) {
            continue;
        }
        let raw = Raw::read(reader.bytes(entry.span)?);
        if raw.is_flat() || raw.is_flat_among_flat() {
            flat[index] = true;
            rules(subject, entry, &raw, findings);
        }
    }
    Ok(FlatEntries(flat))
}

/// Tells whether a file has a message of the flat dialect. Reads only what looks like one.
fn speaks_flat(subject: &Subject<'_>) -> io::Result<bool> {
    let log = subject.log;
    let mut reader = subject.file.reader();
    for entry in log.entries.iter().filter(|entry| may_be_message(entry)) {
        let is_call = |entry: &Entry| {
            let mut blocks = log.blocks_of(entry).iter();
            blocks.any(|block| block.kind == BlockKind::Call && block.call == entry.uuid)
        };
        let marked = entry.flags.has(Flags::FLAT) || entry.flags.has(Flags::DELETED);
        if (marked || is_call(entry)) && Raw::read(reader.bytes(entry.span)?).is_flat() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Tells whether a record has the type of a message, or none.
fn may_be_message(entry: &Entry) -> bool {
    match entry.kind {
        EntryKind::User | EntryKind::Assistant | EntryKind::System => true,
        EntryKind::Metadata => entry.name.is_none(),
        EntryKind::Attachment | EntryKind::Progress | EntryKind::Fragment => false,
    }
}

fn rules(subject: &Subject<'_>, entry: &Entry, raw: &Raw, findings: &mut Findings) {
    let log = subject.log;
    let lacks = raw.lacks(entry);
    if !lacks.is_empty() {
        findings.at(RuleId::RequiredFields, log, entry, || {
            format!("lacks {}", lacks.join(", "))
        });
    }
    if let Some(reason) = misplaced_flag(subject, entry, raw) {
        findings.at(RuleId::SidechainFlag, log, entry, || reason.to_owned());
    }
    if raw.user == Some(User::External) && raw.sidechain != Some(true) {
        findings.at(RuleId::ExternalSidechain, log, entry, || {
            "`userType` is `external`, but `isSidechain` is not true".to_owned()
        });
    }
    if raw.calls && raw.tool_name != Field::Text {
        findings.at(RuleId::ToolName, log, entry, || {
            "`subtype` is `tool_use`, but there is no `toolName`".to_owned()
        });
    }
    if let Some(shape) = raw.arguments.filter(|&shape| shape != Shape::Object) {
        findings.at(RuleId::ToolArguments, log, entry, || {
            format!("`toolArguments` is {}, not an object", name(shape))
        });
    }
}

/// Says why `isSidechain` does not belong on a message, if it does not.
fn misplaced_flag(subject: &Subject<'_>, entry: &Entry, raw: &Raw) -> Option<&'static str> {
    if !raw.sidechain? {
        return Some("`isSidechain` is not true; main messages do without it");
    }
    if raw.user == Some(User::Human) {
        return Some("`isSidechain` stands on a message of a human user");
    }
    let graph = &subject.conversation.graph;
    let parent = entry.parent.and_then(|uuid| graph.node(uuid))?;
    let on_main = !subject.entry(parent).flags.has(Flags::SIDECHAIN);
    (on_main && entry.kind != EntryKind::User)
        .then_some("`isSidechain` stands on a message that goes on from the main conversation")
}

fn name(shape: Shape) -> &'static str {
    match shape {
        Shape::String => "a string",
        Shape::Object => "an object",
        Shape::Array => "an array",
        Shape::Number => "a number",
        Shape::Bool => "a boolean",
        Shape::Null => "null",
    }
}

/// Whether a key is there and holds a text.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Field {
    #[default]
    Missing,
    Wrong,
    Text,
}

/// Who speaks, by `userType`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum User {
    External,
    Human,
    Other,
}

/// What the rules ask of a record.
#[derive(Default)]
struct Raw {
    kind: Field,
    uuid: Field,
    time: Field,
    session: Field,
    user: Option<User>,
    sidechain: Option<bool>,
    calls: bool,
    tool_name: Field,
    arguments: Option<Shape>,
    message: Option<Shape>,
    /// Has a key or a type that only the flat dialect knows.
    marked: bool,
    /// Has a key that only the wire dialect knows.
    wire: bool,
    /// Was written by a client.
    versioned: bool,
}

impl Raw {
    /// Reads a record; of one that has changed on disk since, what can be read.
    fn read(bytes: &[u8]) -> Self {
        let mut raw = Self::default();
        let _ = Cursor::new(bytes).object(|cursor, key| raw.field(cursor, key));
        raw
    }

    fn field(&mut self, cursor: &mut Cursor<'_>, key: &[u8]) -> Result<()> {
        match key {
            b"type" => {
                let kind = cursor.string()?;
                self.marked |= kind.is_some_and(|kind| kind.raw() == b"compact_system");
                self.kind = kind.map_or(Field::Wrong, |_| Field::Text);
            }
            b"uuid" => self.uuid = field(cursor)?,
            b"timestamp" => self.time = field(cursor)?,
            b"sessionId" => self.session = field(cursor)?,
            b"subtype" => {
                self.calls = cursor
                    .string()?
                    .is_some_and(|kind| kind.raw() == b"tool_use");
            }
            b"toolName" => self.tool_name = field(cursor)?,
            b"toolArguments" => self.arguments = Some(shape(cursor)?),
            b"message" => self.message = Some(shape(cursor)?),
            b"isSidechain" => self.sidechain = Some(cursor.flag()?),
            b"userType" => {
                self.user = cursor.string()?.map(|user| match user.raw() {
                    b"external" => User::External,
                    b"human" => User::Human,
                    _ => User::Other,
                });
            }
            b"isDeleted" | b"isAborted" => {
                cursor.skip()?;
                self.marked = true;
            }
            b"content" | b"cwd" | b"gitBranch" | b"level" | b"durationMs" | b"compactMetadata" => {
                cursor.skip()?;
                self.wire = true;
            }
            b"version" => self.versioned = field(cursor)? == Field::Text,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    }

    /// Tells whether a record is in the flat dialect by what it holds itself.
    fn is_flat(&self) -> bool {
        let marked = self.marked
            || self.calls
            || self.tool_name != Field::Missing
            || self.arguments.is_some()
            || self.message == Some(Shape::String);
        marked && !self.versioned
    }

    /// Tells whether a record without any mark is to be taken for flat in a file that has
    /// flat messages: one that is at home there and shows nothing of the wire dialect.
    fn is_flat_among_flat(&self) -> bool {
        let placed = [self.kind, self.uuid, self.session].contains(&Field::Text);
        placed && !self.versioned && !self.wire && self.message != Some(Shape::Object)
    }

    /// Lists the required fields that a message does not have.
    fn lacks(&self, entry: &Entry) -> Vec<&'static str> {
        let required = [
            (self.kind, "`type`"),
            (self.uuid, "`uuid`"),
            (self.time, "`timestamp`"),
            (self.session, "`sessionId`"),
        ];
        let mut lacks: Vec<&str> = required
            .iter()
            .filter(|(field, _)| *field != Field::Text)
            .map(|(_, name)| *name)
            .collect();
        if self.time == Field::Text && entry.time.is_none() {
            lacks.push("a `timestamp` that is a time");
        }
        lacks
    }
}

fn field(cursor: &mut Cursor<'_>) -> Result<Field> {
    let text = cursor.string()?.filter(|text| !text.raw().is_empty());
    Ok(text.map_or(Field::Wrong, |_| Field::Text))
}

fn shape(cursor: &mut Cursor<'_>) -> Result<Shape> {
    let shape = cursor.shape()?;
    cursor.skip()?;
    Ok(shape)
}
