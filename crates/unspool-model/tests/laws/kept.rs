//! A conversation that grows line by line equals the conversation of the whole log.

use unspool_model::conversation::{Conversation, Extension, KeptConversation};
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_testkit::random::{RandomShape, resumable, session};
use unspool_testkit::resumes;
use unspool_testkit::rng::Rng;

use crate::portrait::{difference, of_conversation, of_view};

/// Returns the number of random sessions: 300, unless `UNSPOOL_SESSIONS` is set.
fn sessions() -> u64 {
    let asked = std::env::var("UNSPOOL_SESSIONS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(300)
}

/// Returns a session of any shape, damaged or not.
fn session_of(seed: u64) -> Vec<u8> {
    session(seed, &RandomShape::any(seed, 60))
}

/// Asserts that a kept conversation equals the one that is computed from its log.
fn check(name: &str, log: &Log, kept: &KeptConversation, scope: Scope) {
    let fresh = Conversation::new(log, Rule::Current, scope);
    let history = fresh.paths.active().map(|path| fresh.history(path)).unwrap_or_default();
    let found = kept.conversation(log);
    let one = [of_conversation(&fresh), of_view(&fresh, "kept", &history)].concat();
    let other = [of_conversation(&found), of_view(&found, "kept", kept.history())].concat();
    if let Some(difference) = difference(&one, &other) {
        panic!("{name}:\n{difference}");
    }
    assert_eq!(fresh.counts(), kept.counts(), "{name}");
}

/// Reads a log line by line. Returns how many lines caused no rebuild, and how many there are.
fn grow(name: &str, bytes: &[u8], scope: Scope) -> (usize, usize) {
    let mut log = Log::default();
    let mut kept = KeptConversation::new(&log, Rule::Current, scope);
    let (mut added, mut lines) = (0, 0);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if line.ends_with(b"\n") {
            log.push(line);
        } else {
            log.push_tail(line);
        }
        let before: Vec<_> = kept.history().messages.iter().map(|message| message.kind).collect();
        let extension = kept.extend(&log);
        lines += 1;
        added += usize::from(extension != Extension::Rebuilt);
        if let Extension::Appended { from } = extension {
            let same = kept.history().messages[..from].iter().map(|message| message.kind);
            assert!(same.eq(before[..from].iter().copied()), "{name}, line {lines}");
        }
        let place = format!("{name}, line {lines} ({extension:?})");
        check(&place, &log, &kept, scope);
    }
    (added, lines)
}

/// Reads a log in pieces that end anywhere, and extends the conversation with whole lines only.
fn grow_torn(seed: u64, bytes: &[u8], scope: Scope) {
    let mut rng = Rng::new(seed);
    let mut log = Log::default();
    let mut kept = KeptConversation::new(&log, Rule::Current, scope);
    let mut end = 0;
    while end < bytes.len() {
        end = (end + rng.skewed(1, 3000) as usize).min(bytes.len());
        let start = log.resume_offset() as usize;
        let newline = bytes[start..end].iter().rposition(|byte| *byte == b'\n');
        let whole = newline.map_or(start, |newline| start + newline + 1);
        log.push(&bytes[start..whole]);
        log.push_tail(&bytes[whole..end]);
        let read = (log.bytes(), log.lines(), log.entries.len());
        log.without_tail(|lines| {
            assert_eq!(lines.bytes(), whole as u64);
            kept.extend(lines);
            check(&format!("seed {seed}, byte {end}"), lines, &kept, scope);
        });
        assert_eq!((log.bytes(), log.lines(), log.entries.len()), read);
    }
}

#[test]
fn resumable_sessions_grow_into_what_a_whole_log_gives() {
    for seed in 0..sessions() {
        let session = resumable::session(seed, 1 + (seed % 9) as usize);
        grow(&format!("seed {seed}"), &session.log, Scope::Session);
    }
}

#[test]
fn damaged_sessions_grow_into_what_a_whole_log_gives() {
    for seed in 0..sessions() / 2 {
        let bytes = session_of(seed);
        grow(&format!("seed {seed}"), &bytes, Scope::Session);
        grow(&format!("seed {seed} of an agent"), &bytes, Scope::Agent);
    }
}

#[test]
fn half_of_a_line_changes_nothing() {
    for seed in 0..sessions() / 6 {
        let session = resumable::session(seed, 1 + (seed % 9) as usize);
        grow_torn(seed, &session.log, Scope::Session);
        let bytes = session_of(seed);
        grow_torn(seed, &bytes, Scope::Session);
        grow_torn(seed, &bytes, Scope::Agent);
    }
}

#[test]
fn sessions_of_the_client_grow_and_most_lines_only_add() {
    let (mut added, mut lines) = (0, 0);
    for real in resumes::real() {
        let (own, all) = grow(&real.scenario, real.log.as_bytes(), Scope::Session);
        added += own;
        lines += all;
    }
    assert!(added * 10 > lines * 8, "{added} of {lines} lines only added");
}

#[test]
fn a_line_that_hangs_on_the_last_entry_costs_work_for_that_line() {
    let calls = (0..1_000)
        .map(|n| format!("a{n} assistant call Bash:t{n} {{}}\nr{n} result t{n} \"ok\"\n"));
    let bytes =
        unspool_testkit::session(&format!("u user \"go on\"\n{}", calls.collect::<String>()));
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let (before, rest) = lines.split_at(lines.len() - 100);
    let mut log = Log::default();
    log.push(&before.concat());
    let mut kept = KeptConversation::new(&log, Rule::Current, Scope::Session);
    let steps = unspool_work::count(|| {
        for line in rest {
            log.push(line);
            let extension = kept.extend(&log);
            assert_ne!(extension, Extension::Rebuilt, "{}", String::from_utf8_lossy(line));
        }
    });
    assert!(steps < 100 * 100, "{steps} steps for {} lines", rest.len());
}
