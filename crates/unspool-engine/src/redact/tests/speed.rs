//! That no text takes more than its size allows.

use std::time::{Duration, Instant};

use super::*;

/// Returns the shortest of some runs.
fn time(redactor: &Redactor, text: &str) -> Duration {
    let record = serde_json::json!({ "a": text, "b": [text, text] }).to_string();
    let run = |_| {
        let started = Instant::now();
        redactor.text(text, &mut Tally::default());
        redactor.json(record.as_bytes(), &mut Tally::default());
        started.elapsed()
    };
    (0..3).map(run).min().unwrap_or_default()
}

#[test]
fn hostile_texts_take_time_in_proportion_to_their_size() {
    let redactor = redactor();
    let base64 = noise(64);
    let line = format!("{base64}\n");
    for unit in [
        "a@",
        "@",
        "a@a.",
        "sk-",
        "sk-ant-",
        "ghp_",
        "eyJ",
        "eyJ.",
        "eyJaaaaaaaaaa.eyJ",
        "-----BEGIN ",
        "PRIVATE KEY",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----END PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----\n",
        "PRIVATE KEY-----",
        "Private-Lines: 1\n",
        "password",
        "password=",
        "password:",
        "PASSWORD=x",
        "password=\"",
        "password='a ",
        "token: ",
        "token=\\\"",
        "://",
        "://a:",
        "://a@",
        "a://b:c",
        "/home/",
        "/home/a",
        "-home-",
        "-home-a-",
        "Users\\",
        "wilma",
        "wilma-",
        "[redacted:",
        "\\",
        "\\\\",
        "\\u0040",
        "\\/",
        "\"",
        "{\"",
        "{\"password\":\"",
        "[\"--password\",",
        "Bearer ",
        "Bearer a1",
        " -u ",
        ".G",
        ":AA",
        "1:AA",
        "MTa.Gaaaaaa.",
        "AKIA",
        "SG.",
        "secret_",
        "\n",
        " ",
        "-",
        "A",
        "→",
        "ABC-1 ",
        "cafe-",
        "authorization: ",
        "--token ",
        &base64,
        &line,
    ] {
        // Eight times the text; sixty-four times the work if it were quadratic. Whatever else the
        // machine does may make one look wrong, but not each of several.
        let is_linear = |_| {
            let short = time(&redactor, &unit.repeat(4_000 / unit.len()));
            let long = time(&redactor, &unit.repeat(32_000 / unit.len()));
            long < short.max(Duration::from_micros(500)) * 24
        };
        assert!((0..4).any(is_linear), "{unit:?}");
    }
}
