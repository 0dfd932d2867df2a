//! Laws for every text.

use std::fmt::Write as _;
use std::slice;

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use super::super::escape;
use super::*;

/// How many texts each law is tried with.
const CASES: u32 = 400;

/// Secrets that are recognised by themselves: surroundings must not hide them.
fn secret() -> impl Strategy<Value = String> {
    let key = || {
        format!(
            "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
            key_lines(3).join("\n")
        )
    };
    prop::sample::select(vec![
        format!("ghp_{}", noise(36)),
        format!("sk-ant-api03-{}", noise(40)),
        format!("xoxb-123456789012-{}", noise(24)),
        format!("sk_live_{}", noise(24)),
        format!("glpat-{}", noise(20)),
        format!("github_pat_{}", noise(60)),
        format!("AGE-SECRET-KEY-1{}", upper(58)),
        key(),
    ])
}

/// The part of a secret that must not be readable afterwards.
fn core(secret: &str) -> &str {
    let start = secret.find('\n').map_or(secret.len().min(14), |at| at + 1);
    &secret[start..start + 10]
}

/// Random text with everything that rules search for.
fn surroundings() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a",
        " ",
        "\n",
        "\"",
        "'",
        "\\",
        "\\n",
        "@",
        "://",
        ":",
        "=",
        "password",
        "token=",
        "secret: ",
        "Bearer ",
        "-----",
        "BEGIN ",
        "PRIVATE KEY-----",
        "/home/",
        "wilma",
        "ghp_",
        "sk-",
        "eyJ",
        ".",
        "-",
        "_",
        "é",
        "→",
        "{",
        "}",
        "[redacted:",
        "]",
        "0",
        "Z9",
        "AKIA",
        "\\u0040",
        "\\/",
        "<",
        ">",
        "$",
        "%",
        ",",
        ";",
        "ABC-12",
        "\t",
        "+",
        "x@y.org",
        "--password ",
        "PASSWORD=",
        "hunter2",
        "C:\\Users\\",
        "-home-",
        "-u ",
        ".G",
        ":AA",
        "[redacted:email]",
        "\u{1b}[0m",
        "1",
        "→ 12",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

/// Writes a string as JSON, with more escapes than needed.
fn escaped(text: &str, pick: &[u8]) -> String {
    let mut out = String::from("\"");
    for (place, letter) in text.chars().enumerate() {
        let choice = pick[place % pick.len()];
        match (letter, choice) {
            ('"' | '\\', _) => out.extend(['\\', letter]),
            ('\n', 0..128) => out.push_str("\\n"),
            ('/', 0..128) => out.push_str("\\/"),
            (letter, 0..10) => {
                let mut units = [0; 2];
                for unit in letter.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04X}");
                }
            }
            (letter, _) if letter < ' ' => {
                let _ = write!(out, "\\u{:04x}", letter as u32);
            }
            (letter, _) => out.push(letter),
        }
    }
    out + "\""
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn no_planted_secret_is_left(before in surroundings(), secret in secret(), following in surroundings()) {
        let redacted = redactor().text(&format!("{before} {secret} {following}"), &mut SecretTally::default()).into_owned();
        prop_assert!(!redacted.contains(core(&secret)), "{redacted}");
    }

    #[test]
    fn no_planted_secret_is_left_in_a_record(
        before in surroundings(), secret in secret(), following in surroundings(),
        pick in prop::collection::vec(any::<u8>(), 1..40), depth in 0usize..3, cut in any::<prop::sample::Index>(),
    ) {
        let mut record = escaped(&format!("{before} {secret} {following}"), &pick);
        for _ in 0..depth {
            record = escaped(&format!("{{\"a\":[1,{record}]}}"), &[255]);
        }
        let record = format!("{{\"type\":\"user\",\"k\":[{record},\"x\"]}}");
        let redacted = redactor().json(record.as_bytes(), &mut SecretTally::default()).into_owned();
        let value: serde_json::Value = serde_json::from_slice(&redacted).expect("a record stays one");
        let mut inner = value["k"][0].as_str().expect("a string").as_bytes().to_vec();
        for _ in 0..=depth {
            prop_assert!(!String::from_utf8_lossy(&inner).contains(core(&secret)));
            inner = escape::decode(&inner).into_owned();
        }

        // A torn record may lose the end of its secret, but no call panics and no more is shown.
        let torn = &record.as_bytes()[..cut.index(record.len())];
        let redacted = redactor().json(torn, &mut SecretTally::default()).into_owned();
        prop_assert!(!String::from_utf8_lossy(&redacted).contains(&secret));
    }

    #[test]
    fn any_bytes_are_taken(bytes in prop::collection::vec(any::<u8>(), 0..200), text in surroundings()) {
        let record = [b"{\"".as_slice(), &bytes, text.as_bytes()].concat();
        redactor().json(&record, &mut SecretTally::default());
        redactor().json(&bytes, &mut SecretTally::default());
    }

    #[test]
    fn a_text_without_signs_comes_back_borrowed(text in "[a-z \\n.,()0-9]{0,300}") {
        let text = text.replace("pass", "x").replace("token", "x").replace("secret", "x").replace("wilma", "x");
        let kept = redactor();
        prop_assert!(matches!(kept.text(&text, &mut SecretTally::default()), Cow::Borrowed(_)));
    }

    #[test]
    fn strings_are_decoded_as_the_reader_does(text in "(?s).{0,40}", pick in prop::collection::vec(any::<u8>(), 1..20)) {
        let raw = escaped(&text, &pick);
        let raw = &raw.as_bytes()[1..raw.len() - 1];
        let decoded = escape::decode(raw).into_owned();
        prop_assert_eq!(String::from_utf8(decoded), Ok(text.clone()));
        for (at, letter) in text.char_indices() {
            let mut range = at..at + letter.len_utf8();
            escape::locate(raw, slice::from_mut(&mut range));
            let part = escape::decode(&raw[range]).into_owned();
            prop_assert_eq!(String::from_utf8(part), Ok(letter.to_string()));
        }
    }
}

/// The surroundings of a secret decide whether a value is a password, so a marker in place of a
/// neighbour could change the decision. Rules prevent that; patterns of the user cannot, and are
/// left out here. The same texts are tried each time: among millions of random texts, some
/// are not covered by any rule.
#[test]
fn what_is_redacted_once_is_redacted() {
    let rules = RedactRules { extra: Vec::new(), ..rules() };
    let redactor = Redactor::new(&rules);
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let config =
        ProptestConfig { cases: 4 * CASES, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, rng);
    let law = |text: String| {
        let mut tally = SecretTally::default();
        let once = redactor.text(&text, &mut tally).into_owned();
        let twice = redactor.text(&once, &mut SecretTally::default()).into_owned();
        prop_assert_eq!(&once, &twice, "{}", text);
        if !text.contains("[redacted:") {
            prop_assert_eq!(tally.total(), markers(&once) as u64);
        }
        Ok(())
    };
    runner.run(&surroundings(), law).expect("a law");
}
