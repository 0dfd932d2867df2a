//! The modules of the engine are layers: each one imports modules before it in [`LAYERS`], and
//! only those that its row names. A table in that order cannot have a cycle.

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use sources::{SourceFile, sources};

/// The crate that has them.
const ENGINE: &str = "unspool-engine";

/// Each module with the modules that it may import, those that import nothing first.
const LAYERS: [(&str, &[&str]); 14] = [
    ("progress", &[]),
    ("prices", &[]),
    ("files", &[]),
    ("tail", &["files"]),
    ("home", &["files"]),
    ("session", &["files", "tail", "home"]),
    ("archive", &["progress", "files", "tail", "home", "session"]),
    ("titles", &["files", "home", "session"]),
    ("rows", &["prices", "home", "session", "titles"]),
    (
        "index",
        &[
            "progress", "prices", "files", "tail", "home", "session", "titles", "rows",
        ],
    ),
    (
        "ops",
        &[
            "progress", "prices", "files", "tail", "home", "session", "titles", "rows", "index",
        ],
    ),
    (
        "library",
        &[
            "progress", "prices", "files", "tail", "home", "session", "archive", "titles", "rows",
            "index", "ops",
        ],
    ),
    (
        "render",
        &["prices", "home", "session", "archive", "rows", "ops"],
    ),
    (
        "export",
        &[
            "prices", "files", "home", "session", "rows", "ops", "render",
        ],
    ),
];

/// The imports between modules, each with a file that has it.
type Edges = BTreeMap<(String, String), String>;

/// Returns the module of the engine that a source file belongs to.
fn module_of(name: &str) -> &str {
    let first = name.split('/').next().unwrap_or(name);
    first.strip_suffix(".rs").unwrap_or(first)
}

/// Returns the names that a source has directly after `crate::`, apart from comments. A group
/// there gives an empty name, which no row allows: each module is imported in a line of its own.
fn imported(source: &str) -> BTreeSet<&str> {
    let code = source
        .lines()
        .map(|line| line.split("//").next().unwrap_or(line));
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    code.flat_map(|line| line.split("crate::").skip(1))
        .filter_map(|path| path.split(is_end).next())
        .collect()
}

/// Returns the imports between the modules of some sources.
fn edges(sources: &[SourceFile]) -> Edges {
    let mut edges = Edges::new();
    for source in sources.iter().filter(|source| source.name != "lib.rs") {
        let from = module_of(&source.name);
        for to in imported(&source.text).into_iter().filter(|to| *to != from) {
            let edge = (from.to_owned(), to.to_owned());
            edges.entry(edge).or_insert_with(|| source.name.clone());
        }
    }
    edges
}

#[test]
fn a_layer_imports_only_those_before_it() {
    for (row, (module, allowed)) in LAYERS.iter().enumerate() {
        for name in *allowed {
            let is_before = LAYERS[..row].iter().any(|(before, _)| before == name);
            assert!(
                is_before,
                "{module} may not import {name}: it is not before it"
            );
        }
    }
}

#[test]
fn modules_import_what_the_table_says() {
    let found = edges(&sources(ENGINE));
    let allowed: BTreeSet<(&str, &str)> = LAYERS
        .iter()
        .flat_map(|(from, to)| to.iter().map(|to| (*from, *to)))
        .collect();
    let forbidden: Vec<String> = found
        .iter()
        .filter(|((from, to), _)| !allowed.contains(&(from, to)))
        .map(|((from, to), file)| format!("{from} imports {to} ({file})"))
        .collect();
    assert!(forbidden.is_empty(), "{}", forbidden.join("\n"));
    let used: BTreeSet<(&str, &str)> = found.keys().map(|(a, b)| (&**a, &**b)).collect();
    let unused: Vec<_> = allowed.difference(&used).collect();
    assert!(unused.is_empty(), "allowed and not needed: {unused:?}");
}

#[test]
fn every_module_is_a_layer() {
    let sources = sources(ENGINE);
    let modules: BTreeSet<&str> = sources.iter().map(|file| module_of(&file.name)).collect();
    let mut layers: BTreeSet<&str> = LAYERS.iter().map(|(module, _)| *module).collect();
    layers.insert("lib");
    assert_eq!(modules, layers);
}

#[test]
fn the_documents_name_the_layers_in_their_order() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/architecture.md");
    let document = fs::read_to_string(document).expect("the document");
    let (_, section) = document
        .split_once("### Modules of the engine\n")
        .expect("the section");
    let section = section.split("\n#").next().unwrap_or(section);
    let named: Vec<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    assert_eq!(named, LAYERS.map(|(module, _)| module));
}

#[test]
fn imports_are_seen_and_comments_are_not() {
    let source = "use crate::ops::list;\n// crate::render\nlet a = crate::files::read(crate::x);\n";
    let expected = BTreeSet::from(["files", "ops", "x"]);
    assert_eq!(imported(source), expected);
    let file = |name: &str, text: &str| SourceFile {
        name: name.to_owned(),
        text: text.to_owned(),
    };
    let sources = [
        file("a/b.rs", "use crate::a::c;\nuse crate::d;\n"),
        file("lib.rs", "use crate::e;\n"),
    ];
    let edge = (("a".to_owned(), "d".to_owned()), "a/b.rs".to_owned());
    assert_eq!(edges(&sources), Edges::from([edge]));
}
