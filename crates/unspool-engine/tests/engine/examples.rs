//! The examples run with the built-in home, and stay short.

#[expect(dead_code, reason = "an example is called without its main function")]
#[path = "../../examples/list.rs"]
mod list;
#[expect(dead_code, reason = "an example is called without its main function")]
#[path = "../../examples/print.rs"]
mod print;
#[expect(dead_code, reason = "an example is called without its main function")]
#[path = "../../examples/search.rs"]
mod search;

use std::fs;
use std::path::PathBuf;

fn folder(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn home() -> PathBuf {
    folder("../unspool/demo/home")
}

fn text(out: Vec<u8>) -> String {
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn the_newest_sessions_are_listed_first() {
    let mut out = Vec::new();
    list::list(&home(), &mut out).expect("a list");
    let out = text(out);
    let first = "418c61d3-8df5-498c-8174-194179093da7  spike-filter\n";
    assert!(out.starts_with(first), "{out}");
    assert!(out.lines().count() > 10, "{out}");
}

#[test]
fn words_are_found() {
    let mut out = Vec::new();
    search::search(&home(), "spike filter", &mut out).expect("hits");
    let out = text(out);
    assert!(out.starts_with("418c61d3-8df5-498c-8174-194179093da7  "), "{out}");
}

#[test]
fn a_conversation_is_printed() {
    let mut out = Vec::new();
    print::print(&home(), "418c", &mut out).expect("a conversation");
    let out = text(out);
    assert!(out.starts_with("user: "), "{out}");
    assert!(out.contains("\nassistant: "), "{out}");
}

#[test]
fn each_example_has_twenty_lines_at_most() {
    for name in ["list", "search", "print"] {
        let file = folder("examples").join(name).with_extension("rs");
        let example = fs::read_to_string(file).expect("an example");
        assert!(example.lines().count() <= 20, "{name}");
    }
}
