//! Random logs, written in pieces that end anywhere, truncated and replaced, and readers that come and go.

use std::fs;
use unspool_model::positions::PathNumber;

use unspool_engine::library::FeedTarget;
use unspool_testkit::random::{RandomShape, resumable, session};
use unspool_testkit::reallogs::RealLogs;
use unspool_testkit::resumes;
use unspool_testkit::rng::Rng;

use super::lab::{Client, Lab};

/// Returns the number of random sessions; `UNSPOOL_SESSIONS` overrides it.
fn sessions() -> u64 {
    let asked = std::env::var("UNSPOOL_SESSIONS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(60)
}

/// Whether a log is truncated or replaced in addition to growing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Accidents {
    None,
    Some,
}

/// Plays one log to the end, and checks all readers.
fn play(name: &str, seed: u64, bytes: &[u8], accidents: Accidents) -> Vec<Client> {
    let mut rng = Rng::new(seed ^ 0xfeed);
    let mut lab = Lab::new(b"");
    let mut clients = clients(name);
    let mut rest = bytes.to_vec();
    let mut written = Vec::new();
    while !rest.is_empty() {
        let length = match rng.below(4) {
            0 => 1 + rng.below(rest.len()),
            1 => 1 + rng.below(40),
            _ => rest.iter().position(|byte| *byte == b'\n').map_or(1, |at| at + 1),
        };
        let piece: Vec<u8> = rest.drain(..length.min(rest.len())).collect();
        lab.append(&piece);
        written.extend(&piece);
        if accidents == Accidents::Some && rng.chance(0.05) {
            have_accident(&mut rng, &lab, &mut written);
        }
        if rng.chance(0.9) {
            lab.refresh();
        }
        if rng.chance(0.05) {
            lab.restart();
        }
        for client in &mut clients {
            act(&mut rng, &lab, client);
        }
    }
    lab.append(b"\n");
    lab.refresh();
    for client in &mut clients {
        if rng.chance(0.5) {
            client.disconnect();
        }
        let session = lab.open.view();
        client.drain(&session);
        client.check(&lab.expected(&client.target).unwrap_or_default());
    }
    clients
}

fn clients(name: &str) -> Vec<Client> {
    let mut clients: Vec<Client> = (0..4)
        .map(|number| Client::new(format!("{name}, reader {number}"), FeedTarget::active()))
        .collect();
    let path = |number: PathNumber| {
        Client::new(format!("{name}, path {number}"), FeedTarget::path(number))
    };
    clients.extend([path(PathNumber::at(0)), path(PathNumber::at(1))]);
    clients
}

fn have_accident(rng: &mut Rng, lab: &Lab, written: &mut Vec<u8>) {
    match rng.below(4) {
        // Truncated, and possibly extended before the server reads it.
        0 | 1 => {
            let kept = rng.below(written.len() + 1);
            lab.truncate(kept as u64);
            written.truncate(kept);
        }
        // The same lines in another file.
        2 => lab.replace(written),
        _ => {
            let seed = rng.next_u64();
            let other = session(seed, &RandomShape::any(seed, 20));
            lab.replace(&other);
            *written = other;
        }
    }
}

fn act(rng: &mut Rng, lab: &Lab, client: &mut Client) {
    match rng.below(12) {
        0 => client.disconnect(),
        1 if !client.is_connected() => client.load(&lab.open.view()),
        2 | 3 => {}
        4 => client.drain(&lab.open.view()),
        _ => {
            let most = 1 + rng.below(4);
            client.step(&lab.open.view(), most);
        }
    }
}

/// Writes a long session: prompts, parallel calls and their results, answers in parts, metadata,
/// and an occasional rewind.
fn long_session(seed: u64, entries: usize) -> Vec<Vec<u8>> {
    let mut rng = Rng::new(seed);
    let mut lines: Vec<String> = Vec::new();
    let mut parent = "null".to_owned();
    let mut prompts: Vec<String> = Vec::new();
    let (mut open, mut answer): (Vec<String>, _) = (Vec::new(), 0);
    while lines.len() < entries {
        let number = lines.len();
        let message = match rng.below(10) {
            0 => {
                lines.push(r#"{"type":"mode","mode":"plan"}"#.to_owned());
                continue;
            }
            1..3 if open.is_empty() => {
                if rng.chance(0.02) {
                    let far = prompts.len().saturating_sub(20);
                    parent.clone_from(&prompts[far + rng.below(prompts.len() - far)]);
                }
                prompts.push(parent.clone());
                answer = number;
                format!(r#""user","message":{{"role":"user","content":"ask {number}"}}"#)
            }
            1..6 if !open.is_empty() => {
                let call = open.swap_remove(rng.below(open.len()));
                answer = number;
                let block = format!(
                    r#"{{"type":"tool_result","tool_use_id":"{call}","content":"ok {number}"}}"#
                );
                format!(r#""user","message":{{"role":"user","content":[{block}]}}"#)
            }
            kind => {
                let block = if kind < 8 {
                    open.push(format!("t{number}"));
                    format!(r#"{{"type":"tool_use","id":"t{number}","name":"Bash","input":{{}}}}"#)
                } else {
                    format!(r#"{{"type":"text","text":"say {number}"}}"#)
                };
                format!(
                    r#""assistant","message":{{"id":"m{answer}","role":"assistant","content":[{block}]}}"#
                )
            }
        };
        lines.push(format!(
            r#"{{"uuid":"u{number}","parentUuid":{parent},"sessionId":"s","type":{message}}}"#
        ));
        parent = format!("\"u{number}\"");
    }
    let lines = lines.into_iter();
    lines.map(|line| format!("{line}\n").into_bytes()).collect()
}

#[test]
fn ten_readers_of_ten_thousand_lines_end_with_all_messages() {
    let mut rng = Rng::new(4711);
    let mut lab = Lab::new(b"");
    let active = FeedTarget::active;
    let mut clients: Vec<Client> =
        (0..10).map(|number| Client::new(format!("reader {number}"), active())).collect();
    for line in long_session(4711, 10_000) {
        if rng.chance(0.2) {
            let cut = rng.below(line.len());
            lab.append(&line[..cut]);
            lab.refresh();
            let client = rng.below(clients.len());
            clients[client].step(&lab.open.view(), 2);
            lab.append(&line[cut..]);
        } else {
            lab.append(&line);
        }
        lab.refresh();
        if rng.chance(0.001) {
            lab.restart();
        }
        for client in &mut clients {
            match rng.below(50) {
                0 => client.disconnect(),
                1..6 => {}
                6 => client.drain(&lab.open.view()),
                _ if client.is_connected() => {
                    client.step(&lab.open.view(), 1 + rng.below(3));
                }
                _ => {}
            }
        }
    }
    let expected = lab.expected(&active()).expect("messages");
    assert!(expected.len() > 2_000, "{}", expected.len());
    for client in &mut clients {
        client.drain(&lab.open.view());
        client.check(&expected);
        assert_eq!(client.sent.resets, 0);
    }
    let paths: usize = clients.iter().map(|client| client.sent.paths).sum();
    assert!(paths > 10, "{paths}");
}

#[test]
fn readers_of_resumable_sessions_end_with_all_messages() {
    for seed in 0..sessions() {
        let log = resumable::session(seed, 1 + (seed % 9) as usize).log;
        play(&format!("seed {seed}"), seed, &log, Accidents::None);
    }
}

#[test]
fn readers_of_damaged_sessions_end_with_all_messages() {
    for seed in 0..sessions() {
        let log = session(seed, &RandomShape::any(seed, 60));
        play(&format!("seed {seed}"), seed, &log, Accidents::None);
    }
}

#[test]
fn readers_survive_logs_that_are_cut_off_and_replaced() {
    let mut resets = 0;
    for seed in 0..sessions() {
        let log = if seed % 2 == 0 {
            resumable::session(seed, 1 + (seed % 9) as usize).log
        } else {
            session(seed, &RandomShape::any(seed, 60))
        };
        let clients = play(&format!("seed {seed}"), seed, &log, Accidents::Some);
        resets += clients.iter().map(|client| client.sent.resets).sum::<usize>();
    }
    assert!(resets > 10, "{resets}");
}

#[test]
fn readers_of_sessions_of_the_client_end_with_all_messages() {
    for (seed, real) in (0..).zip(resumes::real()) {
        play(&real.scenario, seed, real.log.as_bytes(), Accidents::None);
    }
    for (seed, file) in (0..).zip(RealLogs::fixtures().files()) {
        let log = fs::read(&file).expect("a log");
        let is_log = file.extension().is_some_and(|ending| ending == "jsonl");
        if is_log && log.len() < 50_000 {
            play(&file.display().to_string(), seed, &log, Accidents::None);
        }
    }
}
