//! The crates are layers, and so are the modules of each. A crate depends on those that its row of
//! [`CRATES`] names; a module imports modules of its crate before it in [`MODULES`], and only
//! those that its row names. Tables in that order cannot have a cycle.

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use sources::{SourceFile, sources};

/// A crate, the crates of the workspace that it depends on, and dependencies that it does without.
type CrateRow = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// Each crate that is shipped, those that depend on nothing first.
const CRATES: [CrateRow; 12] = [
    ("unspool-work", &[], &["rusqlite", "tantivy", "serde"]),
    (
        "unspool-text",
        &["unspool-work"],
        &["rusqlite", "tantivy", "jiff"],
    ),
    (
        "unspool-model",
        &["unspool-work"],
        &["rusqlite", "tantivy", "rayon", "tempfile"],
    ),
    (
        "unspool-redact",
        &["unspool-model", "unspool-work"],
        &["rusqlite", "tantivy", "tempfile"],
    ),
    (
        "unspool-store",
        &["unspool-model"],
        &["tantivy", "pulldown-cmark"],
    ),
    (
        "unspool-drive",
        &["unspool-model", "unspool-store"],
        &["tantivy", "tokio", "axum", "clap"],
    ),
    (
        "unspool-search",
        &["unspool-model", "unspool-store"],
        &["pulldown-cmark", "zstd"],
    ),
    (
        "unspool-engine",
        &[
            "unspool-model",
            "unspool-redact",
            "unspool-search",
            "unspool-store",
            "unspool-text",
            "unspool-work",
        ],
        &["rusqlite", "tantivy", "tempfile", "pulldown-cmark"],
    ),
    (
        "unspool-render",
        &[
            "unspool-engine",
            "unspool-model",
            "unspool-redact",
            "unspool-search",
            "unspool-store",
            "unspool-text",
            "unspool-work",
        ],
        &["rusqlite", "tantivy", "clap"],
    ),
    (
        "unspool-server",
        &[
            "unspool-drive",
            "unspool-engine",
            "unspool-model",
            "unspool-render",
            "unspool-search",
            "unspool-store",
            "unspool-text",
        ],
        &["rusqlite", "tantivy", "clap"],
    ),
    (
        "unspool-tui",
        &[
            "unspool-drive",
            "unspool-engine",
            "unspool-model",
            "unspool-render",
            "unspool-search",
            "unspool-store",
            "unspool-text",
        ],
        &["rusqlite", "tantivy", "tokio", "axum", "clap"],
    ),
    (
        "unspool",
        &[
            "unspool-drive",
            "unspool-engine",
            "unspool-model",
            "unspool-redact",
            "unspool-render",
            "unspool-search",
            "unspool-server",
            "unspool-store",
            "unspool-text",
            "unspool-tui",
        ],
        &["rusqlite", "tantivy"],
    ),
];

/// A crate, and each of its modules with the modules of the crate that it imports.
type ModuleRows = (
    &'static str,
    &'static [(&'static str, &'static [&'static str])],
);

/// The modules of the crates that read files or paint, those that import nothing first.
const MODULES: [ModuleRows; 7] = [
    (
        "unspool-store",
        &[
            ("progress", &[]),
            ("prices", &[]),
            ("files", &[]),
            ("tail", &["files"]),
            ("home", &["files"]),
            ("session", &["files", "home", "tail"]),
            ("archive", &["files", "home", "progress", "session", "tail"]),
            ("titles", &["files", "home", "session"]),
            ("rows", &["home", "prices", "session", "titles"]),
            ("filter", &["home", "rows"]),
            (
                "index",
                &[
                    "files", "home", "prices", "progress", "rows", "session", "tail", "titles",
                ],
            ),
            ("seen", &["files", "index"]),
        ],
    ),
    (
        "unspool-drive",
        &[
            ("ids", &[]),
            ("money", &[]),
            ("state", &[]),
            ("clock", &[]),
            ("failure", &["state"]),
            ("form", &[]),
            ("wire", &["form", "ids", "money", "state"]),
            ("reply", &["form", "state", "wire"]),
            ("suggestion", &["state"]),
            ("consequence", &["state", "wire"]),
            ("launch", &["ids", "state"]),
            ("store", &["ids", "launch", "money", "state", "wire"]),
            ("processes", &["store"]),
            ("spool", &[]),
            ("trust", &["ids"]),
            ("listing", &[]),
            (
                "socket",
                &["ids", "launch", "money", "processes", "state", "wire"],
            ),
            ("folders", &["ids", "socket", "store"]),
            (
                "json",
                &[
                    "consequence",
                    "ids",
                    "launch",
                    "money",
                    "socket",
                    "state",
                    "store",
                    "trust",
                    "wire",
                ],
            ),
            ("said", &["json", "spool", "wire"]),
            (
                "machine",
                &[
                    "ids", "json", "launch", "money", "socket", "state", "store", "wire",
                ],
            ),
            (
                "host",
                &[
                    "clock",
                    "folders",
                    "ids",
                    "json",
                    "machine",
                    "processes",
                    "socket",
                    "spool",
                    "state",
                    "store",
                    "wire",
                ],
            ),
            (
                "supervisor",
                &[
                    "clock",
                    "folders",
                    "host",
                    "ids",
                    "json",
                    "launch",
                    "listing",
                    "money",
                    "processes",
                    "socket",
                    "spool",
                    "state",
                    "store",
                    "trust",
                    "wire",
                ],
            ),
        ],
    ),
    (
        "unspool-search",
        &[
            ("text", &[]),
            ("standing", &["text"]),
            ("hit", &[]),
            ("excerpt", &["hit", "text"]),
            ("ranked", &["excerpt", "hit", "text"]),
            ("scan", &["excerpt", "hit", "text"]),
        ],
    ),
    ("unspool-engine", &[("ops", &[]), ("library", &["ops"])]),
    (
        "unspool-render",
        &[
            ("csv", &[]),
            ("row_fields", &[]),
            ("template", &[]),
            ("keys", &[]),
            ("document", &[]),
            ("json", &["row_fields"]),
            ("plain", &["document"]),
            ("transcript_md", &["document"]),
            ("terminal", &["document", "row_fields"]),
            ("html", &["document", "keys"]),
            (
                "export",
                &["document", "html", "json", "plain", "transcript_md"],
            ),
        ],
    ),
    (
        "unspool-server",
        &[
            ("access", &[]),
            ("notice", &[]),
            ("qr", &[]),
            ("web", &[]),
            ("filters", &["web"]),
            ("assets", &[]),
            ("limits", &[]),
            ("settings", &["access", "limits"]),
            ("freshness", &[]),
            ("follow", &["web"]),
            ("driving", &["settings", "web"]),
            (
                "state",
                &[
                    "access",
                    "assets",
                    "driving",
                    "follow",
                    "freshness",
                    "settings",
                    "web",
                ],
            ),
            ("route", &["state", "web"]),
            ("frame", &["driving", "state", "web"]),
            ("guard", &["frame", "settings", "state", "web"]),
            ("stream", &["driving", "follow", "route", "state", "web"]),
            ("api", &["driving", "filters", "route", "stream", "web"]),
            (
                "pages",
                &[
                    "access", "driving", "filters", "frame", "route", "settings", "state",
                    "stream", "web",
                ],
            ),
            ("router", &["frame", "guard", "route", "state", "web"]),
            (
                "connection",
                &[
                    "api", "guard", "limits", "pages", "router", "settings", "state",
                ],
            ),
        ],
    ),
    (
        "unspool-tui",
        &[
            ("plan_words", &[]),
            ("press", &[]),
            ("edit_line", &["press"]),
            ("theme", &[]),
            ("canvas", &["theme"]),
            ("settings", &["theme"]),
            ("menu", &["canvas", "edit_line", "press", "settings"]),
            ("work", &["settings"]),
            ("effect", &["settings", "work"]),
            ("event", &["press", "work"]),
            (
                "screen",
                &[
                    "canvas", "effect", "event", "menu", "press", "settings", "work",
                ],
            ),
            (
                "live",
                &[
                    "canvas",
                    "edit_line",
                    "event",
                    "menu",
                    "plan_words",
                    "press",
                    "screen",
                    "settings",
                    "work",
                ],
            ),
            (
                "picker",
                &[
                    "canvas",
                    "edit_line",
                    "effect",
                    "event",
                    "menu",
                    "press",
                    "screen",
                    "settings",
                    "work",
                ],
            ),
            (
                "reader",
                &[
                    "canvas",
                    "edit_line",
                    "effect",
                    "event",
                    "menu",
                    "press",
                    "screen",
                    "settings",
                    "work",
                ],
            ),
            (
                "program",
                &[
                    "canvas", "effect", "event", "live", "menu", "picker", "press", "reader",
                    "screen", "settings", "theme", "work",
                ],
            ),
            (
                "terminal",
                &[
                    "canvas", "effect", "event", "press", "program", "settings", "work",
                ],
            ),
        ],
    ),
];

/// The imports between modules, each with a file that has it.
type Edges = BTreeMap<(String, String), String>;

/// Returns the module that a source file belongs to.
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

/// Checks that each row names only rows before it.
fn check_order(rows: &[(&str, &[&str])]) {
    for (at, (name, allowed)) in rows.iter().enumerate() {
        for other in *allowed {
            let is_before = rows[..at].iter().any(|(before, _)| before == other);
            assert!(
                is_before,
                "{name} may not import {other}: it is not before it"
            );
        }
    }
}

/// Returns the names of a crate's dependencies, without those for tests.
fn dependencies(package: &str) -> BTreeSet<String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(package)
        .join("Cargo.toml");
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
fn a_layer_imports_only_those_before_it() {
    check_order(&CRATES.map(|(name, allowed, _)| (name, allowed)));
    for (_, modules) in MODULES {
        check_order(modules);
    }
}

#[test]
fn crates_depend_on_what_the_table_says() {
    for (package, allowed, without) in CRATES {
        let all = dependencies(package);
        let ours: BTreeSet<&str> = all
            .iter()
            .map(String::as_str)
            .filter(|name| name.starts_with("unspool"))
            .collect();
        assert_eq!(ours, allowed.iter().copied().collect(), "{package}");
        for name in without {
            assert!(!all.contains(*name), "{package} does without {name}");
        }
    }
}

#[test]
fn modules_import_what_the_table_says() {
    for (package, modules) in MODULES {
        let found = edges(&sources(package));
        let allowed: BTreeSet<(&str, &str)> = modules
            .iter()
            .flat_map(|(from, to)| to.iter().map(|to| (*from, *to)))
            .collect();
        let forbidden: Vec<String> = found
            .iter()
            .filter(|((from, to), _)| !allowed.contains(&(from, to)))
            .map(|((from, to), file)| format!("{from} imports {to} ({package}: {file})"))
            .collect();
        assert!(forbidden.is_empty(), "{}", forbidden.join("\n"));
        let used: BTreeSet<(&str, &str)> = found.keys().map(|(a, b)| (&**a, &**b)).collect();
        let unused: Vec<_> = allowed.difference(&used).collect();
        assert!(
            unused.is_empty(),
            "{package}: allowed and not needed: {unused:?}"
        );
    }
}

#[test]
fn every_module_is_a_layer() {
    for (package, modules) in MODULES {
        let sources = sources(package);
        let found: BTreeSet<&str> = sources.iter().map(|file| module_of(&file.name)).collect();
        let mut layers: BTreeSet<&str> = modules.iter().map(|(module, _)| *module).collect();
        layers.insert("lib");
        assert_eq!(found, layers, "{package}");
    }
}

#[test]
fn the_documents_name_the_layers_in_their_order() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/architecture.md");
    let document = fs::read_to_string(document).expect("the document");
    let (_, section) = document.split_once("### Modules\n").expect("the section");
    let section = section.split("\n#").next().unwrap_or(section);
    let named: Vec<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    let modules = MODULES.iter().flat_map(|(package, modules)| {
        let name = package.strip_prefix("unspool-").unwrap_or(package);
        modules
            .iter()
            .map(move |(module, _)| format!("{name}::{module}"))
    });
    assert_eq!(named, modules.collect::<Vec<_>>());
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
