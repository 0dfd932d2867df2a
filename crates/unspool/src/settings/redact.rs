//! The user's patterns in the settings file, which `export --redact` replaces in addition to the built-in
//! ones.

use toml::de::DeValue;
use unspool_redact::{UserPattern, UserPatternError};

use super::Sourced;
use super::checker::{FileValue, SettingsChecker, SettingsSection, named};

const KEYS: [&str; 2] = ["name", "pattern"];
const HEAD: &str = "redact";

/// Reads the patterns, each a table with a name and a regular expression, in file order.
pub(super) fn read(
    checker: &mut SettingsChecker<'_>,
    top: SettingsSection<'_, '_>,
) -> Vec<Sourced<UserPattern>> {
    let Some(value) = top.table.get(HEAD) else {
        return Vec::new();
    };
    let tables = match value.get_ref() {
        DeValue::Array(rows) => rows.iter().all(|row| row.get_ref().is_table()).then_some(rows),
        _ => None,
    };
    let Some(tables) = tables else {
        let expected = "tables, each headed [[redact]], with a name and a pattern";
        checker.type_error(&named(HEAD, ""), value, expected, None);
        return Vec::new();
    };
    tables.iter().filter_map(|row| one(checker, row)).collect()
}

fn one(checker: &mut SettingsChecker<'_>, row: &FileValue<'_>) -> Option<Sourced<UserPattern>> {
    let section = SettingsSection { head: HEAD, table: row.get_ref().as_table()? };
    let unknown = checker.reject_unknown_keys(section, &KEYS, &[]);
    let [name, pattern] = KEYS.map(|key| {
        let expected = "a text in quotation marks";
        let text = checker.take(section, key, expected, |value| value.as_str().map(str::to_owned));
        // A missing key may be present under a misspelt name.
        if unknown == 0 && section.table.get(key).is_none() {
            checker.wrong(row.span(), format!("[[{HEAD}]] needs `{key}`"));
        }
        text.map(|text| text.value)
    });
    let (name, text) = (name?, pattern?);
    match UserPattern::new(&name, &text) {
        Ok(pattern) => Some(Sourced::new(pattern, checker.origin(&row.span()))),
        Err(error) => {
            let key = match error {
                UserPatternError::Name => "name",
                UserPatternError::Syntax(_) | UserPatternError::Empty => "pattern",
            };
            let at = section.table.get(key)?.span();
            let name = named(key, HEAD);
            checker.wrong(at, format!("{name} cannot be used: {error}"));
            None
        }
    }
}
