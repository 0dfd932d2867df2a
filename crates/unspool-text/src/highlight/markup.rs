//! Lexers for HTML, Markdown and diffs.

use super::{CodePainter, char_len, end_of, find_char, line_end, while_char};
use crate::style::CodeToken;

/// Labels HTML or XML: tags, attributes, quotes and comments.
pub(super) fn html(text: &str, painter: &mut CodePainter<'_>) {
    let mut at = 0;
    while let Some(open) = text[at..].find(['<', '&']) {
        let start = at + open;
        let rest = &text[start..];
        at = if rest.starts_with("<!--") {
            let end = end_of(text, start + 4, "-->");
            painter.label(CodeToken::Comment, start, end);
            end
        } else if rest.starts_with('&') {
            let end = while_char(text, start + 1, |c| c.is_ascii_alphanumeric() || c == '#');
            if text[end..].starts_with(';') {
                painter.label(CodeToken::Number, start, end + 1);
            }
            end
        } else {
            tag(text, start, painter)
        };
    }
}

/// Labels one tag and returns its end.
fn tag(text: &str, start: usize, painter: &mut CodePainter<'_>) -> usize {
    let name_at = while_char(text, start + 1, |c| matches!(c, '/' | '!' | '?'));
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    let name_end = while_char(text, name_at, is_name);
    if name_end == name_at {
        return start + 1;
    }
    painter.label(CodeToken::Keyword, name_at, name_end);
    let mut at = name_end;
    while let Some(c) = text[at..].chars().next() {
        match c {
            '>' => return at + 1,
            '<' => return at,
            '"' | '\'' => {
                let close = find_char(text, at + 1, text.len(), c);
                let end = close.map_or(text.len(), |close| close + 1);
                painter.label(CodeToken::String, at, end);
                at = end;
            }
            _ if is_name(c) => {
                let end = while_char(text, at, is_name);
                painter.label(CodeToken::Name, at, end);
                at = end;
            }
            _ => at += c.len_utf8(),
        }
    }
    at
}

/// Labels Markdown: headings, quotes, lists, code and links.
pub(super) fn markdown(text: &str, painter: &mut CodePainter<'_>) {
    let mut fence: Option<&str> = None;
    let mut at = 0;
    while at < text.len() {
        let end = line_end(text, at);
        let line = &text[at..end];
        let trimmed = line.trim_start();
        let start = end - trimmed.len();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => {
                fence = None;
                painter.label(CodeToken::Comment, start, end);
            }
            (Some(_), _) => painter.label(CodeToken::String, start, end),
            (None, Some(mark)) => {
                fence = Some(mark);
                painter.label(CodeToken::Comment, start, end);
            }
            (None, None) if trimmed.starts_with('#') => {
                painter.label(CodeToken::Keyword, start, end);
            }
            (None, None) if trimmed.starts_with('>') => {
                painter.label(CodeToken::Comment, start, end);
            }
            (None, None) => markdown_line(text, start, end, painter),
        }
        at = end + 1;
    }
}

fn markdown_line(text: &str, start: usize, end: usize, painter: &mut CodePainter<'_>) {
    let mut at = start;
    let line = &text[start..end];
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let marker = match line.as_bytes().get(digits) {
        Some(b'-' | b'*' | b'+') if digits == 0 => 1,
        Some(b'.' | b')') if digits > 0 => digits + 1,
        _ => 0,
    };
    if marker > 0 && line[marker..].starts_with(' ') {
        painter.label(CodeToken::Meta, start, start + marker);
        at += marker;
    }
    let mut opening: &[char] = &['`', '['];
    while let Some(open) = text[at..end].find(opening) {
        let start = at + open;
        let close = if text[start..].starts_with('`') { '`' } else { ']' };
        let Some(found) = find_char(text, start + 1, end, close) else {
            // If this one is not closed on the line, no later one is.
            if close == ']' {
                opening = &['`'];
                at = start + 1;
                continue;
            }
            return;
        };
        let token = if close == '`' { CodeToken::String } else { CodeToken::Function };
        painter.label(token, start, found + 1);
        at = found + 1;
    }
}

/// Labels a diff, line by line.
pub(super) fn diff(text: &str, painter: &mut CodePainter<'_>) {
    let mut at = 0;
    while at < text.len() {
        let end = line_end(text, at);
        let line = &text[at..end];
        let is_head = |mark: &str| line.starts_with(mark);
        let token = if ["+++ ", "--- ", "diff ", "index "].into_iter().any(is_head) {
            Some(CodeToken::Meta)
        } else {
            match line.as_bytes().first() {
                Some(b'+') => Some(CodeToken::Added),
                Some(b'-') => Some(CodeToken::Removed),
                Some(b'@') => Some(CodeToken::Keyword),
                _ => None,
            }
        };
        painter.label(token, at, end);
        at = end + char_len(text, end.min(text.len()));
    }
}
