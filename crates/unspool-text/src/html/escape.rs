//! Markup, and the only way to put text into it.
//!
//! [`Html`] consists of string literals of this program, and of text from outside, which is cleaned
//! and escaped when it is added. A string that was put together elsewhere cannot be added as
//! markup, so a log cannot inject a tag, an attribute or an entity.

use std::fmt::Write as _;

use crate::sanitize::clean;

/// A piece of a page. It consists of markup of this program and of escaped text.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Html(String);

impl Html {
    /// Makes an empty piece.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends markup of this program.
    pub fn tag(&mut self, markup: &'static str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    /// Appends markup of this program if a condition is true.
    pub fn tag_if(&mut self, is_so: bool, markup: &'static str) -> &mut Self {
        if is_so { self.tag(markup) } else { self }
    }

    /// Appends text from any source. It is added without control characters, without characters
    /// that reorder a line, and without anything that a browser could read as markup.
    pub fn text(&mut self, text: &str) -> &mut Self {
        escape(&clean(text), &mut self.0);
        self
    }

    /// Appends an attribute, with a space before it.
    pub fn attribute(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.0.push(' ');
        self.0.push_str(name);
        self.0.push_str("=\"");
        self.text(value);
        self.0.push('"');
        self
    }

    /// Appends a link with a text.
    pub fn link(&mut self, way: &str, text: &str) -> &mut Self {
        self.tag("<a").attribute("href", way).tag(">").text(text).tag("</a>")
    }

    /// Appends a number.
    pub fn number(&mut self, number: u64) -> &mut Self {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{number}");
        self
    }

    /// Appends another piece.
    pub fn append(&mut self, other: &Self) -> &mut Self {
        self.0.push_str(&other.0);
        self
    }

    /// Appends text that was checked to be base64, which cannot form markup.
    pub fn base64(&mut self, data: &str) -> &mut Self {
        debug_assert!(data.bytes().all(is_base64), "the caller looked at it");
        self.0.push_str(data);
        self
    }

    /// Returns whether the piece is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the markup.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Empties the piece and keeps its capacity.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Returns whether a byte is allowed in base64.
pub fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Escapes clean text for an element or a quoted attribute.
fn escape(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    let mut copied = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if !SPECIAL[*byte as usize] {
            continue;
        }
        out.push_str(&text[copied..at]);
        out.push_str(match byte {
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'&' => "&amp;",
            b'"' => "&quot;",
            _ => "&#39;",
        });
        copied = at + 1;
    }
    out.push_str(&text[copied..]);
}

/// The characters that have a meaning in markup; each is one byte.
static SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    table[b'<' as usize] = true;
    table[b'>' as usize] = true;
    table[b'&' as usize] = true;
    table[b'"' as usize] = true;
    table[b'\'' as usize] = true;
    table
};

/// Makes an anchor from an id in a log: letters, digits, `-` and `_` stay, everything else becomes
/// `_`.
pub fn anchor(id: &str) -> String {
    /// Longer than any id that a client writes.
    const LONGEST: usize = 80;
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let letters = id.chars().take(LONGEST);
    letters.map(|c| if safe(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn escaped(text: &str) -> String {
        let mut html = Html::new();
        html.text(text);
        html.as_str().to_owned()
    }

    #[test]
    fn what_a_browser_would_read_is_escaped() {
        let cases = [
            ("", ""),
            ("a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"),
            ("\"'", "&quot;&#39;"),
            ("<script>", "&lt;script&gt;"),
            ("&lt;", "&amp;lt;"),
            ("漢字\n\ttab", "漢字\n\ttab"),
            ("\x1b[31mred\x1b[0m", "red"),
            ("a\u{202e}b", "a\u{fffd}b"),
            ("nul\0", "nul␀"),
        ];
        for (text, expected) in cases {
            assert_eq!(escaped(text), expected, "{text:?}");
        }
    }

    #[test]
    fn attributes_cannot_be_left() {
        let mut html = Html::new();
        html.tag("<a").attribute("title", "x\" onclick='y'>").tag(">");
        assert_eq!(html.as_str(), "<a title=\"x&quot; onclick=&#39;y&#39;&gt;\">");
    }

    #[test]
    fn anchors_are_names() {
        assert_eq!(anchor("a-1_B"), "a-1_B");
        assert_eq!(anchor("\"><x é"), "___x__");
        assert_eq!(anchor(&"x".repeat(500)).len(), 80);
    }

    proptest! {
        #[test]
        fn text_contains_no_markup(text in any::<String>()) {
            let html = escaped(&text);
            prop_assert!(!html.contains(['<', '>', '"', '\'']));
            prop_assert!(!html.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
            let back = html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
            let back = back.replace("&#39;", "'").replace("&amp;", "&");
            prop_assert_eq!(back, clean(&text).into_owned());
        }
    }
}
