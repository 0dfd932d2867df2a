//! `check --secrets`: kinds, counts and places, but never a secret.

use unspool_testkit::{TestHome, session};

use crate::run::{SESSION, run};

/// A text in the form of a token.
fn token() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

/// A home with a session whose title is a secret, one without secrets, and one with a key in a result.
fn home() -> TestHome {
    let home = TestHome::new();
    let token = token();
    let log = session(&format!("u1 user \"{token} is the token\"\na1 assistant \"noted\""));
    home.add_session("/srv/demo", SESSION, log);
    let clean = session("u1 user \"me@example.org in /home/me\"\na1 assistant \"hi\"");
    home.add_session("/srv/demo", &SESSION.replace('1', "2"), clean);
    let log = session(&format!(
        "%cwd /srv/other\nu1 user \"print it\"\na1 assistant call Bash:t1 {{\"command\":\"env\"}}\n\
         r1 result t1 \"printed {token}\"\na2 assistant \"done\""
    ));
    home.add_session("/srv/other", &SESSION.replace('1', "3"), log);
    home
}

#[test]
fn sessions_with_secrets_are_told_by_kind_and_place() {
    let home = home();
    let ran = run(&home, &["check", "--secrets", "--all"]).says(1, &[]);
    assert!(ran.out.contains("1 GitHub token"), "{}", ran.out);
    assert!(ran.out.contains("[redacted:github-token]"), "{}", ran.out);
    assert!(ran.out.contains(".jsonl:1: user"), "{}", ran.out);
    assert!(ran.out.contains(".jsonl:3: result"), "{}", ran.out);
    assert!(!ran.out.contains("22222222"), "{}", ran.out);
    assert!(ran.err.contains("2 sessions with what looks like secrets"), "{}", ran.err);
    let lines = run(&home, &["check", "--secrets", "--json"]).lines();
    let (summary, sessions) = lines.split_last().expect("a summary");
    assert_eq!(sessions.len(), 2);
    assert_eq!(summary["summary"]["sessions"], 3);
    assert_eq!(summary["summary"]["sessions_with_secrets"], 2);
    assert_eq!(sessions[0]["kinds"]["github-token"], 1);
    assert!(sessions.iter().all(|line| line["places"][0]["entry"].is_string()));
}

#[test]
fn nothing_that_is_printed_has_a_secret_in_it() {
    let home = home();
    for args in [
        &["check", "--secrets"][..],
        &["check", "--secrets", "--all"],
        &["check", "--secrets", "--json"],
        &["check", "--secrets", SESSION, "--json"],
    ] {
        let ran = run(&home, args);
        for said in [&ran.out, &ran.err] {
            assert!(!said.contains(&token()) && !said.contains("a1B2a1B2"), "{args:?}: {said}");
        }
    }
}

#[test]
fn sessions_are_named_or_filtered() {
    let home = home();
    let named = run(&home, &["check", "--secrets", SESSION, "--json"]).lines();
    assert_eq!(named.len(), 2);
    assert_eq!(named[0]["session"], SESSION);
    run(&home, &["check", "--secrets", "22222222"]).says(0, &["nothing looks like a secret"]);
    let filtered = run(&home, &["check", "--secrets", "--project", "other", "--json"]).lines();
    assert_eq!(filtered[0]["places"][0]["role"], "result");
    assert_eq!(filtered.len(), 2);
    run(&home, &["check", "--secrets", SESSION, "--project", "other"]).says(2, &[]);
    let file = home.project_dir("/srv/other").join(format!("{}.jsonl", SESSION.replace('1', "3")));
    let elsewhere = home.user_home().join("copy.jsonl");
    std::fs::copy(file, &elsewhere).expect("a copy");
    run(&home, &["check", "--secrets", elsewhere.to_str().expect("a path")]).says(1, &[]);
}
