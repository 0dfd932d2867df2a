//! Which line each count of a session came from, and which lines were left out.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use unspool_model::ids::{AgentId, SessionId};
use unspool_model::log::Log;
use unspool_model::names;
use unspool_model::time::Time;
use unspool_model::usage::Tokens;

use super::groups::Running;
use super::known::StatsNames;
use super::rows::{Keyed, KeyedRow, Rows, Settled, StatsUsage};
use super::tally::ModelPrices;
use super::totals::{self, Totals};
use super::{SessionMeta, StatsSource};
use unspool_store::index::Damaged;
use unspool_store::index::ledger::{FileLedger, UsageLine};
use unspool_store::prices::{Cost, PriceTable};

/// A file of the session that is explained.
#[derive(Clone)]
pub struct ExplainedFile<'a> {
    /// What was added to the totals.
    pub source: StatsSource<'a>,
    /// The log itself, which knows the ids that a ledger has only hashes of.
    pub log: &'a Log,
}

/// What a session's counts came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explained {
    /// The session.
    pub session: SessionId,
    /// Every line that claims to have used tokens, file by file.
    pub lines: Vec<ExplainedLine>,
    /// What the lines that count add up to, which is what totals say of the session.
    pub tokens: Tokens,
    /// What that cost; nothing if no token in it has a price.
    pub cost: Option<Cost>,
    /// Messages of its files, and which session each is counted in.
    pub messages: Shares,
    /// Calls of its files.
    pub calls: Shares,
    /// Turns of its files.
    pub turns: Shares,
    /// Models that used tokens here and have no price.
    pub unpriced_models: Vec<String>,
}

/// How many things of a session count for it, and how many for another one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Shares {
    /// Counted in this session.
    pub here: u64,
    /// Counted in a session that contains them too.
    pub elsewhere: u64,
}

/// A line that claims to have used tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExplainedLine {
    /// The file.
    pub file: PathBuf,
    /// The agent whose file it is.
    pub agent: Option<AgentId>,
    /// The line, counted from one.
    pub line: u32,
    /// The id of the answer; nothing if the file was rewritten since it was read.
    pub message: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// When it was written.
    pub time: Option<Time>,
    /// What it claims.
    pub tokens: Tokens,
    /// What came of it.
    pub status: CountStatus,
}

/// Whether a line counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CountStatus {
    /// It counts.
    Counted,
    /// Another line of the same answer counts.
    LeftOut {
        /// Why that one.
        why: CountReason,
        /// Where it is.
        winner: CountedLine,
    },
}

names! {
    /// Why another line of an answer counts.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum CountReason {
        /// It has more output tokens.
        FewerOutput = "fewer_output_tokens",
        /// It has as many output tokens, and more in all.
        FewerTokens = "fewer_tokens",
        /// It says the same.
        Repeat = "repeat",
    }
}

/// The line that counts in place of another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountedLine {
    /// Its session.
    pub session: SessionId,
    /// Its file.
    pub file: PathBuf,
    /// The line.
    pub line: u32,
}

impl Totals<'_> {
    /// Says of each line of a session's files what came of it.
    ///
    /// The files must be among those that were given; others have no part in totals.
    pub fn explain(
        &self,
        session: &SessionMeta,
        files: &[ExplainedFile<'_>],
        prices: &PriceTable,
    ) -> Result<Explained, Damaged> {
        let rows = self.rows()?;
        let ledgers = files.iter().map(|file| file.source.ledger.open());
        let ledgers: Vec<FileLedger> = ledgers.collect::<Result<_, _>>()?;
        let settled = rows.usage.settle(&self.known);
        let mut judge = LineJudge {
            totals: self,
            settled: &settled,
            prices: ModelPrices::new(&self.known, prices),
            taken: HashSet::new(),
            running: Running::default(),
        };
        let mut lines = Vec::new();
        for (file, ledger) in files.iter().zip(&ledgers) {
            judge.file(file, ledger, &mut lines);
        }
        let spent = judge.running.finish(0);
        let mut explained = Explained {
            session: session.id.clone(),
            lines,
            tokens: spent.tokens,
            cost: spent.cost,
            messages: Shares::default(),
            calls: Shares::default(),
            turns: Shares::default(),
            unpriced_models: judge.prices.unpriced(),
        };
        if let Some(number) = self.known.session(session) {
            share(self, &rows, number, &ledgers, &mut explained);
        }
        Ok(explained)
    }
}

/// Decides line by line.
struct LineJudge<'e> {
    totals: &'e Totals<'e>,
    settled: &'e Settled<'e>,
    prices: ModelPrices<'e>,
    /// Places that count and were met: a line may contain several records.
    taken: HashSet<(u32, u32, u64, Option<u64>)>,
    running: Running,
}

impl LineJudge<'_> {
    fn file(
        &mut self,
        file: &ExplainedFile<'_>,
        ledger: &FileLedger,
        lines: &mut Vec<ExplainedLine>,
    ) {
        let source = &file.source;
        let Some(number) = self.totals.file(source) else {
            return;
        };
        let mut ids = AnswerIds::new(file.log);
        for row in &ledger.usage {
            let message = self.totals.origins.root(row.message);
            let Some(winner) = self.settled.winner(message, totals::request(row)) else {
                continue;
            };
            lines.push(ExplainedLine {
                file: source.file.to_owned(),
                agent: source.agent.cloned(),
                line: row.place.line,
                message: ids.next(row.place.line).map(str::to_owned),
                model: ledger.model(&row.place).map(str::to_owned),
                time: row.place.time,
                tokens: row.tokens,
                status: self.status(number, row, winner),
            });
        }
    }

    fn status(&mut self, file: u32, row: &UsageLine, winner: &StatsUsage) -> CountStatus {
        let here = winner.spot.file == file && winner.spot.line == row.place.line;
        let key = (file, row.place.line, row.message, row.request);
        if here && winner.tokens == row.tokens && self.taken.insert(key) {
            let cost = self.prices.cost(winner);
            self.running.answer(winner.tokens, cost);
            return CountStatus::Counted;
        }
        let known = &self.totals.known;
        let holder = &known.files[winner.spot.file as usize];
        CountStatus::LeftOut {
            why: if winner.tokens.output > row.tokens.output {
                CountReason::FewerOutput
            } else if winner.tokens.rank() > row.tokens.rank() {
                CountReason::FewerTokens
            } else {
                CountReason::Repeat
            },
            winner: CountedLine {
                session: known.sessions[holder.session as usize].id.clone(),
                file: holder.path.to_owned(),
                line: winner.spot.line,
            },
        }
    }
}

/// The ids of a log's answers, asked for line by line.
///
/// A log and its ledger contain the same rows in the same order, unless the file has grown or
/// was rewritten in between; then lines that only one of them has are passed over.
struct AnswerIds<'l> {
    log: &'l Log,
    at: usize,
}

impl<'l> AnswerIds<'l> {
    fn new(log: &'l Log) -> Self {
        Self { log, at: 0 }
    }

    fn next(&mut self, line: u32) -> Option<&'l str> {
        while let Some(row) = self.log.usage.get(self.at) {
            let here = self.log.entries[row.entry].line;
            if here > line {
                return None;
            }
            self.at += 1;
            if here == line {
                return Some(self.log.text(row.message));
            }
        }
        None
    }
}

/// Counts what of a session's messages, calls and turns is counted where.
fn share(
    totals: &Totals<'_>,
    rows: &Rows,
    session: u32,
    ledgers: &[FileLedger],
    explained: &mut Explained,
) {
    let known = &totals.known;
    let root = |key| totals.origins.root(key);
    let messages =
        ledgers.iter().flat_map(|ledger| ledger.messages.iter().map(|row| root(row.key)));
    let calls = ledgers.iter().flat_map(|ledger| ledger.calls.iter().map(|row| row.key));
    let turns = ledgers.iter().flat_map(|ledger| ledger.turns.iter().map(|row| root(row.key)));
    explained.messages = Shares::of(session, messages, &rows.messages, known);
    explained.calls = Shares::of(session, calls, &rows.calls, known);
    explained.turns = Shares::of(session, turns, &rows.turns, known);
}

impl Shares {
    /// Counts keys by the session that they are credited to.
    fn of<R: KeyedRow>(
        session: u32,
        keys: impl Iterator<Item = u64>,
        rows: &Keyed<R>,
        known: &StatsNames<'_>,
    ) -> Self {
        let mut shares = Self::default();
        let keys: HashSet<u64> = keys.collect();
        for row in keys.into_iter().filter_map(|key| rows.get(key)) {
            if known.session_of(row.spot()) == session {
                shares.here += 1;
            } else {
                shares.elsewhere += 1;
            }
        }
        shares
    }
}

impl CountedLine {
    /// Tells whether it is in this file.
    pub fn is_in(&self, file: &Path) -> bool {
        self.file == file
    }
}
