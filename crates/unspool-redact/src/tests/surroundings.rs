//! Law: nothing of a secret is left, whatever is around it and inside it.

use super::tokens::{self, token};
use super::*;

/// What may be before a secret.
const BEFORE: &[&str] = &[
    "",
    " ",
    "\n",
    "\t",
    "     1→",
    "12\t",
    "• ",
    "•",
    "·",
    "\u{a0}",
    "\u{feff}",
    "\u{200b}",
    "\u{2003}",
    "密钥是",
    "キー",
    "ключ",
    "é",
    "ß",
    "e\u{301}",
    "🔑",
    "“",
    "«",
    "—",
    "…",
    "%3D",
    "%20",
    "%22",
    "%0A",
    "_",
    "MY_",
    "=",
    ":",
    "\"",
    "'",
    "`",
    "(",
    "[",
    "{",
    "<",
    ">",
    "|",
    ",",
    ";",
    "*",
    "**",
    "#",
    "!",
    "~",
    "&",
    "+",
    "-",
    "\\n",
    "\\t",
    "\\\"",
    "\\u2192",
    "\\u003d",
    "\\x3d",
    "\u{1b}[31m",
    "\u{1b}[01;31m\u{1b}[K",
    "x\u{1b}[31m",
    "\u{1b}[1A",
    "\\u001b[31m",
    "\\x1b[31m",
    "\\033[0;32m",
    "\\e[1m",
    "^[[31m",
    "␛[31m",
    "\u{9b}31m",
];

/// What may follow a secret.
const FOLLOWING: &[&str] = &[
    "",
    " ",
    "\n",
    "\"",
    "'",
    "`",
    ",",
    ";",
    ")",
    "]",
    "}",
    ">",
    "<",
    "|",
    "\\n",
    "\\\"",
    "%22",
    "%0A",
    "&x=1",
    "…",
    "→",
    "。",
    "的密钥",
    "é",
    "\u{a0}",
    "\u{200b}",
    "”",
    "»",
    "—",
    "_",
    "_x",
    "-x",
    "\u{1b}[0m",
    "\u{1b}[m\u{1b}[K",
    "\u{1b}[0mx",
    "\u{1b}[0mFOOBAR12",
    "\\u001b[0m",
    "\\033[0m",
    "^[[0m",
    ".",
    "!",
    "?",
    ":",
    "*",
    "**",
    "#",
];

/// ANSI codes that may be inside a secret.
const INSIDE: &[&str] = &[
    "\u{1b}[m",
    "\u{1b}[01;31m\u{1b}[K",
    "\u{1b}(B",
    "\u{9b}0m",
    "\\u001b[31m",
    "\\u001B[0m",
    "\\\\u001b[31m",
    "\\x1b[31m",
    "\\033[0;32m",
    "\\e[0m",
    "^[[31m",
    "␛[0m",
];

/// A text that contains a secret.
struct SecretSample {
    text: String,
    secret: String,
}

/// Returns secrets that are recognised by themselves, whatever their surroundings.
fn samples() -> Vec<SecretSample> {
    let sample = |text: String, secret: &str| SecretSample { text, secret: secret.to_owned() };
    let tokens = tokens::samples().flat_map(|(_, tokens)| tokens).map(token);
    let mut samples: Vec<SecretSample> =
        tokens.map(|token| sample(token.clone(), &token)).collect();
    let lines = key_lines(3);
    let key = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
        lines.join("\n")
    );
    samples.extend([
        sample(key, &lines[1]),
        sample("postgres://app:hunter2zz@db.local/x".into(), "hunter2zz"),
        sample("fredrika.flint@host.org".into(), "fredrika.flint"),
        sample("/home/fredrika/src".into(), "fredrika"),
        sample("/Users/fredrika/src".into(), "fredrika"),
        sample("C:\\Users\\fredrika\\src".into(), "fredrika"),
        sample("-Users-fredrika-src".into(), "fredrika"),
        sample("/srv/people/wilma/src".into(), "people/wilma"),
        sample("/media/gerda/src".into(), "gerda"),
        sample(format!("API_TOKEN=\"{}\"", noise(24)), &noise(24)),
        sample(format!("\"api_key\": \"{}\"", noise(24)), &noise(24)),
        sample(format!("'X-Api-Key: {}'", noise(24)), &noise(24)),
        sample(format!("Authorization: Bearer {}", noise(40)), &noise(40)),
        sample(format!("https://x.net/a?sig={}%3D", noise(43)), &noise(43)),
        sample("PASSWORD=hunter2zz".into(), "hunter2zz"),
    ]);
    samples
}

/// Returns a part of a secret that is left in a text.
fn rest<'s>(secret: &'s str, shown: &str) -> Option<&'s str> {
    let length = secret.len().min(6);
    let mut parts = (0..=secret.len() - length).map(|at| &secret[at..at + length]);
    parts.find(|part| shown.contains(part))
}

/// Removes the markers from a text: some kinds have the name of a part of their secret.
fn unmarked(text: &str) -> String {
    let mut pieces = text.split("[redacted:");
    let first = pieces.next().unwrap_or_default().to_owned();
    let after = |piece: &str| piece.split_once(']').map_or("", |(_, rest)| rest).to_owned();
    first + &pieces.map(after).collect::<Vec<_>>().join("│")
}

/// Writes a text as JSON in ASCII, as many programs do.
fn ascii(text: &str) -> String {
    let mut out = String::new();
    for letter in serde_json::json!(text).to_string().chars() {
        if letter.is_ascii() {
            out.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

/// Returns what is left of a secret in a redacted text: alone, in a record, in an ASCII record, and in
/// nested JSON. `without` is removed before the comparison.
fn leak(text: &str, secret: &str, without: &str) -> Option<String> {
    let shown = |text: &str| match without {
        "" => unmarked(text),
        code => unmarked(&text.replace(code, "")),
    };
    let redacted = redactor().text(text, &mut SecretTally::default()).into_owned();
    let nested = ascii(&format!("{{\"a\":{}}}", ascii(text)));
    let records = [serde_json::json!(text).to_string(), ascii(text), nested];
    let strings = records.into_iter().map(|string| {
        let record = format!("{{\"type\":\"user\",\"content\":[{string}]}}");
        let redacted = redactor().json(record.as_bytes(), &mut SecretTally::default()).into_owned();
        let value: serde_json::Value = serde_json::from_slice(&redacted).expect("a record");
        value["content"][0].as_str().expect("a string").to_owned()
    });
    let mut all = [redacted].into_iter().chain(strings);
    all.find_map(|redacted| {
        let inner: Result<serde_json::Value, _> = serde_json::from_str(&redacted);
        let inner = inner.ok().and_then(|inner| Some(inner["a"].as_str()?.to_owned()));
        let versions = [
            shown(&redacted),
            inner.map(|inner| shown(&inner)).unwrap_or_default(),
            unmarked(&redacted),
        ];
        let left = versions.iter().find_map(|version| rest(secret, version))?;
        Some(format!("{left:?} of {text:?} is left in {redacted:?}"))
    })
}

/// Fails with the number of leaks and a few of them.
fn expect_none(leaks: impl Iterator<Item = String>) {
    let leaks: Vec<String> = leaks.collect();
    let few: Vec<&String> = leaks.iter().step_by(leaks.len().div_ceil(30).max(1)).collect();
    assert!(leaks.is_empty(), "{} leaks: {few:#?}", leaks.len());
}

#[test]
fn nothing_of_a_secret_is_left_whatever_comes_before_it() {
    expect_none(samples().iter().flat_map(|sample| {
        BEFORE.iter().filter_map(move |before| {
            let text = format!("{before}{}", sample.text);
            leak(&text, &sample.secret, "")
        })
    }));
}

#[test]
fn nothing_of_a_secret_is_left_whatever_comes_after_it() {
    expect_none(samples().iter().flat_map(|sample| {
        FOLLOWING.iter().filter_map(move |following| {
            let text = format!("     1→{}{following}", sample.text);
            leak(&text, &sample.secret, "")
        })
    }));
}

#[test]
fn nothing_of_a_secret_is_left_when_a_part_of_it_is_coloured() {
    expect_none(samples().iter().flat_map(|sample| {
        let text = &sample.text;
        let places = [1, 3, text.len() / 3, text.len() / 2, text.len() - 2];
        places.into_iter().flat_map(move |place| {
            let (first, last) = text.split_at(place);
            INSIDE.iter().filter_map(move |code| {
                let text = format!("{code}{first}{code}{last}{code}");
                leak(&text, &sample.secret, code)
            })
        })
    }));
}
