//! Private key blocks: where they begin and end.
//!
//! A block is rarely plain. Its lines may have line numbers (`    12→`), signs of a diff, quote
//! marks or the quotes of string literals around them; a whole block may be one line with `\n` in
//! it; and either end may be cut off. So a line belongs to a block if only base64 is left after
//! all of that is removed.

use std::ops::Range;
use std::slice;

use memchr::{memchr2, memmem};

use super::bytes::{ByteSet, back};

/// The minimal dashes of a mark.
const DASHES: &[u8] = b"----";

/// The maximal length of a block, in bytes.
const LARGEST: usize = 1 << 16;
/// The maximal length of the private part of a `PuTTY` key, in bytes.
const PUTTY: usize = 1 << 13;
/// A line with less base64 than this may be a word of the text after a block.
const LONG: usize = 16;
/// How many short lines in a row may be in a block.
const SHORT_LINES: usize = 3;
/// Starts of the header lines in a block.
const HEADERS: [&str; 8] =
    ["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:", "Charset:", "Subject:", "x-"];

/// Bytes that may follow the base64 of a line.
const TRAILING: &[u8] = b"\"'`,+; \t\r.)";

/// A key block, or the part of it that a text contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct KeyBlock {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) state: BlockState,
}

impl KeyBlock {
    /// Moves a block to the text that a decoded text comes from.
    pub(super) fn located(mut self, back: &dyn Fn(&mut [Range<usize>])) -> Self {
        let mut range = self.start..self.end;
        back(slice::from_mut(&mut range));
        (self.start, self.end) = (range.start, range.end);
        self
    }
}

/// How a block ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BlockState {
    /// At its last line, or where other text begins.
    Closed,
    /// At the end of the text, in the middle of the key.
    Open,
    /// At the end of the text, before the key: only its first line is there.
    Bare,
}

/// Finds the block around the words `PRIVATE KEY` at `at`.
///
/// Reads no further than the next dashes, so that a text full of marks is read once.
pub(super) fn around(text: &[u8], at: usize) -> Option<KeyBlock> {
    let closing = after_name(text, at)?;
    let name = |byte: u8| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b' ');
    let word = back(text, at, 32, name);
    let (mark, found) = if let Some(begin) = memmem::find(&text[word..at], b"BEGIN ") {
        (BlockMark::Begin, word + begin)
    } else {
        (BlockMark::End, word + memmem::find(&text[word..at], b"END ")?)
    };
    let dashes = text[..found].iter().rev().skip_while(|&&byte| byte == b' ');
    let count = dashes.take(5).take_while(|&&byte| byte == b'-').count();
    if count < DASHES.len() {
        return None;
    }
    let blank = usize::from(text[found - 1] == b' ');
    let start = found - blank - count;
    match mark {
        BlockMark::Begin => body(text, start, closing, None),
        BlockMark::End => backward(text, start).map(|start| KeyBlock {
            start,
            end: closing,
            state: BlockState::Closed,
        }),
    }
}

enum BlockMark {
    Begin,
    End,
}

/// Finds the private part of a `PuTTY` key, after `Private-Lines:`.
pub(super) fn putty(text: &[u8], at: usize) -> Option<KeyBlock> {
    let number = text[at..].iter().skip("Private-Lines:".len());
    let digits = number.take_while(|byte| byte.is_ascii_digit() || **byte == b' ');
    let from = at + "Private-Lines:".len() + digits.count();
    let text = &text[..text.len().min(at + PUTTY)];
    let from = from.min(text.len());
    // The rest of the line must be empty, and the next line part of a key or the end of the text.
    let near = &text[..text.len().min(from + 256)];
    let (line, next) = line_at(near, from);
    let (end, _) = line_at(near, next);
    let begins = material(&near[from..line]) == Material::Empty
        && (next == text.len() || material(&near[next..end]) == Material::Long);
    begins.then(|| body(text, at, from, None)).flatten()
}

/// Returns the part of a text that belongs to a block that began before it.
pub(super) fn goes_on(text: &[u8]) -> Option<KeyBlock> {
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-' | b' ')));
    body(text, sign, 0, Some(0)).filter(|block| block.end > sign)
}

/// Returns the offset after `PRIVATE KEY` and its dashes.
fn after_name(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at + "PRIVATE KEY".len()..];
    let dashes = rest.strip_prefix(b" BLOCK").unwrap_or(rest);
    let dashes = dashes.strip_prefix(b" ").unwrap_or(dashes);
    let count = dashes.iter().take(5).take_while(|&&byte| byte == b'-').count();
    (count >= DASHES.len()).then_some(text.len() - dashes.len() + count)
}

/// Reads the lines from `from` on while they belong to a key; `known` is the end of the key as far
/// as it is known. None if there is other text and no key.
fn body(text: &[u8], start: usize, from: usize, known: Option<usize>) -> Option<KeyBlock> {
    let limit = text.len().min(from + LARGEST);
    let dashes = memmem::find(&text[from..limit], DASHES);
    let stop = dashes.map_or(limit, |dashes| from + dashes);
    unspool_work::add(stop - from);
    let (mut at, mut end, mut short) = (from, known, 0);
    let closed = |end| KeyBlock { start, end, state: BlockState::Closed };
    while at < stop {
        let (line, next) = line_at(&text[..stop], at);
        match material(&text[at..line]) {
            Material::Long => (end, short) = (Some(line), 0),
            Material::Empty => {}
            Material::Short if short < SHORT_LINES => short += 1,
            Material::Cut(length) => return Some(closed(at + length)),
            _ => return end.map(closed),
        }
        at = next;
    }
    if stop < text.len() {
        let end = end?;
        return Some(closed(end_mark(text, stop).unwrap_or(end)));
    }
    let state = if end.is_some() { BlockState::Open } else { BlockState::Bare };
    let end = text.len();
    Some(KeyBlock { start, end, state })
}

/// Reads lines backward from an end mark while they belong to a key; returns the start of the key.
fn backward(text: &[u8], mark: usize) -> Option<usize> {
    let limit = mark.saturating_sub(LARGEST);
    let dashes = memmem::rfind(&text[limit..mark], DASHES);
    let stop = dashes.map_or(limit, |dashes| limit + dashes + DASHES.len());
    unspool_work::add(mark - stop);
    let (mut at, mut start, mut short) = (mark, None, 0);
    loop {
        let line = line_before(text, stop, at);
        match material(&text[line..at]) {
            Material::Long => (start, short) = (Some(line + prefix(&text[line..at])), 0),
            Material::Empty => {}
            Material::Short if short < SHORT_LINES => short += 1,
            _ => return start,
        }
        if line == stop {
            return start;
        }
        at = separator_before(text, line).max(stop);
    }
}

/// Returns the end of the line that begins at `at`, and the start of the next line. Lines are
/// separated by newlines or their escapes, at any level of nesting.
fn line_at(text: &[u8], at: usize) -> (usize, usize) {
    let mut from = at;
    while let Some(found) = memchr2(b'\n', b'\\', &text[from..]) {
        let end = from + found;
        let following = end + text[end..].iter().take_while(|&&byte| byte == b'\\').count();
        match text.get(following) {
            Some(b'\n' | b'n' | b'r') => return (end, following + 1),
            _ => from = following,
        }
    }
    (text.len(), text.len())
}

/// Returns the start of the line that ends at `end`; not before `stop`.
fn line_before(text: &[u8], stop: usize, end: usize) -> usize {
    for at in (stop..end).rev() {
        if text[at] == b'\n' {
            return at + 1;
        }
        if text[at] == b'\\' && at + 1 < end && matches!(text[at + 1], b'n' | b'r') {
            return at + 2;
        }
    }
    stop
}

/// Returns the start of the separator that ends at `at`.
fn separator_before(text: &[u8], at: usize) -> usize {
    let last = at - 1;
    let slashes = text[..last].iter().rev();
    last - slashes.take_while(|&&byte| byte == b'\\').count()
}

/// Returns the offset after the end mark whose dashes begin at `at`.
fn end_mark(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..text.len().min(at + 64)];
    let name = memmem::find(rest, b"PRIVATE KEY")?;
    memmem::find(&rest[..name], b"END ")?;
    after_name(text, at + name)
}

/// The content of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Material {
    /// Only base64.
    Long,
    /// Only marks around an empty line.
    Empty,
    /// A header, or so little base64 that it could be a word.
    Short,
    /// Base64 up to this offset of the line, and other text after it.
    Cut(usize),
    /// Other text.
    Other,
}

fn material(line: &[u8]) -> Material {
    unspool_work::add(line.len());
    let skipped = prefix(line);
    let line = &line[skipped..];
    if HEADERS.iter().any(|header| line.starts_with(header.as_bytes())) {
        return Material::Short;
    }
    let kept = line.iter().rposition(|byte| !TRAILING.contains(byte));
    let Some(last) = kept else {
        return Material::Empty;
    };
    let (mut longest, mut words) = (0, 0);
    for word in line[..=last].split(|byte| b" \t".contains(byte)) {
        let length = ByteSet::Base64.run(word, 0, word.len());
        if length < word.len() {
            let first = ByteSet::Base64.run(line, 0, line.len());
            let is_key = first >= LONG;
            return if is_key { Material::Cut(skipped + first) } else { Material::Other };
        }
        longest = longest.max(length);
        words += 1;
    }
    match longest {
        LONG.. => Material::Long,
        _ if words == 1 => Material::Short,
        _ => Material::Other,
    }
}

/// Returns the length of the marks before the text of a line: blanks, a line number, signs of a
/// diff or a quote, and a quotation mark.
fn prefix(line: &[u8]) -> usize {
    let mut at = marks(line, 0);
    let digits = line[at..].iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
    let following = &line[at + digits..];
    if digits > 0 {
        let arrow = "→".as_bytes();
        let mark = match following.first() {
            Some(b'\t' | b' ' | b':' | b'|') => 1,
            _ if following.starts_with(arrow) => arrow.len(),
            _ => 0,
        };
        if mark > 0 {
            at = marks(line, at + digits + mark);
        }
    }
    at
}

/// Returns the offset after blanks, signs and quotation marks.
fn marks(line: &[u8], at: usize) -> usize {
    let sign = |byte: &&u8| {
        matches!(
            byte,
            b' ' | b'\t'
                | b'+'
                | b'-'
                | b'>'
                | b'<'
                | b'|'
                | b'#'
                | b'*'
                | b'"'
                | b'\''
                | b'`'
                | b'\\'
        )
    };
    at + line[at..].iter().take_while(sign).count()
}
