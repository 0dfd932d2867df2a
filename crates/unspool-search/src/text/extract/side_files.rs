//! The documents of side files.

use std::borrow::Cow;
use std::io::{self, Read as _};
use std::path::Path;

use memchr::{memchr, memmem};
use unspool_model::history::HistoryLine;
use unspool_model::query::TextRole;
use unspool_model::sidecar::side_texts;
use unspool_model::time::Time;

use super::pieces::{Pieces, Sink};
use crate::text::document::{DocumentFlags, EntryPart, TextDocument, TextPlace, WritingStyle};
use unspool_store::files::OpenFile;
use unspool_store::home::SideFileKind;
use unspool_store::home::layout::{TOOL_RESULTS, is_log, sidecar_of};

/// How many bytes are read at a time.
const CHUNK: usize = 256 * 1024;
/// How many bytes of a file of settings or tasks are read.
const SMALL: u64 = 4 * 1024 * 1024;

/// A prompt of the history.
pub(crate) struct Prompt {
    /// The session in which it was typed; empty in old histories.
    pub(crate) session: String,
    /// The folder in which it was typed.
    pub(crate) project: String,
    /// The prompt, with pasted texts.
    pub(crate) document: TextDocument,
}

fn like(role: TextRole, style: WritingStyle, time: Option<Time>) -> TextDocument {
    TextDocument {
        place: TextPlace { offset: 0, part: EntryPart::File, piece: 0 },
        role,
        style,
        time,
        tool: None,
        marks: DocumentFlags::default(),
        text: String::new(),
    }
}

/// Passes the documents of a side file to `sink`; a history has none here.
pub(crate) fn side(
    kind: SideFileKind,
    path: &Path,
    modified: Option<Time>,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    match kind {
        SideFileKind::Output | SideFileKind::Journal => {
            text(path, like(TextRole::Result, WritingStyle::Raw, modified), sink)
        }
        SideFileKind::Plan => {
            text(path, like(TextRole::Assistant, WritingStyle::Prose, modified), sink)
        }
        SideFileKind::Task => {
            strings(path, like(TextRole::System, WritingStyle::Prose, modified), sink)
        }
        SideFileKind::History => Ok(()),
    }
}

/// Passes the document of an agent's sidecar to `sink`, if there is one.
pub(crate) fn sidecar(log: &Path, sink: &mut Sink<'_>) {
    let like = TextDocument {
        marks: DocumentFlags::AGENT,
        ..like(TextRole::Title, WritingStyle::Prose, None)
    };
    // A missing sidecar is not an error.
    let _ = strings(&sidecar_of(log), like, sink);
}

/// Makes documents of a whole file; in JSON, escapes are resolved.
fn text(path: &Path, like: TextDocument, sink: &mut Sink<'_>) -> io::Result<()> {
    let file = OpenFile::open(path)?;
    let mut reader = file.reader();
    let mut buffer = Vec::with_capacity(CHUNK);
    let mut pieces = Pieces::new(sink, like);
    let json = is_log(path) || path.extension().is_some_and(|ending| ending == "json");
    let mut first = true;
    loop {
        let length = (&mut reader).take(CHUNK as u64).read_to_end(&mut buffer)?;
        // A file with a NUL byte is binary.
        if first && memchr(0, &buffer).is_some() {
            return Ok(());
        }
        first = false;
        let at_end = length == 0;
        // The rest after the last space waits for more bytes, so that no word is split.
        let whole = if at_end {
            buffer.len()
        } else {
            let space = buffer.iter().rposition(u8::is_ascii_whitespace);
            space.map_or(buffer.len(), |space| space + 1)
        };
        if json {
            pieces.push_more(&loosened(&buffer[..whole]));
        } else {
            pieces.push_more(&String::from_utf8_lossy(&buffer[..whole]));
        }
        buffer.drain(..whole);
        if at_end {
            pieces.finish();
            return Ok(());
        }
    }
}

/// Makes a document of the strings in a small JSON file.
fn strings(path: &Path, like: TextDocument, sink: &mut Sink<'_>) -> io::Result<()> {
    let bytes = OpenFile::open(path)?.part(0, SMALL)?;
    let mut pieces = Pieces::new(sink, like);
    side_texts(&bytes, |text| pieces.push(text));
    pieces.finish();
    Ok(())
}

/// Returns the names of spilled outputs that a record mentions.
pub(crate) fn spilled_names(raw: &[u8]) -> impl Iterator<Item = Cow<'_, str>> {
    memmem::find_iter(raw, TOOL_RESULTS).filter_map(move |at| {
        let following = &raw[at + TOOL_RESULTS.len()..];
        let is_slash = |byte: &&u8| matches!(byte, b'/' | b'\\');
        let start = following.iter().take_while(is_slash).count();
        let name = &following[start..];
        let length = name
            .iter()
            .position(|b| matches!(b, b'"' | b'\\' | b'<') || b.is_ascii_whitespace())
            .unwrap_or(name.len());
        (start > 0 && length > 0).then(|| String::from_utf8_lossy(&name[..length]))
    })
}

/// Passes the prompts in some lines of a history to `each`. `pasted` returns the text for a hash.
pub(crate) fn prompts(
    lines: &[u8],
    offset: u64,
    pasted: &dyn Fn(&str) -> Option<String>,
    each: &mut dyn FnMut(Prompt),
) {
    let mut at = 0;
    for newline in memchr::memchr_iter(b'\n', lines) {
        let typed = HistoryLine::read(&lines[at..newline]);
        let mut document = like(TextRole::User, WritingStyle::Prose, typed.time);
        document.place.offset = offset + at as u64;
        let mut sink = |document| {
            each(Prompt {
                session: typed.session().into_owned(),
                project: typed.project().into_owned(),
                document,
            });
        };
        let mut pieces = Pieces::new(&mut sink, document);
        typed.each_text(pasted, |text| pieces.push_text(text));
        pieces.finish();
        at = newline + 1;
    }
}

/// Decodes bytes of a JSON file that is kept as one text: an escape becomes its character or a space.
fn loosened(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let following = &rest[at + 1..];
        let unicode = following.strip_prefix('u').and_then(|hex| {
            let code = u32::from_str_radix(hex.get(..4)?, 16).ok()?;
            Some(char::from_u32(code).unwrap_or(' '))
        });
        let (shown, used) = match (unicode, following.chars().next()) {
            (Some(c), _) => (c, 5),
            (None, Some(c @ ('"' | '\\' | '/'))) => (c, 1),
            (None, Some('n' | 't' | 'r' | 'b' | 'f')) => (' ', 1),
            _ => (' ', 0),
        };
        out.push(shown);
        rest = &following[used..];
    }
    out.push_str(rest);
    out
}
