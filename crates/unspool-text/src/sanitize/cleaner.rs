//! The slow path of [`super::clean`] and [`super::output`]: one pass over text with something
//! unsafe in it.

use memchr::memrchr;

/// The character that replaces one that must not be shown.
const REPLACEMENT: char = '\u{fffd}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';
const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const BLACK_FLAG: char = '\u{1f3f4}';

/// Returns the position of the first character that [`Cleaner`] has to handle.
pub(super) fn first_unsafe(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let at = from + bytes[from..].iter().position(|b| SUSPECT[*b as usize])?;
        let c = text[at..].chars().next()?;
        if is_unsafe(c) {
            return Some(at);
        }
        from = at + c.len_utf8();
    }
}

/// The first bytes of characters that may be unsafe.
static SUSPECT: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = byte != b'\n' as usize && byte != b'\t' as usize;
        byte += 1;
    }
    table[0x7f] = true;
    table[0xc2] = true; // U+0080–U+00BF
    table[0xd8] = true; // U+061C
    table[0xe1] = true; // U+180E
    table[0xe2] = true; // U+200B–U+206F
    table[0xef] = true; // U+FEFF, U+FFF9–U+FFFB
    table[0xf3] = true; // U+E0000–U+E007F
    table
};

fn is_unsafe(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{2028}' | '\u{2029}' => true,
        _ => c.is_control() || is_joiner(c) || is_bidi(c) || is_invisible(c) || is_tag(c),
    }
}

fn is_joiner(c: char) -> bool {
    matches!(c, ZERO_WIDTH_JOINER | ZERO_WIDTH_NON_JOINER)
}

/// Returns whether a character is an override, embedding or isolate, which reorder what a reader
/// sees.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}')
}

/// Returns whether a character is a tag: invisible ASCII, meant for flags, used to smuggle text.
fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Returns whether an emoji sequence can join this character. The test is by blocks: accepting too
/// much is harmless here.
fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
}

/// Returns whether the character's script shapes letters by joiners: Arabic and its neighbours, the
/// scripts of South and Southeast Asia, Mongolian.
fn uses_joiners(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{1a20}'..='\u{1cff}')
}

/// How carriage returns and backspaces are treated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Motion {
    /// They do not move: a return is a line break, so that nothing can hide the text before it.
    Ignored,
    /// They move as on a terminal: later text overwrites earlier text.
    Replayed,
}

pub(super) struct Cleaner<'a> {
    motion: Motion,
    rest: &'a str,
    out: String,
    /// The offset of the current line in `out`.
    line_start: usize,
    /// Set after a carriage return: the next text overwrites this line.
    rewind: bool,
}

impl<'a> Cleaner<'a> {
    /// Begins at the first unsafe character.
    pub(super) fn new(text: &'a str, at: usize, motion: Motion) -> Self {
        let mut cleaner = Self {
            motion,
            rest: &text[at..],
            out: String::with_capacity(text.len()),
            line_start: 0,
            rewind: false,
        };
        cleaner.write(&text[..at]);
        cleaner
    }

    pub(super) fn run(mut self) -> String {
        while let Some(c) = self.rest.chars().next() {
            self.rest = &self.rest[c.len_utf8()..];
            self.take(c);
            let safe = first_unsafe(self.rest).unwrap_or(self.rest.len());
            unspool_work::add(1 + safe);
            let (run, rest) = self.rest.split_at(safe);
            self.write(run);
            self.rest = rest;
        }
        self.out
    }

    /// Appends safe text.
    fn write(&mut self, run: &str) {
        let Some(first) = run.chars().next() else {
            return;
        };
        if self.rewind && first != '\n' {
            self.out.truncate(self.line_start);
        }
        self.rewind = false;
        if let Some(newline) = memrchr(b'\n', run.as_bytes()) {
            self.line_start = self.out.len() + newline + 1;
        }
        self.out.push_str(run);
    }

    fn show(&mut self, c: char) {
        self.write(c.encode_utf8(&mut [0; 4]));
    }

    /// Handles one unsafe character; `rest` begins after it.
    fn take(&mut self, c: char) {
        match c {
            '\r' if self.motion == Motion::Replayed => self.rewind = true,
            '\r' if self.rest.is_empty() || self.rest.starts_with('\n') => {}
            '\u{8}' if self.motion == Motion::Replayed => self.erase(),
            '\r' | '\u{2028}' | '\u{2029}' => self.show('\n'),
            '\u{1b}' => match escape_len(self.rest) {
                Some(len) => self.rest = &self.rest[len..],
                None => self.show('␛'),
            },
            '\u{9b}' => self.skip_or_replace(csi_len(self.rest)),
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => {
                self.skip_or_replace(string_len(self.rest));
            }
            '\u{8e}' | '\u{8f}' => self.skip_or_replace(Some(shifted_len(self.rest))),
            '\0'..='\u{1f}' => {
                self.show(char::from_u32(0x2400 + c as u32).unwrap_or(REPLACEMENT));
            }
            '\u{7f}' => self.show('␡'),
            _ if is_joiner(c) => self.join(c),
            _ if is_tag(c) => {
                let flag = self.last().is_some_and(|c| is_tag(c) || c == BLACK_FLAG);
                self.show(if flag { c } else { REPLACEMENT });
            }
            _ if is_invisible(c) => {}
            _ => self.show(REPLACEMENT),
        }
    }

    fn skip_or_replace(&mut self, len: Option<usize>) {
        match len {
            Some(len) => self.rest = &self.rest[len..],
            None => self.show(REPLACEMENT),
        }
    }

    /// Returns the last character of the current line.
    fn last(&self) -> Option<char> {
        let line = &self.out[self.line_start..];
        line.chars().next_back().filter(|_| !self.rewind)
    }

    /// Removes the character before a backspace, with the joiners before it.
    fn erase(&mut self) {
        if self.last().is_some() {
            self.out.pop();
        }
        while self.last().is_some_and(is_joiner) {
            self.out.pop();
        }
    }

    /// Keeps a joiner in a script that needs it or between emoji.
    fn join(&mut self, joiner: char) {
        let Some(last) = self.last() else { return };
        let in_emoji = || {
            let next = self.rest.chars().next().is_some_and(is_pictograph);
            // A variation selector and a skin tone may be between.
            let mut before = self.out[self.line_start..].chars().rev().take(3);
            let base = before.find(|c| *c != '\u{fe0f}' && !matches!(c, '\u{1f3fb}'..='\u{1f3ff}'));
            next && joiner == ZERO_WIDTH_JOINER && base.is_some_and(is_pictograph)
        };
        if uses_joiners(last) || in_emoji() {
            self.out.push(joiner);
        }
    }
}

/// Returns the length of the complete escape sequence at the start of a text, introducer included,
/// if there is one.
pub(super) fn sequence_len(text: &str) -> Option<usize> {
    let introducer = text.chars().next()?;
    let rest = &text[introducer.len_utf8()..];
    let len = match introducer {
        '\u{1b}' => escape_len(rest),
        '\u{9b}' => csi_len(rest),
        '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => string_len(rest),
        '\u{8e}' | '\u{8f}' => Some(shifted_len(rest)),
        _ => None,
    };
    len.map(|len| introducer.len_utf8() + len)
}

/// Returns the length of the part of an escape sequence after its ESC.
fn escape_len(rest: &str) -> Option<usize> {
    let (first, body) = (*rest.as_bytes().first()?, rest.get(1..)?);
    match first {
        b'[' => csi_len(body).map(|len| 1 + len),
        b']' | b'P' | b'X' | b'^' | b'_' => string_len(body).map(|len| 1 + len),
        b'N' | b'O' => Some(1 + shifted_len(body)),
        0x20..=0x2f => {
            let middle = prefix_len(body, 0x20..=0x2f);
            matches!(body.as_bytes().get(middle)?, 0x30..=0x7e).then_some(middle + 2)
        }
        0x30..=0x7e => Some(1),
        _ => None,
    }
}

/// Returns the length of the rest of a control sequence: parameters, intermediates, final.
fn csi_len(body: &str) -> Option<usize> {
    let parameters = prefix_len(body, 0x30..=0x3f);
    let middle = parameters + prefix_len(&body[parameters..], 0x20..=0x2f);
    matches!(body.as_bytes().get(middle)?, 0x40..=0x7e).then_some(middle + 1)
}

/// Returns the length of the rest of a control string with its terminator (BEL or ST). It must end
/// on its line: any other control character breaks it off.
fn string_len(body: &str) -> Option<usize> {
    let mut characters = body.char_indices();
    let found = characters.find(|(_, c)| c.is_control() && *c != '\t');
    unspool_work::add(found.map_or(body.len(), |(at, _)| at));
    let (at, end) = found?;
    match end {
        '\u{7}' => Some(at + 1),
        '\u{9c}' => Some(at + 2),
        '\u{1b}' if body[at..].starts_with("\u{1b}\\") => Some(at + 2),
        _ => None,
    }
}

/// Returns the length of the character that a single shift applies to.
fn shifted_len(body: &str) -> usize {
    usize::from(matches!(body.as_bytes().first(), Some(0x21..=0x7e)))
}

fn prefix_len(text: &str, class: std::ops::RangeInclusive<u8>) -> usize {
    let bytes = text.as_bytes();
    let end = bytes.iter().position(|b| !class.contains(b));
    let length = end.unwrap_or(bytes.len());
    unspool_work::add(length);
    length
}
