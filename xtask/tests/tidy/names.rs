//! The names of types, fields and parameters.

use std::collections::BTreeMap;

use super::source;
use super::words::BANNED;

/// Names of positions in the tables of a log.
const POSITIONED: [&str; 13] = [
    "node",
    "group",
    "entry",
    "parent",
    "head",
    "anchor",
    "boundary",
    "root",
    "leaf",
    "tip",
    "fork_point",
    "path",
    "turn",
];

/// Names of positions everywhere: outside the model, paths and turns are still named by position.
const POSITIONED_EVERYWHERE: [&str; 2] = ["path", "turn"];

/// Returns a name in `names` that a line declares as a bare number.
fn bare_position(line: &str, names: &[&'static str]) -> Option<&'static str> {
    names.iter().copied().find(|name| {
        let mut rest = line;
        while let Some(at) = rest.find(&format!("{name}: ")) {
            let is_whole = !rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            rest = &rest[at + name.len() + 2..];
            let wrapped = ["&", "Option<", "Vec<", "Range<", "[", "mut "];
            let mut found = rest;
            while let Some(inner) = wrapped.iter().find_map(|outer| found.strip_prefix(outer)) {
                found = inner;
            }
            if is_whole && (found.starts_with("u32") || found.starts_with("usize")) {
                return true;
            }
        }
        false
    })
}

#[test]
fn positions_are_types_of_their_own() {
    let mut found = Vec::new();
    source::code(&source::root().join("crates"), &mut |place, line| {
        let names: &[&'static str] = if place.contains("unspool-model/src/") {
            &POSITIONED
        } else if place.contains("/src/") && !place.contains("/json") && !place.contains("/tests/")
        {
            // The JSON for scripts has plain numbers.
            &POSITIONED_EVERYWHERE
        } else {
            &[]
        };
        if let Some(name) = bare_position(line, names) {
            let line = line.trim();
            found.push(format!("{place}: `{name}` is a bare number: {line}"));
        }
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_bare_position_is_told_from_a_count() {
    for (line, expected) in [
        ("    pub entry: u32,", Some("entry")),
        ("fn a(&self, node: u32, x: u32)", Some("node")),
        ("let above = |parent: Option<usize>|", Some("parent")),
        ("fn a(node: NodeId, kept: &[u32])", None),
        ("    turn: Option<Range<u32>>,", Some("turn")),
        ("    entries: usize,", None),
        ("    last_entry: u64,", None),
    ] {
        assert_eq!(bare_position(line, &POSITIONED), expected, "{line}");
    }
}

/// Types that may share their name with others, with the reason.
const SHARED: [(&str, &str); 1] = [("OpenFolder", "defined once for each platform")];

/// A type of the project.
struct TypeName {
    name: String,
    place: String,
    /// Whether it is visible outside its file.
    is_visible: bool,
}

/// Returns the name of the type that a line defines, and whether it is visible outside its file.
fn type_in(line: &str) -> Option<(&str, bool)> {
    let code = line.trim_start();
    let visible = code.strip_prefix("pub").map(|rest| match rest.split_once(')') {
        Some((_, rest)) if code.starts_with("pub(") => rest,
        _ => rest,
    });
    let (keyword, rest) = visible.unwrap_or(code).trim_start().split_once(' ')?;
    let is_type = match keyword {
        "struct" | "enum" | "trait" | "union" => true,
        // An indented type belongs to a trait.
        "type" => code.len() == line.len(),
        _ => false,
    };
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    let name = &rest[..end.unwrap_or(rest.len())];
    let is_name = is_type && name.starts_with(|c: char| c.is_ascii_uppercase());
    is_name.then_some((name, visible.is_some()))
}

/// Returns the types of all source files, by name.
fn types() -> BTreeMap<String, Vec<TypeName>> {
    let mut types: BTreeMap<String, Vec<TypeName>> = BTreeMap::new();
    source::code(&source::root(), &mut |place, line| {
        if let Some((name, is_visible)) = type_in(line).filter(|_| place.contains("src/")) {
            types.entry(name.to_owned()).or_default().push(TypeName {
                name: name.to_owned(),
                place: place.to_owned(),
                is_visible,
            });
        }
    });
    types
}

#[test]
fn a_type_that_is_visible_outside_its_file_has_a_name_of_its_own() {
    let types = types();
    let all = types.values().flatten();
    assert!(all.count() > 1000, "types were found");
    let is_shared = |same: &&Vec<TypeName>| {
        let known = SHARED.iter().any(|(name, _)| *name == same[0].name);
        same.len() > 1 && !known && same.iter().any(|found| found.is_visible)
    };
    let shared: Vec<String> = types
        .values()
        .filter(is_shared)
        .flatten()
        .map(|found| format!("{}: {}", found.name, found.place))
        .collect();
    assert!(shared.is_empty(), "{}", shared.join("\n"));
}

#[test]
fn few_types_share_a_name() {
    let types = types();
    let shared = types.values().filter(|same| same.len() > 1).flatten();
    let (shared, all) = (shared.count(), types.values().flatten().count());
    assert!(shared * 20 < all, "{shared} of {all} types share a name");
}

#[test]
fn types_are_found_with_their_visibility() {
    for (line, expected) in [
        ("pub struct Log {", Some(("Log", true))),
        ("    pub(in crate::render) enum Word<'a> {", Some(("Word", true))),
        ("struct Head(u32);", Some(("Head", false))),
        ("pub(crate) trait Rows: Send {", Some(("Rows", true))),
        ("type Result<T> = std::result::Result<T, Error>;", Some(("Result", false))),
        ("    type Output = T;", None),
        ("pub fn structure() {", None),
        ("pub use struct_names::Log;", None),
    ] {
        assert_eq!(type_in(line), expected, "{line}");
    }
}

/// Returns the words in the names of a line, in lower case: in names that it defines and that it
/// uses, so fields, variables and parameters of closures are included.
fn words_in(line: &str) -> Vec<String> {
    // Text in quotes is not a name, nor is a line of a text that continues after a backslash.
    let code = line.split("//").next().unwrap_or_default();
    let code = if code.ends_with('\\') { "" } else { code };
    let code = code.replace("\\\"", "");
    let mut words = String::new();
    for names in code.split('"').step_by(2) {
        let mut before = ' ';
        for c in names.chars() {
            if !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase()) {
                words.push(' ');
            }
            words.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
            before = c;
        }
        words.push(' ');
    }
    words.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn names_do_without_the_words_on_the_list() {
    let mut found = Vec::new();
    source::code(&source::root(), &mut |place, line| {
        if place.starts_with("xtask/tests/tidy/words.rs") {
            return;
        }
        let words = words_in(line).into_iter();
        for word in words.filter(|word| BANNED.contains(&word.as_str())) {
            found.push(format!("{place}: {word}: {}", line.trim()));
        }
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn names_are_taken_apart_into_words() {
    for (line, expected) in [
        ("pub fn is_far(&self)", "pub fn is far self"),
        ("    PathLength::Far => \"a text\", // far", "path length far"),
        ("rows.map(|far_row| far_row.END)", "rows map far row far row end"),
    ] {
        assert_eq!(words_in(line).join(" "), expected, "{line}");
    }
}
