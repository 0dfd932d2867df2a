//! Files of random sessions, with ledgers that share rows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use proptest::prelude::*;
use unspool_model::entry::Verdict;
use unspool_model::ids::{AgentId, ProjectId, SessionId};
use unspool_model::log::Log;
use unspool_model::time::Time;
use unspool_model::usage::Tokens;
use unspool_store::index::ledger::{
    CallLine, FileLedger, LedgerPlace, MessageLine, TurnLine, UsageLine,
};
use unspool_store::testing::dollar_prices;

use super::{LedgerFile, measured, totals};
use crate::ops::stats::{Explained, ExplainedFile, SessionMeta};

/// The first instant of random data: 2026-11-01, a Sunday.
pub(super) const EPOCH: i64 = 1_793_491_200_000;

const MODELS: [&str; 3] = ["opus", "haiku", "mystery"];
const TOOLS: [&str; 3] = ["Bash", "Edit", "Read"];
const BRANCHES: [&str; 2] = ["main", "topic"];

pub(super) fn sessions(files: &[LedgerFile]) -> BTreeSet<SessionId> {
    files.iter().map(|file| file.session.id.clone()).collect()
}

/// Counts messages by time with a direct implementation of the rules: of copies the unmarked one
/// counts, of the session that started first.
pub(super) fn messages(files: &[LedgerFile]) -> BTreeMap<Option<Time>, u64> {
    let mut best: BTreeMap<u64, (_, Option<Time>)> = BTreeMap::new();
    for file in files {
        for row in &file.ledger.messages {
            let place = row.place;
            let rank =
                (place.copied, file.session.started, file.path.clone(), place.line, place.time);
            let first = best.entry(row.key).or_insert((rank.clone(), place.time));
            if rank < first.0 {
                *first = (rank, place.time);
            }
        }
    }
    let mut counts = BTreeMap::new();
    for (_, time) in best.into_values() {
        *counts.entry(time).or_default() += 1;
    }
    counts
}

impl LedgerFile {
    /// Copies the lines up to a line, as the file was when that line was written: without later
    /// results and the rest of a turn.
    pub(super) fn cut_after(&self, line: u32, id: &str) -> Self {
        let mut part = self.copied_to(id, false);
        part.session.bytes = 0;
        let ledger = &mut part.ledger;
        ledger.usage.retain(|row| row.place.line <= line);
        ledger.messages.retain(|row| row.place.line <= line);
        ledger.calls.retain(|row| row.place.line <= line);
        ledger.turns.retain(|row| row.place.line <= line);
        if let Some(last) = ledger.calls.last_mut() {
            (last.verdict, last.added, last.removed) = (None, 0, 0);
        }
        if let Some(last) = ledger.turns.last_mut() {
            last.length = measured(last.length.millis / 2);
            last.place.model = None.into();
        }
        part
    }
}

/// Explains one of the sessions.
pub(super) fn explain(files: &[LedgerFile], session: &SessionId) -> Explained {
    let log = Log::default();
    let own = files.iter().filter(|file| file.session.id == *session);
    let own: Vec<_> = own.map(|file| ExplainedFile { source: file.source(), log: &log }).collect();
    let explained = totals(files).explain(own[0].source.session, &own, &dollar_prices());
    explained.expect("whole ledgers")
}

fn any_place() -> impl Strategy<Value = LedgerPlace> {
    let time = prop::option::weighted(0.9, 0i64..10 * 86_400_000);
    let model = prop::option::weighted(0.9, 0..MODELS.len() as u32);
    let branch = prop::option::of(0..BRANCHES.len() as u32);
    let copied = prop::bool::weighted(0.2);
    (time, model, branch, copied).prop_map(|(time, model, branch, copied)| LedgerPlace {
        line: 0,
        time: time.map(|time| Time::from_millis(EPOCH + time)),
        model: model.into(),
        branch: branch.into(),
        copied,
    })
}

fn any_usage() -> impl Strategy<Value = UsageLine> {
    let tokens = (0..3u64, 0..4u64, 0..2u64, 0..2u64, 0..2u64);
    let request = prop::option::of(1..4u64);
    (0..6u64, request, tokens, any_place()).prop_map(|(message, request, tokens, place)| {
        let (input, output, short, long, read) = tokens;
        UsageLine {
            message,
            request,
            tokens: Tokens {
                input,
                output,
                cache_write_5m: short,
                cache_write_1h: long,
                cache_read: read,
            },
            place,
        }
    })
}

fn any_call() -> impl Strategy<Value = CallLine> {
    let verdict = prop::option::of(prop::sample::select(vec![
        Verdict::Done,
        Verdict::Failed,
        Verdict::Denied,
        Verdict::Interrupted,
    ]));
    // All copies of a call have the same tool.
    (0..6u64, verdict, 0..9u64, 0..9u64, any_place()).prop_map(
        |(key, verdict, added, removed, place)| CallLine {
            key,
            tool: (key % TOOLS.len() as u64) as u32,
            verdict,
            added,
            removed,
            place,
        },
    )
}

fn any_ledger() -> impl Strategy<Value = FileLedger> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    (
        prop::collection::vec(any_usage(), 0..10),
        prop::collection::vec((0..8u64, any_place()), 0..10),
        prop::collection::vec(any_call(), 0..6),
        prop::collection::vec((0..4u64, 0..1000u64, any_place()), 0..4),
    )
        .prop_map(move |(usage, messages, calls, turns)| {
            let messages = messages.into_iter().map(|(key, place)| MessageLine { key, place });
            let turns = turns.into_iter().map(|(key, duration_ms, place)| TurnLine {
                key,
                length: measured(duration_ms),
                place,
            });
            let mut ledger = FileLedger {
                models: owned(&MODELS),
                tools: owned(&TOOLS),
                branches: owned(&BRANCHES),
                usage,
                messages: messages.collect(),
                calls,
                turns: turns.collect(),
                ..FileLedger::default()
            };
            number_lines(&mut ledger);
            ledger
        })
}

/// Numbers the rows of each kind with the lines 1, 2, 3 …
fn number_lines(ledger: &mut FileLedger) {
    (1..).zip(&mut ledger.usage).for_each(|(line, row)| row.place.line = line);
    (1..).zip(&mut ledger.messages).for_each(|(line, row)| row.place.line = line);
    (1..).zip(&mut ledger.calls).for_each(|(line, row)| row.place.line = line);
    (1..).zip(&mut ledger.turns).for_each(|(line, row)| row.place.line = line);
}

/// Returns the files of up to four sessions that started one after another, up to three of each.
pub(super) fn any_files() -> impl Strategy<Value = Vec<LedgerFile>> {
    let session = (0..2usize, prop::collection::vec(any_ledger(), 1..4));
    prop::collection::vec(session, 1..5).prop_map(|sessions| {
        let mut files = Vec::new();
        for (number, (project, ledgers)) in sessions.into_iter().enumerate() {
            let session = session_meta(number, project);
            for (index, ledger) in ledgers.into_iter().enumerate() {
                files.push(LedgerFile {
                    agent: (index > 0).then(|| AgentId::new(format!("a{index}"))),
                    path: PathBuf::from(format!("/home/{}/{index}.jsonl", session.id)),
                    session: session.clone(),
                    ledger,
                });
            }
        }
        files
    })
}

pub(super) fn session_meta(number: usize, project: usize) -> SessionMeta {
    SessionMeta {
        id: SessionId::new(format!("s{number}")),
        home: None,
        project: Some(ProjectId::new(format!("-srv-{project}"))),
        cwd: Some(format!("/srv/{project}")),
        title: None,
        // The session with the last name started first.
        started: Some(Time::from_millis(EPOCH - number as i64)),
        bytes: 1000,
        agents: 0,
        selected: true,
    }
}
