//! How many lines a result says that its call added to files and removed from them.
//!
//! Says what [`crate::tool::ToolOutcome::line_changes`] says, but while a record is read: no
//! text is decoded and no line is kept. The tool's name is in another record, so the
//! shape alone decides; a caller that knows the name leaves out the tools of other servers,
//! whose results may look like anything.

use memchr::memchr;

use crate::json::{Cursor, JsonResult, JsonShape, Str};

/// Lines that were added and removed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct ChangedLines {
    pub(crate) added: u32,
    pub(crate) removed: u32,
}

/// What a `toolUseResult` says about changed lines, key by key; the last of a name counts.
#[derive(Default)]
pub(super) struct ChangeDraft<'a> {
    stdout: bool,
    stderr: bool,
    background: bool,
    by_command: Option<ChangedLines>,
    file: bool,
    kind: Option<Str<'a>>,
    content: Option<Str<'a>>,
    patch: Sum,
    notebook: bool,
    mode: Option<Str<'a>>,
    error: Option<Str<'a>>,
    old_source: Option<Str<'a>>,
    new_source: Option<Str<'a>>,
}

/// What the elements of a list say.
#[derive(Clone, Copy, Default)]
struct Sum {
    /// Whether it is a list at all.
    is_list: bool,
    /// None if no element says anything.
    lines: Option<ChangedLines>,
}

impl<'a> ChangeDraft<'a> {
    /// Reads the value of a key, or skips it.
    pub(super) fn field(&mut self, cursor: &mut Cursor<'a>, key: &[u8]) -> JsonResult<()> {
        match key {
            b"stdout" => self.stdout = cursor.string()?.is_some(),
            b"stderr" => self.stderr = cursor.string()?.is_some(),
            b"backgroundTaskId" => self.background = cursor.string()?.is_some(),
            b"bashEditDiff" => self.by_command = command(cursor)?,
            b"filePath" => self.file = cursor.string()?.is_some(),
            b"type" => self.kind = cursor.string()?,
            b"content" => self.content = cursor.string()?,
            b"structuredPatch" => self.patch = sum(cursor, hunk)?,
            b"notebook_path" => self.notebook = cursor.string()?.is_some(),
            b"edit_mode" => self.mode = cursor.string()?,
            b"error" => self.error = cursor.string()?,
            b"old_source" => self.old_source = cursor.string()?,
            b"new_source" => self.new_source = cursor.string()?,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    }

    /// Returns the lines, if the result tells.
    pub(super) fn lines(&self) -> Option<ChangedLines> {
        if self.stdout || self.stderr || self.background {
            return self.by_command;
        }
        let says = |text: Option<Str<'_>>, word| text.is_some_and(|text| text.decode() == word);
        let added = |text: Str<'_>| ChangedLines { added: count(text), removed: 0 };
        let created = says(self.kind, "create");
        if self.file && (self.patch.is_list || created || says(self.kind, "update")) {
            let whole = || self.content.filter(|_| created).map(added);
            return self.patch.lines.or_else(whole);
        }
        let failed = self.error.is_some_and(|error| !error.raw().is_empty());
        if !self.notebook || failed {
            return None;
        }
        if says(self.mode, "insert") {
            return Some(self.new_source.map(added).unwrap_or_default());
        }
        let gone = self.old_source.filter(|_| says(self.mode, "delete"))?;
        Some(ChangedLines { added: 0, removed: count(gone) })
    }
}

/// Reads which files a command changed; none of it counts if that may be another agent's work.
fn command(cursor: &mut Cursor<'_>) -> JsonResult<Option<ChangedLines>> {
    let (mut lines, mut shared) = (None, false);
    cursor.object_or_skip(|cursor, key| {
        match key {
            b"files" => lines = sum(cursor, file)?.lines,
            b"shared" => shared = cursor.flag()?,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    })?;
    Ok(lines.filter(|_| !shared))
}

/// Reads one of the files that a command changed.
fn file(cursor: &mut Cursor<'_>) -> JsonResult<Option<ChangedLines>> {
    let (mut named, mut lines) = (false, None);
    cursor.object_or_skip(|cursor, key| {
        match key {
            b"filePath" => named = cursor.string()?.is_some(),
            b"hunks" => lines = sum(cursor, hunk)?.lines,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    })?;
    Ok(lines.filter(|_| named))
}

/// Reads a changed place of a file.
fn hunk(cursor: &mut Cursor<'_>) -> JsonResult<Option<ChangedLines>> {
    let mut lines = None;
    cursor.object_or_skip(|cursor, key| {
        if key == b"lines" {
            lines = sum(cursor, |cursor| Ok(cursor.string()?.map(marked)))?.lines;
        } else {
            cursor.skip()?;
        }
        Ok(())
    })?;
    Ok(lines)
}

/// Tells what a line of a patch says by its first character.
fn marked(line: Str<'_>) -> ChangedLines {
    let first = match line.raw().first() {
        Some(b'\\') => line.decode_prefix(12).bytes().next(),
        first => first.copied(),
    };
    ChangedLines { added: u32::from(first == Some(b'+')), removed: u32::from(first == Some(b'-')) }
}

/// Adds up what the elements of an array say, or skips a value of another shape.
fn sum<'a>(
    cursor: &mut Cursor<'a>,
    mut item: impl FnMut(&mut Cursor<'a>) -> JsonResult<Option<ChangedLines>>,
) -> JsonResult<Sum> {
    if cursor.shape()? != JsonShape::Array {
        cursor.skip()?;
        return Ok(Sum::default());
    }
    let mut lines: Option<ChangedLines> = None;
    cursor.array(|cursor| {
        if let Some(more) = item(cursor)? {
            let sum = lines.get_or_insert_default();
            sum.added = sum.added.saturating_add(more.added);
            sum.removed = sum.removed.saturating_add(more.removed);
        }
        Ok(())
    })?;
    Ok(Sum { is_list: true, lines })
}

/// Counts the lines of a text as [`str::lines`] does, without decoding it.
fn count(text: Str<'_>) -> u32 {
    let mut rest = text.raw();
    let (mut lines, mut open) = (0u32, false);
    while let Some(at) = memchr(b'\\', rest) {
        let escape = &rest[at..];
        let newline = match escape {
            [_, b'n', ..] => 2,
            [_, b'u', b'0', b'0', b'0', b'a' | b'A', ..] => 6,
            _ => 0,
        };
        lines = lines.saturating_add(u32::from(newline > 0));
        open = newline == 0;
        rest = &escape[if open { 2.min(escape.len()) } else { newline }..];
    }
    lines.saturating_add(u32::from(open || !rest.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_in_the_decoded_text() {
        for raw in [
            r"",
            r"a",
            r"a\n",
            r"a\nb",
            r"\n",
            r"\n\n",
            r"a\n\nb\n",
            r"a\\n",
            r"a\\\n",
            r"a\u000ab",
            r"a\u000A",
            r"\ud83d\u000a",
            r"a\r\nb\r",
            r"\t",
            r"a\u00e9",
            "é\\n\u{2028}",
        ] {
            let quoted = format!("\"{raw}\"");
            let text = Cursor::new(quoted.as_bytes()).string();
            let text = text.expect("a string").expect("a string");
            let expected = text.decode().lines().count() as u32;
            assert_eq!(count(text), expected, "{raw}");
        }
    }
}
