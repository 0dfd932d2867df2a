//! The lexer for shell commands.

use super::{CodePainter, Quotes, char_len, find_char, line_end, looked, while_char};
use crate::style::CodeToken;

/// Keywords of shells.
const KEYWORDS: [&str; 18] = [
    "case", "do", "done", "elif", "else", "esac", "export", "fi", "for", "function", "if", "in",
    "local", "return", "set", "then", "until", "while",
];

/// Labels commands: programs, options, variables, quotes and comments.
pub(super) fn shell(text: &str, painter: &mut CodePainter<'_>) {
    let bytes = text.as_bytes();
    let mut quotes = Quotes::default();
    let mut braces = Braces::default();
    // Whether the next word is a program to run.
    let mut begins = true;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let (token, end) = match byte {
            b'\n' | b'|' | b'&' | b';' | b'(' | b'{' => {
                begins = true;
                (None, at + 1)
            }
            b' ' | b'\t' => (None, at + 1),
            b'#' if at == 0 || bytes[at - 1].is_ascii_whitespace() => {
                (Some(CodeToken::Comment), line_end(text, at))
            }
            b'$' => (Some(CodeToken::Name), variable_end(text, at, &mut braces)),
            b'\'' => match find_char(text, at + 1, text.len(), '\'') {
                Some(close) => (Some(CodeToken::String), close + 1),
                None => (None, at + 1),
            },
            b'"' | b'`' => match quotes.end(text, at).or_else(|| long_quoted(text, at)) {
                Some(end) => (Some(CodeToken::String), end),
                None => (None, at + 1),
            },
            b'\\' => (None, (at + 1 + char_len(text, (at + 1).min(text.len()))).min(text.len())),
            _ => {
                let end = word_end(text, at);
                let token = word(&text[at..end], begins);
                begins =
                    begins && is_assignment(&text[at..end]) || token == Some(CodeToken::Keyword);
                (token, end)
            }
        };
        painter.label(token, at, end);
        at = end.max(at + 1);
    }
}

fn word(word: &str, begins: bool) -> Option<CodeToken> {
    if KEYWORDS.binary_search(&word).is_ok() {
        return Some(CodeToken::Keyword);
    }
    if begins && !is_assignment(word) {
        return Some(CodeToken::Function);
    }
    let is_option = word.starts_with('-') && word.len() > 1;
    let is_number = word.bytes().all(|b| b.is_ascii_digit());
    if is_option {
        Some(CodeToken::Meta)
    } else if is_number {
        Some(CodeToken::Number)
    } else {
        None
    }
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn word_end(text: &str, at: usize) -> usize {
    let ends = |c: char| " \t\n|&;(){}<>\"'`$\\".contains(c);
    while_char(text, at + char_len(text, at), |c| !ends(c))
}

/// Finds the end of `${…}` on its line, but scans a line without one only once.
#[derive(Default)]
struct Braces {
    /// The offset up to which no brace closes.
    hopeless: usize,
}

impl Braces {
    fn end(&mut self, text: &str, at: usize) -> Option<usize> {
        if at < self.hopeless {
            return None;
        }
        let bytes = text.as_bytes();
        let stop = memchr::memchr2(b'}', b'\n', &bytes[at..]);
        let stop = looked(at, stop.map_or(text.len(), |len| at + len));
        if bytes.get(stop) == Some(&b'}') {
            return Some(stop + 1);
        }
        self.hopeless = stop;
        None
    }
}

/// Returns the end of a variable: `$name`, `${…}` on one line, `$1`, `$?`.
fn variable_end(text: &str, at: usize, braces: &mut Braces) -> usize {
    let rest = &text[at + 1..];
    if rest.starts_with('{') {
        return braces.end(text, at).unwrap_or(at + 1);
    }
    let end = while_char(text, at + 1, |c| c.is_ascii_alphanumeric() || c == '_');
    if end == at + 1 && rest.starts_with(['?', '@', '*', '#', '!', '$']) {
        return end + 1;
    }
    end
}

/// Returns the end of a quote that spans lines, if it is near.
fn long_quoted(text: &str, at: usize) -> Option<usize> {
    /// How many bytes are scanned; more would be scanned again for each quote.
    const NEAR: usize = 4_096;
    let bytes = text.as_bytes();
    let quote = bytes[at];
    let mut end = at + 1;
    while end < bytes.len().min(at + NEAR) {
        unspool_work::add(1);
        match bytes[end] {
            b'\\' => end += 2,
            byte if byte == quote => return Some(end + 1),
            _ => end += 1,
        }
    }
    None
}
