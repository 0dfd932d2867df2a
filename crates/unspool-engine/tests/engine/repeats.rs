//! Totals do not change when files repeat one another.
//!
//! Real and random logs are copied, renamed, forked, and split at any line into an old part and its
//! resumed copy. The totals of the home always stay the same, and those of a single session with
//! one path equal its row. Agents have no turns of their own in totals.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use serde_json::{Value, json};
use unspool_engine::ops::stats::{self, SessionMeta, Stats, TotalsRequest};
use unspool_model::conversation::ConversationStructure;
use unspool_model::graph::{Rule, Scope};
use unspool_model::log::Log;
use unspool_store::home::Home;
use unspool_store::index::Index;
use unspool_store::prices::PriceTable;
use unspool_store::rows::{AgentRows, SessionKind};
use unspool_testkit::random::{self, RandomShape};
use unspool_testkit::reallogs::RealLogs;
use unspool_testkit::rng::Rng;
use unspool_testkit::{TestHome, uuid};

use crate::setup::refresh;

fn totals(home: &TestHome) -> Stats {
    let homes = [Home::new(home.path())];
    let prices = &PriceTable::built_in();
    let mut index = Index::in_memory().expect("an index");
    refresh(&mut index, &homes);
    let rows = index.rows(&homes, AgentRows::Folded).expect("rows");
    let sessions: Vec<_> = rows.iter().map(|row| SessionMeta::of(row, true)).collect();
    let stats = stats::collect(&index, &homes, &sessions, |totals| {
        totals.stats(&TotalsRequest::default(), prices, &TimeZone::UTC)
    });
    let stats = stats.expect("sums");
    if let [row] = rows.as_slice()
        && (row.branches, row.kind == SessionKind::Agent) == (0, false)
        && has_all_on_its_path(&row.file)
    {
        let lists = (row.turns as u64, row.active_ms);
        assert_eq!(lists, (stats.total.turns, stats.total.active_ms));
    }
    stats
}

/// Reports whether all groups of a log are on its active path. Groups that a resume leaves out, or
/// adds outside its walk, are listed in place and count with the prompt that they follow.
fn has_all_on_its_path(file: &Path) -> bool {
    let log = Log::read(&fs::read(file).expect("a log"));
    let paths = ConversationStructure::new(&log, Rule::Current, Scope::Session).paths;
    let trail = paths.active().map(|path| paths.trail(path.last).len());
    trail.is_none_or(|length| length == paths.groups.len())
}

/// Returns lines with another session's id, as a resume of older clients copied them.
fn resumed(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    String::from_utf8_lossy(bytes)
        .replace(&format!("\"sessionId\":\"{from}\""), &format!("\"sessionId\":\"{to}\""))
        .into_bytes()
}

/// Returns entries under new uuids that name their originals, as the SDK's fork writes them.
fn forked(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let renamed =
        |value: &Value| value.as_str().map(|old| Value::from(uuid(&format!("fork {old}"))));
    let mut out = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(Value::Object(mut entry)) = serde_json::from_slice(line) else {
            continue;
        };
        let side = entry.get("isSidechain") == Some(&Value::Bool(true));
        let Some(old) = entry.get("uuid").cloned().filter(|_| !side) else {
            continue;
        };
        let mut rename = |key: &str| {
            if let Some(new) = entry.get(key).and_then(renamed) {
                entry.insert(key.to_owned(), new);
            }
        };
        rename("uuid");
        rename("parentUuid");
        rename("logicalParentUuid");
        entry.insert("sessionId".to_owned(), to.into());
        entry.insert("forkedFrom".to_owned(), json!({"sessionId": from, "messageUuid": old}));
        out.extend(Value::Object(entry).to_string().into_bytes());
        out.push(b'\n');
    }
    out
}

/// All orders of three files.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Returns answers without ids, as other programs write them.
fn nameless(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let mut entry: Value = serde_json::from_slice(line).unwrap_or_default();
        if let Some(message) = entry["message"].as_object_mut() {
            message.remove("id");
            out.extend(entry.to_string().into_bytes());
            out.push(b'\n');
        } else {
            out.extend(line);
        }
    }
    out
}

fn line_ends(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.map(|(at, _)| at + 1).collect()
}

/// A session, its fork and the fork of the fork. Files are read in the order of their names, which
/// `order` assigns.
fn forked_twice(bytes: &[u8], order: [usize; 3]) -> TestHome {
    let (one, two, three) = (uuid("one"), uuid("two"), uuid("three"));
    let fork = forked(bytes, &one, &two);
    let again = forked(&fork, &two, &three);
    let home = TestHome::new();
    for (id, which) in [one, two, three].iter().zip(order) {
        home.add_session("/srv/a", id, [bytes, &fork, &again][which]);
    }
    home
}

/// Computes the totals of one session and checks them against every kind of repetition.
fn check(name: &str, bytes: &[u8], rng: &mut Rng) {
    let (one, two) = (uuid("one"), uuid("two"));
    let alone = TestHome::new();
    alone.add_session("/srv/a", &one, bytes);
    let truth = totals(&alone);

    let renamed = TestHome::new();
    renamed.add_session("/srv/b", &two, bytes);
    assert_eq!(totals(&renamed).total, truth.total, "{name} renamed");

    let copied = TestHome::new();
    copied.add_session("/srv/a", &one, bytes);
    copied.add_session("/srv/b", &two, bytes);
    assert_eq!(totals(&copied).total, truth.total, "{name} copied");

    let fork = TestHome::new();
    fork.add_session("/srv/a", &one, bytes);
    fork.add_session("/srv/a", &two, forked(bytes, &one, &two));
    assert_eq!(totals(&fork).total, truth.total, "{name} forked");

    let order = ORDERS[rng.below(ORDERS.len())];
    let twice = totals(&forked_twice(bytes, order));
    assert_eq!(twice.total, truth.total, "{name} forked twice, {order:?}");

    let ends = line_ends(bytes);
    for _ in 0..6 {
        let end = if ends.is_empty() { 0 } else { ends[rng.below(ends.len())] };
        let split = TestHome::new();
        split.add_session("/srv/a", &one, &bytes[..end]);
        split.add_session("/srv/a", &two, resumed(bytes, &one, &two));
        assert_eq!(totals(&split).total, truth.total, "{name} split at byte {end}");
    }
}

fn real_files() -> Vec<PathBuf> {
    let mut files = RealLogs::fixtures().files();
    files.extend(RealLogs::shared().iter().flat_map(RealLogs::files));
    files.sort();
    files
}

#[test]
fn real_logs_count_once() {
    let mut rng = Rng::new(5);
    let files = real_files();
    // A sample if there are many files: each is tested in nine homes.
    let step = (files.len() / 60).max(1);
    for file in files.iter().step_by(step) {
        let bytes = fs::read(file).expect("reads");
        check(&file.display().to_string(), &bytes, &mut rng);
    }
}

#[test]
fn random_logs_count_once() {
    for seed in 0..60 {
        let bytes = random::session(seed, &RandomShape::well_formed(40));
        check(&format!("seed {seed}"), &bytes, &mut Rng::new(seed));
    }
    for seed in 60..80 {
        let bytes = nameless(&random::session(seed, &RandomShape::well_formed(40)));
        check(&format!("nameless {seed}"), &bytes, &mut Rng::new(seed));
    }
}
