//! Finds secrets in a raw JSON record.
//!
//! Only strings are searched, including keys, with their escapes resolved; numbers and structure
//! stay. A value is also judged by its key, an argument by the option before it, and a key block
//! may continue over the elements of an array. Torn records have no reliable structure, so they
//! are also searched as text.

use memchr::memchr;
use unspool_model::json::Cursor;
use unspool_model::schema;

use super::bytes::ByteSet;
use super::key_block::{self, BlockState};
use super::scan::{ScanResult, SecretScanner, SecretSpan, StringPlace, located};
use super::{SecretKind, assign, escape};

/// The maximal length of a name that decides over the next string, in bytes.
const NAME: usize = 128;

/// Returns the spans to replace, as ranges of the record.
pub(super) fn spans(scanner: &SecretScanner, record: &[u8]) -> Vec<SecretSpan> {
    let mut walk = RecordWalk { scanner, strings: Strings::new(record), spans: Vec::new() };
    walk.all();
    if walk.strings.torn {
        let found = scanner.spans(record, StringPlace::Text);
        return join(walk.spans, found.spans);
    }
    walk.spans
}

/// Joins two lists of spans; of spans that overlap, those in `first` are kept.
fn join(first: Vec<SecretSpan>, second: Vec<SecretSpan>) -> Vec<SecretSpan> {
    let free = |span: &SecretSpan| {
        let at = first.partition_point(|other| other.range.end <= span.range.start);
        first.get(at).is_none_or(|other| other.range.start >= span.range.end)
    };
    let mut spans: Vec<SecretSpan> = second.into_iter().filter(free).collect();
    spans.extend(first);
    spans.sort_by_key(|span| span.range.start);
    spans
}

/// A string of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RecordString {
    /// The range of its inside, without the quotes.
    start: usize,
    end: usize,
    role: StringRole,
    /// The bytes between it and the string before it.
    before: Before,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum StringRole {
    Key,
    Value,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Before {
    /// Only a comma.
    Comma,
    /// Only a colon.
    Colon,
    /// Anything else.
    Other,
}

/// Iterates over the strings of a record.
#[derive(Clone, Debug)]
struct Strings<'a> {
    record: &'a [u8],
    at: usize,
    /// The last key.
    key: &'a [u8],
    /// Set if the structure is not that of valid JSON.
    torn: bool,
}

impl<'a> Strings<'a> {
    fn new(record: &'a [u8]) -> Self {
        Self { record, at: 0, key: b"", torn: false }
    }

    fn raw(&self, token: RecordString) -> &'a [u8] {
        &self.record[token.start..token.end]
    }
}

impl Iterator for Strings<'_> {
    type Item = RecordString;

    fn next(&mut self) -> Option<RecordString> {
        let rest = &self.record[self.at..];
        let Some(quote) = memchr(b'"', rest) else {
            self.torn |= !is_structure(rest);
            self.at = self.record.len();
            return None;
        };
        let gap = &rest[..quote];
        self.torn |= !is_structure(gap);
        let before = match gap.trim_ascii() {
            b"," => Before::Comma,
            b":" => Before::Colon,
            _ => Before::Other,
        };
        let start = self.at + quote + 1;
        let end = if let Ok(Some(text)) = Cursor::new(&rest[quote..]).string() {
            start + text.raw().len()
        } else {
            self.torn = true;
            self.record.len()
        };
        self.at = self.record.len().min(end + 1);
        unspool_work::add(self.at - start);
        let following = self.record[self.at..].trim_ascii_start();
        let role =
            if following.first() == Some(&b':') { StringRole::Key } else { StringRole::Value };
        if role == StringRole::Key {
            self.key = &self.record[start..end];
        }
        Some(RecordString { start, end, role, before })
    }
}

/// Tells whether the bytes between strings may be those of JSON.
fn is_structure(gap: &[u8]) -> bool {
    let fits = |byte: &u8| matches!(byte, b',' | b':' | b'{' | b'}' | b'[' | b']' | b' ' | b'\t' | b'\r' | b'\n' | b'0'..=b'9' | b'-' | b'+' | b'.' | b'a'..=b'z' | b'E');
    gap.iter().all(fits)
}

struct RecordWalk<'a> {
    scanner: &'a SecretScanner,
    strings: Strings<'a>,
    spans: Vec<SecretSpan>,
}

impl RecordWalk<'_> {
    /// Searches the strings that contain literals of rules, or all strings if there are patterns
    /// of the user, which have no literals.
    fn all(&mut self) {
        while self.scanner.has_own() {
            let Some(token) = self.strings.next() else {
                return;
            };
            self.string(token);
        }
        let record = self.strings.record;
        while let Some(sign) = self.scanner.first_literal(record, self.strings.at) {
            loop {
                let Some(token) = self.strings.next() else {
                    return;
                };
                if token.end >= sign {
                    if token.start < sign {
                        self.string(token);
                    } else {
                        // The literal is between two strings.
                        self.strings.at = token.start - 1;
                    }
                    break;
                }
            }
        }
        // Reads on, since a record may be torn after the last literal.
        for _ in self.strings.by_ref() {}
    }

    fn string(&mut self, token: RecordString) {
        let raw = self.strings.raw(token);
        let key = self.strings.key;
        let is_value = token.role == StringRole::Value && token.before == Before::Colon;
        if schema::is_data_throughout(if is_value { key } else { b"" }, raw) {
            return;
        }
        let place = match token.role {
            StringRole::Key if raw.iter().all(|&byte| ByteSet::Token.contains(byte)) => {
                StringPlace::Word
            }
            StringRole::Value if is_value && schema::is_word(key) => StringPlace::Word,
            StringRole::Key | StringRole::Value => StringPlace::Text,
        };
        let found = self.scanner.spans(&escape::decode(raw), place);
        let open = found.open;
        self.keep(token, found);
        self.look_at_following(token);
        if let Some(block) = open {
            self.follow(token, block);
        }
    }

    /// Adds the spans of a string as ranges of the record.
    fn keep(&mut self, token: RecordString, found: ScanResult) {
        if found.spans.is_empty() {
            return;
        }
        let raw = self.strings.raw(token);
        for mut span in located(found.spans, &|ranges| escape::locate(raw, ranges)) {
            span.range = token.start + span.range.start..token.start + span.range.end;
            self.spans.push(span);
        }
    }

    /// Judges the value of a key, or the argument of an option.
    fn look_at_following(&mut self, token: RecordString) {
        let raw = self.strings.raw(token);
        if raw.len() > NAME {
            return;
        }
        let name = escape::decode(raw);
        let wanted = match token.role {
            StringRole::Key => Before::Colon,
            StringRole::Value if assign::is_option(&name) => Before::Comma,
            StringRole::Value => return,
        };
        let mut ahead = self.strings.clone();
        let Some(next) = ahead.next() else { return };
        if next.before != wanted || next.role != StringRole::Value {
            return;
        }
        let raw = ahead.raw(next);
        let value = escape::decode(raw);
        let Some(kind) = assign::is_secret_under(&name, &value) else {
            return;
        };
        self.spans.push(SecretSpan { range: next.start..next.end, kind });
        self.strings = ahead;
    }

    /// Follows a key block over the elements after the one in which it begins.
    fn follow(&mut self, first: RecordString, block: key_block::KeyBlock) {
        let mut bare = block.state == BlockState::Bare;
        loop {
            let mut ahead = self.strings.clone();
            let Some(next) = ahead.next() else { return };
            if next.before != Before::Comma || next.role != StringRole::Value {
                return;
            }
            let text = escape::decode(ahead.raw(next));
            let Some(more) = key_block::goes_on(&text) else {
                return;
            };
            if bare && more.state != BlockState::Bare {
                bare = false;
                self.block(first, block.start..block.end);
            }
            if !bare || more.state != BlockState::Bare {
                self.block(next, more.start..more.end);
            }
            self.strings = ahead;
            if more.state == BlockState::Closed {
                return;
            }
        }
    }

    fn block(&mut self, token: RecordString, range: std::ops::Range<usize>) {
        if range.is_empty() {
            return;
        }
        let found = ScanResult::of(SecretSpan { range, kind: SecretKind::PRIVATE_KEY });
        self.keep(token, found);
    }
}
