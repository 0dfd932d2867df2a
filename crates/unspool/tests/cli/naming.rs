//! Names of sessions, and errors of names that match nothing.

use unspool_testkit::TestHome;

use crate::run::{SESSION, home_with, run};

const ONE: &str = "u1 user \"hello\"\na1 assistant \"hi\"\n";

#[test]
fn a_unique_beginning_is_enough() {
    let home = home_with(ONE);
    assert!(run(&home, &["show", "1111"]).ok().contains("hello"));
    assert_eq!(run(&home, &["show", "111"]).code, Some(2), "too short");
}

#[test]
fn an_unknown_name_lists_near_ones_and_an_ambiguous_one_its_candidates() {
    let home = home_with(ONE);
    let other = "11111111-2222-4222-8222-222222222222";
    home.add_session("/srv/demo", other, unspool_testkit::session(ONE));
    run(&home, &["show", "11111111-1111-4111-8111-11111111111f"]).says(1, &[SESSION]);
    let ambiguous = run(&home, &["show", "1111"]).says(2, &[SESSION, other]);
    assert_eq!(ambiguous.out, "");
}

#[test]
fn empty_files_and_homes_are_no_errors() {
    let home = TestHome::new();
    home.add_session("/srv/demo", SESSION, b"");
    let shown = run(&home, &["show", SESSION, "--json"]).says(0, &["no conversation"]);
    assert_eq!(shown.json()["counts"]["entries"], 0);
    let empty = TestHome::new();
    run(&empty, &["list"]).only_says(1, &[]);
}

#[test]
fn wrong_use_ends_with_two() {
    let home = home_with(ONE);
    for args in
        [&["shwo"][..], &["show", "--nope"], &["show", "--rule", "x"], &["show", "--tools", "x"]]
    {
        assert_eq!(run(&home, args).code, Some(2), "{args:?}");
    }
    assert_eq!(run(&home, &["show", SESSION, "--path", "9"]).code, Some(1));
    assert_eq!(run(&home, &["show", SESSION, "--agent", "nope"]).code, Some(1));
}

#[test]
fn a_session_without_a_command_is_shown() {
    let home = home_with(ONE);
    for name in ["1111", "@", SESSION] {
        let short = run(&home, &[name, "--json"]).ok();
        assert_eq!(short, run(&home, &["show", name, "--json"]).ok());
    }
}

#[test]
fn a_session_goes_by_the_name_that_it_was_given() {
    let home = home_with("u1 user \"hello\"\n-- custom-title \"spike-filter\"\n");
    for name in ["spike-filter", "Spike-Filter"] {
        assert!(run(&home, &["show", name]).ok().contains("hello"), "{name}");
    }
    run(&home, &["show", "spike-filtre"]).only_says(1, &["`spike-filter`"]);
    let part = run(&home, &["show", "spike"]);
    assert!(part.err.contains("`spike-filter`"), "{}", part.err);
    let other = SESSION.replace('1', "2");
    let log = unspool_testkit::session("u1 user \"two\"\n-- custom-title \"spike-filter\"\n");
    home.add_session("/srv/demo", &other, log);
    run(&home, &["tree", "spike-filter"]).says(2, &[SESSION, &other]);
}

#[test]
fn an_id_in_two_projects_needs_a_project() {
    let home = TestHome::new();
    for cwd in ["/srv/one", "/srv/two"] {
        let log = format!("%cwd {cwd}\nu1 user \"in {cwd}\"\n");
        home.add_session(cwd, SESSION, unspool_testkit::session(&log));
    }
    run(&home, &["show", SESSION]).says(2, &["--project"]);
    for (project, said) in [("two", "in /srv/two"), ("/srv/one", "in /srv/one")] {
        let shown = run(&home, &["show", SESSION, "--project", project]).ok();
        assert!(shown.contains(said), "{shown}");
    }
    let newest = run(&home, &["show", "@", "--project", "-srv-two"]);
    assert!(newest.err.is_empty(), "{}", newest.err);
    assert!(newest.ok().contains("in /srv/two"));
    run(&home, &["show", SESSION, "--project", "three"]).says(1, &["`three`"]);
}
