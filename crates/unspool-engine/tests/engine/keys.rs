//! Names from the client are spelled in one place each.
//!
//! Keys of records are in the table of the model, files and folders of a home in `home/layout`. All
//! other code refers to them.

use crate::sources::{SourceFile, sources, without_tests};
use unspool_model::history::PASTE_HASH;
use unspool_model::schema::all_keys;

/// Literals that only look like names of the client: the file or the folder, the literal (empty:
/// all of them), and its meaning.
type LookAlike = (&'static str, &'static str, &'static str);

/// Literals that only look like keys.
const OTHERS: [LookAlike; 6] = [
    ("unspool-redact/home.rs", "file", "the scheme of an address"),
    ("unspool-drive/wire/", "", "the client's protocol"),
    ("unspool-drive/suggestion.rs", "toolName", "the same"),
    ("unspool-drive/store/rows.rs", "", "columns"),
    ("unspool-server/api/agent.rs", "agentId", "a parameter"),
    ("unspool-server/api/drive/", "cwd", "a parameter"),
];

/// Keys of lines of the prompt history that records do not have.
const HISTORY_KEYS: [&str; 2] = ["pastedContents", PASTE_HASH];

/// The crates that read records and spell none of their keys.
const READERS: [&str; 9] = [
    "unspool-redact",
    "unspool-store",
    "unspool-search",
    "unspool-engine",
    "unspool-render",
    "unspool-drive",
    "unspool-server",
    "unspool-tui",
    "unspool",
];

/// Reports whether a literal is in a table.
fn is_listed(others: &[LookAlike], file: &str, literal: &Literal) -> bool {
    let is_it = |(place, text, _): &LookAlike| {
        file.starts_with(place) && (text.is_empty() || *text == literal.text)
    };
    others.iter().any(is_it)
}

/// Returns the sources of crates, named by crate and path.
fn named_sources(packages: &[&'static str]) -> Vec<SourceFile> {
    let named = |package: &'static str, file: SourceFile| SourceFile {
        name: format!("{package}/{}", file.name),
        ..file
    };
    let of =
        |package: &'static str| sources(package).into_iter().map(move |file| named(package, file));
    packages.iter().copied().flat_map(of).collect()
}

/// A string in a source file.
#[derive(PartialEq, Eq, Debug)]
struct Literal {
    line: usize,
    /// Whether it is a byte string.
    is_bytes: bool,
    /// Whether it is used to look up a value.
    is_looked_up: bool,
    text: String,
}

/// Returns the string literals of a source.
fn literals(source: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = source[at..].find(['"', '/', '\'']) {
        at += offset;
        let (before, rest) = source.split_at(at);
        at += match rest.as_bytes() {
            [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            [b'\'', b'\\', _, ..] | [b'\'', _, b'\'', ..] => 3,
            [b'"', ..] => {
                let (length, text) = string(before, rest);
                let opening = before.trim_end_matches('#').trim_end_matches('r');
                let looked_up = opening.trim_end_matches('b').ends_with(".get(");
                found.push(Literal {
                    line: before.lines().count().max(1),
                    is_bytes: opening.ends_with('b'),
                    is_looked_up: looked_up,
                    text,
                });
                length
            }
            _ => 1,
        };
    }
    found
}

/// Returns the length of the string at the beginning of `rest`, and its text.
fn string(before: &str, rest: &str) -> (usize, String) {
    let marks = before.len() - before.trim_end_matches('#').len();
    let is_raw = before[..before.len() - marks].ends_with(['r']);
    if is_raw {
        let end = format!("\"{}", "#".repeat(marks));
        let length = rest[1..].find(&end).unwrap_or(rest.len() - 1);
        return (1 + length + end.len(), rest[1..=length].to_owned());
    }
    let mut escaped = false;
    let is_end = |c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    };
    let length = rest[1..].find(is_end).unwrap_or(rest.len() - 1);
    let text = rest[1..=length].replace("\\\"", "\"");
    (length + 2, text)
}

/// Returns the key that a literal spells.
fn spelled_key<'k>(literal: &Literal, keys: &[&'k str]) -> Option<&'k str> {
    let is_distinct = |key: &str| key.contains(|c: char| c.is_ascii_uppercase() || c == '_');
    let spells = |key: &&str| {
        let whole = literal.text == *key;
        let in_json = literal.text.contains(&format!("\"{key}\":"));
        in_json || (whole && (literal.is_bytes || literal.is_looked_up || is_distinct(key)))
    };
    keys.iter().copied().find(spells)
}

#[test]
fn a_reader_spells_no_key_of_a_record() {
    let mut keys = all_keys();
    keys.extend(HISTORY_KEYS);
    let mut found = Vec::new();
    for SourceFile { name, text } in named_sources(&READERS) {
        let spelled = literals(&text).into_iter();
        for literal in spelled.filter(|literal| !is_listed(&OTHERS, &name, literal)) {
            if let Some(key) = spelled_key(&literal, &keys) {
                found.push(format!("{name}:{}: {key}", literal.line));
            }
        }
    }
    found.sort();
    assert!(
        found.is_empty(),
        "name these keys by the table of unspool_model::schema:\n{}",
        found.join("\n")
    );
}

/// The file that spells the names of a home.
const LAYOUT: &str = "unspool-store/home/layout.rs";

/// Literals that only look like names of a home.
const OTHER_NAMES: [LookAlike; 10] = [
    (LAYOUT, "", "the names"),
    ("unspool/demo.rs", "", "the files of the built-in home"),
    ("unspool-render/html/site/mod.rs", "projects", "a folder of a site"),
    ("unspool-render/export/mod.rs", "jsonl", "a format"),
    ("unspool-search/text/store.rs", "meta.json", "a file of the full text"),
    ("unspool-server/api/table.rs", "/api/sessions/{id}/transcript.jsonl", "a format"),
    ("unspool-server/api/schemas.rs", "projects", "a document"),
    ("unspool-server/pages/home/", "projects", "a part of a page"),
    ("unspool-server/pages/stats/", "projects", "the same"),
    ("unspool-server/stream/list.rs", "projects", "the same"),
];

/// Reports whether a literal spells a name of a home, or a part of one that only a home has.
/// `sessions` and `memory` are too common to be distinguished from other words.
fn spells_a_place(text: &str) -> bool {
    const NAMES: [&str; 20] = [
        ".claude",
        "settings.json",
        "settings.local.json",
        "projects",
        "tasks",
        "todos",
        "plans",
        "debug",
        "uploads",
        "file-history",
        "session-env",
        "image-cache",
        "paste-cache",
        "subagents",
        "workflows",
        "tool-results",
        "jsonl",
        "meta.json",
        "agent-",
        "-agent-",
    ];
    const PARTS: [&str; 4] = [".jsonl", ".meta.json", "agent-{", "tool-results/"];
    let is_sentence = text.contains(' ');
    let has_part = || PARTS.iter().any(|part| text.contains(part));
    NAMES.contains(&text) || (!is_sentence && has_part())
}

#[test]
fn names_of_a_home_are_spelled_by_its_layout() {
    let mut found = Vec::new();
    for SourceFile { name, text } in named_sources(&READERS) {
        let spelled = literals(&text).into_iter();
        let is_found =
            |one: &Literal| spells_a_place(&one.text) && !is_listed(&OTHER_NAMES, &name, one);
        for literal in spelled.filter(is_found) {
            found.push(format!("{name}:{}: {:?}", literal.line, literal.text));
        }
    }
    assert!(found.is_empty(), "name these by {LAYOUT}:\n{}", found.join("\n"));
}

#[test]
fn a_key_is_seen_however_it_is_spelled() {
    let keys = all_keys();
    for (source, expected) in [
        (r#"key == b"cwd""#, Some("cwd")),
        ("br#\"\"slug\":\"\"#", Some("slug")),
        (r#"format!("\"uuid\":\"{asked}")"#, Some("uuid")),
        (r#"Some("toolUseResult")"#, Some("toolUseResult")),
        (r#"value.get("message")"#, Some("message")),
        (r#"let role = "message";"#, None),
        (r#"// b"cwd""#, None),
        (r#"'"'; x = "cwd"; '"'"#, None),
        (r#"b"cwds""#, None),
    ] {
        let found = literals(source);
        let key = found.iter().find_map(|literal| spelled_key(literal, &keys));
        assert_eq!(key, expected, "{source}: {found:?}");
    }
}

#[test]
fn tests_are_not_looked_at() {
    let source = "fn a() {}\n#[cfg(test)]\nmod tests;\nfn b() {}\n#[cfg(test)]\nmod more {\n}\n";
    assert!(without_tests(source).ends_with("fn b() {}\n"));
    let names: Vec<String> = named_sources(&READERS).into_iter().map(|file| file.name).collect();
    assert!(names.len() > 200 && !names.iter().any(|name| name.ends_with("/tests.rs")));
}
