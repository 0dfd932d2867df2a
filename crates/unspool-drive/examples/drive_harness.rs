//! The program that tests start and kill: a host, a user of the library, a caller that a host must refuse,
//! and a client that does not read its input.

#![cfg(unix)]

#[path = "../tests/drive/conversation.rs"]
#[allow(dead_code, reason = "the tests use the rest of it")]
mod conversation;
#[path = "../tests/drive/test_clock.rs"]
mod test_clock;

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use conversation::TestConversation;
use test_clock::FileClock;
use unspool_drive::RunId;
use unspool_drive::host::{HostEnd, HostSettings};
use unspool_drive::socket::HostConnection;
use unspool_drive::spool::SpoolLimits;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let is_done = match words.first().map(String::as_str) {
        Some("host") => host(&words[1..]),
        Some("converse") => converse(&words[1]),
        Some("knock") => knock(&words[1..]),
        Some("deaf") => deaf(),
        _ => false,
    };
    if is_done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a host. The client does not inherit the variables of the library that counts writes.
fn host(words: &[String]) -> bool {
    let value = |name: &str| {
        let place = words.iter().position(|word| word == name);
        place.map(|place| words[place + 1].clone()).unwrap_or_default()
    };
    let Ok(run) = RunId::parse(&value("--run")) else {
        return false;
    };
    let state = PathBuf::from(value("--state"));
    let is_ours = |name: &str| name == "LD_PRELOAD" || name.starts_with("REAPER_");
    let environment = env::vars_os().filter(|(name, _)| !is_ours(&name.to_string_lossy()));
    let settings = HostSettings {
        run,
        sockets: value("--sockets").into(),
        clock: Arc::new(FileClock::in_folder(&state)),
        environment: environment.collect(),
        spool: SpoolLimits::default(),
        state,
    };
    unspool_drive::host::run(&settings) == HostEnd::Ended
}

#[expect(clippy::print_stderr, reason = "the test shows what went wrong")]
fn converse(path: &str) -> bool {
    let text = fs::read(path).expect("a conversation");
    let conversation: TestConversation = serde_json::from_slice(&text).expect("a conversation");
    let held = conversation.hold();
    if let Err(error) = &held {
        eprintln!("{error}");
    }
    held.is_ok()
}

/// Tries to connect to a host, and writes the outcome to a file.
fn knock(words: &[String]) -> bool {
    let [sockets, run, to] = words else {
        return false;
    };
    let run = RunId::parse(run).expect("a run");
    let outcome = match HostConnection::open(&PathBuf::from(sockets), &run) {
        Ok(_) => "let in".to_owned(),
        Err(error) => format!("refused: {error}"),
    };
    let draft = format!("{to}.new");
    fs::write(&draft, outcome).expect("an outcome");
    fs::rename(draft, to).expect("an outcome");
    true
}

/// Reports that the client is idle, and never reads its input.
fn deaf() -> bool {
    let line = r#"{"type":"system","subtype":"session_state_changed","state":"idle"}"#;
    let mut out = std::io::stdout();
    let said = writeln!(out, "{line}").and_then(|()| out.flush());
    said.expect("a line");
    loop {
        std::thread::park();
    }
}
