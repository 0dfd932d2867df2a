//! The server is killed at random moments of a conversation with approvals, a queue and agents: no prompt
//! is lost or sent twice, no approval is lost or answered twice, and all readers end with the same state.
//!
//! Moments are counted in events that a reader received. `UNSPOOL_MOMENTS=N` sets their number,
//! `UNSPOOL_SOAK_SEED=N` the seed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use unspool_testkit::driven::{DriveApiClient, TOKEN, new_id};
use unspool_testkit::http::EventClient;
use unspool_testkit::rng::Rng;

use super::Driven;

const READERS: usize = 3;
/// The number of prompts for each moment.
const PROMPTS: usize = 2;

/// The state that the threads share.
struct Conversation {
    asking: DriveApiClient,
    run: Value,
    session: String,
    /// The number of events that the first reader received.
    events: AtomicUsize,
    is_over: AtomicBool,
}

impl Conversation {
    fn pause(&self) -> bool {
        thread::sleep(Duration::from_millis(5));
        !self.is_over.load(Ordering::Acquire)
    }

    /// Repeats a request until the server answers.
    fn post(&self, way: &str, body: &Value) -> (u16, Value) {
        loop {
            match self.asking.try_ask("POST", way, body) {
                Ok((status, answer)) if status > 0 && status != 503 => return (status, answer),
                _ => assert!(self.pause(), "the conversation is over"),
            }
        }
    }

    /// Answers all approvals until the conversation is over.
    fn answer_all(&self) {
        while self.pause() {
            let open = self.asking.try_ask("GET", "/api/approvals", &Value::Null);
            let Ok((200, open)) = open else { continue };
            for approval in open["approvals"].as_array().into_iter().flatten() {
                let id = approval["id"].as_str().expect("an id");
                let way = format!("/api/approvals/{id}");
                let _ = self.asking.try_ask("POST", &way, &json!({ "decision": "allow" }));
            }
        }
    }

    /// Follows the session, and resumes at its position whenever the server was down.
    fn follow(&self, counts: bool) -> BTreeMap<u64, Value> {
        let mut messages = BTreeMap::new();
        let mut since = "start".to_owned();
        while !ends(&messages) {
            // A server that is down is asked again.
            self.follow_once(&mut since, &mut messages, counts);
            thread::sleep(Duration::from_millis(5));
        }
        messages
    }

    fn follow_once(&self, since: &mut String, messages: &mut BTreeMap<u64, Value>, counts: bool) {
        let way = format!("/api/sessions/{}/stream?since={since}", self.session);
        let events = EventClient::open(&self.asking.address, &way, TOKEN);
        for event in events.into_iter().flatten() {
            if counts {
                self.events.fetch_add(1, Ordering::AcqRel);
            }
            if matches!(event.name.as_str(), "message" | "change") {
                let ordinal = event.data["ordinal"].as_u64().expect("a number");
                messages.insert(ordinal, event.data["message"].clone());
            }
            if let Some(id) = event.id {
                *since = id;
            }
            if ends(messages) {
                break;
            }
        }
    }
}

fn ends(messages: &BTreeMap<u64, Value>) -> bool {
    let last = messages.values().next_back();
    last.is_some_and(|message| {
        message["role"] == "assistant" && message.to_string().contains("the very end")
    })
}

/// Sends the prompts, each until it is accepted.
fn put_all(talk: &Conversation, prompts: &[(String, String)]) {
    let way = format!("/api/runs/{}/prompts", talk.run.as_str().expect("an id"));
    for (id, text) in prompts {
        let body = json!({ "id": id, "text": text });
        let (status, told) = talk.post(&way, &body);
        assert_eq!(status, 202, "{told}");
    }
}

fn number(name: &str, usual: u64) -> u64 {
    let chosen = std::env::var(name).ok().and_then(|text| text.parse().ok());
    chosen.unwrap_or(usual)
}

#[test]
fn a_server_that_is_killed_at_any_moment_loses_nothing() {
    kill_and_compare(10);
}

#[test]
#[ignore = "for cargo xtask soak"]
fn a_server_that_is_killed_at_100_moments_loses_nothing() {
    kill_and_compare(100);
}

#[expect(clippy::print_stderr, reason = "the seed of what failed")]
fn kill_and_compare(usual: u64) {
    let moments = number("UNSPOOL_MOMENTS", usual) as usize;
    let seed = number("UNSPOOL_SOAK_SEED", 11);
    eprintln!("{moments} moments, seed {seed}");
    let mut driven = Driven::start();
    let run = driven.run("begin [[bash: true]]");
    driven.approval();
    let talk = Conversation {
        asking: driven.asking.clone(),
        run: run["run"].clone(),
        session: run["session"].as_str().expect("an id").to_owned(),
        events: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
    };
    let mut prompts: Vec<(String, String)> = (0..moments * PROMPTS)
        .map(|at| {
            let act = match at % 3 {
                0 => "[[bash: true]]",
                1 => "[[agent: look ((bash: true))]]",
                _ => "[[say: yes]]",
            };
            (new_id(), format!("prompt {at} {act}"))
        })
        .collect();
    prompts.push((new_id(), "end [[say: the very end]]".to_owned()));
    let all = thread::scope(|threads| {
        let talk = &talk;
        let readers: Vec<_> =
            (0..READERS).map(|reader| threads.spawn(move || talk.follow(reader == 0))).collect();
        threads.spawn(|| talk.answer_all());
        threads.spawn(|| put_all(talk, &prompts));
        kill_at_moments(&mut driven, talk, moments, &mut Rng::new(seed), &readers[0]);
        let all: Vec<_> =
            readers.into_iter().map(|reader| reader.join().expect("no panic")).collect();
        talk.is_over.store(true, Ordering::Release);
        all
    });
    for messages in &all {
        assert_eq!(messages, &all[0]);
    }
    // Every prompt once, in the order in which they were sent.
    let said = all[0].values().filter(|message| message["kind"] == "prompt");
    let said: Vec<&str> = said.filter_map(|message| message["entries"][0].as_str()).collect();
    let put: Vec<&str> = prompts.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(said[1..], put);
    // Every call ran once.
    let ran = driven.place.calls_run();
    let calls: BTreeSet<&String> = ran.iter().collect();
    assert_eq!(calls.len(), ran.len(), "a call ran twice");
    let asked = prompts.iter().filter(|(_, text)| text.contains("bash"));
    assert!(calls.len() > asked.count(), "{}", calls.len());
}

/// Kills and restarts the server, each time after some more events.
fn kill_at_moments<T>(
    driven: &mut Driven,
    talk: &Conversation,
    moments: usize,
    random: &mut Rng,
    reader: &thread::ScopedJoinHandle<'_, T>,
) {
    for _ in 0..moments {
        let next = talk.events.load(Ordering::Acquire) + 1 + random.below(12);
        while talk.events.load(Ordering::Acquire) < next && !reader.is_finished() {
            thread::sleep(Duration::from_millis(1));
        }
        driven.kill_server();
        driven.serve();
    }
}
