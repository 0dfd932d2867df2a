//! What is redacted, what is kept, and laws for every text.

mod assignments;
mod json;
mod key_blocks;
mod laws;
mod personal;
mod real;
mod speed;
mod surroundings;
mod tokens;

use std::fmt::Write as _;
use std::sync::LazyLock;

use super::*;

/// Returns the rules of a person called wilma with a pattern of her own.
fn rules() -> RedactRules {
    RedactRules {
        extra: vec![UserPattern::new("ticket", r"\bABC-\d+\b").expect("a pattern")],
        home_dirs: vec!["/home/wilma".into(), "/srv/people/wilma".into()],
        user_names: vec!["wilma".into(), "root".into(), "ab".into(), "cafe".into()],
        path_names: vec!["gerda".into()],
    }
}

fn redactor() -> &'static Redactor {
    static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(&rules()));
    &REDACTOR
}

/// Redacts a text, checks the laws for every text, and returns the result.
fn text(text: &str) -> String {
    let redactor = redactor();
    let mut tally = SecretTally::default();
    let redacted = redactor.text(text, &mut tally);
    let added = markers(&redacted) as i64 - markers(text) as i64;
    assert!(added <= tally.total() as i64, "{text}");
    if markers(text) == 0 {
        assert_eq!(tally.total() as i64, added, "{text}");
    }
    let again = redactor.text(&redacted, &mut SecretTally::default());
    assert!(matches!(again, Cow::Borrowed(_)), "{text}\n→ {redacted}\n→ {again}");
    redacted.into_owned()
}

fn markers(text: &str) -> usize {
    text.matches("[redacted:").count()
}

/// Redacts a record, checks the laws for every record, and returns the result.
fn json(record: &str) -> String {
    let redactor = redactor();
    let mut tally = SecretTally::default();
    let redacted = redactor.json(record.as_bytes(), &mut tally);
    let redacted = String::from_utf8(redacted.into_owned()).expect("UTF-8");
    if markers(record) == 0 {
        assert_eq!(tally.total(), markers(&redacted) as u64, "{redacted}");
    }
    let mut seen = SecretTally::default();
    redactor.look(record.as_bytes(), &mut seen);
    assert_eq!(seen, tally);
    let again = redactor.json(redacted.as_bytes(), &mut SecretTally::default());
    assert_eq!(String::from_utf8_lossy(&again), redacted);
    redacted
}

/// Checks the redacted form of each text: by itself, and as a string of a record.
fn check(cases: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (given, expected) in cases {
        let record = serde_json::json!({ "type": "user", "content": [given] }).to_string();
        let redacted: serde_json::Value = serde_json::from_str(&json(&record)).expect("JSON");
        for found in [&text(given), redacted["content"][0].as_str().expect("a string")] {
            if found != *expected {
                let _ = writeln!(wrong, "{given:?}\n  → {found:?}\n  ≠ {expected:?}");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Checks that each text stays as it is.
fn check_kept(cases: &[&str]) {
    let cases: Vec<(&str, &str)> = cases.iter().map(|case| (*case, *case)).collect();
    check(&cases);
}

/// Returns `length` letters and digits that look random, the same each time. The secrets of tests
/// are generated, so that scanners do not report this file as a leak.
fn noise(length: usize) -> String {
    "aZ3kQ9xB7mT1vR5nW8cJ2pL6".chars().cycle().take(length).collect()
}

fn hex(length: usize) -> String {
    "0f3a9c7e1b5d8246".chars().cycle().take(length).collect()
}

fn upper(length: usize) -> String {
    "QZ7JW3NX5KT2".chars().cycle().take(length).collect()
}

/// Returns the lines of a private key.
fn key_lines(count: usize) -> Vec<String> {
    let lines = (0..count).map(|line| {
        let text = noise(64 + line);
        text[line..].replace('Q', "/").replace('m', "+")
    });
    lines.chain(["aZ3k==".to_owned()]).collect()
}

#[test]
fn a_pattern_has_a_name_that_fits_and_matches_something() {
    for (name, pattern, expected) in [
        ("ticket", r"ABC-\d+", None),
        ("", "a", Some(UserPatternError::Name)),
        ("a b", "a", Some(UserPatternError::Name)),
        ("a]", "a", Some(UserPatternError::Name)),
        ("é", "a", Some(UserPatternError::Name)),
        ("x", "a*", Some(UserPatternError::Empty)),
        ("x", "", Some(UserPatternError::Empty)),
        ("x", "(a", Some(UserPatternError::Syntax("unclosed group".to_owned()))),
        (
            "x",
            r"(?-u:\xff)",
            Some(UserPatternError::Syntax("pattern can match invalid UTF-8".to_owned())),
        ),
    ] {
        assert_eq!(UserPattern::new(name, pattern).err(), expected, "{pattern}");
    }
    assert!(matches!(UserPattern::new("x", r"\w{1000}{1000}"), Err(UserPatternError::Syntax(_))));
}

#[test]
fn patterns_of_the_users_are_found_wherever_text_is() {
    check(&[
        ("see ABC-1234 and ABC-7.", "see [redacted:ticket] and [redacted:ticket]."),
        ("XABC-1 ABC-", "XABC-1 ABC-"),
        ("[redacted:ABC-12]", "[redacted:ABC-12]"),
    ]);
    let record = r#"{"ABC-1":{"n":1},"b":"\u0041BC-2"}"#;
    assert_eq!(json(record), r#"{"[redacted:ticket]":{"n":1},"b":"[redacted:ticket]"}"#);
}

#[test]
fn a_tally_is_told_as_a_person_would() {
    let mut tally = SecretTally::default();
    assert_eq!((tally.to_string(), tally.is_empty()), (String::new(), true));
    for kind in [
        SecretKind::EMAIL,
        SecretKind::EMAIL,
        SecretKind::known("github-token"),
        SecretKind::URL_PASSWORD,
    ] {
        tally.add(&kind);
    }
    let mut all = tally.clone();
    all.merge(&tally);
    all.add(&SecretKind::own("ticket"));
    all.add(&SecretKind::PRIVATE_KEY);
    assert_eq!(
        all.to_string(),
        "2 GitHub tokens, 2 passwords in URLs, 1 private key, 1 Ticket, 4 e-mail addresses"
    );
    assert_eq!((all.total(), all.secrets(), all.count("email")), (10, 6, 4));
    assert_eq!(SecretKind::known("jwt").noun(1), "JSON web token");
    assert_eq!(SecretKind::known("google-api-key").noun(2), "Google API keys");
    assert_eq!(SecretKind::known("huggingface-token").noun(1), "Hugging Face token");
}

#[test]
fn threads_can_share_a_redactor() {
    fn shared(_: &(impl Send + Sync)) {}
    shared(redactor());
}

#[test]
fn a_warning_does_not_care_for_what_is_only_personal() {
    let redactor = Redactor::for_secrets(&rules());
    let mut tally = SecretTally::default();
    let key = format!("sk_live_{}", noise(24));
    let record = format!(r#"{{"cwd":"/home/wilma","text":"wilma@example.com {key} ABC-1"}}"#);
    redactor.look(record.as_bytes(), &mut tally);
    assert_eq!(tally.to_string(), "1 Stripe key, 1 Ticket");
}
