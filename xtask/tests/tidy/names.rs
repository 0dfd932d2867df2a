//! The names of types, fields and parameters.

use super::source;

/// Names of what has a position in a table of a log.
const POSITIONED: [&str; 11] = [
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
];

/// Returns the name that a line gives a bare number to, if it names a position.
fn bare_position(line: &str) -> Option<&'static str> {
    POSITIONED.into_iter().find(|name| {
        let mut rest = line;
        while let Some(at) = rest.find(&format!("{name}: ")) {
            let is_whole = !rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            rest = &rest[at + name.len() + 2..];
            let wrapped = ["&", "Option<", "Vec<", "[", "mut "];
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
fn positions_in_the_model_are_types_of_their_own() {
    let mut found = Vec::new();
    source::code(
        &source::root().join("crates/unspool-model/src"),
        &mut |place, line| {
            if let Some(name) = bare_position(line) {
                found.push(format!(
                    "{place}: `{name}` is a bare number: {}",
                    line.trim()
                ));
            }
        },
    );
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_bare_position_is_told_from_a_count() {
    for (line, expected) in [
        ("    pub entry: u32,", Some("entry")),
        ("fn a(&self, node: u32, x: u32)", Some("node")),
        ("let above = |parent: Option<usize>|", Some("parent")),
        ("fn a(node: NodeId, kept: &[u32])", None),
        ("    entries: usize,", None),
        ("    last_entry: u64,", None),
    ] {
        assert_eq!(bare_position(line), expected, "{line}");
    }
}
