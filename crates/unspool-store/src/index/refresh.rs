//! Carries out a plan: reads logs in parallel, with one writer and bounded queues.
//!
//! A session is written with its agents in one transaction, so however the process ends, every
//! session is either in its old or in its new state. The data between readers and writer is limited
//! in bytes, whatever the size of the corpus.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::SystemTime;

use crossbeam_channel::bounded;
use unspool_model::graph::Scope;
use unspool_model::ids::SessionId;
use unspool_model::log::Log;
use unspool_model::usage::{Claim, Ledger, ModelAt};

use super::catalogue::{
    Catalogue, CatalogueError, CatalogueFile, FileFacts, HomeId, NewFile, NewSession,
};
use super::digest::Digest;
use super::ledger::{FileLedger, SealedLedger};
use super::plan::{FileState, FileTask, ReadUnit, RefreshPlan, UnitRow};
use super::prefetched_rows::ChangedRows;
use super::sealed;
use super::titles;
use super::walk::IndexWalk;
use crate::files::{FileStamp, is_settled};
use crate::home::WalkedHomes;
use crate::prices::PriceTable;
use crate::rows::{AgentFacts, RowSource, SessionKind, SessionRow};
use crate::session::{SessionFileError, read_sidecar, scope_of, stem};
use crate::tail::{LogFile, LogFileChange, ReadPosition};
use crate::titles::{Summaries, summaries_of, tail_leaves};

/// How many bytes of logs may be between reading and writing. Chosen by judgement: what waits of a
/// log is a few per cent of its size.
const IN_FLIGHT: u64 = 256 << 20;

/// How many bytes are written between two commits. Chosen by judgement: a kill loses little work,
/// and the commit is a small part of the cost of writing this much.
const BATCH: usize = 8 << 20;

/// How many bytes of a log its stored snapshot may lack. They are parsed again with the next line,
/// which takes half a millisecond; the snapshot of a log of 70 MB takes four to make and store.
const SNAPSHOT_LAG: u64 = 256 << 10;
/// The part of a log that its stored snapshot may lack, as a divisor. Chosen by judgement: the
/// snapshot of a short log takes less time than it saves.
const LAG_PART: u64 = 64;

/// The result of a refresh.
#[derive(Default, Debug)]
pub struct Refreshed {
    /// The results of the walks over the homes.
    pub found: WalkedHomes,
    /// How many bytes were parsed.
    pub parsed: u64,
    /// How many sessions were read again.
    pub sessions: usize,
    /// The sessions whose rows were written.
    pub changed: ChangedRows,
    /// Files that could not be read.
    pub file_errors: Vec<SessionFileError>,
}

/// The inputs of a refresh apart from the logs.
#[derive(Clone, Copy)]
pub struct RefreshBasis<'a> {
    /// The current time.
    pub now: SystemTime,
    /// The prices of tokens.
    pub prices: &'a PriceTable,
}

/// Carries out a plan and stores the results; `read` counts the bytes that are done.
pub(super) fn apply(
    catalogue: &Catalogue,
    walk: &IndexWalk,
    plan: RefreshPlan,
    basis: &RefreshBasis<'_>,
    read: &AtomicU64,
) -> Result<Refreshed, CatalogueError> {
    let mut writer = CatalogueWriter::begin(catalogue)?;
    walk.forget(catalogue)?;
    forget(catalogue, &plan, basis.now)?;
    let mut refreshed = Refreshed::default();
    let mut changed = Vec::new();
    let mut summaries = titles::KnownSummaries::new(catalogue)?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| -> Result<(), CatalogueError> {
        let (work_in, work_out) = bounded::<UnitWork>(1024);
        let (done_in, done_out) = bounded::<(u64, Done)>(1024);
        for _ in 0..threads.min(plan.units.len()) {
            let (work_out, done_in) = (work_out.clone(), done_in.clone());
            scope.spawn(move || {
                let mut buffer = Vec::new();
                for work in work_out {
                    let bytes = work.unit.bytes();
                    let done = work.run(basis, &mut buffer);
                    if done_in.send((bytes, done)).is_err() {
                        break;
                    }
                }
            });
        }
        let mut units = plan.units.into_iter().peekable();
        let (mut running, mut in_flight) = (0, 0);
        loop {
            while let Some(unit) = units.peek() {
                // Each thread gets a unit, however large, so that the loop cannot stall.
                let room = running < threads || in_flight + unit.bytes() <= IN_FLIGHT;
                if !room || running == 1024 {
                    break;
                }
                let Some(unit) = units.next() else { break };
                (running, in_flight) = (running + 1, in_flight + unit.bytes());
                // Sending cannot fail: the readers run until the channel is closed.
                let _ = work_in.send(UnitWork::fetch(catalogue, unit, &mut summaries)?);
            }
            if running == 0 {
                return Ok(());
            }
            let Ok((bytes, done)) = done_out.recv() else {
                return Ok(());
            };
            (running, in_flight) = (running - 1, in_flight - bytes);
            read.fetch_add(bytes, Ordering::Relaxed);
            refreshed.parsed += done.parsed;
            refreshed.sessions += 1;
            writer.write(&done)?;
            changed.extend(done.session.map(|session| session.path));
            refreshed.file_errors.extend(done.file_errors);
        }
    })?;
    let has_new_titles = catalogue.has_stale_titles()?;
    refreshed.changed =
        if has_new_titles { ChangedRows::Unknown } else { ChangedRows::Of(changed) };
    titles::rename(catalogue)?;
    catalogue.set_complete()?;
    catalogue.set_prices(basis.prices.fingerprint())?;
    walk.remember(catalogue, basis.now, &refreshed.file_errors)?;
    writer.finish()?;
    refreshed.file_errors.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(refreshed)
}

/// Deletes the rows of deleted files and sessions, and updates the times of unchanged files.
fn forget(
    catalogue: &Catalogue,
    plan: &RefreshPlan,
    now: SystemTime,
) -> Result<(), CatalogueError> {
    for id in &plan.gone_files {
        catalogue.forget_file(*id)?;
    }
    for id in &plan.gone_sessions {
        catalogue.forget_session(*id)?;
    }
    for (id, stamp) in &plan.touched {
        catalogue.touch(*id, &settled(*stamp, now))?;
    }
    Ok(())
}

/// Stores memories of what a walk found, when nothing has to be read.
pub(super) fn remember(
    catalogue: &Catalogue,
    walk: &IndexWalk,
    now: SystemTime,
) -> Result<(), CatalogueError> {
    let writer = CatalogueWriter::begin(catalogue)?;
    walk.remember(catalogue, now, &[])?;
    writer.finish()
}

/// Recomputes the cost of every session.
pub(super) fn reprice(catalogue: &Catalogue, prices: &PriceTable) -> Result<(), CatalogueError> {
    let writer = CatalogueWriter::begin(catalogue)?;
    catalogue.change_rows(|row, ledgers| add_up(row, ledgers, prices))?;
    catalogue.set_prices(prices.fingerprint())?;
    writer.finish()
}

/// Writes to the catalogue in batches.
struct CatalogueWriter<'c> {
    catalogue: &'c Catalogue,
    written: usize,
}

impl<'c> CatalogueWriter<'c> {
    fn begin(catalogue: &'c Catalogue) -> Result<Self, CatalogueError> {
        catalogue.db.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self { catalogue, written: 0 })
    }

    fn write(&mut self, done: &Done) -> Result<(), CatalogueError> {
        for facts in &done.files {
            let snapshot = facts.snapshot.as_ref().map_or(0, Vec::len);
            self.written += facts.ledger.len() + snapshot;
            self.catalogue.put_file(facts)?;
        }
        if let Some(session) = &done.session {
            self.written += session.row.len();
            self.catalogue.put_session(session)?;
        }
        if self.written >= BATCH {
            self.written = 0;
            self.catalogue.db.execute_batch("COMMIT; BEGIN IMMEDIATE")?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), CatalogueError> {
        self.catalogue.db.execute_batch("COMMIT")?;
        Ok(())
    }
}

impl Drop for CatalogueWriter<'_> {
    fn drop(&mut self) {
        if !self.catalogue.db.is_autocommit() {
            // This follows an error; earlier commits stay.
            let _ = self.catalogue.db.execute_batch("ROLLBACK");
        }
    }
}

/// A unit with what the catalogue has of its files.
struct UnitWork {
    unit: ReadUnit,
    home: HomeId,
    main: KnownLog,
    agents: Vec<KnownLog>,
    /// The summaries of its project.
    summaries: Arc<Summaries>,
}

/// What the catalogue has of one file.
enum KnownLog {
    Nothing,
    Snapshot(Vec<u8>),
    Ledger(Box<FileLedger>),
}

/// The results of reading a unit.
struct Done {
    session: Option<NewSession>,
    files: Vec<FileFacts>,
    parsed: u64,
    file_errors: Vec<SessionFileError>,
}

impl UnitWork {
    fn fetch(
        catalogue: &Catalogue,
        unit: ReadUnit,
        summaries: &mut titles::KnownSummaries,
    ) -> Result<Self, CatalogueError> {
        let snapshot = |known: &CatalogueFile| -> Result<KnownLog, CatalogueError> {
            let snapshot = catalogue.snapshot(known.id)?;
            Ok(snapshot.map_or(KnownLog::Nothing, KnownLog::Snapshot))
        };
        let main = unit.row.as_ref().and_then(|row| row.main.as_ref());
        let main = match main.map(|main| &main.state) {
            Some(FileState::Same(known) | FileState::Grown(known)) => snapshot(known)?,
            _ => KnownLog::Nothing,
        };
        let agents = unit
            .agents
            .iter()
            .map(|agent| match &agent.state {
                FileState::Same(known) => {
                    let ledger = catalogue.ledger(known.id)?;
                    Ok(ledger
                        .map_or(KnownLog::Nothing, |ledger| KnownLog::Ledger(Box::new(ledger))))
                }
                FileState::Grown(known) => snapshot(known),
                FileState::Replaced(_) | FileState::New => Ok(KnownLog::Nothing),
            })
            .collect::<Result<_, CatalogueError>>()?;
        let home = catalogue.home(&unit.home)?;
        Ok(Self {
            home,
            summaries: summaries.of(catalogue, home, unit.project.as_str())?,
            unit,
            main,
            agents,
        })
    }

    fn run(self, basis: &RefreshBasis<'_>, buffer: &mut Vec<u8>) -> Done {
        let Self { unit, home, main, agents, summaries } = self;
        let mut run = UnitRun {
            unit: &unit,
            home,
            summaries: &summaries,
            basis,
            buffer,
            done: Done { session: None, files: Vec::new(), parsed: 0, file_errors: Vec::new() },
        };
        let mut ledgers: Vec<FileLedger> = Vec::with_capacity(1 + agents.len());
        let mut row = None;
        if let Some(of) = &unit.row {
            let read = run.main(of, main);
            let Some((own, ledger)) = read else {
                return run.done;
            };
            row = Some(own);
            ledgers.push(ledger);
        }
        for (task, known) in unit.agents.iter().zip(agents) {
            ledgers.extend(match known {
                KnownLog::Ledger(ledger) => Some(*ledger),
                known => run.agent(task, known),
            });
        }
        if let (Some(mut row), Some(of)) = (row, &unit.row) {
            add_up(&mut row, &ledgers, basis.prices);
            for ledger in ledgers.iter().skip(1) {
                row.files.add(&ledger.files);
            }
            let facts = ledgers.iter().filter_map(|ledger| ledger.agent.as_deref());
            row.take_from_agents(&facts.collect::<Vec<_>>());
            run.done.session = Some(NewSession {
                known: of.known.map(|known| known.id),
                home,
                project: unit.project.as_str().to_owned(),
                path: of.path.clone(),
                session: row.id.as_str().to_owned(),
                agents: unit.agents.len(),
                kind: row.kind,
                active: row.last_active(),
                row: sealed::seal(&row),
            });
        }
        run.done
    }
}

/// Sets the tokens, models and cost of a row from its files; each answer counts once.
fn add_up(row: &mut SessionRow, ledgers: &[FileLedger], prices: &PriceTable) {
    let mut total: Ledger<u64, ModelAt<'_>> = Ledger::default();
    for ledger in ledgers {
        for line in &ledger.usage {
            total.add(&Claim {
                message: line.message,
                request: line.request,
                model: (ledger.model(&line.place).unwrap_or_default(), line.place.time),
                tokens: line.tokens,
            });
        }
        for model in &ledger.models {
            if !row.models.contains(model) {
                row.models.push(model.clone());
            }
        }
    }
    row.tokens = total.total();
    row.cost_usd = prices.bill(total.counted());
}

/// A unit that is being read.
struct UnitRun<'u> {
    unit: &'u ReadUnit,
    home: HomeId,
    summaries: &'u Summaries,
    basis: &'u RefreshBasis<'u>,
    buffer: &'u mut Vec<u8>,
    done: Done,
}

impl UnitRun<'_> {
    fn main(&mut self, of: &UnitRow, known: KnownLog) -> Option<(SessionRow, FileLedger)> {
        let (read, modified) = match &of.main {
            Some(task) => {
                let read = self.open(task, known)?;
                // The log may have grown since the walk.
                let modified = read.log.mark().stamp.modified_ms();
                (read, modified)
            }
            None => (ReopenedLog::of_nothing(&of.path), of.modified),
        };
        let log = read.log.log();
        let scope = scope_of(log);
        let subject = RowSource {
            called: self.summaries.naming(log, scope),
            agents: self.unit.agents.len(),
            ..self.subject(&self.unit.session, &read.log, modified, scope)
        };
        let mut digest = Digest::of(&subject, read.kept.is_none());
        if let Some(task) = &of.main {
            self.keep(task, read, &mut digest, None);
        }
        Some((digest.row, digest.ledger))
    }

    fn agent(&mut self, task: &FileTask, known: KnownLog) -> Option<FileLedger> {
        let read = self.open(task, known)?;
        let id = SessionId::new(stem(&task.path));
        let modified = read.log.mark().stamp.modified_ms();
        let subject = self.subject(&id, &read.log, modified, Scope::Agent);
        let mut digest = Digest::of(&subject, read.kept.is_none());
        let sidecar = task.sidecar.as_deref().map(read_sidecar).unwrap_or_default();
        let facts = AgentFacts::new(read.log.log(), sidecar.description.as_deref());
        digest.ledger.agent = Some(Box::new(facts));
        let row = &mut digest.row;
        row.kind = SessionKind::Agent;
        add_up(row, std::slice::from_ref(&digest.ledger), self.basis.prices);
        let row = sealed::seal(row);
        self.keep(task, read, &mut digest, Some(row));
        Some(digest.ledger)
    }

    /// Opens a log and reads what is new in it.
    fn open(&mut self, task: &FileTask, known: KnownLog) -> Option<ReopenedLog> {
        let opened = match (&task.state, known) {
            (FileState::Same(file) | FileState::Grown(file), KnownLog::Snapshot(snapshot)) => {
                let log = || Log::from_snapshot(&snapshot).ok();
                LogFile::resume(&task.path, &file.mark, log)
            }
            _ => LogFile::open_with(&task.path, self.buffer)
                .map(|log| (log, LogFileChange::Replaced)),
        };
        let (log, change) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                let path = task.path.clone();
                self.done.file_errors.push(SessionFileError { path, error });
                return None;
            }
        };
        self.done.parsed += log.parsed();
        let generation = match (&task.state, change) {
            (FileState::New, _) => 0,
            (
                FileState::Same(file) | FileState::Grown(file),
                LogFileChange::Grew(_) | LogFileChange::Same,
            ) if task.reads_like(file) => file.generation,
            (FileState::Same(file) | FileState::Grown(file) | FileState::Replaced(file), _) => {
                file.generation + 1
            }
        };
        let kept = match change {
            LogFileChange::Replaced => None,
            LogFileChange::Grew(_) | LogFileChange::Same => kept_snapshot(&log),
        };
        Some(ReopenedLog { log, generation, kept })
    }

    fn subject<'s>(
        &'s self,
        id: &'s SessionId,
        log: &'s LogFile,
        modified: i64,
        scope: Scope,
    ) -> RowSource<'s> {
        RowSource {
            id,
            home: None,
            project: Some(&self.unit.project),
            path: log.path(),
            log: log.log(),
            scope,
            modified,
            called: None,
            agents: 0,
        }
    }

    /// Collects what is stored of a log, and drops the log, which is not needed any more.
    fn keep(
        &mut self,
        task: &FileTask,
        read: ReopenedLog,
        digest: &mut Digest,
        row: Option<Vec<u8>>,
    ) {
        let known = match &task.state {
            FileState::Same(file) | FileState::Grown(file) | FileState::Replaced(file) => {
                Some(file.id)
            }
            FileState::New => None,
        };
        let ReopenedLog { log, generation, kept } = read;
        let mark = log.mark();
        // Agents' logs give no titles to sessions and get none.
        let (mut tail, mut summaries) = (Vec::new(), Vec::new());
        if task.agent.is_none() {
            let log = log.log();
            tail = tail_leaves(log, kept.unwrap_or_else(|| log.resume_offset()));
            summaries = summaries_of(log);
        }
        drop(log);
        let sealed = digest.sealed.take().unwrap_or_else(|| SealedLedger::new(&digest.ledger));
        self.done.files.push(FileFacts {
            file: NewFile {
                known: known.map(|id| (id, generation)),
                home: self.home,
                project: self.unit.project.as_str().to_owned(),
                session: self.unit.session.as_str().to_owned(),
                agent: task.agent.as_ref().map(ToString::to_string),
                has_sidecar: task.sidecar.is_some(),
                path: task.path.clone(),
                mark: ReadPosition { stamp: settled(mark.stamp, self.basis.now), ..mark },
            },
            row,
            off_path: Some(&digest.off_path).filter(|ranges| !ranges.is_empty()).map(sealed::seal),
            ledger: sealed.into_bytes(),
            snapshot: digest.snapshot.take(),
            tail: Some(tail).filter(|tail| !tail.is_empty()).map(|tail| sealed::seal(&tail)),
            summaries,
        });
    }
}

/// A log that was read to its end.
struct ReopenedLog {
    log: LogFile,
    generation: i64,
    /// The end of its stored snapshot, if that is still usable.
    kept: Option<u64>,
}

impl ReopenedLog {
    /// Makes the empty log of a session without one.
    fn of_nothing(path: &Path) -> Self {
        Self { log: LogFile::absent(path), generation: 0, kept: None }
    }
}

/// Returns the end of the stored snapshot from which a log was resumed; `None` if so much was
/// appended since that storing a new one is worth it.
fn kept_snapshot(log: &LogFile) -> Option<u64> {
    let (bytes, new) = (log.log().bytes(), log.parsed());
    (new <= SNAPSHOT_LAG && new <= bytes / LAG_PART).then(|| bytes - new)
}

/// Changes the time in the stamp of a file that was just written, so that the file is checked
/// again: it may change within the same tick of the clock.
fn settled(stamp: FileStamp, now: SystemTime) -> FileStamp {
    if is_settled(stamp.modified, now) { stamp } else { stamp.unsettled() }
}
