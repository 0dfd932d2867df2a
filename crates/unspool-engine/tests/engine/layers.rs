//! The crates are layers, and so are the modules of each. A crate depends on those in its row of
//! [`CRATES`]. Modules import each other without a cycle, on every level of a crate; those listed
//! in the document import only modules above them in its table.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::imports::{CrateModules, cycles};
use crate::sources::{SourceFile, sources};

/// Each shipped crate, those without dependencies first; the crates of the workspace that it
/// depends on; and dependencies that it must not have.
const CRATES: &str = "
work: | rusqlite tantivy serde
text: work | rusqlite tantivy jiff
model: work | rusqlite tantivy rayon tempfile
redact: model work | rusqlite tantivy tempfile
store: model | tantivy pulldown-cmark
drive: model store | tantivy tokio axum clap
search: model store | pulldown-cmark zstd
engine: model redact search store text work | rusqlite tantivy tempfile pulldown-cmark
render: engine model redact search store text work | rusqlite tantivy clap
server: drive engine model render search store text | rusqlite tantivy clap
tui: drive engine model render search store text | rusqlite tantivy tokio axum clap
unspool: drive engine model redact render search server store text tui | rusqlite tantivy
";

/// A row of [`CRATES`].
struct CrateRow {
    name: &'static str,
    depends: BTreeSet<&'static str>,
    without: Vec<&'static str>,
}

fn crates() -> Vec<CrateRow> {
    let row = |line: &'static str| {
        let (name, rest) = line.split_once(':')?;
        let (depends, without) = rest.split_once('|')?;
        Some(CrateRow {
            name,
            depends: depends.split_whitespace().collect(),
            without: without.split_whitespace().collect(),
        })
    };
    CRATES.lines().filter_map(row).collect()
}

/// Returns the package name of a crate.
fn package(name: &str) -> String {
    match name {
        "unspool" => name.to_owned(),
        _ => format!("unspool-{name}"),
    }
}

fn modules(name: &str) -> CrateModules {
    CrateModules::of(&sources(&package(name)))
}

/// Returns the names of a crate's dependencies, without those for tests.
fn dependencies(package: &str) -> BTreeSet<String> {
    let manifest =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(package).join("Cargo.toml");
    let manifest = fs::read_to_string(manifest).expect("a manifest");
    let mut is_wanted = false;
    let mut names = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_wanted = line.ends_with("dependencies]") && !line.contains("dev-");
        } else if let Some(name) = line.split(['.', ' ', '=']).next().filter(|_| is_wanted) {
            names.insert(name.to_owned());
        }
    }
    names.remove("");
    names
}

#[test]
fn crates_depend_on_what_the_table_says() {
    let mut before = BTreeSet::new();
    for CrateRow { name, depends, without } in crates() {
        assert!(depends.is_subset(&before), "{name} comes too early");
        let found = dependencies(&package(name));
        let ours = found.iter().filter(|found| found.starts_with("unspool"));
        let allowed: BTreeSet<String> = depends.iter().map(|name| package(name)).collect();
        assert!(ours.eq(&allowed), "{name}: {found:?}");
        for other in without {
            assert!(!found.contains(other), "{name} does without {other}");
        }
        before.insert(name);
    }
}

#[test]
fn modules_import_each_other_without_a_cycle() {
    let mut found = Vec::new();
    for name in crates().iter().map(|row| row.name) {
        let modules = modules(name);
        for parent in modules.parents() {
            for ((from, to), file) in cycles(modules.edges(parent)) {
                let parent = parent.join("::");
                found.push(format!("{name}::{parent}: {from} imports {to} ({file})"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn modules_import_those_above_them_in_the_document() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/architecture.md");
    let document = fs::read_to_string(document).expect("the document");
    let (_, section) = document.split_once("### Modules\n").expect("the section");
    let section = section.split("\n#").next().unwrap_or(section);
    let rows = section.lines().filter_map(|line| {
        let name = line.strip_prefix("| `")?.split('`').next()?;
        name.split_once("::")
    });
    let rows: Vec<(&str, &str)> = rows.collect();
    let names: BTreeSet<&str> = rows.iter().map(|(name, _)| *name).collect();
    for name in names {
        let order: Vec<&str> = rows.iter().filter(|row| row.0 == name).map(|row| row.1).collect();
        let modules = modules(name);
        assert_eq!(modules.children(&[]), order.iter().copied().collect(), "{name}");
        let place = |module: &str| order.iter().position(|other| *other == module);
        for ((from, to), file) in modules.edges(&[]) {
            assert!(place(&to) < place(&from), "{name}::{from} imports {to} ({file})");
        }
    }
}

#[test]
fn imports_are_seen_however_they_are_written() {
    let file = |name: &str, text: &str| SourceFile { name: name.to_owned(), text: text.to_owned() };
    let sources = [
        file("lib.rs", "mod a;\npub use d::Passed;\n#[cfg(test)]\nmod t;\n"),
        file("a/mod.rs", "mod b;\nmod c;\nuse c::Inner as Other;\n"),
        file(
            "a/b.rs",
            "use super::{Other, own};\n// use crate::e;\nuse crate::{Passed, f::{self, X}};\n",
        ),
        file("a/c.rs", "fn c() { super::super::g::run(self::here); }\n"),
        file("d.rs", ""),
        file("e.rs", "use std::path::Path;\nuse crate::a::b::B;\n"),
        file("f.rs", "use crate::e;\n"),
        file("g.rs", ""),
        file("t.rs", "use crate::a;\n"),
    ];
    let modules = CrateModules::of(&sources);
    let words = |parent: &[String]| {
        let edges = modules.edges(parent).into_keys();
        edges.map(|(from, to)| from + &to).collect::<Vec<_>>()
    };
    assert_eq!(words(&[]), ["ad", "af", "ag", "ea", "fe"]);
    assert_eq!(words(&["a".to_owned()]), ["bc"]);
    let around = cycles(modules.edges(&[])).into_keys();
    let around: Vec<String> = around.map(|(from, to)| from + &to).collect();
    assert_eq!(around, ["af", "ea", "fe"]);
}
