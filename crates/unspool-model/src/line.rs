//! Splitting bytes into lines, and lines into records and fragments.
//!
//! Knows bytes and braces, not what a record means. A line normally holds one JSON
//! object. When it does not, whole records are looked for behind the torn start of
//! another one, since older writers append without a newline after a kill; what is
//! left is a fragment. The spans of all pieces, put together, are the line again.

use memchr::memmem;

use crate::json::{self, Cursor};

/// A stretch of bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// Where it starts.
    pub start: u64,
    /// How many bytes it is long.
    pub len: u64,
}

impl Span {
    /// Returns the offset just behind the span.
    pub fn end(self) -> u64 {
        self.start + self.len
    }
}

/// A part of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Where it starts in the line.
    pub start: usize,
    /// Where it ends in the line; the last piece of a line ends with it.
    pub end: usize,
    /// What it is.
    pub kind: PieceKind,
}

/// What a part of a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceKind {
    /// A whole JSON object.
    Record,
    /// Bytes that are no record.
    Fragment,
    /// White space only.
    Blank,
}

/// Takes a line apart that is not simply one object.
///
/// Work is bounded by a small multiple of the line's length, whatever it holds.
pub fn pieces(line: &[u8]) -> Vec<Piece> {
    let mut found = Vec::new();
    if line.iter().all(u8::is_ascii_whitespace) {
        push(&mut found, 0, line.len(), PieceKind::Blank);
        return found;
    }
    // Whole objects from the start of the line, then the rest.
    let mut at = 0;
    while let Some(length) = json::object_length(&line[at..]) {
        push(&mut found, at, at + length, PieceKind::Record);
        at += length;
    }
    if line[at..].iter().all(u8::is_ascii_whitespace) {
        extend_last(&mut found, line.len());
        return found;
    }
    let records_from = records_at_end(line, at).unwrap_or(line.len());
    push(&mut found, at, records_from, PieceKind::Fragment);
    let mut at = records_from;
    while let Some(length) = json::object_length(&line[at..]) {
        push(&mut found, at, at + length, PieceKind::Record);
        at += length;
    }
    extend_last(&mut found, line.len());
    found
}

fn push(pieces: &mut Vec<Piece>, start: usize, end: usize, kind: PieceKind) {
    if start < end {
        pieces.push(Piece { start, end, kind });
    }
}

fn extend_last(pieces: &mut [Piece], end: usize) {
    if let Some(last) = pieces.last_mut() {
        last.end = end;
    }
}

/// Finds the leftmost place behind `from` from which the line is nothing but whole records.
fn records_at_end(line: &[u8], from: usize) -> Option<usize> {
    let mut budget = line.len().saturating_mul(8) + 4096;
    for offset in memmem::find_iter(&line[from..], b"{\"") {
        let start = from + offset;
        if start == from {
            continue;
        }
        let (complete, work) = only_records(&line[start..]);
        if complete {
            return Some(start);
        }
        budget = budget.checked_sub(work)?;
    }
    None
}

/// Tells whether `bytes` is a run of whole records and nothing else, and how far it had to look.
fn only_records(bytes: &[u8]) -> (bool, usize) {
    let mut at = 0;
    loop {
        let mut cursor = Cursor::new(&bytes[at..]);
        let Ok(looks) = reads_as_record(&mut cursor) else {
            return (false, at + cursor.position().max(1));
        };
        at += cursor.position();
        if !looks {
            return (false, at);
        }
        if bytes[at..].iter().all(u8::is_ascii_whitespace) {
            return (true, at);
        }
    }
}

/// Reads an object and tells whether it is a record of its own rather than a part of one:
/// content blocks have a `type` too, but none of the other keys.
fn reads_as_record(cursor: &mut Cursor<'_>) -> json::Result<bool> {
    let (mut typed, mut placed) = (false, false);
    cursor.object(|cursor, key| {
        let string = cursor.string()?;
        match key {
            b"type" => typed |= string.is_some(),
            b"uuid" | b"sessionId" | b"leafUuid" | b"messageId" | b"parentUuid" => placed = true,
            _ => {}
        }
        Ok(())
    })?;
    Ok(typed && placed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"{"type":"user","uuid":"a"}"#;

    fn check(line: &str, expected: &[(PieceKind, &str)]) {
        let found: Vec<_> = pieces(line.as_bytes())
            .iter()
            .map(|p| (p.kind, &line[p.start..p.end]))
            .collect();
        assert_eq!(found, expected, "{line}");
        assert_eq!(
            found.iter().map(|(_, text)| *text).collect::<String>(),
            line
        );
    }

    #[test]
    fn records_are_recovered_from_behind_a_fragment() {
        use PieceKind::{Blank, Fragment, Record};
        check("  \n", &[(Blank, "  \n")]);
        check("garbage\n", &[(Fragment, "garbage\n")]);
        check("[1,2]\n", &[(Fragment, "[1,2]\n")]);
        let torn = r#"{"type":"user","message":{"role":"us"#;
        check(torn, &[(Fragment, torn)]);
        check(
            &format!("{torn}{WHOLE}\n"),
            &[(Fragment, torn), (Record, &format!("{WHOLE}\n"))],
        );
        check(
            &format!("{WHOLE} {WHOLE}\n"),
            &[(Record, WHOLE), (Record, &format!(" {WHOLE}\n"))],
        );
        check(
            &format!("{torn}{WHOLE}{WHOLE}\n"),
            &[
                (Fragment, torn),
                (Record, WHOLE),
                (Record, &format!("{WHOLE}\n")),
            ],
        );
        check(
            &format!("{WHOLE}tail\n"),
            &[(Record, WHOLE), (Fragment, "tail\n")],
        );
    }

    #[test]
    fn a_part_of_a_torn_record_is_not_taken_for_a_record() {
        let torn = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"hi"}"#;
        check(torn, &[(PieceKind::Fragment, torn)]);
    }

    #[test]
    fn a_line_of_nested_openings_costs_no_more_than_a_multiple_of_its_length() {
        let line = "{\"a\":".repeat(200_000);
        assert_eq!(pieces(line.as_bytes()).len(), 1);
    }
}
