//! Lexers for style sheets and configuration files.

use super::{CodePainter, Quotes, char_len, end_of, line_end, while_char};
use crate::style::CodeToken;

/// Labels a style sheet: properties, numbers, quotes, rules and comments.
pub(super) fn css(text: &str, painter: &mut CodePainter<'_>) {
    let bytes = text.as_bytes();
    let mut quotes = Quotes::default();
    let name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let (token, end) = match byte {
            b'/' if bytes[at..].starts_with(b"/*") => {
                (Some(CodeToken::Comment), end_of(text, at + 2, "*/"))
            }
            b'"' | b'\'' => match quotes.end(text, at) {
                Some(end) => (Some(CodeToken::String), end),
                None => (None, at + 1),
            },
            b'@' | b'$' => (Some(CodeToken::Keyword), while_char(text, at + 1, name)),
            b'#' if depth > 0 => (Some(CodeToken::Number), while_char(text, at + 1, name)),
            b'.' | b'#' => (Some(CodeToken::Type), while_char(text, at + 1, name)),
            b'0'..=b'9' => {
                let number = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '%');
                (Some(CodeToken::Number), while_char(text, at, number))
            }
            _ if text[at..].starts_with(name) => {
                let end = while_char(text, at, name);
                let is_property = depth > 0 && text[end..].starts_with(':');
                let is_call = text[end..].starts_with('(');
                let token = match (is_property, is_call) {
                    (true, _) => Some(CodeToken::Name),
                    (false, true) => Some(CodeToken::Function),
                    (false, false) => None,
                };
                (token, end)
            }
            _ => {
                match byte {
                    b'{' => depth += 1,
                    b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                (None, at + char_len(text, at))
            }
        };
        painter.label(token, at, end);
        at = end;
    }
}

/// Labels YAML: keys, values, anchors and comments.
pub(super) fn yaml(text: &str, painter: &mut CodePainter<'_>) {
    each_line(text, |start, end| {
        let start = while_char(&text[..end], start, |c| c == ' ' || c == '-');
        let line = &text[start..end];
        let key = line.find(':').filter(|at| {
            let rest = &line[at + 1..];
            (rest.is_empty() || rest.starts_with([' ', '\t'])) && !line.starts_with('#')
        });
        let value = match key {
            Some(len) => {
                painter.label(CodeToken::Name, start, start + len);
                start + len + 1
            }
            None => start,
        };
        values(text, value, end, painter);
    });
}

/// Labels TOML and similar files: sections, keys, values and comments.
pub(super) fn toml(text: &str, painter: &mut CodePainter<'_>) {
    each_line(text, |start, end| {
        let start = while_char(&text[..end], start, |c| c == ' ' || c == '\t');
        let line = &text[start..end];
        if line.starts_with('[') && line.trim_end().ends_with(']') && !line.contains('=') {
            painter.label(CodeToken::Type, start, end);
            return;
        }
        let key = line.find('=').filter(|_| !line.starts_with(['#', ';', '"', '\'']));
        let value = match key {
            Some(len) => {
                let name = line[..len].trim_end().len();
                painter.label(CodeToken::Name, start, start + name);
                start + len + 1
            }
            None => start,
        };
        values(text, value, end, painter);
    });
}

/// Calls `line` with the start and the end of each line.
fn each_line(text: &str, mut line: impl FnMut(usize, usize)) {
    let mut at = 0;
    while at < text.len() {
        let end = line_end(text, at);
        line(at, end);
        at = end + 1;
    }
}

/// Labels the value of a setting.
fn values(text: &str, start: usize, end: usize, painter: &mut CodePainter<'_>) {
    let bytes = text.as_bytes();
    let mut quotes = Quotes::default();
    let mut at = start;
    while at < end {
        let is_word_start = at == start || !bytes[at - 1].is_ascii_alphanumeric();
        let (token, next) = match bytes[at] {
            b'#' if at == start || bytes[at - 1].is_ascii_whitespace() => {
                (Some(CodeToken::Comment), end)
            }
            b'"' | b'\'' if is_word_start => match quotes.end(text, at) {
                Some(next) => (Some(CodeToken::String), next),
                None => (None, at + 1),
            },
            b'&' | b'*' | b'!' if is_word_start => {
                let name = |c: char| c.is_alphanumeric() || matches!(c, '!' | '_' | '-' | '/');
                (Some(CodeToken::Meta), while_char(&text[..end], at + 1, name))
            }
            _ => {
                let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
                let next = while_char(&text[..end], at, word);
                (value(&text[at..next]), next.max(at + char_len(text, at)))
            }
        };
        painter.label(token, at, next);
        at = next;
    }
}

/// Returns the label of a bare word in a value.
fn value(word: &str) -> Option<CodeToken> {
    let is_number = word.starts_with(|c: char| c.is_ascii_digit())
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'+'));
    match word {
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" => Some(CodeToken::Keyword),
        _ if is_number => Some(CodeToken::Number),
        _ => None,
    }
}
