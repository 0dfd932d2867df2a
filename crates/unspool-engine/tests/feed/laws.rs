//! Random logs, written in pieces that end anywhere, cut off and replaced, and readers that come and go.

use unspool_engine::library::FeedTarget;
use unspool_testkit::random::{RandomShape, resumable, session};
use unspool_testkit::resumes;
use unspool_testkit::rng::Rng;

use crate::lab::{Client, Lab};

/// How many random sessions are tried; `UNSPOOL_SESSIONS` asks for more.
fn sessions() -> u64 {
    let asked = std::env::var("UNSPOOL_SESSIONS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(60)
}

/// What else than growth happens to a log.
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
            _ => rest
                .iter()
                .position(|byte| *byte == b'\n')
                .map_or(1, |at| at + 1),
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
    let path = |number| Client::new(format!("{name}, path {number}"), FeedTarget::path(number));
    clients.extend([path(1), path(2)]);
    clients
}

fn have_accident(rng: &mut Rng, lab: &Lab, written: &mut Vec<u8>) {
    match rng.below(4) {
        // Cut off, and perhaps written on before the server looks.
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
        resets += clients
            .iter()
            .map(|client| client.sent.resets)
            .sum::<usize>();
    }
    assert!(resets > 10, "{resets}");
}

#[test]
fn readers_of_sessions_of_the_client_end_with_all_messages() {
    for (seed, real) in (0..).zip(resumes::real()) {
        play(&real.scenario, seed, real.log.as_bytes(), Accidents::None);
    }
}
