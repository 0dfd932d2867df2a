//! Reads values of a parsed file and collects its errors.
//!
//! All errors are reported at once, in the order of the file, with line and column. Names and values are
//! quoted with their control characters escaped.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use unspool_model::near::near;

use super::{SettingOrigin, SettingsError, Sourced};

/// The length to which a wrong value is quoted.
const QUOTED: usize = 40;

/// The text of a file, and the errors found so far.
pub(super) struct SettingsChecker<'t> {
    text: &'t str,
    path: &'t Path,
    problems: Vec<(usize, String)>,
}

/// A table of the file and its header; the header of the top level is empty.
#[derive(Clone, Copy)]
pub(super) struct SettingsSection<'d, 't> {
    pub(super) head: &'d str,
    pub(super) table: &'d DeTable<'t>,
}

/// A value of the file.
pub(super) type FileValue<'t> = Spanned<DeValue<'t>>;

impl<'t> SettingsChecker<'t> {
    pub(super) fn new(text: &'t str, path: &'t Path) -> Self {
        Self { text, path, problems: Vec::new() }
    }

    /// Records an error at a position.
    pub(super) fn wrong(&mut self, at: Range<usize>, message: impl Into<String>) {
        self.problems.push((at.start, message.into()));
    }

    /// Records an error of a value, with a suggestion if there is one.
    pub(super) fn type_error(
        &mut self,
        name: &str,
        value: &FileValue<'_>,
        expected: &str,
        meant: Option<&str>,
    ) {
        let found = describe(value.get_ref());
        let hint = meant.map(|meant| format!("; did you mean `{meant}`?"));
        let hint = hint.unwrap_or_default();
        self.wrong(value.span(), format!("{name} must be {expected}, not {found}{hint}"));
    }

    /// Returns the origin of a value.
    pub(super) fn origin(&self, at: &Range<usize>) -> SettingOrigin {
        SettingOrigin::File { path: self.path.to_owned(), line: place(self.text, at.start).0 }
    }

    /// Reads a value; `None` if it is missing or wrong.
    pub(super) fn take<T>(
        &mut self,
        section: SettingsSection<'_, '_>,
        key: &str,
        expected: &str,
        read: impl FnOnce(&DeValue<'_>) -> Option<T>,
    ) -> Option<Sourced<T>> {
        let value = section.table.get(key)?;
        let Some(read) = read(value.get_ref()) else {
            self.type_error(&named(key, section.head), value, expected, None);
            return None;
        };
        Some(Sourced::new(read, self.origin(&value.span())))
    }

    /// Reads a word; `near` suggests a word for a wrong one.
    pub(super) fn take_word<T>(
        &mut self,
        section: SettingsSection<'_, '_>,
        key: &str,
        expected: &str,
        read: impl FnOnce(&str) -> Option<T>,
        near: impl FnOnce(&str) -> Option<String>,
    ) -> Option<Sourced<T>> {
        let value = section.table.get(key)?;
        let word = value.get_ref().as_str();
        let Some(read) = word.and_then(read) else {
            let meant = word.and_then(near);
            let name = named(key, section.head);
            self.type_error(&name, value, expected, meant.as_deref());
            return None;
        };
        Some(Sourced::new(read, self.origin(&value.span())))
    }

    /// Records an error for every unknown key, and returns their number. `others` are keys of other tables,
    /// with their places.
    pub(super) fn reject_unknown_keys(
        &mut self,
        section: SettingsSection<'_, '_>,
        known: &[&str],
        others: &[(&str, &str)],
    ) -> usize {
        let before = self.problems.len();
        for (key, value) in section.table {
            let name: &str = key.get_ref();
            if known.contains(&name) {
                continue;
            }
            let elsewhere = others.iter().find(|(other, _)| *other == name);
            let hint = match (near(name, known).first(), elsewhere) {
                (_, Some((_, place))) => format!("it belongs {place}"),
                (Some(meant), None) => format!("did you mean `{meant}`?"),
                (None, None) if value.get_ref().is_table() && section.head.contains('.') => {
                    "a name with a dot in it is quoted".to_owned()
                }
                (None, None) => format!("known are {}", known.join(", ")),
            };
            self.wrong(key.span(), format!("unknown key {}; {hint}", named(name, section.head)));
        }
        self.problems.len() - before
    }

    /// Returns the values, unless there are errors.
    pub(super) fn finish<T>(mut self, read: T, shown: &str) -> Result<T, SettingsError> {
        if self.problems.is_empty() {
            return Ok(read);
        }
        self.problems.sort_by_key(|(at, _)| *at);
        let lines = self.problems.iter().map(|(at, message)| {
            let (line, column) = place(self.text, *at);
            format!("{shown}:{line}:{column}: {message}")
        });
        Err(SettingsError::Wrong(lines.collect()))
    }
}

/// Formats a key for messages: `` `color` in [display] ``.
pub(super) fn named(key: &str, head: &str) -> String {
    let key = key.escape_debug();
    if head.is_empty() { format!("`{key}`") } else { format!("`{key}` in [{head}]") }
}

/// Formats a value for messages.
fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => {
            let mut quoted: String = text.chars().take(QUOTED).collect();
            if quoted.len() < text.len() {
                quoted.push('…');
            }
            format!("\"{}\"", quoted.escape_debug())
        }
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.to_string(),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Datetime(time) => time.to_string(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// Returns the line and column of a byte offset, counted from one.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    (line, before[start..].chars().count() + 1)
}
