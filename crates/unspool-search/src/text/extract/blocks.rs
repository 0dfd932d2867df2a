//! The content of messages, block by block.

use memchr::memmem;
use unspool_model::entry::{BlockKind, Entry, EntryKind, Verdict};
use unspool_model::json::{Cursor, JsonResult, JsonShape, Str};
use unspool_model::log::Log;
use unspool_model::roles;
use unspool_model::schema::{self, BlockKey, Level, RecordKey, Slot, SpreadText, TextKind};
use unspool_model::tool;

use super::Extractor;
use super::pieces::{Pieces, Sink};
use super::seen::{SeenCall, TextPrint};
use super::strings::{KeyedValue, each_text};
use crate::text::document::{DocumentFlags, EntryPart, TextDocument, WritingStyle};

/// The extraction of one entry.
pub(super) struct EntryReading<'r, 'c> {
    pub(super) extractor: &'r mut Extractor<'c>,
    pub(super) log: &'r Log,
    pub(super) entry: &'r Entry,
    /// The kind of the message's own texts.
    pub(super) said: TextKind,
    /// The properties that all documents of the entry share, without a text.
    pub(super) like: TextDocument,
}

/// The fields of a content block that are needed here.
#[derive(Default)]
struct ContentBlock<'a> {
    kind: Option<Str<'a>>,
    name: Option<Str<'a>>,
    id: Option<Str<'a>>,
    answers: Option<Str<'a>>,
    is_error: bool,
    /// Its texts, with their kinds.
    texts: Vec<(TextKind, KeyedValue<'a>)>,
}

/// The results of an entry, to compare the texts next to them with.
#[derive(Default)]
pub(super) struct EntryResults<'a> {
    /// The texts of the results, as they are in the record.
    pub(super) contents: Vec<&'a [u8]>,
    /// The call of the last result.
    pub(super) call: Option<SeenCall>,
    /// The document of the last result, without its text.
    pub(super) like: Option<TextDocument>,
    /// Remarks found in the message.
    pub(super) remarks: Vec<KeyedValue<'a>>,
}

impl<'a> ContentBlock<'a> {
    /// Reads a block; `said` is the kind of texts whose keys do not decide it.
    fn read(cursor: &mut Cursor<'a>, said: TextKind) -> JsonResult<Self> {
        let level = Level::Block(said);
        let mut block = Self::default();
        if cursor.shape()? == JsonShape::Object {
            cursor.object(|cursor, key| block.field(cursor, key, level))?;
        } else {
            block.texts.push((said, KeyedValue::new(b"", cursor.skip()?)));
        }
        Ok(block)
    }

    fn field(&mut self, cursor: &mut Cursor<'a>, key: &[u8], level: Level) -> JsonResult<()> {
        cursor.white();
        let start = cursor.position();
        let known = BlockKey::of(key);
        match known {
            Some(BlockKey::Type) => self.kind = cursor.string()?,
            Some(BlockKey::Name) => self.name = cursor.string()?,
            Some(BlockKey::Id) => self.id = cursor.string()?,
            Some(BlockKey::ToolUseId) => self.answers = cursor.string()?,
            Some(BlockKey::IsError) => self.is_error = cursor.flag()?,
            _ => drop(cursor.skip()?),
        }
        // The name of a tool is the first text of a call, wherever its key is.
        let is_tool = known == Some(BlockKey::Name) && self.name.is_some();
        if let Slot::Text(kind) = level.slot(key)
            && !is_tool
            && schema::may_contain_texts(key, cursor.since(start))
        {
            self.texts.push((kind, KeyedValue::new(key, cursor.since(start))));
        }
        Ok(())
    }

    /// Tells whether the block's type is that of a tool result.
    fn is_result(&self) -> bool {
        self.kind.is_some_and(schema::is_result_type)
    }

    /// Returns the texts of a kind.
    fn of(&self, kind: TextKind) -> Vec<KeyedValue<'a>> {
        let texts = self.texts.iter().filter(|text| text.0 == kind);
        texts.map(|(_, text)| *text).collect()
    }
}

impl EntryReading<'_, '_> {
    /// Makes documents of a message: an object with content, or a string.
    pub(super) fn message<'a>(
        &mut self,
        raw: &'a [u8],
        results: &mut EntryResults<'a>,
        sink: &mut Sink<'_>,
    ) {
        let mut cursor = Cursor::new(raw);
        let level = Level::Message(self.said);
        if cursor.shape() != Ok(JsonShape::Object) {
            self.say(0, &[KeyedValue::of(RecordKey::Message, raw)], sink);
            return;
        }
        let mut spread = SpreadText::default();
        // The value was parsed as JSON before, so the walk reaches its end.
        let _ = cursor.object(|cursor, key| match level.slot(key) {
            Slot::Content(_) => self.content(cursor, results, sink),
            Slot::Unit if spread.takes(key) => {
                spread.add(cursor.string()?);
                Ok(())
            }
            Slot::Unit | Slot::Text(_) => {
                results.remarks.push(KeyedValue::new(key, cursor.skip()?));
                Ok(())
            }
            _ => cursor.skip().map(drop),
        });
        if let Some(text) = spread.text() {
            let mut pieces = Pieces::new(sink, self.like.of_part(EntryPart::Block(0)));
            pieces.push(text);
            pieces.finish();
        }
    }

    /// Makes documents of content: a string, a block, or a list of blocks.
    pub(super) fn content<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        results: &mut EntryResults<'a>,
        sink: &mut Sink<'_>,
    ) -> JsonResult<()> {
        let mut number = 0;
        let mut item = |cursor: &mut Cursor<'a>| -> JsonResult<()> {
            let block = ContentBlock::read(cursor, self.said)?;
            self.block(number, &block, results, sink);
            number = number.saturating_add(1);
            Ok(())
        };
        if cursor.shape()? == JsonShape::Array { cursor.array(item) } else { item(cursor) }
    }

    /// Makes a document of texts of the message. A metadata record adds only texts that are new.
    pub(super) fn say(&mut self, number: u16, texts: &[KeyedValue<'_>], sink: &mut Sink<'_>) {
        let repeats = self.entry.kind == EntryKind::Metadata;
        let mut pieces = Pieces::new(sink, self.like.of_part(EntryPart::Block(number)));
        let seen = &mut self.extractor.seen;
        for text in texts {
            each_text(*text, self.said, |_, text| {
                if seen.note(text) || !repeats {
                    pieces.push(text);
                }
            });
        }
        pieces.finish();
    }

    fn block<'a>(
        &mut self,
        number: u16,
        block: &ContentBlock<'a>,
        results: &mut EntryResults<'a>,
        sink: &mut Sink<'_>,
    ) {
        let said = block.of(self.said);
        if let Some(name) = block.kind.and_then(schema::picture_name) {
            self.picture(number, name, &said, sink);
        } else if !said.is_empty() {
            self.say(number, &said, sink);
        }
        let thinking = block.of(TextKind::Thinking);
        if !thinking.is_empty() {
            self.think(number, &thinking, sink);
        }
        let input = block.of(TextKind::Input);
        if block.name.is_some() || !input.is_empty() {
            self.call(number, block, &input, sink);
        }
        let content = block.of(TextKind::Result);
        if !content.is_empty() || block.is_result() {
            self.result(number, block, &content, results, sink);
        }
    }

    /// Makes a document of a picture or a file, with the word `image` or `document` before its texts.
    fn picture(&mut self, number: u16, name: &str, texts: &[KeyedValue<'_>], sink: &mut Sink<'_>) {
        let mut pieces = Pieces::new(sink, self.like.of_part(EntryPart::Block(number)));
        pieces.push_text(name);
        for text in texts {
            each_text(*text, self.said, |_, text| pieces.push(text));
        }
        pieces.finish();
    }

    pub(super) fn think(&mut self, number: u16, texts: &[KeyedValue<'_>], sink: &mut Sink<'_>) {
        let like = TextDocument {
            role: roles::role(TextKind::Thinking, self.log, self.entry),
            ..self.like.of_part(EntryPart::Block(number))
        };
        let mut pieces = Pieces::new(sink, like);
        for text in texts {
            each_text(*text, TextKind::Thinking, |_, text| pieces.push(text));
        }
        pieces.finish();
    }

    /// Makes a document of the input of a call, and remembers the call for its result.
    fn call(
        &mut self,
        number: u16,
        block: &ContentBlock<'_>,
        input: &[KeyedValue<'_>],
        sink: &mut Sink<'_>,
    ) {
        let name = block.name.filter(|&name| is_tool_name(name));
        let name = name.map(Str::decode).unwrap_or_default();
        let tool = self.extractor.calls.tool(&name);
        let own = input.iter().any(|input| asks_unspool(input.raw)) || is_own_tool(&name);
        let like = self.like.of_part(EntryPart::Block(number));
        let like = TextDocument {
            role: roles::role(TextKind::Input, self.log, self.entry),
            style: WritingStyle::Raw,
            tool: Some(tool.clone()),
            marks: like.marks.with(DocumentFlags::OWN, own),
            ..like
        };
        let input = self.input(input, like, sink);
        if let Some(id) = block.id {
            let call = SeenCall { tool, own, input };
            self.extractor.calls.add(id.raw(), call);
        }
    }

    /// Makes a document of the tool's name and all strings of an input; returns the strings' prints.
    pub(super) fn input(
        &mut self,
        input: &[KeyedValue<'_>],
        like: TextDocument,
        sink: &mut Sink<'_>,
    ) -> Vec<TextPrint> {
        let lines = &mut self.extractor.lines;
        let mut prints = Vec::new();
        let tool = like.tool.clone();
        let mut pieces = Pieces::new(sink, like);
        if let Some(tool) = tool {
            pieces.push_text(&tool);
        }
        for text in input {
            each_text(*text, TextKind::Input, |key, text| {
                prints.push(TextPrint::of(text.raw()));
                pieces.push(text);
                if tool::is_file_input(key) {
                    lines.note(text);
                }
            });
        }
        pieces.finish();
        prints
    }

    fn result<'a>(
        &mut self,
        number: u16,
        block: &ContentBlock<'a>,
        content: &[KeyedValue<'a>],
        results: &mut EntryResults<'a>,
        sink: &mut Sink<'_>,
    ) {
        let id = block.answers.or(block.id);
        let call = id.and_then(|id| self.extractor.calls.answered(id.raw()));
        let failed = match self.verdict(number) {
            Some(verdict) => verdict == Verdict::Failed,
            None => block.is_error,
        };
        let image = content.iter().any(|content| schema::has_image(content.raw));
        let like = self.like.of_part(EntryPart::Block(number));
        let marks = like.marks.with(DocumentFlags::ERROR, failed);
        let marks = marks.with(DocumentFlags::OWN, call.is_some_and(|call| call.own));
        let like = TextDocument {
            role: roles::role(TextKind::Result, self.log, self.entry),
            style: WritingStyle::Raw,
            tool: call.map(|call| call.tool.clone()),
            marks: marks.with(DocumentFlags::IMAGE, image),
            ..like
        };
        results.call = call.cloned();
        results.like = Some(like.clone_without_text());
        let mut pieces = Pieces::new(sink, like);
        let seen = &mut self.extractor.seen;
        for text in content {
            each_text(*text, TextKind::Result, |_, text| {
                results.contents.push(text.raw());
                seen.note(text);
                pieces.push(text);
            });
        }
        pieces.finish();
    }

    /// Returns the log's verdict on the result in a block.
    fn verdict(&self, number: u16) -> Option<Verdict> {
        let block = self.log.blocks_of(self.entry).get(usize::from(number))?;
        match block.kind {
            BlockKind::Result(verdict) => Some(verdict),
            _ => None,
        }
    }
}

/// Tells whether a string can be the name of a tool.
pub(super) fn is_tool_name(name: Str<'_>) -> bool {
    schema::is_text(TextKind::Input, BlockKey::Name.name().as_bytes(), name)
}

/// Tells whether a tool is one of unspool's own, whose results are already in the index.
fn is_own_tool(tool: &str) -> bool {
    tool.starts_with("mcp__unspool__")
}

/// The commands of unspool. What they print about sessions is already in the index.
pub const OWN_COMMANDS: [&str; 17] = [
    "list",
    "show",
    "tree",
    "check",
    "search",
    "serve",
    "stats",
    "export",
    "archive",
    "config",
    "drive",
    "recap",
    "completions",
    "man",
    "pick",
    "resume",
    "watch",
];

/// Tells whether the input of a call runs unspool on sessions.
fn asks_unspool(input: &[u8]) -> bool {
    memmem::find_iter(input, b"unspool ").any(|at| {
        let begins = at == 0 || !input[at - 1].is_ascii_alphanumeric();
        let following = &input[at + b"unspool ".len()..];
        let is_command = |command: &&str| {
            let after = following.strip_prefix(command.as_bytes());
            after.is_some_and(|after| !after.first().is_some_and(u8::is_ascii_alphanumeric))
        };
        begins && OWN_COMMANDS.iter().any(is_command)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_unspool_are_known_by_their_command() {
        for (tool, input, expected) in [
            ("Bash", r#"{"command":"unspool search foo"}"#, true),
            ("Bash", r#"{"command":"cd x && ./unspool list --json"}"#, true),
            ("Bash", r#"{"command":"cd unspool && cargo test"}"#, false),
            ("Bash", r#"{"command":"grep unspool README.md"}"#, false),
            ("Bash", r#"{"command":"unspool check --json"}"#, true),
            ("Bash", r#"{"command":"unspool archive list"}"#, true),
            ("Bash", r#"{"command":"unspool config"}"#, true),
            ("Bash", r#"{"command":"rm unspool checksums"}"#, false),
            ("mcp__unspool__find", "{}", true),
        ] {
            let own = is_own_tool(tool) || asks_unspool(input.as_bytes());
            assert_eq!(own, expected, "{input}");
        }
    }
}
