//! A tolerant pull parser for JSON. All logs are read with it.
//!
//! Knows the grammar and nothing about logs. A [`Cursor`] walks one text from left to right; the
//! caller reads the values that it needs and skips the rest, so each byte is visited once. Nothing
//! recurses: nesting is counted in a bit stack, so 100,000 open brackets cost 12 KB and no call stack.
//!
//! Strict parsers fail on contents of real logs, so this one accepts more than the grammar
//! allows: repeated keys (the last one wins, as in the client), lone surrogate escapes, unknown
//! escapes, raw control characters in strings and invalid UTF-8. Everything that `serde_json`
//! accepts is read with the same meaning; the fuzz target `json` checks that.

mod number;
mod strict;
mod text;

use memchr::memchr;
use number::{ends_scalar, is_number, short_count};
pub use strict::{quote, to_strict};
pub use text::Str;
use text::{far_quote, plain_length};

/// The error for text that is not the expected JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed;

/// The result of reading a part of a JSON text.
pub type JsonResult<T> = Result<T, Malformed>;

/// The shape of the value at a cursor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JsonShape {
    /// A string.
    String,
    /// An object.
    Object,
    /// An array.
    Array,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// `null`.
    Null,
}

/// Reads one JSON text from left to right.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the first byte of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, pos: 0 }
    }

    /// Returns how many bytes have been read.
    pub fn position(&self) -> usize {
        self.pos
    }

    /// Returns the bytes from `start` to the cursor.
    pub fn since(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.pos).unwrap_or_default()
    }

    /// Returns the unread bytes, from the next value on.
    pub fn rest(&mut self) -> &'a [u8] {
        self.white();
        self.bytes.get(self.pos..).unwrap_or_default()
    }

    /// Returns the shape of the next value without reading it.
    pub fn shape(&mut self) -> JsonResult<JsonShape> {
        self.white();
        Ok(match self.bytes.get(self.pos).ok_or(Malformed)? {
            b'"' => JsonShape::String,
            b'{' => JsonShape::Object,
            b'[' => JsonShape::Array,
            b't' | b'f' => JsonShape::Bool,
            b'n' => JsonShape::Null,
            b'-' | b'0'..=b'9' => JsonShape::Number,
            _ => return Err(Malformed),
        })
    }

    /// Reads an object and passes each key to `field`, which must read the value.
    pub fn object(
        &mut self,
        mut field: impl FnMut(&mut Self, &[u8]) -> JsonResult<()>,
    ) -> JsonResult<()> {
        self.expect(b'{')?;
        if self.accept(b'}') {
            return Ok(());
        }
        loop {
            self.white();
            let (key, is_plain) = self.quoted_and_plain()?;
            self.expect(b':')?;
            if is_plain || memchr(b'\\', key.raw).is_none() {
                field(self, key.raw)?;
            } else {
                field(self, key.decode().as_bytes())?;
            }
            if !self.accept(b',') {
                return self.expect(b'}');
            }
        }
    }

    /// Reads an array and calls `item` at each element, which it must read.
    pub fn array(&mut self, mut item: impl FnMut(&mut Self) -> JsonResult<()>) -> JsonResult<()> {
        self.expect(b'[')?;
        if self.accept(b']') {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.accept(b',') {
                return self.expect(b']');
            }
        }
    }

    /// Reads an object, or skips a value of another shape; returns true for an object.
    pub fn object_or_skip(
        &mut self,
        field: impl FnMut(&mut Self, &[u8]) -> JsonResult<()>,
    ) -> JsonResult<bool> {
        let is_object = self.shape()? == JsonShape::Object;
        if is_object {
            self.object(field)?;
        } else {
            self.skip()?;
        }
        Ok(is_object)
    }

    /// Reads a string, or skips a value of another shape.
    pub fn string(&mut self) -> JsonResult<Option<Str<'a>>> {
        if self.shape()? == JsonShape::String {
            return self.quoted().map(Some);
        }
        self.skip()?;
        Ok(None)
    }

    /// Reads a boolean; values of other shapes count as false.
    pub fn flag(&mut self) -> JsonResult<bool> {
        Ok(self.skip()? == b"true")
    }

    /// Reads a whole number that is not negative, or skips a value of another shape.
    ///
    /// A fraction or an exponent is accepted and rounded, because some tools write counts that way.
    pub fn count(&mut self) -> JsonResult<Option<u64>> {
        self.white();
        if let Some((number, length)) = short_count(&self.bytes[self.pos..]) {
            self.pos += length;
            return Ok(Some(number));
        }
        if self.shape()? != JsonShape::Number {
            self.skip()?;
            return Ok(None);
        }
        let Ok(text) = std::str::from_utf8(self.skip()?) else {
            return Ok(None);
        };
        if let Ok(whole) = text.parse() {
            return Ok(Some(whole));
        }
        Ok(text
            .parse::<f64>()
            .ok()
            .filter(|n| *n >= 0.0 && n.is_finite())
            .map(|n| n.round() as u64))
    }

    /// Skips one value of any shape and returns its bytes.
    pub fn skip(&mut self) -> JsonResult<&'a [u8]> {
        self.white();
        let start = self.pos;
        self.walk(|_, _| Ok(()))?;
        Ok(&self.bytes[start..self.pos])
    }

    /// Reads one value of any shape and passes each string in it that is not a key to `string`,
    /// together with the nearest key above the string, or an empty key.
    ///
    /// A closing brace ends the scope of all keys, so that no stack of keys is needed: a string
    /// after an object in an array has an empty key. The full text reads strings likewise.
    pub fn strings(
        &mut self,
        mut string: impl FnMut(&[u8], Str<'a>) -> JsonResult<()>,
    ) -> JsonResult<()> {
        self.white();
        self.walk(|key, text| match memchr(b'\\', key.raw) {
            None => string(key.raw, text),
            Some(_) => string(key.decode().as_bytes(), text),
        })
    }

    /// Skips white space.
    pub fn white(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.bytes.get(self.pos) {
            self.pos += 1;
        }
    }

    /// Tells whether only white space is left.
    pub fn at_end(&mut self) -> bool {
        self.white();
        self.pos == self.bytes.len()
    }

    fn accept(&mut self, byte: u8) -> bool {
        // Clients write no white space between tokens, so the byte itself is tried first.
        let mut hit = self.bytes.get(self.pos) == Some(&byte);
        if !hit {
            self.white();
            hit = self.bytes.get(self.pos) == Some(&byte);
        }
        self.pos += usize::from(hit);
        hit
    }

    fn expect(&mut self, byte: u8) -> JsonResult<()> {
        if self.accept(byte) { Ok(()) } else { Err(Malformed) }
    }

    fn quoted(&mut self) -> JsonResult<Str<'a>> {
        Ok(self.quoted_and_plain()?.0)
    }

    /// Reads a string; the flag is set if its raw bytes are known to be its text. Most strings
    /// are keys, ids and names: short, and without escapes.
    fn quoted_and_plain(&mut self) -> JsonResult<(Str<'a>, bool)> {
        let rest = &self.bytes[self.pos..];
        let Some((b'"', text)) = rest.split_first() else {
            return Err(Malformed);
        };
        let near = plain_length(text);
        let length = near.map_or_else(|| far_quote(text), Ok)?;
        self.pos += length + 2;
        let raw = &text[..length];
        Ok((Str { raw }, near.is_some()))
    }

    fn scalar(&mut self) -> JsonResult<()> {
        let rest = &self.bytes[self.pos..];
        let length = rest.iter().position(|&byte| ends_scalar(byte)).unwrap_or(rest.len());
        let valid =
            matches!(&rest[..length], b"true" | b"false" | b"null") || is_number(&rest[..length]);
        self.pos += length;
        if valid { Ok(()) } else { Err(Malformed) }
    }

    /// Reads one value with all nested values, without recursion.
    fn walk(
        &mut self,
        mut string: impl FnMut(Str<'a>, Str<'a>) -> JsonResult<()>,
    ) -> JsonResult<()> {
        let mut nesting = Nesting::default();
        let mut key = NO_KEY;
        loop {
            // Before a value: open containers until one is empty or a leaf is read.
            self.white();
            match self.bytes.get(self.pos).ok_or(Malformed)? {
                open @ (b'{' | b'[') => {
                    let object = *open == b'{';
                    self.pos += 1;
                    nesting.push(object);
                    if !self.accept(if object { b'}' } else { b']' }) {
                        key = self.key_if(object)?.unwrap_or(key);
                        continue;
                    }
                    // The stack has no keys, so what follows an object in an array has none.
                    key = if object { NO_KEY } else { key };
                    nesting.pop();
                }
                b'"' => string(key, self.quoted()?)?,
                _ => self.scalar()?,
            }
            // After a value: close containers until another element follows.
            loop {
                let Some(object) = nesting.top() else {
                    return Ok(());
                };
                if self.accept(b',') {
                    key = self.key_if(object)?.unwrap_or(key);
                    break;
                }
                self.expect(if object { b'}' } else { b']' })?;
                key = if object { NO_KEY } else { key };
                nesting.pop();
            }
        }
    }

    fn key_if(&mut self, object: bool) -> JsonResult<Option<Str<'a>>> {
        if !object {
            return Ok(None);
        }
        self.white();
        let key = self.quoted()?;
        self.expect(b':')?;
        Ok(Some(key))
    }
}

/// The key of a string without a key above it.
const NO_KEY: Str<'static> = Str { raw: b"" };

/// The open containers of a text, one bit each: set for an object, clear for an array.
#[derive(Default)]
struct Nesting {
    depth: usize,
    current: u64,
    full: Vec<u64>,
}

impl Nesting {
    fn push(&mut self, object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.full.push(self.current);
        }
        self.current = (self.current << 1) | u64::from(object);
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.depth -= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.current = self.full.pop().unwrap_or_default();
        } else {
            self.current >>= 1;
        }
    }

    fn top(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.current & 1 == 1)
    }
}

/// Tells whether all bytes are white space of the grammar.
pub fn is_white(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

/// Returns the length of the JSON object at the start of `bytes`, if it is complete.
pub fn object_length(bytes: &[u8]) -> Option<usize> {
    let mut cursor = Cursor::new(bytes);
    if cursor.shape() != Ok(JsonShape::Object) {
        return None;
    }
    cursor.skip().ok()?;
    Some(cursor.position())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> String {
        let mut cursor = Cursor::new(raw.as_bytes());
        cursor.string().expect("a value").expect("a string").decode().into_owned()
    }

    #[test]
    fn strings_decode_as_written_by_tolerant_writers() {
        for (raw, expected) in [
            (r#""plain""#, "plain"),
            (r#""a\"b\\""#, "a\"b\\"),
            (r#""\u00e9\n\t\/""#, "é\n\t/"),
            (r#""\ud83d\ude00""#, "😀"),
            (r#""\ud83d""#, "\u{FFFD}"),
            (r#""\ud83dx\ude00""#, "\u{FFFD}x\u{FFFD}"),
            (r#""\u12""#, "\u{FFFD}12"),
            (r#""\q""#, "q"),
            ("\"raw\ttab\"", "raw\ttab"),
        ] {
            assert_eq!(text(raw), expected, "{raw}");
        }
    }

    #[test]
    fn strings_come_with_their_keys() {
        let raw = br#"{"a":"1","b":["2",{"c\u0064":"3","x":{"y":"4"}}],"h":["5",["6"],{},"7"]}"#;
        let mut found = Vec::new();
        let walked = Cursor::new(raw).strings(|key, text| {
            found.push(format!("{}={}", String::from_utf8_lossy(key), text.decode()));
            Ok(())
        });
        assert_eq!(walked, Ok(()));
        assert_eq!(found, ["a=1", "b=2", "cd=3", "y=4", "h=5", "h=6", "=7"]);
    }

    #[test]
    fn a_prefix_never_cuts_an_escape_or_a_character() {
        let raw = "\"aaaa\\u00e9éé\\ud83d\\ude00tail\"".to_owned();
        let mut cursor = Cursor::new(raw.as_bytes());
        let value = cursor.string().expect("a value").expect("a string");
        for limit in 0..raw.len() + 3 {
            let prefix = value.decode_prefix(limit);
            assert!(!prefix.contains('\u{FFFD}'), "{limit}: {prefix}");
            assert!(value.decode().starts_with(prefix.as_ref()), "{limit}: {prefix}");
        }
    }

    #[test]
    fn an_object_ends_where_its_bracket_closes() {
        for (raw, expected) in [
            ("{}", Some(2)),
            (r#"  {"a":[1,{"b":"}"}]} tail"#, Some(21)),
            (r#"{"a":1}{"b":2}"#, Some(7)),
            (r#"{"a":1"#, None),
            (r#"{"a":"x}"#, None),
            (r#"{"a":}"#, None),
            (r#"{"a" 1}"#, None),
            (r#"{"a":1,}"#, None),
            (r"{a:1}", None),
            ("[1]", None),
            ("", None),
            (r#"{"a":tru}"#, None),
        ] {
            assert_eq!(object_length(raw.as_bytes()), expected, "{raw}");
        }
    }

    #[test]
    fn deep_nesting_is_counted_and_not_recursed() {
        for depth in [1usize, 63, 64, 65, 128, 100_000] {
            let open: String =
                (0..depth).map(|i| if i % 2 == 0 { "{\"k\":" } else { "[" }).collect();
            let close: String =
                (0..depth).rev().map(|i| if i % 2 == 0 { '}' } else { ']' }).collect();
            let whole = format!("{open}1{close}");
            assert_eq!(object_length(whole.as_bytes()), Some(whole.len()), "{depth}");
            assert_eq!(object_length(&whole.as_bytes()[..whole.len() - 1]), None, "{depth}");
        }
    }

    #[test]
    fn strict_text_is_readable_by_strict_readers() {
        for raw in [
            &br#"{"a":"b"}"#[..],
            b"{\"a\":\"tab\there\"}",
            br#"{"a":"\ud800"}"#,
            br#"{"a":"\q"}"#,
            b"{\"a\":\"\xff\",\"n\":-1.5e3}",
        ] {
            assert!(object_length(raw).is_some());
            let strict = to_strict(raw);
            assert!(serde_json::from_str::<serde_json::Value>(&strict).is_ok(), "{strict}");
        }
    }
}
