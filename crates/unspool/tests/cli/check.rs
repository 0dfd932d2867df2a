//! `check`: a table of rules, all findings on request, and explanations of rules.

use unspool_testkit::TestHome;

use crate::run::{SESSION, home_with, run};

/// A home with three damaged lines in two files.
fn damaged() -> TestHome {
    let home = home_with("u1 user \"hello\"\na1 assistant \"hi\"\n");
    let talk = unspool_testkit::session("u1 user \"hello\"\na1 assistant \"hi\"\n");
    for (digit, junk) in [("2", "no json\nnor this\n"), ("3", "nothing\n")] {
        let log = [talk.as_slice(), junk.as_bytes()].concat();
        home.add_session("/srv/demo", &SESSION.replace('1', digit), log);
    }
    home
}

#[test]
fn rules_are_in_a_table_with_counts_and_a_place() {
    let home = damaged();
    let ran = run(&home, &["check"]).says(0, &[]);
    let row = ran.out.lines().position(|line| line.contains("damaged-line"));
    let lines: Vec<&str> = ran.out.lines().collect();
    let row = row.expect("a row");
    let words: Vec<&str> = lines[row].split_whitespace().take(4).collect();
    assert_eq!(words, ["warning", "damaged-line", "3", "2"]);
    let example = lines[row + 1];
    assert!(example.contains("22222222") && example.contains(":3: "), "{example}");
    assert_eq!(ran.out.matches("damaged-line").count(), 1, "{}", ran.out);
    assert!(ran.out.contains("Readable, with losses:"), "{}", ran.out);
    assert!(ran.err.contains("--all"), "{}", ran.err);
}

#[test]
fn every_finding_is_listed_if_asked_for() {
    let home = damaged();
    let all = run(&home, &["check", "--all"]);
    let found = all.out.lines().filter(|line| line.starts_with("warning[damaged-line]"));
    assert_eq!(found.count(), 3, "{}", all.out);
    assert!(all.out.contains("FOUND"), "{}", all.out);
    assert!(!all.err.contains("--all"), "{}", all.err);
    let errors = run(&home, &["check", "--all", "--min", "error"]).ok();
    assert!(!errors.contains("damaged-line"), "{errors}");
    assert!(errors.contains("Readable, with losses:"), "{errors}");
    let healthy = home_with("u1 user \"hello\"\na1 assistant \"hi\"\n");
    let said = run(&healthy, &["check"]);
    assert!(said.out.contains("Healthy: nothing was lost."), "{}", said.out);
    assert!(!said.out.contains("warning"), "{}", said.out);
}

#[test]
fn a_rule_is_explained_without_a_home() {
    let home = TestHome::new();
    let said = run(&home, &["check", "--explain", "damaged-line"]).ok();
    assert!(said.starts_with("damaged-line  warning\n"), "{said}");
    assert!(said.contains("kill in mid-write"), "{said}");
    run(&home, &["check", "--explain", "damaged-lin"]).says(2, &["damaged-line"]);
}
