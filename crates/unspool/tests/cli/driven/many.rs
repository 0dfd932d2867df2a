//! Ten readers of one session answer and prompt at random: one order, one answer to each approval, and all
//! readers end with the same state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc;
use std::thread;

use serde_json::{Value, json};
use unspool_testkit::http::EventClient;
use unspool_testkit::rng::Rng;

use super::Driven;

const READERS: usize = 10;
const PROMPTS: usize = 3;
const SEED: u64 = 7;

/// The state of a reader: messages by number, and answers by approval.
#[derive(Default, PartialEq, Debug)]
struct Seen {
    messages: BTreeMap<u64, Value>,
    answers: BTreeMap<String, String>,
}

impl Seen {
    /// Reads the stream until the final message is answered.
    fn until_the_end(events: EventClient) -> Self {
        let mut seen = Self::default();
        for event in events {
            seen.take(&event.name, &event.data);
            if seen.messages.values().any(|message| {
                message["role"] == "assistant" && message.to_string().contains("the very end")
            }) {
                break;
            }
        }
        seen
    }

    fn take(&mut self, event: &str, data: &Value) {
        match event {
            "message" | "change" => {
                let ordinal = data["ordinal"].as_u64().expect("a number");
                self.messages.insert(ordinal, data["message"].clone());
            }
            "approvalResolved" => {
                let text = |name: &str| data[name].as_str().unwrap_or_default().to_owned();
                let before = self.answers.insert(text("id"), text("decision"));
                assert!(before.is_none(), "{data} was told twice");
            }
            _ => {}
        }
    }
}

#[test]
fn ten_readers_who_answer_and_prompt_have_the_same_in_the_end() {
    let driven = Driven::start();
    let run = driven.run("begin [[bash: true]]");
    driven.approval();
    let session = run["session"].as_str().expect("an id");
    let (ends, readers) = mpsc::channel();
    thread::scope(|threads| {
        let (driven, run) = (&driven, &run);
        for _ in 0..READERS {
            let ends = ends.clone();
            threads.spawn(move || {
                let all = Seen::until_the_end(driven.events(session, "?since=start"));
                ends.send(all).expect("it is waited for");
            });
        }
        let people = (0..READERS).map(|number| {
            threads.spawn(move || person(driven, run, Rng::new(SEED + number as u64)))
        });
        let people: Vec<_> = people.collect();
        for person in people {
            person.join().expect("no panic");
        }
        finish(driven, run);
    });
    let ran = driven.place.calls_run();
    assert_eq!(ran.iter().collect::<BTreeSet<_>>().len(), ran.len(), "a call ran twice");
    drop(ends);
    let all: Vec<Seen> = readers.iter().collect();
    assert_eq!(all.len(), READERS);
    for seen in &all {
        assert_eq!(seen.messages, all[0].messages);
        for (id, decision) in &seen.answers {
            let others = all.iter().filter_map(|other| other.answers.get(id));
            assert!(others.into_iter().all(|other| other == decision), "{id}");
        }
    }
    let ordinals: Vec<u64> = all[0].messages.keys().copied().collect();
    assert_eq!(ordinals, (0..ordinals.len() as u64).collect::<Vec<_>>());
    let prompts = all[0].messages.values();
    let prompts = prompts.filter(|message| message["kind"] == "prompt").count();
    assert_eq!(prompts, 1 + READERS * PROMPTS + 1);
}

/// Sends prompts and answers approvals, in random order.
fn person(driven: &Driven, run: &Value, mut random: Rng) {
    let mut left = PROMPTS;
    while left > 0 {
        if random.chance(0.5) {
            driven.put(run, "more [[bash: true]]");
            left -= 1;
        }
        answer_one(driven, random.chance(0.5));
    }
}

/// Answers the oldest approval; another answer may come first.
fn answer_one(driven: &Driven, allow: bool) {
    let open = driven.get("/api/approvals");
    let Some(approval) = open["approvals"].as_array().and_then(|all| all.first()) else {
        return;
    };
    let decision = if allow { "allow" } else { "deny" };
    let (status, told) = driven.answer(approval, &json!({ "decision": decision }));
    assert!(matches!(status, 200 | 409), "{status}: {told}");
}

/// Answers the remaining approvals until the queue is empty, then sends the final prompt.
fn finish(driven: &Driven, run: &Value) {
    driven.until(run, "an empty queue", |now| {
        answer_one(driven, true);
        now["state"] == "idle" && now["queue"] == json!([])
    });
    driven.put(run, "end [[say: the very end]]");
}
