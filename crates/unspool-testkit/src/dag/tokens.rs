//! Splits a line of the notation into tokens: words, quoted texts, JSON and pairs.

use std::fmt::Display;

use serde_json::value::RawValue;

use crate::ids::uuid;

/// A token of the notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DagToken<'a> {
    /// A bare word.
    Word(&'a str),
    /// A string in double quotes, decoded.
    Text(String),
    /// A JSON object or array.
    Json(String),
    /// `< name`.
    Parent(&'a str),
    /// `key=value`.
    Pair(&'a str, PairValue<'a>),
}

/// The value of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PairValue<'a> {
    Word(&'a str),
    Text(String),
    Json(String),
}

impl PairValue<'_> {
    /// Returns the value as text.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Word(word) => word.to_owned(),
            Self::Text(text) | Self::Json(text) => text,
        }
    }

    /// Returns the value as JSON; a bare word is taken as JSON.
    pub(crate) fn into_json(self) -> String {
        match self {
            Self::Word(word) => word.to_owned(),
            Self::Text(text) => super::fields::quote(&text),
            Self::Json(json) => json,
        }
    }
}

/// The tokens of one line.
#[derive(Debug)]
pub(crate) struct DagTokens<'a> {
    number: usize,
    line: &'a str,
    rest: &'a str,
}

impl<'a> DagTokens<'a> {
    pub(crate) fn new(number: usize, line: &'a str) -> Self {
        Self { number, line, rest: line }
    }

    /// Panics with the line and a message.
    pub(crate) fn fail(&self, what: impl Display) -> ! {
        panic!("notation line {}: {what}\n    {}", self.number, self.line.trim())
    }

    /// Returns the rest of the line, with `%uuid(name)` replaced by uuids.
    pub(crate) fn verbatim(&mut self) -> String {
        let rest = std::mem::take(&mut self.rest);
        self.expand(rest.trim())
    }

    /// Returns the next token if it is a quoted text.
    pub(crate) fn text(&mut self) -> Option<String> {
        self.rest.trim_start().starts_with('"').then(|| match self.next() {
            Some(DagToken::Text(text)) => text,
            _ => self.fail("expected a text"),
        })
    }

    /// Returns the next token if it is a JSON object or array.
    pub(crate) fn json(&mut self) -> Option<String> {
        self.rest.trim_start().starts_with(['{', '[']).then(|| match self.next() {
            Some(DagToken::Json(json)) => json,
            _ => self.fail("expected JSON"),
        })
    }

    /// Returns the next token, which must be a word; `what` describes it in the error.
    pub(crate) fn word(&mut self, what: &str) -> &'a str {
        match self.next() {
            Some(DagToken::Word(word)) => word,
            _ => self.fail(format_args!("expected {what}")),
        }
    }

    /// Panics unless all tokens were read.
    pub(crate) fn end(&self) {
        if !self.rest.trim().is_empty() {
            self.fail(format_args!("did not expect `{}`", self.rest.trim()));
        }
    }

    pub(crate) fn next(&mut self) -> Option<DagToken<'a>> {
        self.rest = self.rest.trim_start();
        let token = match self.rest.chars().next()? {
            '"' => DagToken::Text(self.take_text()),
            '{' | '[' => DagToken::Json(self.take_json()),
            '<' => {
                self.rest = self.rest[1..].trim_start();
                DagToken::Parent(self.take_word())
            }
            _ => self.take_word_or_pair(),
        };
        Some(token)
    }

    fn take_word(&mut self) -> &'a str {
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        if end == 0 {
            self.fail("the line ends too early");
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn take_word_or_pair(&mut self) -> DagToken<'a> {
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let Some(equals) = self.rest[..end].find('=') else {
            return DagToken::Word(self.take_word());
        };
        let key = &self.rest[..equals];
        self.rest = &self.rest[equals + 1..];
        let value = match self.rest.chars().next() {
            Some('"') => PairValue::Text(self.take_text()),
            Some('{' | '[') => PairValue::Json(self.take_json()),
            _ => PairValue::Word(self.take_word()),
        };
        DagToken::Pair(key, value)
    }

    fn take_text(&mut self) -> String {
        let end = string_end(self.rest).unwrap_or_else(|| self.fail("a text has no end"));
        let (literal, rest) = self.rest.split_at(end);
        self.rest = rest;
        serde_json::from_str(literal).unwrap_or_else(|error| self.fail(error))
    }

    fn take_json(&mut self) -> String {
        let end = bracket_end(self.rest).unwrap_or_else(|| self.fail("JSON has no end"));
        let (json, rest) = self.rest.split_at(end);
        self.rest = rest;
        // Parsing to a `Value` would reject lone surrogates, which tests need.
        if let Err(error) = serde_json::from_str::<&RawValue>(json) {
            self.fail(error);
        }
        self.expand(json)
    }

    fn expand(&self, text: &str) -> String {
        let mut parts = text.split("%uuid(");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let Some((name, rest)) = part.split_once(')') else {
                self.fail("`%uuid(` has no `)`");
            };
            out.push_str(&uuid(name));
            out.push_str(rest);
        }
        out
    }
}

/// Returns the length of the JSON string at the beginning of a text.
fn string_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(index + 1),
            _ => {}
        }
    }
    None
}

/// Returns the length of the JSON object or array at the beginning of a text.
fn bracket_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut index, mut depth) = (0, 0_usize);
    while index < bytes.len() {
        match bytes[index] {
            b'"' => index += string_end(&text[index..])? - 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        index += 1;
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_splits_into_tokens() {
        let line =
            r#"a1 assistant <u1 "say \"hi\"" call Bash:t1 {"a":["}"]} out=5 x="y z" +k={"b":1}"#;
        let mut tokens = DagTokens::new(1, line);
        let found: Vec<DagToken<'_>> = std::iter::from_fn(|| tokens.next()).collect();
        assert_eq!(
            found,
            [
                DagToken::Word("a1"),
                DagToken::Word("assistant"),
                DagToken::Parent("u1"),
                DagToken::Text("say \"hi\"".to_owned()),
                DagToken::Word("call"),
                DagToken::Word("Bash:t1"),
                DagToken::Json(r#"{"a":["}"]}"#.to_owned()),
                DagToken::Pair("out", PairValue::Word("5")),
                DagToken::Pair("x", PairValue::Text("y z".to_owned())),
                DagToken::Pair("+k", PairValue::Json(r#"{"b":1}"#.to_owned())),
            ]
        );
    }

    #[test]
    #[should_panic(expected = "notation line 7: a text has no end")]
    fn an_open_text_names_its_line() {
        DagTokens::new(7, "\"open").next();
    }
}
