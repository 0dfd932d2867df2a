//! The rules of the flat dialect.
//!
//! The description of that dialect has rules, and a message that breaks one is an error. The log
//! does not keep all fields that the rules need, so the bytes of flat messages are read again
//! ([`FlatMessage`]). Files without flat messages, such as all files of real clients, are not read
//! again.

use std::io;

use unspool_model::dialect::{FlatMessage, FlatUser};
use unspool_model::entry::{BlockKind, Entry, EntryKind, Flags};
use unspool_model::json::JsonShape;
use unspool_model::positions::EntryIndex;
use unspool_model::schema::{FlatKey, RecordKey};

use super::findings::Findings;
use super::{CheckedFile, RuleId};

// The keys that findings name.
const SIDECHAIN: RecordKey = RecordKey::IsSidechain;
const SUBTYPE: RecordKey = RecordKey::Subtype;
const USER: RecordKey = RecordKey::UserType;
const TOOL: FlatKey = FlatKey::ToolName;
const ARGUMENTS: FlatKey = FlatKey::ToolArguments;

/// The entries of a file that are messages of the flat dialect.
#[derive(Default)]
pub(super) struct FlatEntries(Vec<bool>);

impl FlatEntries {
    pub(super) fn has(&self, entry: EntryIndex) -> bool {
        self.0.get(entry.index()) == Some(&true)
    }
}

/// Finds the messages of the flat dialect and checks them against its rules.
pub(super) fn check(subject: &CheckedFile<'_>, findings: &mut Findings) -> FlatEntries {
    judge(subject, findings).unwrap_or_else(|error| {
        findings.whole(RuleId::UnreadableFile, || format!("cannot be read: {error}"));
        FlatEntries::default()
    })
}

fn judge(subject: &CheckedFile<'_>, findings: &mut Findings) -> io::Result<FlatEntries> {
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
        let raw = FlatMessage::read(reader.bytes(entry.span)?);
        if raw.is_flat() || raw.is_flat_among_flat() {
            flat[index] = true;
            rules(subject, entry, &raw, findings);
        }
    }
    Ok(FlatEntries(flat))
}

/// Reports whether a file has a message of the flat dialect. Reads only likely candidates.
fn speaks_flat(subject: &CheckedFile<'_>) -> io::Result<bool> {
    let log = subject.log;
    let mut reader = subject.file.reader();
    for entry in log.entries.iter().filter(|entry| may_be_message(entry)) {
        let is_call = |entry: &Entry| {
            let mut blocks = log.blocks_of(entry).iter();
            blocks.any(|block| block.kind == BlockKind::Call && block.call == entry.uuid)
        };
        let marked = entry.flags.has(Flags::FLAT) || entry.flags.has(Flags::DELETED);
        if (marked || is_call(entry)) && FlatMessage::read(reader.bytes(entry.span)?).is_flat() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Reports whether a record has the type of a message, or no type.
fn may_be_message(entry: &Entry) -> bool {
    match entry.kind {
        EntryKind::User | EntryKind::Assistant | EntryKind::System => true,
        EntryKind::Metadata => entry.name.is_none(),
        EntryKind::Attachment | EntryKind::Progress | EntryKind::Fragment => false,
    }
}

fn rules(subject: &CheckedFile<'_>, entry: &Entry, raw: &FlatMessage, findings: &mut Findings) {
    let log = subject.log;
    let lacks = lacks(entry, raw);
    if !lacks.is_empty() {
        findings.at(RuleId::RequiredFields, log, entry, || format!("lacks {}", lacks.join(", ")));
    }
    if let Some(reason) = misplaced_flag(subject, entry, raw) {
        findings.at(RuleId::SidechainFlag, log, entry, || format!("`{SIDECHAIN}` {reason}"));
    }
    if raw.user == Some(FlatUser::External) && raw.sidechain != Some(true) {
        findings.at(RuleId::ExternalSidechain, log, entry, || {
            format!("`{USER}` is `external`, but `{SIDECHAIN}` is not true")
        });
    }
    if raw.lacks_tool_name() {
        findings.at(RuleId::ToolName, log, entry, || {
            format!("`{SUBTYPE}` is `tool_use`, but there is no `{TOOL}`")
        });
    }
    if let Some(shape) = raw.arguments.filter(|&shape| shape != JsonShape::Object) {
        findings.at(RuleId::ToolArguments, log, entry, || {
            format!("`{ARGUMENTS}` is {}, not an object", name(shape))
        });
    }
}

/// Lists the required fields that a message lacks.
fn lacks(entry: &Entry, raw: &FlatMessage) -> Vec<String> {
    let keys = raw.lacks();
    let mut lacks: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    if !keys.contains(&RecordKey::Timestamp) && entry.time.is_none() {
        lacks.push(format!("a `{}` that is a time", RecordKey::Timestamp));
    }
    lacks
}

/// Returns why `isSidechain` does not belong on a message, if it does not.
fn misplaced_flag(
    subject: &CheckedFile<'_>,
    entry: &Entry,
    raw: &FlatMessage,
) -> Option<&'static str> {
    if !raw.sidechain? {
        return Some("is not true; main messages do without it");
    }
    if raw.user == Some(FlatUser::Human) {
        return Some("is set on a message of a human user");
    }
    let graph = &subject.conversation.graph;
    let parent = entry.parent.and_then(|uuid| graph.node(uuid))?;
    let on_main = !subject.entry(parent).flags.has(Flags::SIDECHAIN);
    (on_main && entry.kind != EntryKind::User)
        .then_some("is set on a message that goes on from the main conversation")
}

fn name(shape: JsonShape) -> &'static str {
    match shape {
        JsonShape::String => "a string",
        JsonShape::Object => "an object",
        JsonShape::Array => "an array",
        JsonShape::Number => "a number",
        JsonShape::Bool => "a boolean",
        JsonShape::Null => "null",
    }
}
