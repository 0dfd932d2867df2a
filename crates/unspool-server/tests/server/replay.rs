//! Replay: a writer pauses, tears lines and completes them, clients disconnect at random, and the
//! server restarts; still each client receives every message once, in order.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use unspool_testkit::rng::Rng;
use unspool_testkit::{TestHome, uuid};

use crate::harness::{TOKEN, TestServer};
use unspool_testkit::http::EventClient;

const LINES: u32 = 10_000;
const CLIENTS: u64 = 10;

/// Returns a line of a chain of prompts.
fn line(number: u32) -> String {
    let name = |number: u32| format!("00000000-0000-4000-8000-{number:012}");
    let parent = (number > 0).then(|| name(number - 1));
    let record = serde_json::json!({
        "type": "user", "uuid": name(number), "parentUuid": parent, "sessionId": "s",
        "cwd": "/srv/demo", "timestamp": "2026-01-05T09:00:00.000Z",
        "message": {"role": "user", "content": format!("number {number}")},
    });
    format!("{record}\n")
}

/// Writes all lines, in pieces that end anywhere.
fn write_torn(log: &Path, rng: &mut Rng, mut at: impl FnMut(u32)) {
    let mut file = OpenOptions::new().append(true).open(log).expect("a log");
    let mut pending = Vec::new();
    for number in 1..LINES {
        pending.extend_from_slice(line(number).as_bytes());
        if rng.below(3) > 0 {
            let whole = pending.len();
            let cut = if rng.below(2) == 0 { whole } else { rng.below(whole) };
            file.write_all(&pending[..cut]).expect("a write");
            pending.drain(..cut);
        }
        at(number);
    }
    file.write_all(&pending).expect("a write");
}

/// Reads until the last message has arrived, over as many connections as it takes.
fn follow(address: &Mutex<SocketAddr>, id: &str, seed: u64) -> BTreeMap<u64, String> {
    let mut rng = Rng::new(seed);
    let mut messages = BTreeMap::new();
    let mut since = "start".to_owned();
    loop {
        let way = format!("/api/sessions/{id}/stream?since={since}");
        let address = *address.lock().expect("an address");
        // The server may be restarting.
        let Some(mut client) = EventClient::open(address, &way, TOKEN) else {
            thread::yield_now();
            continue;
        };
        let lock_timeouts = 1 + rng.below(2_000);
        for _ in 0..lock_timeouts {
            let Some(event) = client.next() else {
                break;
            };
            match event.name.as_str() {
                "message" | "change" => {
                    let ordinal = event.data["ordinal"].as_u64().expect("an ordinal");
                    let text = event.data["message"]["blocks"][0]["text"].clone();
                    let text = text.as_str().expect("a text").to_owned();
                    let before = messages.insert(ordinal, text.clone());
                    assert!(before.is_none_or(|before| before == text), "{ordinal}");
                }
                "reset" | "path" | "gone" => panic!("{event:?}"),
                _ => {}
            }
            if let Some(id) = event.id {
                since = id;
            }
            if messages.len() == LINES as usize {
                return messages;
            }
        }
    }
}

#[test]
fn every_client_ends_with_every_message_once() {
    let home = TestHome::new();
    let id = uuid("one");
    let log = home.add_session("/srv/demo", &id, line(0));
    let mut server = TestServer::of(home);
    let address = Arc::new(Mutex::new(server.address()));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|seed| {
            let (address, id) = (Arc::clone(&address), id.clone());
            thread::spawn(move || follow(&address, &id, seed))
        })
        .collect();
    let mut rng = Rng::new(17);
    write_torn(&log, &mut rng, |number| {
        if number.is_multiple_of(LINES / 4) {
            server.restart();
            *address.lock().expect("an address") = server.address();
        }
    });
    let expected: BTreeMap<u64, String> =
        (0..u64::from(LINES)).map(|number| (number, format!("number {number}"))).collect();
    for client in clients {
        assert_eq!(client.join().expect("a client"), expected);
    }
}
