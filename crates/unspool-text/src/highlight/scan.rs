//! The general lexer, for languages made of words, quotes, numbers and comments.

use super::rules::{Extra, LanguageRules};
use super::{
    CodePainter, CodeToken, Quotes, char_len, end_of, find_char, line_end, looked, while_char,
};

/// Labels text in a language.
pub(super) fn scan(text: &str, rules: &LanguageRules, painter: &mut CodePainter<'_>) {
    let mut scanner = CodeScanner { text, rules, quotes: Quotes::default() };
    let mut at = 0;
    while at < text.len() {
        let (token, end) = scanner.next(at);
        painter.label(token, at, end);
        at = end;
    }
}

struct CodeScanner<'a> {
    text: &'a str,
    rules: &'a LanguageRules,
    quotes: Quotes,
}

impl CodeScanner<'_> {
    /// Returns the label and the end of the token at an offset.
    fn next(&mut self, at: usize) -> (Option<CodeToken>, usize) {
        let byte = self.text.as_bytes()[at];
        if byte.is_ascii_whitespace() {
            return (None, at + 1);
        }
        if let Some(end) = self.remark(at) {
            return (Some(CodeToken::Comment), end);
        }
        if let Some(end) = self.quoted(at) {
            let names = self.rules.has(Extra::QuotedKeys) && self.is_key(end);
            return (Some(if names { CodeToken::Name } else { CodeToken::String }), end);
        }
        if byte.is_ascii_digit() {
            let digit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
            return (Some(CodeToken::Number), while_char(self.text, at, digit));
        }
        if let Some(end) = self.annotation(at) {
            return (Some(CodeToken::Meta), end);
        }
        let begins = |c: char| c.is_alphabetic() || c == '_' || c == '$';
        if self.text[at..].starts_with(begins) {
            return self.word(at);
        }
        (None, at + char_len(self.text, at))
    }

    fn starts(&self, at: usize, what: &str) -> bool {
        self.text.as_bytes()[at..].starts_with(what.as_bytes())
    }

    /// Returns the end of a comment.
    fn remark(&self, at: usize) -> Option<usize> {
        if self.rules.line.iter().any(|mark| self.starts(at, mark)) {
            return Some(line_end(self.text, at));
        }
        let (open, close) = self.rules.block?;
        if !self.starts(at, open) {
            return None;
        }
        if !self.rules.has(Extra::NestedRemarks) {
            return Some(end_of(self.text, at + open.len(), close));
        }
        let bytes = self.text.as_bytes();
        let mut depth = 1;
        let start = at;
        let mut at = at + open.len();
        while depth > 0 && at < bytes.len() {
            if bytes[at..].starts_with(close.as_bytes()) {
                depth -= 1;
                at += close.len();
            } else if bytes[at..].starts_with(open.as_bytes()) {
                depth += 1;
                at += open.len();
            } else {
                at += 1;
            }
        }
        Some(looked(start, at))
    }

    /// Returns the end of a string.
    fn quoted(&mut self, at: usize) -> Option<usize> {
        for mark in self.rules.long_quotes {
            if self.starts(at, mark) {
                return Some(long_end(self.text, at + mark.len(), mark));
            }
        }
        let byte = self.text.as_bytes()[at];
        if self.rules.has(Extra::Lifetimes) && byte == b'\'' {
            return letter_end(self.text, at);
        }
        let is_quote = self.rules.quotes.as_bytes().contains(&byte);
        is_quote.then(|| self.quotes.end(self.text, at)).flatten()
    }

    /// Returns whether the string that ends here names a field.
    fn is_key(&self, end: usize) -> bool {
        let blank = |c: char| c == ' ' || c == '\t';
        self.text[while_char(self.text, end, blank)..].starts_with(':')
    }

    /// Returns the end of an annotation or a directive.
    fn annotation(&self, at: usize) -> Option<usize> {
        let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        if self.rules.has(Extra::Annotations) && self.starts(at, "@") {
            return Some(while_char(self.text, at + 1, name));
        }
        if self.rules.has(Extra::Attributes) && (self.starts(at, "#[") || self.starts(at, "#![")) {
            let end = line_end(self.text, at);
            return Some(find_char(self.text, at, end, ']').map_or(end, |close| close + 1));
        }
        if self.rules.has(Extra::Directives) && self.starts(at, "#") {
            return Some(while_char(self.text, at + 1, name));
        }
        None
    }

    fn word(&mut self, at: usize) -> (Option<CodeToken>, usize) {
        let mut end = while_char(self.text, at, |c| c.is_alphanumeric() || c == '_' || c == '$');
        let word = &self.text[at..end];
        if self.rules.has(Extra::RawQuotes)
            && let Some(end) = raw_end(self.text, word, end)
        {
            return (Some(CodeToken::String), end);
        }
        let token = if self.rules.is_keyword(word) {
            Some(CodeToken::Keyword)
        } else if self.rules.is_constant(word) {
            Some(CodeToken::Number)
        } else if self.rules.has(Extra::Macros) && self.starts(end, "!") && !self.starts(end, "!=")
        {
            end += 1;
            Some(CodeToken::Function)
        } else if self.starts(end, "(") {
            Some(CodeToken::Function)
        } else if self.rules.has(Extra::CapitalTypes) && is_capitalized(word) {
            Some(CodeToken::Type)
        } else {
            None
        };
        (token, end)
    }
}

/// Returns whether a word looks like the name of a type: `Name` or `T`, not `NAME`.
fn is_capitalized(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
        && (word.chars().nth(1).is_none() || word.contains(char::is_lowercase))
}

/// Returns the end of a string that may span lines and that `mark` closes; a backslash escapes.
fn long_end(text: &str, from: usize, mark: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while at < bytes.len() {
        if bytes[at] == b'\\' {
            at += 2;
        } else if bytes[at..].starts_with(mark.as_bytes()) {
            return looked(from, at + mark.len());
        } else {
            at += 1;
        }
    }
    looked(from, text.len())
}

/// Returns the end of a character in single quotes; `None` if it is a lifetime.
fn letter_end(text: &str, at: usize) -> Option<usize> {
    let mut letters = text[at + 1..].char_indices();
    let (_, first) = letters.next()?;
    if first == '\\' {
        /// The longest escape is `\u{10ffff}`.
        const LONGEST: usize = 12;
        let close = letters.skip(1).take(LONGEST).find(|(_, c)| *c == '\'')?;
        return Some(at + 1 + close.0 + 1);
    }
    let (close, quote) = letters.next()?;
    (quote == '\'').then_some(at + 1 + close + 1)
}

/// Returns the end of a raw string such as `r#"…"#`, whose prefix ends at `at`.
fn raw_end(text: &str, prefix: &str, at: usize) -> Option<usize> {
    /// More marks than anyone writes.
    const HASHES: &str = "\"################";
    if prefix == "b" && text[at..].starts_with('"') {
        return Some(long_end(text, at + 1, "\""));
    }
    if !matches!(prefix, "r" | "br" | "cr") {
        return None;
    }
    let marks = while_char(text, at, |c| c == '#');
    if !text[marks..].starts_with('"') {
        return None;
    }
    let close = HASHES.get(..=marks - at)?;
    Some(end_of(text, marks + 1, close))
}
