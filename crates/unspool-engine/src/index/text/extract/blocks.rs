//! The content of messages, block by block.

use memchr::memmem;
use unspool_model::entry::{BlockKind, Verdict};
use unspool_model::json::{Cursor, Result, Shape, Str};
use unspool_model::query::Role;

use super::entry::Reading;
use super::pieces::{Pieces, Sink};
use super::seen::{Call, Print};
use super::strings::{Choice, each_string, is_encoded};
use crate::index::text::document::{Document, Marks, Part, Style};

/// One content block, as far as it matters here.
#[derive(Default)]
struct Block<'a> {
    raw: &'a [u8],
    kind: Option<Str<'a>>,
    text: Option<Str<'a>>,
    thinking: Option<Str<'a>>,
    name: Option<Str<'a>>,
    id: Option<Str<'a>>,
    answers: Option<Str<'a>>,
    input: Option<&'a [u8]>,
    content: Option<&'a [u8]>,
    is_error: bool,
}

/// What the results of an entry hold, to be compared with what stands beside them.
#[derive(Default)]
pub(super) struct Results<'a> {
    /// Their contents as they stand in the record.
    pub(super) contents: Vec<&'a [u8]>,
    /// The call that the last of them answers to.
    pub(super) call: Option<Call>,
    /// The last of them, without text.
    pub(super) like: Option<Document>,
}

impl<'a> Block<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        let mut block = Self::default();
        cursor.white();
        let start = cursor.position();
        cursor.object_or_skip(|cursor, key| block.field(cursor, key))?;
        block.raw = cursor.since(start);
        Ok(block)
    }

    fn field(&mut self, cursor: &mut Cursor<'a>, key: &[u8]) -> Result<()> {
        match key {
            b"type" => self.kind = cursor.string()?,
            b"text" => self.text = cursor.string()?,
            b"thinking" => self.thinking = cursor.string()?,
            b"name" => self.name = cursor.string()?,
            b"id" => self.id = cursor.string()?,
            b"tool_use_id" => self.answers = cursor.string()?,
            b"input" => self.input = Some(cursor.skip()?),
            b"content" => self.content = Some(cursor.skip()?),
            b"is_error" => self.is_error = cursor.flag()?,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    }
}

impl Reading<'_, '_> {
    /// Reads a message: an object with content, or a text.
    pub(super) fn message<'a>(&mut self, raw: &'a [u8], sink: &mut Sink<'_>) -> Results<'a> {
        let mut results = Results::default();
        let mut cursor = Cursor::new(raw);
        if cursor.shape() == Ok(Shape::String) {
            if let Ok(Some(text)) = cursor.string() {
                self.said(0, text, sink);
            }
            return results;
        }
        let mut spread = String::new();
        let _ = cursor.object(|cursor, key| {
            match key {
                b"content" => self.content(cursor, &mut results, sink)?,
                // A text that was spread into an object, character by character.
                [b'0'..=b'9', ..] => {
                    spread.extend(cursor.string()?.map(Str::decode));
                }
                _ => {
                    cursor.skip()?;
                }
            }
            Ok(())
        });
        if !spread.is_empty() {
            let mut pieces = Pieces::new(sink, self.like.of_part(Part::Block(0)));
            pieces.push_text(&spread);
            pieces.finish();
        }
        results
    }

    /// Reads content: a text, a block, or a list of blocks.
    pub(super) fn content<'a>(
        &mut self,
        cursor: &mut Cursor<'a>,
        results: &mut Results<'a>,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let mut number = 0;
        let mut item = |cursor: &mut Cursor<'a>| -> Result<()> {
            if cursor.shape()? == Shape::String {
                if let Some(text) = cursor.string()? {
                    self.said(number, text, sink);
                }
            } else {
                self.block(number, &Block::read(cursor)?, results, sink);
            }
            number = number.saturating_add(1);
            Ok(())
        };
        if cursor.shape()? == Shape::Array {
            cursor.array(item)
        } else {
            item(cursor)
        }
    }

    /// Keeps what somebody said.
    fn said(&mut self, number: u16, text: Str<'_>, sink: &mut Sink<'_>) {
        self.extractor.seen.note(text);
        let mut pieces = Pieces::new(sink, self.like.of_part(Part::Block(number)));
        pieces.push(text);
        pieces.finish();
    }

    fn block<'a>(
        &mut self,
        number: u16,
        block: &Block<'a>,
        results: &mut Results<'a>,
        sink: &mut Sink<'_>,
    ) {
        let like = self.like.of_part(Part::Block(number));
        match block.kind.map(Str::raw) {
            Some(b"text") => {
                if let Some(text) = block.text {
                    self.said(number, text, sink);
                }
            }
            Some(b"thinking" | b"redacted_thinking") => {
                let like = Document {
                    role: Role::Thinking,
                    ..like
                };
                let mut pieces = Pieces::new(sink, like);
                block
                    .thinking
                    .into_iter()
                    .for_each(|text| pieces.push(text));
                pieces.finish();
            }
            Some(b"tool_use" | b"server_tool_use") => self.call(block, like, sink),
            Some(kind) if kind.ends_with(b"tool_result") => {
                self.result(number, block, like, results, sink);
            }
            _ => {
                let mut pieces = Pieces::new(sink, like);
                if let Some(kind @ (b"image" | b"document")) = block.kind.map(Str::raw) {
                    pieces.push_text(&String::from_utf8_lossy(kind));
                }
                each_string(block.raw, choose, |key, text| {
                    if !is_encoded(key, text) {
                        pieces.push(text);
                    }
                });
                pieces.finish();
            }
        }
    }

    /// Keeps the input of a call, and remembers the call for its result.
    fn call(&mut self, block: &Block<'_>, like: Document, sink: &mut Sink<'_>) {
        let name = block.name.map(Str::decode).unwrap_or_default();
        let input = block.input.unwrap_or(b"{}");
        let tool = self.extractor.calls.tool(&name);
        let own = is_own(&name, input);
        let like = Document {
            role: Role::Tool,
            style: Style::Raw,
            tool: Some(tool.clone()),
            marks: like.marks.with(Marks::OWN, own),
            ..like
        };
        let input = self.input(input, like, sink);
        if let Some(id) = block.id {
            let call = Call { tool, own, input };
            self.extractor.calls.add(id.raw(), call);
        }
    }

    /// Keeps all strings of an input; returns their prints. The tool's name counts as one.
    pub(super) fn input(
        &mut self,
        input: &[u8],
        like: Document,
        sink: &mut Sink<'_>,
    ) -> Vec<Print> {
        let lines = &mut self.extractor.lines;
        let mut prints = Vec::new();
        let tool = like.tool.clone();
        let mut pieces = Pieces::new(sink, like);
        if let Some(tool) = tool {
            pieces.push_text(&tool);
        }
        each_string(
            input,
            |_| Choice::Read,
            |key, text| {
                prints.push(Print::of(text.raw()));
                if !is_encoded(key, text) {
                    pieces.push(text);
                    if is_of_file(key) {
                        lines.note(text);
                    }
                }
            },
        );
        pieces.finish();
        prints
    }

    fn result<'a>(
        &mut self,
        number: u16,
        block: &Block<'a>,
        like: Document,
        results: &mut Results<'a>,
        sink: &mut Sink<'_>,
    ) {
        let id = block.answers.or(block.id);
        let call = id.and_then(|id| self.extractor.calls.answered(id.raw()));
        let content = block.content.unwrap_or_default();
        let failed = match self.verdict(number) {
            Some(verdict) => verdict == Verdict::Failed,
            None => block.is_error,
        };
        let image =
            content.first() != Some(&b'"') && memmem::find(content, br#""type":"image""#).is_some();
        let marks = like.marks.with(Marks::ERROR, failed);
        let marks = marks.with(Marks::OWN, call.is_some_and(|call| call.own));
        let like = Document {
            role: Role::Result,
            style: Style::Raw,
            tool: call.map(|call| call.tool.clone()),
            marks: marks.with(Marks::IMAGE, image),
            ..like
        };
        results.call = call.cloned();
        results.like = Some(like.clone_without_text());
        let mut pieces = Pieces::new(sink, like);
        let seen = &mut self.extractor.seen;
        each_string(content, choose, |key, text| {
            if !is_encoded(key, text) {
                results.contents.push(text.raw());
                seen.note(text);
                pieces.push(text);
            }
        });
        pieces.finish();
    }

    /// Returns how a result came out, as the log judged it.
    fn verdict(&self, number: u16) -> Option<Verdict> {
        let block = self.log.blocks_of(self.entry).get(usize::from(number))?;
        match block.kind {
            BlockKind::Result(verdict) => Some(verdict),
            _ => None,
        }
    }
}

/// Leaves out what is no text inside of blocks.
fn choose(key: &[u8]) -> Choice {
    match key {
        b"type" | b"id" | b"tool_use_id" | b"media_type" | b"signature" | b"encrypted_content"
        | b"cache_control" | b"file_id" => Choice::Skip,
        _ => Choice::Read,
    }
}

/// Tells whether an input is what a file holds, or is to hold.
fn is_of_file(key: &[u8]) -> bool {
    matches!(
        key,
        b"content" | b"old_string" | b"new_string" | b"old_str" | b"new_str" | b"new_source"
    )
}

/// Tells whether a call asks unspool about sessions: what comes back is already in the index.
fn is_own(tool: &str, input: &[u8]) -> bool {
    const COMMANDS: [&[u8]; 7] = [
        b"search", b"show", b"list", b"tree", b"stats", b"export", b"pick",
    ];
    if tool.starts_with("mcp__unspool__") {
        return true;
    }
    memmem::find_iter(input, b"unspool ").any(|at| {
        let begins = at == 0 || !input[at - 1].is_ascii_alphanumeric();
        let behind = &input[at + b"unspool ".len()..];
        begins && COMMANDS.iter().any(|command| behind.starts_with(command))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_unspool_are_known_by_their_command() {
        for (tool, input, expected) in [
            ("Bash", r#"{"command":"unspool search foo"}"#, true),
            (
                "Bash",
                r#"{"command":"cd x && ./unspool list --json"}"#,
                true,
            ),
            ("Bash", r#"{"command":"cd unspool && cargo test"}"#, false),
            ("Bash", r#"{"command":"grep unspool README.md"}"#, false),
            ("mcp__unspool__find", "{}", true),
        ] {
            assert_eq!(is_own(tool, input.as_bytes()), expected, "{input}");
        }
    }
}
