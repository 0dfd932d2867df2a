//! Recognises the line numbers that a file reader adds to the lines of a file.
//!
//! They are not part of the file: a search for `404` should not find every file of 404 lines. A
//! file reader writes `7→`, or `7` and a tab. Tables have numbers before tabs too, so such a number
//! counts as a line number only if the line before or after it has the adjacent number.

use memchr::memchr;

/// Finds the line numbers among the numbers of a text.
#[derive(Default)]
pub(super) struct Numbering {
    /// The last number before a tab at the start of a line.
    last: Option<u32>,
}

impl Numbering {
    /// Tells whether the number in `text[from..to]` is a line number. The numbers of a text must be
    /// passed in order.
    pub(super) fn is_of_line(&mut self, text: &str, from: usize, to: usize) -> bool {
        match text.as_bytes().get(to) {
            Some(b'\t') => self.goes_on(text, from, to),
            Some(0x80..) => text[to..].starts_with('→'),
            _ => false,
        }
    }

    /// Tells whether a number before a tab is adjacent to that of the line before it or after it.
    fn goes_on(&mut self, text: &str, from: usize, to: usize) -> bool {
        if !begins_line(&text.as_bytes()[..from]) {
            return false;
        }
        let Ok(number) = text[from..to].parse::<u32>() else {
            return false;
        };
        let before = self.last.replace(number);
        let comes_next = |before: u32, number| before.checked_add(1) == Some(number);
        before.is_some_and(|before| comes_next(before, number))
            || next_number(&text[to..]).is_some_and(|next| comes_next(number, next))
    }
}

/// Tells whether a text ends where a line begins, ignoring blanks.
fn begins_line(before: &[u8]) -> bool {
    let last = before.iter().rev().find(|&&byte| byte != b' ');
    last.is_none_or(|&byte| byte == b'\n')
}

/// Returns the number before a tab at the start of the next line.
fn next_number(text: &str) -> Option<u32> {
    let newline = memchr(b'\n', text.as_bytes())?;
    let line = text[newline + 1..].trim_start_matches(' ');
    let length = line.bytes().take_while(u8::is_ascii_digit).count();
    let is_numbered = line.as_bytes().get(length) == Some(&b'\t');
    line[..length].parse().ok().filter(|_| is_numbered)
}
