//! Secrets in exports.

use std::fs;

use serde_json::{Value, json};
use unspool_testkit::home::AgentFilePlace;
use unspool_testkit::{TestHome, session};

use super::{Exported, export};
use crate::run::{SESSION, run};
use unspool_testkit::saying::saying;

const FORMATS: [&[&str]; 7] = [
    &["--format", "md"],
    &["--format", "html"],
    &["--format", "json"],
    &["--format", "jsonl"],
    &["--format", "text"],
    &["--format", "md", "--agents", "separate"],
    &["--site"],
];

/// Assembled at run time, so that scanners do not report it as a real token.
fn token() -> String {
    format!("ghp_{}", "a1B2".repeat(9))
}

/// Exports everything with redaction.
fn redacted(home: &TestHome, args: &[&str]) -> Exported {
    let exported = export(home, &[&["--all", "--redact"], args].concat());
    assert_eq!(exported.ran.code, Some(0), "{args:?}: {}", exported.ran.err);
    assert!(!exported.files.is_empty(), "{args:?}");
    exported
}

fn files_with(exported: &Exported, text: &str) -> Vec<String> {
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
        (format!("write to {address} soon"), address.to_owned(), "email"),
        (format!("use {key} here"), "MIIEvQIBADANBgkqhkiG9w0B".to_owned(), "private-key"),
        ("/home/wilma/notes.txt".to_owned(), "wilma".to_owned(), "home"),
        (
            token().replace("B2a1", "B\u{1b}[01;31m\u{1b}[K2\u{1b}[m\u{1b}[Ka1"),
            "2\u{1b}".to_owned(),
            "github-token",
        ),
    ];
    for (text, secret, kind) in cases {
        let home = saying(&text);
        for args in FORMATS {
            let exported = redacted(&home, args);
            assert_eq!(files_with(&exported, &secret), Vec::<String>::new(), "{args:?}");
            let marker = format!("[redacted:{kind}]");
            assert!(!files_with(&exported, &marker).is_empty(), "{args:?} {marker}");
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
        assert!(!files_with(&exported, &token()).is_empty(), "{args:?}");
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
    let exported = redacted(&home, &[]);
    assert_eq!(files_with(&exported, "TICKET-1234"), Vec::<String>::new());
    assert!(!files_with(&exported, "[redacted:ticket]").is_empty());
}

#[test]
fn what_has_no_secrets_is_the_same_with_and_without() {
    let home = saying("plain words");
    let user_home = home.user_home().display().to_string();
    for args in FORMATS {
        let plain = export(&home, &[&["--all"], args].concat());
        let redacted = redacted(&home, args);
        // JSON contains paths of the home.
        let named = !files_with(&plain, &user_home).is_empty();
        assert_eq!(named, args.contains(&"json"), "{args:?}");
        assert_eq!(files_with(&redacted, &user_home), Vec::<String>::new());
        let expected = plain.files.iter().map(|(name, bytes)| {
            let text = String::from_utf8_lossy(bytes).replace(&user_home, "[redacted:home]");
            (name.clone(), text.into_bytes())
        });
        assert!(expected.eq(redacted.files.clone()), "{args:?}");
        let words = if named { "redacted 1 home folder" } else { "nothing had to be redacted" };
        assert!(redacted.ran.err.contains(words), "{}", redacted.ran.err);
    }
}

/// Creates a session in which every string that is not a text contains `name`.
fn naming(name: &str, cwd: &str) -> TestHome {
    let id = format!("id-{name}");
    let head = |uuid: &str, parent: Option<&str>| {
        json!({
            "uuid": format!("{uuid}-{name}"), "sessionId": id, "cwd": cwd,
            "parentUuid": parent.map(|parent| format!("{parent}-{name}")),
            "timestamp": "2026-01-01T00:00:00Z", "version": name, "slug": name, "requestId": name,
            "gitBranch": format!("feature/{name}"), "userType": name, "entrypoint": name,
        })
    };
    let with = |mut record: Value, rest: Value| {
        let rest = rest.as_object().expect("an object").clone();
        record.as_object_mut().expect("an object").extend(rest);
        record.to_string()
    };
    let call =
        json!({"type": "tool_use", "id": name, "name": name, "input": {name: [name, {name: 1}]}});
    let task = json!({"type": "tool_use", "id": format!("t-{name}"), "name": "Task",
        "input": {"description": name, "prompt": name, "subagent_type": name}});
    let other = json!({"type": name, "name": name});
    let answer = json!({"type": "assistant", "message": {"id": name, "role": "assistant",
        "model": name, "stop_reason": name, "content": [call, task, other]}});
    let result = |id: &str| {
        json!({"type": "user",
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": name}]},
        "toolUseResult": {"agentId": name, name: name}})
    };
    let lines = [
        with(
            head("u1", None),
            json!({"type": "user", "message": {"role": "user", "content": "hello"}}),
        ),
        with(head("a1", Some("u1")), answer),
        with(head("r1", Some("a1")), result(name)),
        with(head("r2", Some("r1")), result(&format!("t-{name}"))),
        with(
            head("s1", Some("r2")),
            json!({"type": "system", "subtype": name, "content": name, "level": name}),
        ),
        with(
            head("x1", Some("s1")),
            json!({"type": "attachment", "attachment": {"type": name, "filename": name}}),
        ),
        with(
            head("u2", None),
            json!({"type": "user", "message": {"role": "user", "content": "again"}}),
        ),
        with(
            head("a2", Some("u2")),
            json!({"type": "assistant", "message": {"role": "assistant",
            "content": [{"type": "text", "text": "yes"}]}}),
        ),
    ];
    let home = TestHome::new();
    home.add_session(cwd, &id, lines.join("\n") + "\n");
    let agent = format!("%agent {name}\nx1 user \"hello\"\ny1 assistant \"yes\"\n");
    home.add_agent(cwd, &id, &AgentFilePlace::Subagents, name, session(&agent));
    home
}

#[test]
fn ids_names_of_files_and_all_other_strings_are_redacted() {
    let home = naming(&token(), "/srv/demo");
    for args in FORMATS {
        let exported = redacted(&home, args);
        assert_eq!(files_with(&exported, &token()), Vec::<String>::new(), "{args:?}");
        let named = exported.names().into_iter().filter(|name| name.contains(&token()));
        assert_eq!(named.count(), 0, "{:?}", exported.names());
    }
}

#[test]
fn the_owner_of_a_log_is_redacted_by_every_user() {
    for (cwd, text) in [
        ("/Users/fredrika/app", "drwx fredrika staff /media/fredrika/x -scratch-fredrika-y"),
        ("/home/fredrika/app", "by fredrika in /var/mail/fredrika"),
        ("C:\\Users\\fredrika\\app", "D:\\fredrika\\x and %2Ffredrika%2F"),
        ("/srv/app", "/home/fredrika/x is /media/fredrika/x and ~fredrika"),
    ] {
        let home = TestHome::new();
        let record = |uuid: &str, parent: Option<&str>, role: &str| {
            json!({"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": SESSION, "cwd": cwd,
                "timestamp": "2026-01-01T00:00:00Z",
                "message": {"role": role, "content": [{"type": "text", "text": text}]}})
            .to_string()
        };
        let log = [record("u1", None, "user"), record("a1", Some("u1"), "assistant")];
        home.add_session(cwd, SESSION, log.join("\n") + "\n");
        for args in FORMATS {
            let exported = redacted(&home, args);
            assert_eq!(files_with(&exported, "fredrika"), Vec::<String>::new(), "{args:?}");
        }
    }
}
