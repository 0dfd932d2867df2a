//! Messages that a resume leaves out without a rewind, as opposed to rewinds and retries.

use serde_json::Value;
use unspool_testkit::TestHome;

use crate::run::{SESSION, home_with, run, strings_at};

/// A prompt after a hook's progress record, so that the answer before it is not on the chain; then a
/// rewind, and an answer with a retry.
const SESSION_WITH_ALL: &str = r#"
u1 user "one"
c1 assistant msg=m1 call Bash:t1 {}
p1 progress hook_progress < c1
r1 result < c1 t1 "ok"
a1 assistant < r1 msg=m2 "beside the chain"
u2 user < p1 "two"
a2 assistant msg=m3 "first try"
a3 assistant < u2 msg=m4 "second try"
u3 user "three"
a4 assistant msg=m5 "3"
u4 user < a3 "four"
a5 assistant msg=m6 "4"
"#;

fn show(home: &TestHome, args: &[&str]) -> Value {
    run(home, &[&["show", SESSION, "--json"], args].concat()).json()
}

fn said(shown: &Value) -> Vec<(String, bool)> {
    let messages = shown["messages"].as_array().expect("messages").iter();
    messages
        .map(|message| {
            let text = message["blocks"][0]["text"].as_str().unwrap_or("(call)");
            (text.to_owned(), message["left_out"] == true)
        })
        .collect()
}

#[test]
fn history_shows_in_place_what_a_resume_leaves_out() {
    let home = home_with(SESSION_WITH_ALL);
    let expected = [
        ("one", false),
        ("(call)", false),
        ("beside the chain", true),
        ("two", false),
        ("second try", false),
        ("four", false),
        ("4", false),
    ];
    let expected: Vec<_> = expected.map(|(text, out)| (text.to_owned(), out)).into();
    assert_eq!(said(&show(&home, &[])), expected);
    let kept: Vec<_> = expected.into_iter().filter(|(_, out)| !out).collect();
    assert_eq!(said(&show(&home, &["--left-out", "hide"])), kept);
    assert_eq!(said(&show(&home, &["--context"])), kept);
}

#[test]
fn rewinds_and_retries_are_paths_and_the_rest_is_none() {
    let home = home_with(SESSION_WITH_ALL);
    let shown = show(&home, &[]);
    assert_eq!(strings_at(&shown["paths"], "kind"), ["retry", "rewind", "active"]);
    // The answer outside the chain is on no path; it is counted with the other paths.
    let entries = |path: &Value| path["entries"].as_array().expect("entries").len() as u64;
    let active = entries(&shown["paths"][2]);
    assert_eq!(shown["counts"]["active"], active);
    assert_eq!(shown["counts"]["other_paths"], 4);
    assert_eq!(run(&home, &["list", "--json"]).json()["branches"], 2);
    assert_eq!(run(&home, &["search", "beside", "--json"]).lines()[0]["active"], false);
}

#[test]
fn every_surface_marks_what_is_left_out() {
    let home = home_with(SESSION_WITH_ALL);
    let words = "left out at a resume";
    let terminal = run(&home, &["show", SESSION]).ok();
    assert!(terminal.contains(words), "{terminal}");
    assert!(terminal.contains("┊ ● beside the chain"), "{terminal}");
    let tree = run(&home, &["tree", SESSION]).ok();
    for word in [words, "rewound", "answered again"] {
        assert!(tree.contains(word), "{tree}");
    }
    for format in ["md", "html", "text"] {
        let args = ["export", SESSION, "--format", format, "--out", "-", "--paths", "active"];
        let written = run(&home, &args).ok();
        assert!(written.contains(words), "{format}: {written}");
        assert!(written.contains("beside the chain"), "{format}");
    }
}

#[test]
fn history_says_where_a_resume_would_start() {
    let home = home_with(
        "u1 user \"one\"\na1 assistant \"1\"\nu2 user < ?gone @900 \"two\"\na2 assistant \"2\"\n",
    );
    let terminal = run(&home, &["show", SESSION]).ok();
    assert!(terminal.contains("a resume starts here"), "{terminal}");
    let sent: Vec<_> = said(&show(&home, &["--context"]));
    let texts: Vec<&str> = sent.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(texts, ["two", "2"]);
    assert_eq!(said(&show(&home, &[])).len(), 4);
}

#[test]
fn what_was_summarized_from_a_message_on_is_history() {
    let home = home_with(
        r#"
u1 user "one"
a1 assistant "1"
u2 user "two"
a2 assistant "2"
b1 system compact_boundary logical=a1 keep=u1,a1 anchor=b1
s1 user summary "in short"
u3 user "three"
a3 assistant "3"
"#,
    );
    let shown = show(&home, &[]);
    assert_eq!(shown["paths"].as_array().map(Vec::len), Some(1));
    let texts: Vec<String> = said(&shown).into_iter().map(|(text, _)| text).collect();
    let expected = ["one", "1", "two", "2", "Conversation compacted", "in short", "three", "3"];
    assert_eq!(texts, expected);
    assert_eq!(shown["counts"]["other_paths"], 0);
    let sent: Vec<String> =
        said(&show(&home, &["--context"])).into_iter().map(|(text, _)| text).collect();
    assert_eq!(sent, ["one", "1", "in short", "three", "3"]);
}
