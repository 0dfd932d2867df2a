//! The lines of files that a log has shown so far: read, written, or from before a change.
//!
//! Lines are kept as hashes, without surrounding white space. So a file that comes back with each
//! change costs one lookup for each line and no room in the index. The lines are those of raw JSON
//! strings, since comparing them does not require resolving their escapes.

use std::collections::HashSet;

use foldhash::fast::FixedState;
use memchr::memchr;
use unspool_model::json::Str;

use super::seen::hash;

/// How many lines are remembered before all are forgotten. Chosen by judgement to bound memory.
const LINES: usize = 400_000;
/// Shorter lines, in bytes, are syntax and are ignored.
const SHORTEST: usize = 3;
/// How many characters of base64 make a string encoded data.
const ENCODED: usize = 256;

/// The lines known so far.
#[derive(Default)]
pub(super) struct FileLines {
    known: HashSet<u64, FixedState>,
}

impl FileLines {
    /// Notes the lines of a text that is indexed as a whole.
    pub(super) fn note(&mut self, text: Str<'_>) {
        for line in lines_of(text.raw()) {
            self.is_new(trim(line));
        }
    }

    /// Notes the lines of a text that may have line numbers.
    pub(super) fn note_numbered(&mut self, text: Str<'_>) {
        for line in lines_of(text.raw()) {
            self.is_new(trim(without_number(trim(line))));
        }
    }

    /// Notes the lines of a file and returns the new ones, separated by newlines.
    pub(super) fn new_in(&mut self, text: Str<'_>) -> String {
        self.new_lines(text, |line| line)
    }

    /// Notes the lines of a patch without `+` and `-`, and returns the new ones.
    pub(super) fn new_in_patch(&mut self, text: Str<'_>) -> String {
        self.new_lines(text, |line| {
            let after_sign = line.strip_prefix(b"+").or(line.strip_prefix(b"-"));
            after_sign.unwrap_or(line)
        })
    }

    fn new_lines(&mut self, text: Str<'_>, plain: impl Fn(&[u8]) -> &[u8]) -> String {
        let mut new = String::new();
        for line in lines_of(text.raw()) {
            let line = trim(plain(line));
            if self.is_new(line) {
                if !new.is_empty() {
                    new.push('\n');
                }
                push_readable(Str::new(line), &mut new);
            }
        }
        new
    }

    fn is_new(&mut self, line: &[u8]) -> bool {
        if line.len() < SHORTEST {
            return false;
        }
        if self.known.len() >= LINES {
            self.known.clear();
        }
        self.known.insert(hash(line))
    }
}

/// Returns the lines of a raw string, which are separated by `\n` escapes.
pub(super) fn lines_of(raw: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(raw);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let mut at = 0;
        while let Some(escape) = memchr(b'\\', &text[at..]) {
            at += escape;
            let following = text.len().min(at + 2);
            if text.get(at + 1) == Some(&b'n') {
                rest = Some(&text[following..]);
                return Some(&text[..at]);
            }
            at = following;
        }
        Some(text)
    })
}

/// Trims spaces and escaped tabs and carriage returns from a raw line.
fn trim(line: &[u8]) -> &[u8] {
    let mut rest = line;
    while let [b' ', inner @ ..] | [b'\\', b't' | b'r', inner @ ..] = rest {
        rest = inner;
    }
    loop {
        rest = match rest {
            [inner @ .., b' '] => inner,
            // An escape, unless its backslash is escaped.
            [inner @ .., b'\\', b't' | b'r'] if inner.last() != Some(&b'\\') => inner,
            _ => return rest,
        };
    }
}

/// Returns a line without the line number before it.
fn without_number(line: &[u8]) -> &[u8] {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let following = &line[digits..];
    let plain = following
        .strip_prefix("→".as_bytes())
        .or(following.strip_prefix(br"\t"))
        .or(following.strip_prefix(br"\u2192"));
    plain.filter(|_| digits > 0).unwrap_or(line)
}

/// Appends a line without encoded pictures, which the files of notebooks contain.
fn push_readable(line: Str<'_>, out: &mut String) {
    let encoded = |part: &str| {
        let sign = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        part.len() >= ENCODED && part.as_bytes().iter().take(ENCODED).all(sign)
    };
    if line.raw().len() < ENCODED {
        line.decode_into(out);
        return;
    }
    for part in line.decode().split_inclusive('"') {
        if !encoded(part) {
            out.push_str(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Str<'_> {
        Str::new(text.as_bytes())
    }

    #[test]
    fn lines_are_new_once_and_pictures_are_none() {
        let mut lines = FileLines::default();
        lines.note(raw(r"  known\n"));
        assert_eq!(lines.new_in(raw(r#"known\r\n\tnew \"one\"\n}\n"#)), r#"new "one""#);
        let patch = r#"-known\n+new \"one\"\n other\n@@"#;
        assert_eq!(lines.new_in_patch(raw(patch)), "other");
        let picture = format!(r#"\"image/png\": \"{}\","#, "iVBO".repeat(200));
        assert_eq!(lines.new_in(raw(&picture)), r#""image/png": ","#);
        let long = "word ".repeat(100);
        assert_eq!(lines.new_in(raw(&long)), long.trim());
    }

    #[test]
    fn numbers_before_lines_are_no_part_of_them() {
        let mut lines = FileLines::default();
        lines.note_numbered(raw(r"     1→fn main\n    12\t  let x\n404 not found"));
        let read = r"fn main\nlet x\n404 not found\nnew";
        assert_eq!(lines.new_in(raw(read)), "new");
    }

    #[test]
    fn a_backslash_that_is_escaped_begins_nothing() {
        let mut lines = FileLines::default();
        assert_eq!(lines.new_in(raw(r"C:\\new\\t\n  \\")), "C:\\new\\t");
        let found: Vec<&[u8]> = lines_of(br"a\nb\\nc\").collect();
        assert_eq!(found, [&b"a"[..], br"b\\nc\"]);
        assert_eq!(trim(br" \t\r a\\t \t\r"), br"a\\t");
    }
}
