//! Finds secrets in texts and in raw JSON records, and replaces them by `[redacted:kind]`.
//!
//! Knows patterns and text, but not sessions, files or output formats. Returns the text or record
//! with its secrets replaced, and a [`SecretTally`] of them. Input without secrets is returned byte
//! for byte.
//!
//! Limits of lengths and counts were chosen by judgement, to bound the work for hostile texts.
//!
//! `docs/redaction.md` lists for users what is found, what is kept and what cannot be found.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod ansi;
mod assign;
mod bytes;
mod email;
mod escape;
mod home;
mod key_block;
mod kind;
mod lens;
mod people;
mod record;
mod scan;
mod shape;
mod sighting;
mod tally;
#[cfg(test)]
mod tests;
mod tokens;
mod url;
mod view;

use std::borrow::Cow;

use regex::bytes::Regex;

pub use self::kind::{SecretKind, SecretWeight};
pub use self::lens::{SessionRedactor, Treatment};
pub use self::people::{People, REACH};
pub use self::sighting::SeenSecrets;
pub use self::tally::SecretTally;

use self::scan::{ScanScope, SecretScanner, SecretSpan, StringPlace};

/// The user-specific input: patterns, and names of the people whose sessions these are.
#[derive(Clone, Default, Debug)]
pub struct RedactRules {
    /// Patterns from the settings.
    pub extra: Vec<UserPattern>,
    /// Home folders as the system writes them; others are recognised under `/home`, `/Users` and
    /// `C:\Users`.
    pub home_dirs: Vec<String>,
    /// User names that are redacted wherever they are whole words, unless they are short or common.
    pub user_names: Vec<String>,
    /// User names that are redacted in paths only; see [`People`].
    pub path_names: Vec<String>,
}

/// A pattern from the settings.
#[derive(Clone, Debug)]
pub struct UserPattern {
    kind: SecretKind,
    regex: Regex,
}

/// The reason why a pattern cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UserPatternError {
    /// The name does not fit into a marker.
    #[error("a name consists of letters, digits, `-` and `_`, 40 at most")]
    Name,
    /// The pattern is not a regular expression.
    #[error("{0}")]
    Syntax(String),
    /// The pattern matches between any two letters.
    #[error("it matches the empty text")]
    Empty,
}

impl UserPattern {
    /// Creates a pattern whose matches become `[redacted:name]`.
    pub fn new(name: &str, pattern: &str) -> Result<Self, UserPatternError> {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if !(1..=40).contains(&name.len()) || !name.bytes().all(letter) {
            return Err(UserPatternError::Name);
        }
        // Parsed as a pattern for text: one for bytes could match half a character.
        if let Err(error) = regex_syntax::Parser::new().parse(pattern) {
            return Err(UserPatternError::Syntax(reason(&error)));
        }
        let regex =
            Regex::new(pattern).map_err(|error| UserPatternError::Syntax(error.to_string()))?;
        if regex.is_match(b"") {
            return Err(UserPatternError::Empty);
        }
        Ok(Self { kind: SecretKind::own(name), regex })
    }

    /// Returns the name of the pattern.
    pub fn name(&self) -> &str {
        self.kind.name()
    }

    /// Returns the regular expression.
    pub fn pattern(&self) -> &str {
        self.regex.as_str()
    }
}

/// Returns the error of a pattern in one line.
fn reason(error: &regex_syntax::Error) -> String {
    match error {
        regex_syntax::Error::Parse(error) => error.kind().to_string(),
        regex_syntax::Error::Translate(error) => error.kind().to_string(),
        other => other.to_string(),
    }
}

/// Finds secrets and replaces them. Created once, and shared between threads.
#[derive(Debug)]
pub struct Redactor {
    scanner: SecretScanner,
}

impl Redactor {
    /// Creates a redactor for everything: secrets, addresses, home folders and user names.
    pub fn new(rules: &RedactRules) -> Self {
        Self { scanner: SecretScanner::new(rules, ScanScope::All) }
    }

    /// Creates a redactor for credentials and the user's patterns only, for a warning.
    pub fn for_secrets(rules: &RedactRules) -> Self {
        Self { scanner: SecretScanner::new(rules, ScanScope::Secrets) }
    }

    /// Replaces the secrets of a text and counts them.
    pub fn text<'t>(&self, text: &'t str, tally: &mut SecretTally) -> Cow<'t, str> {
        self.noting(text, StringPlace::Text, &mut |kind, _| tally.add(kind))
    }

    /// Replaces the secrets of a text and passes each to `note`.
    fn noting<'t>(&self, text: &'t str, place: StringPlace, note: SecretNote<'_>) -> Cow<'t, str> {
        let found = self.scanner.spans(text.as_bytes(), place);
        if found.spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let bytes = replace(text.as_bytes(), &found.spans, note);
        // Spans end next to ASCII, or where a pattern for text does, so this is UTF-8.
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Cow::Owned(text)
    }

    /// Replaces the secrets of an id.
    pub fn id<'t>(&self, id: &'t str) -> Cow<'t, str> {
        self.noting(id, StringPlace::Word, &mut |_, _| {})
    }

    /// Replaces the secrets in all strings of a raw JSON record, including keys, and counts them.
    ///
    /// All other bytes are kept, also inside those strings, and a valid record stays valid. The
    /// record may be torn.
    pub fn json<'b>(&self, record: &'b [u8], tally: &mut SecretTally) -> Cow<'b, [u8]> {
        self.json_noting(record, &mut |kind, _| tally.add(kind))
    }

    /// Replaces the secrets in a raw JSON record and passes each to `note`, as it is written
    /// there.
    fn json_noting<'b>(&self, record: &'b [u8], note: SecretNote<'_>) -> Cow<'b, [u8]> {
        let spans = record::spans(&self.scanner, record);
        if spans.is_empty() {
            return Cow::Borrowed(record);
        }
        Cow::Owned(replace(record, &spans, note))
    }

    /// Counts the secrets of a raw JSON record.
    pub fn look(&self, record: &[u8], tally: &mut SecretTally) {
        for span in record::spans(&self.scanner, record) {
            tally.add(&span.kind);
        }
    }
}

/// Receives the kind and the bytes of each secret that is replaced.
type SecretNote<'n> = &'n mut dyn FnMut(&SecretKind, &[u8]);

/// The start of every marker.
const MARKER: &str = "[redacted:";

/// Returns the marker at the start of a text.
pub fn marker(text: &str) -> Option<&str> {
    let name = text.strip_prefix(MARKER)?;
    let length = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_')?;
    let is_marker = length > 0 && name[length..].starts_with(']');
    is_marker.then(|| &text[..=MARKER.len() + length])
}

/// Copies bytes, with a marker in place of each span.
fn replace(bytes: &[u8], spans: &[SecretSpan], note: SecretNote<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 16 * spans.len());
    let mut at = 0;
    for SecretSpan { range, kind } in spans {
        out.extend_from_slice(&bytes[at..range.start]);
        out.extend_from_slice(MARKER.as_bytes());
        out.extend_from_slice(kind.name().as_bytes());
        out.push(b']');
        note(kind, &bytes[range.clone()]);
        at = range.end;
    }
    out.extend_from_slice(&bytes[at..]);
    out
}
