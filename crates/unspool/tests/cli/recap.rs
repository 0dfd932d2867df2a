//! `recap` of the demo: as a page, as Markdown and as JSON.

use serde_json::Value;
use unspool_testkit::{TestHome, session};

use crate::run::{self, SESSION, demo_wide, run};

/// A time before the first session of the demo.
const BEGINNING: &str = "2020-01-01";

fn demo(args: &[&str]) -> Value {
    run::demo(&[&["recap"], args, &["--json"]].concat()).json()
}

#[test]
fn recap_of_the_demo() {
    for columns in [60, 100] {
        let page = demo_wide(columns, &["recap", BEGINNING, "--project", "tidepool"]).ok();
        insta::assert_snapshot!(format!("recap_{columns}"), page);
    }
    let page = demo_wide(100, &["recap", BEGINNING, "--project", "notes", "--format", "md"]).ok();
    insta::assert_snapshot!("recap_md", page);
}

#[test]
fn totals_are_those_of_stats() {
    let recap = demo(&[BEGINNING]);
    let stats = run::demo(&["stats", "--json"]).json();
    for key in ["tokens", "cost_usd", "messages", "calls", "lines_added", "lines_removed"] {
        assert_eq!(recap["total"][key], stats["total"][key], "{key}");
    }
    let projects = recap["projects"].as_array().expect("projects");
    let prompts: u64 = projects
        .iter()
        .flat_map(|project| project["sessions"].as_array().expect("sessions"))
        .map(|session| session["prompts"].as_array().expect("prompts").len() as u64)
        .sum();
    assert_eq!(recap["total"]["prompts"], prompts);
}

#[test]
fn a_time_without_work_is_said() {
    let home = TestHome::new();
    home.add_session("/srv/demo", SESSION, session("u1 user \"hello\"\na1 assistant \"hi\""));
    run(&home, &["recap", "2099-01-01"]).only_says(1, &["nothing was done (Since"]);
    run(&home, &["recap", "someday"]).says(2, &["  recap someday"]);
    run(&home, &["recap", "last", "week"]).says(1, &[" to "]);
    run(&home, &["recap", "--since", "3d"]).says(2, &[]);
}

#[test]
fn markdown_of_a_hostile_prompt_is_text() {
    let home = TestHome::new();
    let prompt = r#""<script>x</script> ![a](http://x/y) **b** \u001b[31m""#;
    let log = session(&format!("u1 user {prompt}\na1 assistant \"hi\""));
    home.add_session("/srv/demo", SESSION, log);
    let md = run(&home, &["recap", BEGINNING, "--format", "md"]).ok();
    assert!(!md.contains("<script>") && !md.contains("![a]"), "{md}");
    let page = run(&home, &["recap", BEGINNING]).ok();
    assert!(!page.contains('\u{1b}'), "{page}");
}
