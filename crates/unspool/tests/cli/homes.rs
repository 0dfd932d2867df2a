//! Homes that do not exist, and empty homes.

use unspool_testkit::TestHome;

use crate::run::{Ran, SESSION, home_with, run, run_bare, unspool};

const ONE: &str = "u1 user \"hello\"\na1 assistant \"hi\"\n";

/// The commands that read a home.
const COMMANDS: [&[&str]; 8] = [
    &["list"],
    &["list", "--rule", "sdk"],
    &["show"],
    &["show", SESSION],
    &["tree", "1111"],
    &["search", "hello"],
    &["stats"],
    &["check"],
];

#[test]
fn a_home_that_is_not_there_is_said_and_ends_with_three() {
    let home = TestHome::new();
    for args in COMMANDS {
        let named = run_bare(&home, &[&["--home", "nowhere"], args].concat());
        named.only_says(3, &["cannot find a home at"]);
        let mut by_variable = unspool(&home);
        by_variable.env("CLAUDE_CONFIG_DIR", home.user_home().join("nowhere"));
        Ran::of(by_variable.args(args)).only_says(3, &["cannot find a home at"]);
    }
}

#[test]
fn a_home_next_to_one_that_is_not_there_is_read() {
    let home = home_with(ONE);
    let root = home.path().display().to_string();
    let both = ["--home", &root, "--home", "nowhere"];
    let listed = run_bare(&home, &[&both[..], &["list"]].concat()).says(3, &[]);
    assert!(listed.out.contains("hello"), "{}", listed.out);
    assert!(listed.err.contains("cannot find a home at"), "{}", listed.err);
    run_bare(&home, &[&both[..], &["show", SESSION]].concat()).says(0, &[]);
    run_bare(&home, &[&both[..], &["show", "2222"]].concat())
        .says(3, &["no session is named `2222`"]);
}

#[test]
fn a_file_needs_no_home() {
    let home = TestHome::new();
    let file = home.user_home().join("elsewhere.jsonl");
    std::fs::write(&file, unspool_testkit::session(ONE)).expect("writes");
    let args = ["--home", "nowhere", "show", "./elsewhere.jsonl", "--json"];
    let shown = run_bare(&home, &args).json();
    assert_eq!(shown["session"]["id"], "elsewhere");
    assert!(shown["session"]["home"].is_null() && shown["session"]["project"].is_null());
    assert_eq!(shown["counts"]["active"], 2);
}

#[test]
fn an_empty_home_has_no_sessions_whatever_was_asked_for() {
    let home = TestHome::new();
    for args in [&["show"][..], &["show", "@3"], &["tree"]] {
        let ran = run(&home, args).only_says(1, &["there are no sessions"]);
        assert!(!ran.err.contains('@'), "{}", ran.err);
    }
}

#[test]
fn stats_say_what_cannot_be_read() {
    let home = home_with(ONE);
    let socket = home.project_dir("/srv/demo").join("odd.jsonl");
    let _listener = std::os::unix::net::UnixListener::bind(socket).expect("a socket");
    let ran = run(&home, &["stats", "--json"]).says(3, &["odd.jsonl"]);
    assert_eq!(ran.lines()[0]["total"]["sessions"], 1);
}
