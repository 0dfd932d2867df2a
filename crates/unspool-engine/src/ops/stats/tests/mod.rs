//! Sessions with ledgers: written by hand, at random, and from logs.

mod cases;
mod explaining;
mod laws;
mod logs;
mod world;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use unspool_model::conversation::TurnLength;
use unspool_model::entry::Verdict;
use unspool_model::ids::{AgentId, ProjectId, SessionId};
use unspool_model::maybe::MaybeIndex;
use unspool_model::time::Time;
use unspool_model::usage::Tokens;

use super::{By, SessionMeta, Stats, StatsGroup, StatsSource, Totals, TotalsRequest};
use unspool_store::index::ledger::{
    CallLine, CopyLine, FileLedger, LedgerPlace, MessageLine, SealedLedger, TurnLine, UsageLine,
};
use unspool_store::prices::Cost;
use unspool_store::testing::dollar_prices;

/// Returns the cost of a number of tokens.
pub(super) fn worth(tokens: u64) -> Option<Cost> {
    let tokens = Tokens { output: tokens, ..Tokens::default() };
    dollar_prices().cost("opus", &tokens, None)
}

/// A log file of a session.
#[derive(Clone, Debug)]
pub(super) struct LedgerFile {
    pub(super) session: SessionMeta,
    pub(super) agent: Option<AgentId>,
    pub(super) path: PathBuf,
    pub(super) ledger: FileLedger,
}

/// Begins the file of a separate session in a separate project.
pub(super) fn file(id: &str, started: &str) -> LedgerFile {
    LedgerFile {
        session: SessionMeta {
            id: SessionId::new(id),
            home: Some(PathBuf::from("/home/u/.claude")),
            project: Some(ProjectId::new(format!("-srv-{id}"))),
            cwd: Some(format!("/srv/{id}")),
            title: Some(format!("About {id}")),
            started: Time::parse(started),
            bytes: 100,
            agents: 0,
            selected: true,
        },
        agent: None,
        path: PathBuf::from(format!("/home/u/.claude/projects/-srv-{id}/{id}.jsonl")),
        ledger: FileLedger::default(),
    }
}

impl LedgerFile {
    pub(super) fn with(mut self, change: impl FnOnce(&mut SessionMeta)) -> Self {
        change(&mut self.session);
        self
    }

    /// Copies the file to a separate session with the same start time.
    pub(super) fn copied_to(&self, id: &str, marked: bool) -> Self {
        let mut copy = self.clone();
        copy.session.id = SessionId::new(id);
        copy.session.bytes = self.ledger.usage.len() as u64;
        copy.agent = None;
        copy.path = PathBuf::from(format!("/copies/{id}.jsonl"));
        let ledger = &mut copy.ledger;
        ledger.usage.iter_mut().for_each(|row| row.place.copied |= marked);
        ledger.messages.iter_mut().for_each(|row| row.place.copied |= marked);
        ledger.calls.iter_mut().for_each(|row| row.place.copied |= marked);
        ledger.turns.iter_mut().for_each(|row| row.place.copied |= marked);
        copy
    }

    /// Adds the usage of an answer: `key`, or `key/request`; output tokens and input tokens.
    pub(super) fn usage(
        mut self,
        key: &str,
        model: &str,
        output: u64,
        input: u64,
        at: &str,
    ) -> Self {
        let (message, request) = match key.split_once('/') {
            Some((message, request)) => (message, Some(hash(request))),
            None => (key, None),
        };
        let model = number(&mut self.ledger.models, model);
        let place = Self::place(at, Some(model), self.ledger.usage.len());
        self.ledger.usage.push(UsageLine {
            message: hash(message),
            request,
            tokens: Tokens { input, output, ..Tokens::default() },
            place,
        });
        self
    }

    pub(super) fn message(mut self, key: &str, at: &str) -> Self {
        let place = Self::place(at, None, self.ledger.messages.len());
        let key = hash(key);
        self.ledger.messages.push(MessageLine { key, place });
        self
    }

    pub(super) fn call(
        mut self,
        key: &str,
        tool: &str,
        verdict: Option<Verdict>,
        (added, removed): (u64, u64),
    ) -> Self {
        let tool = number(&mut self.ledger.tools, tool);
        let place = Self::place("2026-11-09T12:00:00Z", None, self.ledger.calls.len());
        self.ledger.calls.push(CallLine { key: hash(key), tool, verdict, added, removed, place });
        self
    }

    pub(super) fn turn(mut self, key: &str, duration_ms: u64, at: &str) -> Self {
        let place = Self::place(at, None, self.ledger.turns.len());
        self.ledger.turns.push(TurnLine { key: hash(key), length: measured(duration_ms), place });
        self
    }

    /// Adds the fact that an entry is a copy of another one.
    pub(super) fn copy(mut self, copy: &str, original: &str) -> Self {
        let (copy, original) = (hash(copy), hash(original));
        self.ledger.copies.push(CopyLine { copy, original });
        self
    }

    /// Sets the branch of the usage that was added last.
    pub(super) fn on(mut self, branch: &str) -> Self {
        let branch = number(&mut self.ledger.branches, branch);
        let row = self.ledger.usage.last_mut().expect("a line");
        row.place.branch = MaybeIndex::some(branch);
        self
    }

    fn place(at: &str, model: Option<u32>, lines: usize) -> LedgerPlace {
        LedgerPlace {
            line: lines as u32 + 1,
            time: Time::parse(at),
            model: model.into(),
            branch: MaybeIndex::NONE,
            copied: false,
        }
    }

    pub(super) fn source(&self) -> StatsSource<'_> {
        StatsSource {
            session: &self.session,
            agent: self.agent.as_ref(),
            file: Path::new(&self.path),
            ledger: Cow::Owned(SealedLedger::new(&self.ledger)),
        }
    }
}

/// Returns the last eight bytes of a text as its hash, so that the order of requests is readable.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0, |hash, byte| hash << 8 | u64::from(byte))
}

fn measured(millis: u64) -> TurnLength {
    TurnLength { statements: 0, millis }
}

fn number(names: &mut Vec<String>, name: &str) -> u32 {
    let at = names.iter().position(|known| known == name);
    at.unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    }) as u32
}

pub(super) fn totals(files: &[LedgerFile]) -> Totals<'_> {
    Totals::new(files.iter().map(LedgerFile::source)).expect("whole ledgers")
}

/// Sums up in UTC, in both orders.
#[track_caller]
pub(super) fn sum_up(files: &[LedgerFile], request: &TotalsRequest) -> Stats {
    sum_up_in(files, request, &TimeZone::UTC)
}

#[track_caller]
pub(super) fn sum_up_in(files: &[LedgerFile], request: &TotalsRequest, zone: &TimeZone) -> Stats {
    let stats = totals(files).stats(request, &dollar_prices(), zone).expect("whole ledgers");
    let mut reversed = files.to_vec();
    reversed.reverse();
    let other = totals(&reversed).stats(request, &dollar_prices(), zone).expect("whole ledgers");
    assert_eq!(stats, other, "in the other order");
    stats
}

pub(super) fn by(by: By) -> TotalsRequest {
    TotalsRequest { by, ..TotalsRequest::default() }
}

/// Returns the key and the output tokens of each group.
pub(super) fn outputs(groups: &[StatsGroup]) -> Vec<(Option<&str>, u64)> {
    groups.iter().map(|group| (group.key.as_deref(), group.sums.tokens.output)).collect()
}
