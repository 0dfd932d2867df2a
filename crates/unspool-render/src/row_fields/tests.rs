//! The table is compared with its documentation, and its sort keys sort rows.

use std::collections::BTreeSet;
use std::path::Path;

use unspool_testkit::assert_reviewed;

use super::*;
use unspool_store::filter::{Direction, sort};
use unspool_store::testing::{row, time};

/// Returns the documentation's name of a type.
fn words_of(form: JsonForm) -> &'static str {
    match form {
        JsonForm::Text => "string",
        JsonForm::MaybeText => "string or null",
        JsonForm::Texts => "array of strings",
        JsonForm::MaybeTime => "time or null",
        JsonForm::Integer => "integer",
        JsonForm::MaybeInteger => "integer or null",
        JsonForm::MaybeNumber => "number or null",
        JsonForm::Boolean => "boolean",
        JsonForm::Counts => "object",
        JsonForm::Tokens => "tokens",
    }
}

#[test]
fn the_documentation_has_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let document = std::fs::read_to_string(&path).expect("the document");
    let head = "## `list --json`";
    let (before, rest) = document.split_once(head).expect("the section");
    let first = "| `schema` | integer | 1 |\n";
    let (above, rest) = rest.split_once(first).expect("the table");
    let (_, after) = rest.split_once("\n\n").expect("the end of the table");
    let line = |field: &RowField| {
        let (name, words, meaning) = (field.name, words_of(field.form), field.meaning);
        format!("| `{name}` | {words} | {meaning} |\n")
    };
    let table: String = FIELDS.iter().map(line).collect();
    let expected = format!("{before}{head}{above}{first}{table}\n{after}");
    assert_reviewed(&path, &expected);
}

#[test]
fn names_and_places_are_taken_once() {
    let columns = ListColumn::all();
    let names = columns.iter().flat_map(|c| [Some(c.name), c.other_name]);
    let names: Vec<&str> = names.flatten().collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    let places = columns.iter().map(|c| usize::from(c.place));
    assert!(places.eq(1..=columns.len()));
    let keys = ListColumn::sortable();
    let places = keys.iter().filter_map(|c| c.sort.map(usize::from));
    assert!(places.eq(1..=keys.len()));
    let fields: BTreeSet<&str> = FIELDS.iter().map(|field| field.name).collect();
    assert_eq!(fields.len(), FIELDS.len());
}

#[test]
fn rows_are_sorted_by_every_key() {
    let mut a = row("a", "/p/zoo");
    a.ended = Some(time("2026-11-05T00:00:00Z"));
    a.title = Some("beta".to_owned());
    let mut b = row("b", "/p/ant");
    (b.turns, b.messages, b.calls, b.bytes) = (9, 1, 5, 2000);
    b.tokens.output = 7;
    b.cost_usd = Some(0.5);
    b.title = Some("Alpha".to_owned());
    let mut c = row("c", "/p/bee");
    c.started = None;
    c.title = None;
    c.cost_usd = Some(12.0);
    let order = |column: &ListColumn, direction: Direction| {
        let mut rows = vec![c.clone(), b.clone(), a.clone()];
        sort(&mut rows, column.sort_key(), direction);
        let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        ids.concat()
    };
    for (name, usual, reversed) in [
        ("ended", "abc", "bca"),
        ("started", "abc", "abc"),
        ("duration", "abc", "bac"),
        ("turns", "bac", "acb"),
        ("messages", "acb", "bac"),
        ("calls", "bac", "acb"),
        ("tokens", "bac", "acb"),
        ("cost", "cba", "bca"),
        ("size", "bac", "acb"),
        ("project", "bca", "acb"),
        ("title", "bac", "abc"),
    ] {
        let mut keys = ListColumn::sortable().into_iter();
        let key = keys.find(|column| column.name == name).expect(name);
        assert_eq!(order(key, Direction::Usual), usual, "{name}");
        assert_eq!(order(key, Direction::Reversed), reversed, "{name} reversed");
    }
}
