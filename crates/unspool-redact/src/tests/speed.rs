//! Bounds on the work for hostile texts.

use super::*;

/// How much longer the long texts are.
const FACTOR: usize = 16;

/// Starts, ends and parts of secrets: a text that repeats one of them starts many secrets and ends few.
const UNITS: &[&str] = &[
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
    "_eyJ",
    "eyJaaaaaaaaaa_",
    "_eyJaaaaaaaaaa.eyJ_",
    "_hf_",
    "_pypi-",
    "%3DAKIA",
    "\u{1b}[m",
    "\u{1b}[mghp_",
    "_eyJ\u{1b}[m",
    "\u{1b}]8;;",
    "\\u001b[0m",
    "^[[",
    "C:\\Users\\a b ",
    "X-Api-Key: ",
    "'X-Api-Key', ",
    "密钥",
    "/home/密钥",
];

/// Returns how many bytes are read to redact a text, alone and in a record.
fn effort(redactor: &Redactor, text: &str) -> u64 {
    let record = serde_json::json!({ "a": text, "b": [text] }).to_string();
    unspool_work::count(|| {
        redactor.text(text, &mut SecretTally::default());
        redactor.json(record.as_bytes(), &mut SecretTally::default());
    })
}

#[test]
fn hostile_texts_take_work_in_proportion_to_their_size() {
    let redactor = redactor();
    let base64 = noise(64);
    let line = format!("{base64}\n");
    for unit in UNITS.iter().copied().chain([base64.as_str(), &line]) {
        let short = effort(redactor, &unit.repeat(4_000 / unit.len()));
        let long = effort(redactor, &unit.repeat(FACTOR * 4_000 / unit.len()));
        // The end of a short text cuts off reading ahead, so a long text may take a bit more; it
        // would take 16 times more if the work grew with the square of the length.
        assert!(long < 2 * FACTOR as u64 * short, "{unit:?}: {short} → {long}");
    }
}
