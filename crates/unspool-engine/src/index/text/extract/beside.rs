//! The texts of files beside the logs.

use std::io::{self, Read as _};
use std::path::Path;

use memchr::memchr;
use unspool_model::json::{Cursor, Str};
use unspool_model::query::Role;
use unspool_model::time::Time;

use super::entry::loosened;
use super::pieces::{Pieces, Sink};
use super::strings::{Choice, each_string, is_encoded};
use crate::files::File;
use crate::index::text::beside::SideText;
use crate::index::text::document::{Document, Marks, Part, Place, Style};

/// How much is read at a time.
const CHUNK: usize = 256 * 1024;
/// How long a file of settings or tasks may be.
const SMALL: u64 = 4 * 1024 * 1024;

/// A prompt of the history.
pub(crate) struct Prompt {
    /// The session it was typed in; empty in old histories.
    pub(crate) session: String,
    /// The folder it was typed in.
    pub(crate) project: String,
    /// The prompt, with what was pasted.
    pub(crate) document: Document,
}

fn like(role: Role, style: Style, time: Option<Time>) -> Document {
    Document {
        place: Place {
            offset: 0,
            part: Part::File,
            piece: 0,
        },
        role,
        style,
        time,
        tool: None,
        marks: Marks::default(),
        text: String::new(),
    }
}

/// Hands out the documents of a side file that is no history.
pub(crate) fn side(
    kind: SideText,
    path: &Path,
    modified: Option<Time>,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    match kind {
        SideText::Output | SideText::Journal => {
            text(path, like(Role::Result, Style::Raw, modified), sink)
        }
        SideText::Plan => text(path, like(Role::Assistant, Style::Prose, modified), sink),
        SideText::Task => strings(path, like(Role::System, Style::Prose, modified), sink),
        SideText::History => Ok(()),
    }
}

/// Hands out what the sidecar file of an agent says; a missing one says nothing.
pub(crate) fn sidecar(log: &Path, sink: &mut Sink<'_>) {
    let like = Document {
        marks: Marks::AGENT,
        ..like(Role::Title, Style::Prose, None)
    };
    // An agent need not have one.
    let _ = strings(&log.with_extension("meta.json"), like, sink);
}

/// Keeps a file as the text that it is; JSON with its escapes resolved.
fn text(path: &Path, like: Document, sink: &mut Sink<'_>) -> io::Result<()> {
    let file = File::open(path)?;
    let mut reader = file.reader();
    let mut buffer = Vec::with_capacity(CHUNK);
    let mut pieces = Pieces::new(sink, like);
    let json = path
        .extension()
        .is_some_and(|ending| ending == "json" || ending == "jsonl");
    let mut first = true;
    loop {
        let length = (&mut reader).take(CHUNK as u64).read_to_end(&mut buffer)?;
        if first && memchr(0, &buffer).is_some() {
            return Ok(());
        }
        first = false;
        let at_end = length == 0;
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

/// Keeps the strings of a small JSON file.
fn strings(path: &Path, like: Document, sink: &mut Sink<'_>) -> io::Result<()> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    file.reader().take(SMALL).read_to_end(&mut bytes)?;
    let mut pieces = Pieces::new(sink, like);
    let choose = |key: &[u8]| match key {
        b"id" | b"status" | b"toolUseId" | b"parentAgentId" | b"priority" | b"model"
        | b"worktreePath" => Choice::Skip,
        _ => Choice::Read,
    };
    each_string(&bytes, choose, |key, text| {
        if !is_encoded(key, text) {
            pieces.push(text);
        }
    });
    pieces.finish();
    Ok(())
}

/// Hands out the prompts of some lines of a history. `pasted` is asked for the text behind a
/// hash.
pub(crate) fn prompts(
    lines: &[u8],
    offset: u64,
    pasted: &dyn Fn(&str) -> Option<String>,
    each: &mut dyn FnMut(Prompt),
) {
    let mut at = 0;
    for newline in memchr::memchr_iter(b'\n', lines) {
        let line = &lines[at..newline];
        prompt(line, offset + at as u64, pasted, each);
        at = newline + 1;
    }
}

fn prompt(
    line: &[u8],
    offset: u64,
    pasted: &dyn Fn(&str) -> Option<String>,
    each: &mut dyn FnMut(Prompt),
) {
    let (mut display, mut attached, mut time) = (None, None, None);
    let (mut project, mut session) = (None, None);
    // A torn line says what came before the damage.
    let _ = Cursor::new(line).object(|cursor, key| {
        match key {
            b"display" => display = cursor.string()?,
            b"pastedContents" => attached = Some(cursor.skip()?),
            b"timestamp" => time = cursor.count()?,
            b"project" => project = cursor.string()?,
            b"sessionId" => session = cursor.string()?,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    });
    let time = time.map(|millis| Time::from_millis(millis as i64));
    let mut document = like(Role::User, Style::Prose, time);
    document.place.offset = offset;
    let mut sink = |document| {
        each(Prompt {
            session: session.map(Str::decode).unwrap_or_default().into_owned(),
            project: project.map(Str::decode).unwrap_or_default().into_owned(),
            document,
        });
    };
    let mut pieces = Pieces::new(&mut sink, document);
    if let Some(text) = display {
        pieces.push(text);
    }
    let choose = |key: &[u8]| match key {
        b"id" | b"type" | b"mediaType" => Choice::Skip,
        _ => Choice::Read,
    };
    each_string(attached.unwrap_or_default(), choose, |key, text| {
        if key == b"contentHash" {
            if let Some(text) = pasted(&text.decode()) {
                pieces.push_text(&text);
            }
        } else if !is_encoded(key, text) {
            pieces.push(text);
        }
    });
    pieces.finish();
}
