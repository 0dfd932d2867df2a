//! Totals of real log files, which a simple function converts to ledgers.

use std::hash::BuildHasher as _;
use std::path::PathBuf;

use foldhash::fast::FixedState;
use unspool_model::log::Log;
use unspool_model::usage::Ledger;
use unspool_store::index::ledger::{FileLedger, LedgerPlace, UsageLine};
use unspool_store::testing::dollar_prices;
use unspool_testkit::random::{self, RandomShape};
use unspool_testkit::rng::Rng;

use super::world::session_meta;
use super::{LedgerFile, number, sum_up, totals};
use crate::ops::stats::{CountStatus, ExplainedFile, SessionMeta, TotalsRequest};

/// Returns a ledger with only the usage of a log.
fn ledger(log: &Log) -> FileLedger {
    let hash = |text: &str| FixedState::default().hash_one(text);
    let mut ledger = FileLedger::default();
    for row in &log.usage {
        let entry = &log.entries[row.entry];
        let model = number(&mut ledger.models, log.text(row.model));
        ledger.usage.push(UsageLine {
            message: hash(log.text(row.message)),
            request: row.request.map(|request| hash(log.text(request))),
            tokens: row.tokens,
            place: LedgerPlace {
                line: entry.line,
                time: entry.time,
                model: Some(model).into(),
                ..LedgerPlace::default()
            },
        });
    }
    ledger
}

/// Returns each log as a separate session.
fn counted(logs: &[Log]) -> Vec<LedgerFile> {
    let each = |(number, log): (usize, &Log)| LedgerFile {
        session: SessionMeta {
            started: log.facts.started,
            bytes: log.bytes(),
            ..session_meta(number, 0)
        },
        agent: None,
        path: PathBuf::from(format!("/s{number}.jsonl")),
        ledger: ledger(log),
    };
    logs.iter().enumerate().map(each).collect()
}

/// Writes a session, and returns the log cut at a random line and the whole log.
fn logs(seed: u64) -> Vec<Log> {
    let shape = RandomShape {
        repeated_messages: 0.1,
        duplicates: 0.1,
        wrong_types: 0.1,
        flat: 0.1,
        ..RandomShape::well_formed(60)
    };
    let whole = random::session(seed, &shape);
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', &whole).map(|at| at + 1).collect();
    let cut = ends[Rng::new(seed).below(ends.len())];
    let other = random::session(seed ^ 1, &shape);
    [&whole[..cut], &whole, &other].map(Log::read).into()
}

#[test]
fn logs_say_the_same_through_ledgers() {
    for seed in 0..200 {
        let logs = logs(seed);
        let mut expected = Ledger::default();
        for log in &logs {
            log.claim_usage(&mut expected);
        }
        let stats = sum_up(&counted(&logs), &TotalsRequest::default());
        assert_eq!(stats.total.tokens, expected.total(), "seed {seed}");
    }
}

#[test]
fn every_line_is_explained_with_the_name_that_its_log_has() {
    let mut explained_lines = 0;
    for seed in 0..50 {
        let logs = logs(seed);
        let counted = counted(&logs);
        let totals = totals(&counted);
        for (log, counted) in logs.iter().zip(&counted) {
            let (meta, source) = (&counted.session, counted.source());
            let explained =
                totals.explain(meta, &[ExplainedFile { source, log }], &dollar_prices());
            let explained = explained.expect("whole ledgers");
            let ids: Vec<_> = explained.lines.iter().map(|line| line.message.as_deref()).collect();
            let expected: Vec<_> =
                log.usage.iter().map(|row| Some(log.text(row.message))).collect();
            assert_eq!(ids, expected, "seed {seed}");
            explained_lines += ids.len();
            let old = meta.id.as_str() == "s0";
            let counted = explained.lines.iter().any(|line| line.status == CountStatus::Counted);
            assert!(!(old && counted), "seed {seed}: the whole counts, not its part");
        }
    }
    assert!(explained_lines > 1000, "{explained_lines}");
}
