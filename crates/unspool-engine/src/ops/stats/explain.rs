//! Explains which lines of a session count, and which do not.

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

/// A file of the explained session.
#[derive(Clone)]
pub struct ExplainedFile<'a> {
    /// The source in the totals.
    pub source: StatsSource<'a>,
    /// The log, which has the ids that a ledger only has hashes of.
    pub log: &'a Log,
}

/// The lines that a session's counts come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explained {
    /// The session.
    pub session: SessionId,
    /// Every line that claims to have used tokens, file by file.
    pub lines: Vec<ExplainedLine>,
    /// The sum of the lines that count, equal to the session's total.
    pub tokens: Tokens,
    /// The cost; `None` if no token has a price.
    pub cost: Option<Cost>,
    /// The messages of its files, by the session that they are counted in.
    pub messages: CreditCounts,
    /// The calls of its files.
    pub calls: CreditCounts,
    /// The turns of its files.
    pub turns: CreditCounts,
    /// Models without a price that used tokens here.
    pub unpriced_models: Vec<String>,
}

/// How many items of a session count in it, and how many in another session.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CreditCounts {
    /// The number counted in this session.
    pub here: u64,
    /// The number counted in another session that contains them too.
    pub elsewhere: u64,
}

/// A line that claims to have used tokens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExplainedLine {
    /// The file.
    pub file: PathBuf,
    /// The agent that the file belongs to.
    pub agent: Option<AgentId>,
    /// The line, counted from one.
    pub line: u32,
    /// The id of the answer; `None` if the file was rewritten since it was indexed.
    pub message: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The time of the entry.
    pub time: Option<Time>,
    /// The claimed tokens.
    pub tokens: Tokens,
    /// Whether the line counts.
    pub status: CountStatus,
}

/// Whether a line counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CountStatus {
    /// The line counts.
    Counted,
    /// Another line of the same answer counts.
    NotCounted {
        /// Why the other line counts.
        why: CountReason,
        /// The other line.
        winner: CountedLine,
    },
}

names! {
    /// Why another line of an answer counts.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum CountReason {
        /// The other line has more output tokens.
        FewerOutput = "fewer_output_tokens",
        /// The other line has equal output tokens, and more in total.
        FewerTokens = "fewer_tokens",
        /// The other line has equal tokens.
        Repeat = "repeat",
    }
}

/// The line that counts in place of another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountedLine {
    /// The session of the line.
    pub session: SessionId,
    /// The file of the line.
    pub file: PathBuf,
    /// The number of the line.
    pub line: u32,
}

impl Totals<'_> {
    /// Returns for each line of a session's files whether it counts.
    ///
    /// The files must be among the sources; other files have no part in totals.
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
            messages: CreditCounts::default(),
            calls: CreditCounts::default(),
            turns: CreditCounts::default(),
            unpriced_models: judge.prices.unpriced(),
        };
        if let Some(number) = self.known.session(session) {
            share(self, &rows, number, &ledgers, &mut explained);
        }
        Ok(explained)
    }
}

/// Decides for each line whether it counts.
struct LineJudge<'e> {
    totals: &'e Totals<'e>,
    settled: &'e Settled<'e>,
    prices: ModelPrices<'e>,
    /// The counted places that were already reported: a line may contain several records.
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
        CountStatus::NotCounted {
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

/// The ids of a log's answers, requested line by line.
///
/// A log and its ledger contain the same rows in the same order, unless the file has grown or was
/// rewritten in between; then lines that only one of them has are skipped.
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

/// Counts the messages, calls and turns of a session by where they are counted.
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
    explained.messages = CreditCounts::of(session, messages, &rows.messages, known);
    explained.calls = CreditCounts::of(session, calls, &rows.calls, known);
    explained.turns = CreditCounts::of(session, turns, &rows.turns, known);
}

impl CreditCounts {
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
    /// Reports whether the line is in this file.
    pub fn is_in(&self, file: &Path) -> bool {
        self.file == file
    }
}
