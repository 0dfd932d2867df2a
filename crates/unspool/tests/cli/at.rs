//! `show --at`: a conversation opened at one of its entries.

use serde_json::Value;
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::{TestHome, uuid};

use crate::run::{SESSION, demo, home_with, run};

const FORKED: &str = r#"
h0 attachment hook_success
u1 user "first"
a1 assistant "one" call Bash:t1 {"command":"ls"}
r1 result t1 "files"
h1 attachment hook_success < r1
a2 assistant "two"
u2 user "left behind"
a3 assistant "abandoned answer"
u3 user < a2 "second"
a4 assistant "the end"
s1 user < - sidechain "inside"
s2 assistant sidechain "done inside"
-- raw {"type":"mystery","uuid":"feedfacefeed","text":"hello"}
"#;

fn at(home: &TestHome, entry: &str) -> Value {
    run(home, &["show", SESSION, "--json", "--at", entry]).json()
}

/// Returns the first text of the message that `at` is the index of.
fn said(shown: &Value) -> &str {
    let index = shown["at"].as_u64().expect("an index") as usize;
    let text = &shown["messages"][index]["blocks"][0]["text"];
    text.as_str().expect("a text")
}

#[test]
fn the_path_or_agent_that_contains_an_entry_is_found() {
    let home = home_with(FORKED);
    for (entry, message, path, agent) in [
        ("h0", "first", 2, None),
        ("u1", "first", 2, None),
        ("a1", "one", 2, None),
        ("r1", "one", 2, None),
        ("h1", "one", 2, None),
        ("u2", "left behind", 1, None),
        ("a3", "abandoned answer", 1, None),
        ("a4", "the end", 2, None),
        ("s2", "done inside", 1, Some(uuid("s1"))),
    ] {
        let shown = at(&home, &uuid(entry));
        assert_eq!(said(&shown), message, "{entry}");
        assert_eq!(shown["path"], path, "{entry}");
        assert_eq!(shown["agent"].as_str(), agent.as_deref(), "{entry}");
    }
    assert!(run(&home, &["show", SESSION, "--json"]).json()["at"].is_null());
}

#[test]
fn an_entry_of_an_agents_file_opens_the_agent() {
    let home = home_with("u1 user \"go\"\na1 assistant call Agent:t1 {\"prompt\":\"look\"}\n");
    let agent = unspool_testkit::session(
        "x1 user < - sidechain \"look\"\nx2 assistant sidechain \"found it\"\n",
    );
    home.add_agent("/srv/demo", SESSION, &AgentFilePlace::Subagents, "aa11", &agent);
    let shown = at(&home, &uuid("x2"));
    assert_eq!((said(&shown), &shown["agent"]), ("found it", &"aa11".into()));
    let page = run(&home, &["show", SESSION, "--at", &uuid("x2")]).ok();
    assert!(page.contains("agent aa11"), "{page}");
}

#[test]
fn the_view_begins_with_the_turn_and_marks_the_message() {
    let home = home_with(FORKED);
    let shown = run(&home, &["show", SESSION, "--at", &uuid("a3")]).ok();
    let short = &uuid("a3")[..8];
    assert!(!shown.contains("❯ first") && !shown.contains("one\n"), "{shown}");
    assert!(shown.contains("left behind") && shown.contains("path 1 of 2, abandoned"));
    let mark = shown.find(&format!("▼ {short}")).expect("a mark");
    let answer = shown.find("abandoned answer").expect("the answer");
    let prompt = shown.find("left behind").expect("the prompt");
    assert!(prompt < mark && mark < answer, "{shown}");
    let result = run(&home, &["show", SESSION, "--at", &uuid("r1")]).ok();
    assert!(result.contains("a result in this message"), "{result}");
    let hook = run(&home, &["show", SESSION, "--at", &uuid("h1")]).ok();
    assert!(hook.contains("next to this message"), "{hook}");
}

#[test]
fn a_record_outside_the_conversation_is_printed_as_it_is() {
    let home = home_with(FORKED);
    let ran = run(&home, &["show", SESSION, "--at", "feedface"]).says(0, &[]);
    assert!(ran.out.contains(r#""type":"mystery""#), "{}", ran.out);
    assert!(ran.err.contains("not part of a conversation"), "{}", ran.err);
    let ran = run(&home, &["show", SESSION, "--json", "--at", "feedface"]);
    assert!(ran.err.contains("not part of a conversation"), "{}", ran.err);
    assert!(ran.json()["at"].is_null());
}

#[test]
fn names_of_entries_that_lead_nowhere() {
    let home = TestHome::new();
    let entry = |uuid: &str, parent: &str| {
        format!(
            r#"{{"uuid":"{uuid}","parentUuid":{parent},"type":"user","message":{{"role":"user","content":"x"}}}}"#
        )
    };
    let lines = [entry("abcd1111", "null"), entry("abcd2222", "\"abcd1111\"")];
    home.add_session("/srv/demo", SESSION, lines.join("\n").as_bytes());
    let ran = |entry: &str| run(&home, &["show", SESSION, "--at", entry]);
    assert_eq!(ran("abcd1").code, Some(0));
    assert_eq!(ran("ABCD1").code, Some(0));
    for (entry, code, said) in [
        ("abcd", 2, "abcd2222"),
        ("abc", 2, "too short"),
        ("abcd3333", 1, "abcd1111"),
        ("zzzzzzzz", 1, "no entry `zzzzzzzz`"),
    ] {
        ran(entry).only_says(code, &[said]);
    }
}

#[test]
fn show_at_an_entry_of_the_demo() {
    insta::assert_snapshot!(demo(&["show", "4ba6", "--at", "389da693"]).ok());
}
