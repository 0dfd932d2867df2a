//! Escapes text of logs, so that it contains no active Markdown or HTML.

use std::fmt::Write as _;

use unspool_text::{LinkTarget, sanitize};

/// Spaces for a tab, since tabs at the beginning of a line would be code.
const TAB: usize = 4;

/// Puts a text on one line and escapes its Markdown and HTML.
pub(super) fn inline(text: &str) -> String {
    let cleaned = sanitize::clean(text);
    let mut out = String::with_capacity(cleaned.len() + 16);
    let dollars = Dollars::of(&cleaned);
    for (index, word) in cleaned.split_whitespace().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        escape_into(word, dollars, &mut out);
    }
    out
}

/// Puts a text on one line and escapes its HTML.
pub(super) fn html(text: &str) -> String {
    let cleaned = sanitize::clean(text);
    let mut out = String::with_capacity(cleaned.len() + 16);
    for (index, word) in cleaned.split_whitespace().enumerate() {
        if index > 0 {
            out.push(' ');
        }
        for c in word.chars() {
            match c {
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '&' => out.push_str("&amp;"),
                '"' => out.push_str("&quot;"),
                '\'' => out.push_str("&#39;"),
                _ => out.push(c),
            }
        }
    }
    out
}

/// Writes a line as it was typed: keeps its indentation and escapes its Markdown.
pub(super) fn typed_line(line: &str, out: &mut String) {
    let text = line.trim_start_matches([' ', '\t']);
    for c in line[..line.len() - text.len()].chars() {
        let columns = if c == '\t' { TAB } else { 1 };
        for _ in 0..columns {
            out.push_str("&nbsp;");
        }
    }
    let text = text.trim_end();
    let dollars = Dollars::of(text);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && text[digits..].starts_with(['.', ')']) {
        // The number would begin a list.
        out.push_str(&text[..digits]);
        out.push('\\');
        escape_into(&text[digits..], dollars, out);
        return;
    }
    if text.starts_with(['#', '+', '-', '=', ':']) {
        out.push('\\');
    }
    escape_into(text, dollars, out);
}

/// Whether dollar signs of a line could be read as delimiters of a formula.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dollars {
    Money,
    Formula,
}

impl Dollars {
    fn of(text: &str) -> Self {
        match text.matches('$').count() {
            0 | 1 => Self::Money,
            _ => Self::Formula,
        }
    }
}

/// Escapes characters that mean something in Markdown or HTML anywhere on a line.
///
/// A marker of a redaction stays as it is, unless it would become the text of a link.
fn escape_into(mut text: &str, dollars: Dollars, out: &mut String) {
    while let Some((at, marker)) = next_marker(text) {
        escape_plain(&text[..at], dollars, out);
        out.push_str(marker);
        text = &text[at + marker.len()..];
    }
    escape_plain(text, dollars, out);
}

fn next_marker(text: &str) -> Option<(usize, &str)> {
    let mut places = text.match_indices('[');
    places.find_map(|(at, _)| {
        let marker = unspool_redact::marker(&text[at..])?;
        let following = &text[at + marker.len()..];
        (!following.starts_with(['(', '[', ':'])).then_some((at, marker))
    })
}

fn escape_plain(text: &str, dollars: Dollars, out: &mut String) {
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '$' if dollars == Dollars::Money => out.push(c),
            '\\' | '`' | '*' | '[' | ']' | '~' | '|' | '$' => {
                out.push('\\');
                out.push(c);
            }
            // Inside a word an underscore means nothing, and identifiers stay readable.
            '_' => {
                let inside = |c: char| c.is_alphanumeric() || c == '_';
                if !(inside(before) && rest.peek().copied().is_some_and(inside)) {
                    out.push('\\');
                }
                out.push('_');
            }
            _ => out.push(c),
        }
        before = c;
    }
}

/// Returns an address for the inside of `](…)`; `None` unless it leads to a page or to mail.
pub(super) fn address(url: &str) -> Option<String> {
    let LinkTarget::Web(url) = LinkTarget::of(url) else {
        return None;
    };
    let mut out = String::with_capacity(url.len());
    for c in url.chars() {
        let plain = c.is_ascii_alphanumeric() || "-._~:/?#@!$&+,;=%".contains(c);
        if plain {
            out.push(c);
        } else {
            let mut buffer = [0; 4];
            for byte in c.encode_utf8(&mut buffer).bytes() {
                // Writing to a string does not fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    Some(out)
}

/// Returns a fence that is longer than every run of backticks in a text.
pub(super) fn fence(text: &str) -> String {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat((longest + 1).max(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_on_a_line_is_markup() {
        for (text, expected) in [
            ("plain words", "plain words"),
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("[a](javascript:x) ![i](u)", "\\[a\\](javascript:x) !\\[i\\](u)"),
            ("*a* `b` ~c~ a|b", "\\*a\\* \\`b\\` \\~c\\~ a\\|b"),
            ("snake_case _em_ __init__", "snake_case \\_em\\_ \\__init_\\_"),
            ("two\nlines\x1b[31m", "two lines"),
            ("&lt;", "&amp;lt;"),
        ] {
            assert_eq!(inline(text), expected, "{text}");
        }
    }

    #[test]
    fn a_typed_line_keeps_its_indentation_and_begins_no_block() {
        let line = |text: &str| {
            let mut out = String::new();
            typed_line(text, &mut out);
            out
        };
        assert_eq!(line("  two"), "&nbsp;&nbsp;two");
        assert_eq!(line("\tx"), "&nbsp;&nbsp;&nbsp;&nbsp;x");
        for (text, expected) in [
            ("# h", "\\# h"),
            ("- i", "\\- i"),
            ("1. i", "1\\. i"),
            ("12) i", "12\\) i"),
            ("===", "\\==="),
            ("> q", "&gt; q"),
            ("```", "\\`\\`\\`"),
        ] {
            assert_eq!(line(text), expected);
        }
    }

    #[test]
    fn addresses_lead_to_pages_or_nowhere() {
        assert_eq!(
            address("https://x.org/a_(b)c\">").as_deref(),
            Some("https://x.org/a_%28b%29c%22%3E")
        );
        for hostile in
            ["javascript:alert(1)", "data:text/html,x", "file:///etc", "//x", "https://x y", ""]
        {
            assert_eq!(address(hostile), None, "{hostile}");
        }
    }

    #[test]
    fn a_fence_is_longer_than_what_it_contains() {
        assert_eq!(fence("no ticks"), "```");
        assert_eq!(fence("``` and ````"), "`````");
    }
}
