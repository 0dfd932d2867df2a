//! Secrets in what is exported.

use std::fs;

use super::saying::saying;
use super::{Exported, export};
use crate::run::{SESSION, run};

const FORMATS: [&[&str]; 7] = [
    &["--format", "md"],
    &["--format", "html"],
    &["--format", "json"],
    &["--format", "jsonl"],
    &["--format", "text"],
    &["--format", "md", "--agents", "separate"],
    &["--site"],
];

/// Made up while the test runs, so that nobody takes it for one.
fn token() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

fn holds(exported: &Exported, text: &str) -> Vec<String> {
    let files = exported.files.iter();
    let holding = files.filter(|(_, bytes)| String::from_utf8_lossy(bytes).contains(text));
    holding.map(|(name, _)| name.clone()).collect()
}

#[test]
fn nothing_that_is_redacted_is_left_anywhere() {
    let address = "someone.else@corp.test";
    let key = format!(
        "-----BEGIN {0}-----\n{1}\n{1}\n-----END {0}-----",
        "PRIVATE KEY",
        "MIIEvQIBADANBgkqhkiG9w0B".repeat(2)
    );
    let cases = [
        (token(), token(), "github-token"),
        (
            format!("write to {address} soon"),
            address.to_owned(),
            "email",
        ),
        (
            format!("use {key} here"),
            "MIIEvQIBADANBgkqhkiG9w0B".to_owned(),
            "private-key",
        ),
        (
            "/home/wilma/notes.txt".to_owned(),
            "wilma".to_owned(),
            "home",
        ),
        (
            "postgres://app:hunter2secret@db.test/x".to_owned(),
            "hunter2secret".to_owned(),
            "url-password",
        ),
    ];
    for (text, secret, kind) in cases {
        let home = saying(&text);
        for args in FORMATS {
            let args = [&["--all", "--redact"], args].concat();
            let exported = export(&home, &args);
            assert_eq!(exported.ran.code, Some(0), "{}", exported.ran.err);
            assert!(!exported.files.is_empty());
            assert_eq!(holds(&exported, &secret), Vec::<String>::new(), "{args:?}");
            let marker = format!("[redacted:{kind}]");
            assert!(!holds(&exported, &marker).is_empty(), "{args:?} {marker}");
            assert!(exported.ran.err.contains("note: redacted "), "{args:?}");
        }
        let shown = run(&home, &["export", SESSION, "--redact", "--out", "-"]);
        assert!(!shown.out.contains(&secret) && !shown.err.contains(&secret));
    }
}

#[test]
fn without_redaction_a_secret_is_warned_of_and_kept() {
    let home = saying(&token());
    for args in FORMATS {
        let exported = export(&home, &[&["--all"], args].concat());
        assert!(!holds(&exported, &token()).is_empty(), "{args:?}");
        let warned = exported.ran.err.contains("looks like secrets")
            && exported.ran.err.contains("GitHub token")
            && exported.ran.err.contains("--redact");
        assert!(warned, "{args:?}: {}", exported.ran.err);
    }
    let harmless = export(&saying("nothing to see"), &["--all"]);
    assert!(!harmless.ran.err.contains("secret"), "{}", harmless.ran.err);
}

#[test]
fn patterns_of_the_settings_are_redacted() {
    let home = saying("see TICKET-1234 about it");
    let config = home.user_home().join(".config/unspool/config.toml");
    fs::create_dir_all(config.parent().expect("a folder")).expect("a folder");
    let text = "[[redact]]\nname = \"ticket\"\npattern = 'TICKET-\\d+'\n";
    fs::write(config, text).expect("a file");
    let exported = export(&home, &["--all", "--redact"]);
    assert_eq!(exported.ran.code, Some(0), "{}", exported.ran.err);
    assert_eq!(holds(&exported, "TICKET-1234"), Vec::<String>::new());
    assert!(!holds(&exported, "[redacted:ticket]").is_empty());
}

#[test]
fn what_has_no_secrets_is_the_same_with_and_without() {
    let home = saying("plain words");
    for args in FORMATS {
        let plain = export(&home, &[&["--all"], args].concat());
        let redacted = export(&home, &[&["--all", "--redact"], args].concat());
        if args.contains(&"json") {
            // It names the folder of the home.
            continue;
        }
        assert_eq!(plain.files, redacted.files, "{args:?}");
    }
}
