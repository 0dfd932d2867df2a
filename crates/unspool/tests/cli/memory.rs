//! How much memory logs take, whatever stands in them.
//!
//! The bounds are those of `docs/architecture.md`, "Memory". What a program had at most is told by the
//! system, so a busy machine says the same as a quiet one.

use std::fmt::Write as _;
use std::fs::File;

use unspool_testkit::reaper::Reaper;
use unspool_testkit::{TestHome, uuid};

use crate::run::SESSION;

const MB: u64 = 1 << 20;
/// What the program takes for a home that holds nothing, and some room.
const NOTHING: u64 = 60 * MB;

/// Runs the program on a home and returns how many bytes of memory it had at most.
fn memory(reaper: &Reaper, home: &TestHome, args: &[&str]) -> u64 {
    let mut command = home.command(env!("CARGO_BIN_EXE_unspool"));
    command
        .args(["--home", &home.path().display().to_string()])
        .args([
            "--index",
            &home.user_home().join("index").display().to_string(),
        ])
        .args(args);
    reaper.memory_of(&mut command)
}

#[test]
fn a_line_that_is_too_long_is_never_held() {
    let Some(reaper) = Reaper::new() else { return };
    let home = TestHome::new();
    home.add_session(
        "/srv/a",
        SESSION,
        unspool_testkit::session("u1 user \"needle\""),
    );
    // A file that is all hole: 300 MB of zeros on one line.
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

#[test]
fn many_short_records_take_about_a_kilobyte_each() {
    const RECORDS: u64 = 100_000;
    let Some(reaper) = Reaper::new() else { return };
    let home = TestHome::new();
    let mut text = String::new();
    let mut parent = "null".to_owned();
    for record in 0..RECORDS {
        let own = format!("\"{}\"", uuid(&record.to_string()));
        let _ = writeln!(
            text,
            "{{\"type\":\"user\",\"uuid\":{own},\"parentUuid\":{parent},\"message\":{{\"content\":\"x\"}}}}"
        );
        parent = own;
    }
    home.add_session("/srv/a", SESSION, text);
    for (args, each) in [
        (&["list"][..], 1000),
        (&["show", SESSION, "--summary", "--json"], 1200),
        (&["tree", SESSION, "--json"], 1000),
    ] {
        let most = memory(&reaper, &home, args);
        let bytes = most.saturating_sub(NOTHING) / RECORDS;
        assert!(bytes < each, "{args:?}: {bytes} bytes for each record");
    }
}
