//! `stats`: totals of the demo and of small homes.

use serde_json::Value;
use unspool_testkit::{TestHome, session};

use crate::run::{self, Ran, SESSION, run};

fn demo(args: &[&str]) -> Ran {
    run::demo(&[&["stats"], args].concat())
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn groups(stats: &Value) -> &[Value] {
    stats["groups"].as_array().expect("groups")
}

/// Creates a home with one answer of a model, in a folder.
fn home_with_answer(model: &str, folder: &str) -> TestHome {
    let home = TestHome::new();
    let log = format!("%cwd {folder}\na1 assistant \"Hi\" model={model} in=3 out=7");
    home.add_session(folder, SESSION, session(&log));
    home
}

#[test]
fn what_is_explained_is_what_counts() {
    let stats = demo(&["--by", "session", "--json"]).json();
    let group = &groups(&stats)[0];
    let session = group["key"].as_str().expect("an id");
    let explained = demo(&["--explain", session, "--json"]).json();
    for sum in ["tokens", "cost_usd"] {
        assert_eq!(explained[sum], group[sum], "{sum}");
    }
    for kind in ["messages", "calls", "turns"] {
        assert_eq!(explained[kind]["here"], group[kind], "{kind}");
    }
    for line in explained["lines"].as_array().expect("lines") {
        assert!(line["message"].is_string(), "{line}");
        assert_eq!(line["counted"] == true, line["counts_instead"].is_null());
    }
}

#[test]
fn tables_for_spreadsheets_have_the_same_numbers() {
    let stats = demo(&["--by", "project", "--json"]).json();
    let table = demo(&["--by", "project", "--csv"]).ok();
    let mut lines = table.split("\r\n");
    let heads: Vec<&str> = lines.next().expect("a head").split(',').collect();
    for group in groups(&stats) {
        let cells: Vec<&str> = lines.next().expect("a row").split(',').collect();
        let cell = |head: &str| {
            let at = heads.iter().position(|name| *name == head);
            cells[at.expect("a column")]
        };
        assert_eq!(cell("key"), group["key"]);
        assert_eq!(cell("calls"), group["calls"].to_string());
        assert_eq!(cell("cost_usd"), group["cost_usd"].to_string());
        assert_eq!(cell("tokens_output"), group["tokens"]["output"].to_string());
    }
    assert_eq!(lines.next(), Some(""));
    let total = demo(&["--csv"]).ok();
    assert!(total.lines().nth(1).is_some_and(|line| line.starts_with("total,,")));
}

#[test]
fn a_model_without_a_price_is_named() {
    let ran = run(&home_with_answer("mystery-1", "/srv/app"), &["stats", "--json"]);
    assert!(ran.err.contains("no price is known for 1 model: mystery-1"), "{}", ran.err);
    let stats = ran.json();
    assert_eq!(stats["total"]["cost_usd"], Value::Null);
    assert_eq!(stats["total"]["tokens"]["output"], 7);
    assert_eq!(stats["unpriced_models"], serde_json::json!(["mystery-1"]));
}

#[test]
fn times_choose_lines_and_projects_choose_sessions() {
    let home = home_with_answer("claude-opus-5-5", "/srv/app");
    let output = |args: &[&str]| {
        let ran = run(&home, &[&["stats", "--json"], args].concat());
        let stats: Value = serde_json::from_str(&ran.out).expect("an object");
        (number(&stats["total"]["tokens"]["output"]), ran.code)
    };
    assert_eq!(output(&["--since", "2026-01-05", "--until", "2026-01-05"]), (7, Some(0)));
    assert_eq!(output(&["--since", "2026-01-06"]), (0, Some(1)));
    assert_eq!(output(&["--project", "/srv/app"]), (7, Some(0)));
    assert_eq!(output(&["--project", "other"]), (0, Some(1)));
}

#[test]
fn wrong_uses_are_told() {
    let home = home_with_answer("claude-opus-5-5", "/srv/app");
    for by in ["colour", "day,day", "day,model,tool,branch"] {
        run(&home, &["stats", "--by", by]).only_says(2, &["--by"]);
    }
    run(&home, &["stats", "--explain", "ffffffff"]).only_says(1, &["ffffffff"]);
}

#[test]
fn a_pipe_gets_no_colours_and_a_spreadsheet_no_formulas() {
    let home = home_with_answer("claude-opus-5-5", "=1+1\u{1b}[31m");
    let page = run(&home, &["stats", "--by", "project"]).ok();
    assert!(page.contains("=1+1") && !page.contains('\x1b'), "{page}");
    let table = run(&home, &["stats", "--by", "project", "--csv"]).ok();
    assert!(table.contains("\r\n'=1+1,,3,7,"), "{table}");
}

/// Returns the keys of the demo's groups.
fn keys(by: &str) -> Vec<Vec<String>> {
    let stats = demo(&["--by", by, "--json"]).json();
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let of = |group: &Value| {
        let then = group["then"].as_array().expect("a list").iter().map(text);
        std::iter::once(text(&group["key"])).chain(then).collect()
    };
    groups(&stats).iter().map(of).collect()
}

#[test]
fn hours_and_weekdays_are_in_their_order() {
    let hours: Vec<String> = keys("hour").concat();
    assert!(hours.is_sorted() && hours.iter().all(|hour| hour.ends_with(":00")), "{hours:?}");
    let week = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    let days: Vec<String> = keys("weekday").concat();
    let places: Vec<_> = days.iter().map(|day| week.iter().position(|name| name == day)).collect();
    assert!(places.len() > 3 && places.is_sorted(), "{days:?}");
}

#[test]
fn several_keys_part_the_groups_of_the_first() {
    let projects: Vec<String> = keys("project").concat();
    let parted = keys("project,day");
    let mut firsts: Vec<&String> = parted.iter().map(|keys| &keys[0]).collect();
    firsts.dedup();
    assert_eq!(firsts, projects.iter().collect::<Vec<_>>(), "the largest project first");
    for project in &projects {
        let days: Vec<_> = parted.iter().filter(|keys| keys[0] == *project).collect();
        assert!(days.is_sorted(), "{days:?}");
    }
    let page = demo(&["--by", "model,project", "-n", "2"]).ok();
    assert!(page.contains("MODEL") && page.contains("PROJECT"), "{page}");
    assert!(page.contains("(others)"), "{page}");
}
