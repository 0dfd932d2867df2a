use std::sync::atomic::AtomicU64;

use unspool_redact::RedactRules;
use unspool_search::scan::sources;
use unspool_store::home::{Home, discover_all};
use unspool_testkit::{TestHome, session, uuid};

use super::*;

/// Returns a text in the format of a token, which opens nothing.
fn token(letter: char) -> String {
    format!("ghp_{}", format!("{letter}1B2").repeat(9))
}

fn look(home: &TestHome) -> SecretSearch {
    let found: Vec<_> = discover_all(&[Home::new(home.path())]);
    let redactor = Redactor::for_secrets(&RedactRules::default());
    secrets(&sources(&found), &redactor, &AtomicU64::new(0))
}

#[test]
fn each_secret_counts_once_for_its_session_and_each_line_is_a_place() {
    let home = TestHome::new();
    let (one, other) = (token('a'), token('b'));
    let log = session(&format!(
        "u1 user \"use {one}, again {one}\"\na1 assistant \"{one} and {other}\"\nu2 user \"thanks\""
    ));
    home.add_session("/srv/demo", &uuid("s"), log);
    home.add_session("/srv/demo", &uuid("clean"), session("u1 user \"me@example.org\""));
    let search = look(&home);
    assert_eq!(search.reports.len(), 1);
    let report = &search.reports[0];
    assert_eq!(report.session.as_str(), uuid("s"));
    assert_eq!(report.kinds.to_string(), "2 GitHub tokens");
    let places: Vec<_> =
        report.places.iter().map(|place| (place.line, place.role, place.kinds.total())).collect();
    assert_eq!(places, [(Some(1), TextRole::User, 1), (Some(2), TextRole::Assistant, 2)]);
    let said = format!("{search:?}");
    assert!(!said.contains(&one) && !said.contains(&other));
}

#[test]
fn places_are_bounded_and_the_rest_is_counted() {
    let home = TestHome::new();
    let line = |number: usize| {
        let secret = token('c');
        format!("{{\"type\":\"user\",\"n\":{number},\"x\":\"{secret}\"}}\n")
    };
    let log: String = (0..MOST_PLACES + 7).map(line).collect();
    home.add_session("/srv/demo", &uuid("s"), log);
    let report = &look(&home).reports[0];
    assert_eq!((report.places.len(), report.more_places), (MOST_PLACES, 7));
    assert_eq!(report.kinds.total(), 1);
}

#[test]
fn prompts_of_sessions_that_are_gone_are_looked_at() {
    let home = TestHome::new();
    home.add_session("/srv/demo", &uuid("s"), session("u1 user \"hello\""));
    let line = |id: &str| {
        let text = token('d');
        format!("{{\"display\":\"{text}\",\"project\":\"/srv/demo\",\"sessionId\":\"{id}\"}}\n")
    };
    let history = line(&uuid("s")) + &line(&uuid("gone"));
    std::fs::write(home.path().join("history.jsonl"), history).expect("a history");
    let search = look(&home);
    let sessions: Vec<_> = search.reports.iter().map(|report| report.session.as_str()).collect();
    assert_eq!(sessions, [uuid("gone")]);
}
