//! A session has the same title in every command.

use std::fs;

use serde_json::{Value, json};
use unspool_testkit::{TestHome, session, uuid};

use crate::export::export;
use crate::run::{SESSION, run, run_bare};

const CWD: &str = "/srv/demo";

const TOLD: &str = r#"
t1 user "how do I begin"
t2 assistant "like this"
"#;

/// A home with a session, and its summary in the middle of another session's log.
fn home() -> TestHome {
    let home = TestHome::new();
    let told = format!("{TOLD}t9 user \"and then\"");
    home.add_session(CWD, SESSION, session(&told));
    let other = r#"
o1 user "something else"
-- summary "Begun well" ?t2
o2 assistant "indeed"
"#;
    home.add_session(CWD, &uuid("other"), session(other));
    // A session's own title has precedence, and summaries of another project do not count.
    for (name, line) in
        [("given", "-- custom-title \"Given\""), ("made up", "-- ai-title \"Made up\"")]
    {
        let forked = format!("{TOLD}t3 user \"going on {name}\"\n{line}");
        home.add_session(CWD, &uuid(name), session(&forked));
    }
    let far = "-- summary \"Zzz\" ?t2\n-- summary \"Else\" ?o2";
    home.add_session("/srv/far", &uuid("far"), session(far));
    home
}

/// Returns the titles of a list of sessions, sorted; a file without a conversation has none.
fn titles(home: &TestHome, args: &[&str]) -> Vec<String> {
    let lines = run(home, &[&["list", "--json"], args].concat()).lines();
    let title = |line: &Value| Some(line["title"].as_str()?.to_owned());
    let mut titles: Vec<_> = lines.iter().filter_map(title).collect();
    titles.sort();
    titles
}

const ALL: [&str; 4] = ["Begun well", "Given", "Made up", "something else"];

#[test]
fn lists_call_a_session_by_a_summary_in_another_file() {
    let home = home();
    assert_eq!(titles(&home, &[]), ALL);
    assert_eq!(titles(&home, &[]), ALL, "the second time");
    let without_index = ["--rule", "newest-time"];
    assert_eq!(titles(&home, &without_index), ALL, "without an index");
    let table = run(&home, &["list"]).ok();
    assert!(table.contains("Begun well"), "{table}");
    let cards = run(&home, &["list", "--cards"]).ok();
    assert!(cards.contains("Begun well"), "{cards}");
    let stats = run(&home, &["stats", "--by", "session", "--json"]).json();
    let groups = stats["groups"].as_array().expect("groups");
    let mut labels = groups.iter().map(|group| &group["label"]);
    assert!(labels.any(|label| label == "Begun well"), "{groups:?}");
}

#[test]
fn a_session_is_shown_under_the_name_that_lists_give_it() {
    let home = home();
    let shown =
        |name: &str| run(&home, &["show", name, "--json"]).json()["session"]["title"].clone();
    assert_eq!(shown(SESSION), "Begun well");
    assert_eq!(shown(&uuid("other")), "something else");
    assert_eq!(shown(&uuid("given")), "Given");
    assert_eq!(shown(&uuid("made up")), "Made up");
    let page = run(&home, &["show", SESSION]).ok();
    assert_eq!(page.lines().next(), Some("Begun well"));
    let summary = run(&home, &["show", SESSION, "--summary", "--json"]).json();
    assert_eq!(summary["session"]["title"], "Begun well");
    let titles = json!([
        {"source": "summary", "text": "Begun well"},
        {"source": "prompt", "text": "how do I begin"},
    ]);
    assert_eq!(summary["titles"], titles);
    let summary = run(&home, &["show", &uuid("other"), "--summary", "--json"]).json();
    let titles = json!([
        {"source": "prompt", "text": "something else"},
        {"source": "foreign", "text": "Begun well"},
    ]);
    assert_eq!(summary["titles"], titles);
}

#[test]
fn transcripts_have_the_names_that_lists_give_them() {
    let home = home();
    for format in ["md", "text", "html", "json"] {
        let exported = export(&home, &[SESSION, "--format", format]);
        let text = exported.only();
        assert!(text.contains("Begun well"), "{format}: {text}");
    }
    let site = export(&home, &[SESSION, &uuid("other"), "--site"]);
    let index = site.text("index.html");
    for title in ["Begun well", "something else"] {
        assert!(index.contains(&format!(">{title}</a>")), "{title}: {index}");
    }
}

#[test]
fn an_archive_gives_the_same_names() {
    let home = home();
    let archive = home.user_home().join("archive").display().to_string();
    run(&home, &["archive", &archive]).ok();
    let ask = |args: &[&str]| run_bare(&home, &[&["--home", &archive], args].concat());
    let shown = ask(&["show", SESSION, "--json"]).json();
    assert_eq!(shown["session"]["title"], "Begun well");
    let listed = ask(&["list", "--json"]).lines();
    let mut titles: Vec<_> = listed.iter().filter_map(|line| line["title"].as_str()).collect();
    titles.sort_unstable();
    assert_eq!(titles, ALL);
}

#[test]
fn a_file_outside_a_home_is_named_by_itself() {
    let home = home();
    let folder = home.user_home().join("elsewhere");
    fs::create_dir_all(&folder).expect("a folder");
    for name in [SESSION, &uuid("other")] {
        let name = format!("{name}.jsonl");
        fs::copy(home.project_dir(CWD).join(&name), folder.join(&name)).expect("copies");
    }
    let file = folder.join(format!("{SESSION}.jsonl")).display().to_string();
    let shown = run(&home, &["show", &file, "--json"]).json();
    assert_eq!(shown["session"]["title"], "how do I begin");
    let inside = home.project_dir(CWD).join(format!("{SESSION}.jsonl"));
    let shown = run(&home, &["show", &inside.display().to_string(), "--json"]).json();
    assert_eq!(shown["session"]["title"], "Begun well");
}
