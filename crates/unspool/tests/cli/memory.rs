//! The memory that logs take, whatever they contain.
//!
//! The bounds are those of `docs/architecture.md`, "Memory". The system reports the peak, so the load of
//! the machine has no effect.

use std::fs::File;

use unspool_testkit::reaper::Reaper;
use unspool_testkit::{TestHome, uuid};

use crate::run::{SESSION, unspool_on};

const MB: u64 = 1 << 20;
/// The memory for an empty home, plus a margin.
const NOTHING: u64 = 80 * MB;

/// Runs the program on a home and returns its peak memory in bytes.
fn memory(reaper: &Reaper, home: &TestHome, args: &[&str]) -> u64 {
    let index = home.user_home().join("index");
    reaper.memory_of(unspool_on(home).arg("--index").arg(index).args(args))
}

#[test]
fn a_line_that_is_too_long_is_never_held() {
    let Some(reaper) = Reaper::new() else { return };
    let home = TestHome::new();
    home.add_session("/srv/a", SESSION, unspool_testkit::session("u1 user \"needle\""));
    // A sparse file: 300 MB of zeros on one line.
    let log = home.add_session("/srv/a", &uuid("hole"), "");
    let file = File::options().write(true).open(log).expect("opens");
    file.set_len(300 * MB).expect("grows");
    for args in [
        &["list", "--empty"][..],
        &["search", "needle"],
        &["search", "--exact", "needle"],
        &["stats"],
    ] {
        let most = memory(&reaper, &home, args);
        assert!(most < NOTHING, "{args:?}: {} MB", most / MB);
    }
}

#[test]
fn a_long_line_is_held_a_few_times_at_most() {
    const LINE: u64 = 24 * MB;
    let Some(reaper) = Reaper::new() else { return };
    let home = TestHome::new();
    let text = "lorem ipsum ".repeat(LINE as usize / 12);
    let line = format!(
        "{{\"type\":\"user\",\"uuid\":\"{}\",\"parentUuid\":null,\"message\":{{\"content\":\"{text}\"}}}}\n",
        uuid("long")
    );
    home.add_session("/srv/a", SESSION, line);
    for (args, times) in [(&["list"][..], 2), (&["show", SESSION, "--json"], 5)] {
        let most = memory(&reaper, &home, args);
        assert!(most < NOTHING + times * LINE, "{args:?}: {} MB", most / MB);
    }
}

/// Records of a little over a hundred bytes, each the child of the one before.
fn short_records(count: u64, record: impl Fn(u64, &str) -> String) -> String {
    let mut text = String::new();
    let mut parent = "null".to_owned();
    for number in 0..count {
        let own = format!("\"{}\"", uuid(&number.to_string()));
        let links = format!("\"uuid\":{own},\"parentUuid\":{parent}");
        text.push_str(&record(number, &links));
        text.push('\n');
        parent = own;
    }
    text
}

fn prompt(links: &str) -> String {
    format!("{{\"type\":\"user\",{links},\"message\":{{\"content\":\"x\"}}}}")
}

fn answer(number: u64, links: &str) -> String {
    let tokens = "\"usage\":{\"input_tokens\":3,\"output_tokens\":5}";
    let says = "\"content\":[{\"type\":\"text\",\"text\":\"y\"}]";
    let message = format!("\"id\":\"msg_{number}\",\"model\":\"m\",{says},{tokens}");
    format!("{{\"type\":\"assistant\",{links},\"message\":{{{message}}}}}")
}

#[test]
fn many_short_records_take_some_hundred_bytes_each() {
    const RECORDS: u64 = 40_000;
    let Some(reaper) = Reaper::new() else { return };
    let prompts = short_records(RECORDS, |_, links| prompt(links));
    let talk = short_records(RECORDS, |number, links| match number % 2 {
        0 => prompt(links),
        _ => answer(number, links),
    });
    for log in [prompts, talk] {
        let home = TestHome::new();
        home.add_session("/srv/a", SESSION, log);
        for (args, each) in [
            (&["list"][..], 600),
            (&["show", SESSION, "--summary", "--json"], 500),
            (&["show", SESSION, "--summary"], 500),
            (&["tree", SESSION, "--json"], 600),
        ] {
            let most = memory(&reaper, &home, args);
            let bytes = most.saturating_sub(NOTHING) / RECORDS;
            assert!(bytes < each, "{args:?}: {bytes} bytes for each record");
        }
    }
}
