//! Splits lines into records and fragments.
//!
//! Knows bytes and braces, not the meaning of a record. A line normally contains one JSON object. If not,
//! whole records are searched for after the torn start of another one, since older clients append without
//! a newline after a kill; the rest are fragments. The spans of all pieces, concatenated, are the line.

use memchr::memmem;

use crate::json::{self, Cursor};
use crate::schema::RecordKey;

/// A byte range of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// The offset of the first byte.
    pub start: u64,
    /// The length in bytes.
    pub len: u64,
}

impl Span {
    /// Returns the offset just after the span.
    pub fn end(self) -> u64 {
        self.start + self.len
    }
}

/// A part of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinePiece {
    /// The offset in the line where the piece starts.
    pub start: usize,
    /// The offset where the piece ends; the last piece of a line ends with it.
    pub end: usize,
    /// The kind of the piece.
    pub kind: PieceKind,
}

/// The kind of a part of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceKind {
    /// A whole JSON object.
    Record,
    /// Bytes that are not a record.
    Fragment,
    /// White space only.
    Blank,
}

/// Splits a line that is not a single object.
///
/// The work is bounded by a small multiple of the line's length, whatever the line contains.
pub fn pieces(line: &[u8]) -> Vec<LinePiece> {
    let mut found = Vec::new();
    if json::is_white(line) {
        push(&mut found, 0, line.len(), PieceKind::Blank);
        return found;
    }
    // Each `{"` may be the start of a record, so nested objects would be parsed again at every level.
    let mut budget = line.len().saturating_mul(8) + 4096;
    let mut at = 0;
    // At the start of a line, any object is a record; after a fragment, it must look like one.
    while let Some(length) = json::object_length(&line[at..]) {
        push(&mut found, at, at + length, PieceKind::Record);
        at += length;
    }
    while !json::is_white(&line[at..]) {
        let Some((start, end)) = next_record(line, at, &mut budget) else {
            push(&mut found, at, line.len(), PieceKind::Fragment);
            return found;
        };
        // White space before a record belongs to it.
        let start = if json::is_white(&line[at..start]) { at } else { start };
        push(&mut found, at, start, PieceKind::Fragment);
        push(&mut found, start, end, PieceKind::Record);
        at = end;
    }
    if let Some(last) = found.last_mut() {
        last.end = line.len();
    }
    found
}

fn push(pieces: &mut Vec<LinePiece>, start: usize, end: usize, kind: PieceKind) {
    if start < end {
        pieces.push(LinePiece { start, end, kind });
    }
}

/// Returns the start and the end of the next whole record at or after `from`.
///
/// A torn record contains whole objects, such as content blocks or the message of a progress record. A record
/// differs from them in that it names its session or has a key for its parent. An object with only a type and
/// an id counts if the line ends after it or another object follows, which never happens inside a record.
fn next_record(line: &[u8], from: usize, budget: &mut usize) -> Option<(usize, usize)> {
    for offset in memmem::find_iter(&line[from..], b"{\"") {
        let start = from + offset;
        let mut cursor = Cursor::new(&line[start..]);
        let found = classify_object(&mut cursor);
        unspool_work::add(cursor.position().max(1));
        *budget = budget.checked_sub(cursor.position().max(1))?;
        let end = start + cursor.position();
        match found {
            Ok(ObjectKind::Record) => return Some((start, end)),
            Ok(ObjectKind::Maybe) if ends_alone(&line[end..]) => return Some((start, end)),
            _ => {}
        }
    }
    None
}

fn ends_alone(rest: &[u8]) -> bool {
    let mut cursor = Cursor::new(rest);
    cursor.at_end() || rest[cursor.position()] == b'{'
}

/// What an object after a fragment may be.
enum ObjectKind {
    /// A record of its own.
    Record,
    /// A record, or a part of one.
    Maybe,
    /// A part of a record.
    Part,
}

fn classify_object(cursor: &mut Cursor<'_>) -> json::JsonResult<ObjectKind> {
    let (mut typed, mut placed, mut named) = (false, false, false);
    cursor.object(|cursor, key| {
        let string = cursor.string()?;
        match RecordKey::of(key) {
            Some(RecordKey::Type) => typed |= string.is_some(),
            Some(RecordKey::SessionId | RecordKey::ParentUuid | RecordKey::LeafUuid) => {
                placed = true;
            }
            Some(RecordKey::Uuid | RecordKey::MessageId) => named = true,
            _ => {}
        }
        Ok(())
    })?;
    Ok(match (typed, placed, named) {
        (true, true, _) => ObjectKind::Record,
        (true, false, true) => ObjectKind::Maybe,
        _ => ObjectKind::Part,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"{"type":"user","uuid":"a"}"#;

    fn check(line: &str, expected: &[(PieceKind, &str)]) {
        let found: Vec<_> =
            pieces(line.as_bytes()).iter().map(|p| (p.kind, &line[p.start..p.end])).collect();
        assert_eq!(found, expected, "{line}");
        assert_eq!(found.iter().map(|(_, text)| *text).collect::<String>(), line);
    }

    #[test]
    fn records_are_recovered_from_after_a_fragment() {
        use PieceKind::{Blank, Fragment, Record};
        check("  \n", &[(Blank, "  \n")]);
        check("garbage\n", &[(Fragment, "garbage\n")]);
        check("[1,2]\n", &[(Fragment, "[1,2]\n")]);
        let torn = r#"{"type":"user","message":{"role":"us"#;
        check(torn, &[(Fragment, torn)]);
        check(&format!("{torn}{WHOLE}\n"), &[(Fragment, torn), (Record, &format!("{WHOLE}\n"))]);
        check(&format!("{WHOLE} {WHOLE}\n"), &[(Record, WHOLE), (Record, &format!(" {WHOLE}\n"))]);
        check(
            &format!("{torn}{WHOLE}{WHOLE}\n"),
            &[(Fragment, torn), (Record, WHOLE), (Record, &format!("{WHOLE}\n"))],
        );
        let full = r#"{"type":"user","uuid":"a","parentUuid":null}"#;
        check(
            &format!("xx{full}yy{full}zz\n"),
            &[
                (Fragment, "xx"),
                (Record, full),
                (Fragment, "yy"),
                (Record, full),
                (Fragment, "zz\n"),
            ],
        );
        check(&format!("{WHOLE}tail\n"), &[(Record, WHOLE), (Fragment, "tail\n")]);
    }

    #[test]
    fn a_part_of_a_torn_record_is_not_taken_for_a_record() {
        let torn = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"hi"}"#;
        check(torn, &[(PieceKind::Fragment, torn)]);
    }

    #[test]
    fn a_line_of_nested_openings_costs_no_more_than_a_multiple_of_its_length() {
        unspool_work::assert_linear("nested openings", 5_000, |count| {
            let line = "{\"a\":".repeat(count);
            unspool_work::count(|| assert_eq!(pieces(line.as_bytes()).len(), 1))
        });
    }
}
