//! Brings the full text up to date, batch by batch.
//!
//! Several threads read logs, and one writer takes their documents. The bytes that wait between
//! them are limited, and so is the writer's memory. A batch is committed first and recorded
//! afterwards, so a process that ends early loses at most the current batch.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::{mem, thread};

use rusqlite::Connection;
use tantivy::Term;
use tantivy::indexer::{IndexWriter, IndexWriterOptions, UserOperation};
use tantivy::query::{BooleanQuery, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use unspool_model::time::Time;

use super::document::{TextDocument, WritingStyle};
use super::error::TextError;
use super::extract;
use super::fields::{IndexEntry, IndexFields, print};
use super::merging::BoundedMerging;
use super::origins::ResultOrigins;
use super::queue::Queue;
use super::side_files::ChangedSideFile;
use super::source::{TextSource, each_lines, pasted, read_log, read_tail};
use super::stale::{Stale, StaleLog};
use super::state::{self, BatchRecord, ReadFile, ReadSide};
use super::store::{CommitStamp, Store};
use unspool_store::files::OpenFile;
use unspool_store::home::SideFileKind;
use unspool_store::home::layout::pastes_of;
use unspool_store::session::SessionFileError;
use unspool_store::tail::Prints;

/// Below this many bytes, one thread does everything. Chosen by judgement: a fraction of a second.
const SMALL: u64 = 8 << 20;
/// How many bytes of logs the first of several batches has, so that something can be searched soon.
const FIRST_BATCH: u64 = 32 << 20;
/// How many bytes of logs the other batches have: some seconds of work, which is what an
/// interrupted run loses.
const BATCH: u64 = 1 << 30;
/// How many bytes of text may wait for the writer. Chosen by judgement: enough that no thread waits
/// for a long text.
const WAITING: usize = 24 << 20;
/// How many bytes of text are sent to the writer at a time. From 64 KB to 1 MB there was no
/// difference on 1 GB of logs.
const SENT_BYTES: usize = 256 << 10;
/// The memory of all threads of the writer. From 80 to 280 MB there was no difference in time on
/// 1 GB of logs, and more segments below 200 MB; with 60 MB it was slower.
const HEAP: usize = 200 << 20;
/// The least memory of one thread of the writer that tantivy accepts.
const LEAST_HEAP: usize = 15_000_000;

/// Reads files, writes documents and records both.
pub(crate) struct TextWriter<'w> {
    db: &'w Connection,
    pipeline: DocumentPipeline<'w>,
}

/// Reads files and writes documents, in several threads.
struct DocumentPipeline<'w> {
    writer: IndexWriter<IndexEntry>,
    fields: IndexFields,
    stamp: CommitStamp,
    threads: usize,
    /// Counts the bytes that were read, for progress.
    done: &'w AtomicU64,
    file_errors: Mutex<Vec<SessionFileError>>,
}

/// Documents for the writer, by style.
///
/// Prose and code have different words. With batches of one style, the words of one field stay in
/// the caches of a writer thread.
struct BatchPair<'d> {
    prose: DocumentBatch<'d>,
    raw: DocumentBatch<'d>,
}

/// Documents that are sent to the writer together, with one string for all their texts.
struct DocumentBatch<'d> {
    pipeline: &'d DocumentPipeline<'d>,
    queue: &'d Arc<Queue>,
    /// The documents, each with the number of its source and the range of its text.
    documents: Vec<(TextDocument, u64, Range<usize>)>,
    text: String,
    /// The result of sending so far; after an error nothing more is sent.
    sent: Result<(), TextError>,
}

impl BatchPair<'_> {
    fn add(&mut self, source: TextSource, document: TextDocument) {
        let batch = match document.style {
            WritingStyle::Prose => &mut self.prose,
            WritingStyle::Raw => &mut self.raw,
        };
        batch.add(source, document);
    }

    fn have_failed(&self) -> bool {
        self.prose.sent.is_err() || self.raw.sent.is_err()
    }

    /// Sends the remaining documents; returns the result of all sending.
    fn finish(self) -> Result<(), TextError> {
        self.prose.finish().and(self.raw.finish())
    }
}

impl DocumentBatch<'_> {
    fn add(&mut self, source: TextSource, mut document: TextDocument) {
        if self.text.capacity() == 0 {
            self.text = self.queue.memory();
            self.text.reserve(SENT_BYTES + extract::LONGEST);
        }
        let start = self.text.len();
        // Frees the string on the thread that allocated it, not on one of the writer's.
        self.text.push_str(&mem::take(&mut document.text));
        let span = start..self.text.len();
        self.documents.push((document, source.number(), span));
        if self.text.len() >= SENT_BYTES {
            self.send();
        }
    }

    fn send(&mut self) {
        let (documents, text) = (mem::take(&mut self.documents), mem::take(&mut self.text));
        if self.sent.is_err() {
            return;
        }
        let texts = Arc::new(self.queue.admit(text));
        let entry = |(document, source, span): (TextDocument, u64, Range<usize>)| {
            UserOperation::Add(IndexEntry {
                print: print(&texts.text()[span.clone()]),
                document,
                texts: texts.clone(),
                span,
                source,
                batch: self.pipeline.stamp.batch + 1,
                fields: self.pipeline.fields,
            })
        };
        let sent = self.pipeline.writer.run(documents.into_iter().map(entry));
        self.sent = sent.map(|_| ()).map_err(TextError::from);
    }

    fn finish(mut self) -> Result<(), TextError> {
        if !self.documents.is_empty() {
            self.send();
        }
        self.sent
    }
}

/// A file to read.
enum ReadJob<'j> {
    Log(&'j StaleLog),
    Side(i64, &'j ChangedSideFile, Option<Time>),
}

impl ReadJob<'_> {
    fn bytes(&self) -> u64 {
        match self {
            Self::Log(log) => log.bytes(),
            Self::Side(_, side, _) => side.bytes,
        }
    }
}

/// The result of a job.
enum Read {
    Log(ReadFile),
    Side(ReadSide),
    /// A log that could not be read to the end, by its id in `files`.
    Failed(i64),
}

impl<'w> TextWriter<'w> {
    /// Opens a writer with threads and memory for `bytes` of logs. The folder must be locked.
    pub(crate) fn open(
        db: &'w Connection,
        store: &Store,
        bytes: u64,
        done: &'w AtomicU64,
    ) -> Result<Self, TextError> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = if bytes < SMALL { 1 } else { cores.min(4) };
        let heap = if bytes < SMALL { LEAST_HEAP } else { HEAP / threads };
        let options = IndexWriterOptions::builder()
            .num_worker_threads(threads)
            .memory_budget_per_thread(heap)
            .num_merge_threads(1)
            .build();
        let writer = store.index.writer_with_options(options)?;
        writer.set_merge_policy(Box::new(BoundedMerging));
        let pipeline = DocumentPipeline {
            writer,
            fields: store.fields,
            stamp: store.stamp,
            threads,
            done,
            file_errors: Mutex::default(),
        };
        Ok(Self { db, pipeline })
    }

    /// Deletes the documents of batches that were committed and not recorded.
    pub(crate) fn delete_unrecorded(&mut self, recorded: u64) {
        for batch in recorded + 1..=self.pipeline.stamp.batch {
            let term = Term::from_field_u64(self.pipeline.fields.batch, batch);
            self.pipeline.writer.delete_term(term);
        }
    }

    /// Writes everything that is stale, as long as `goes_on` returns true after a batch.
    pub(crate) fn write(
        mut self,
        stale: &Stale,
        goes_on: impl Fn() -> bool,
    ) -> Result<Vec<SessionFileError>, TextError> {
        let mut batches = batches(&stale.logs);
        // Even without logs, there may be deletions and side files: they need one batch.
        if batches.is_empty() {
            batches.push(&[]);
        }
        let last = batches.len() - 1;
        for (number, logs) in batches.into_iter().enumerate() {
            let mut record = BatchRecord::default();
            // A delete affects only documents that were added before it.
            self.delete_logs(logs);
            if number == 0 {
                self.delete_gone(stale, &mut record)?;
            }
            self.pipeline.run(logs.iter().map(ReadJob::Log).collect(), &mut record)?;
            if number == last {
                // Only now have the logs said which results were spilled into which files.
                let jobs = self.add_sides(stale, &mut record)?;
                self.pipeline.run(jobs, &mut record)?;
            }
            self.commit(&record)?;
            if !goes_on() {
                break;
            }
        }
        self.pipeline.writer.wait_merging_threads()?;
        Ok(self.pipeline.file_errors.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn delete_logs(&self, logs: &[StaleLog]) {
        for log in logs {
            if log.replaces {
                self.pipeline.delete(TextSource::Log(log.file));
            }
            if log.had_tail {
                self.pipeline.delete(TextSource::Tail(log.file));
            }
        }
    }

    fn delete_gone(&self, stale: &Stale, record: &mut BatchRecord) -> Result<(), TextError> {
        for &file in &stale.gone_logs {
            self.pipeline.delete(TextSource::Log(file));
            self.pipeline.delete(TextSource::Tail(file));
            record.gone_files.push(file);
        }
        for &(side, kind) in &stale.gone_sides {
            self.delete_side(side, kind)?;
            record.gone_sides.push(side);
        }
        record.gone_folders.clone_from(&stale.gone_folders);
        Ok(())
    }

    fn delete_side(&self, side: i64, kind: SideFileKind) -> Result<(), TextError> {
        if kind == SideFileKind::History {
            for past in state::pasts(self.db, side)? {
                self.pipeline.delete(TextSource::Past(past));
            }
        } else {
            self.pipeline.delete(TextSource::Side(side));
        }
        Ok(())
    }

    /// Gives ids to side files and makes jobs of them; a history is read here, because its
    /// sessions get ids from the database, which only this thread uses.
    fn add_sides<'s>(
        &self,
        stale: &'s Stale,
        record: &mut BatchRecord,
    ) -> Result<Vec<ReadJob<'s>>, TextError> {
        record.folders.clone_from(&stale.folders);
        let numbers = self.db.unchecked_transaction()?;
        let origins = ResultOrigins::new(self.db, &record.files);
        let mut jobs = Vec::new();
        for side in &stale.sides {
            let path = unspool_store::index::paths::bytes(&side.path);
            let id = if let Some(id) = side.id {
                id
            } else {
                let kind = side.kind.number();
                state::add_side(self.db, side.home, &side.session, kind, path)?
            };
            if side.kind == SideFileKind::History {
                record.sides.extend(self.history(id, side)?);
                continue;
            }
            if side.id.is_some() {
                self.delete_side(id, side.kind)?;
            }
            jobs.push(ReadJob::Side(id, side, origins.time(side)?));
        }
        numbers.commit()?;
        Ok(jobs)
    }

    /// Reads what was appended to a history of prompts, or all of it if it was rewritten.
    fn history(&self, id: i64, side: &ChangedSideFile) -> Result<Option<ReadSide>, TextError> {
        let Ok(file) = OpenFile::open(&side.path) else {
            return Ok(None);
        };
        // A changed file of the same size was edited in place and is read again.
        let grew = side.read < side.bytes && Prints::of(&file, side.read)? == side.prints;
        if !grew {
            self.delete_side(id, SideFileKind::History)?;
        }
        let from = if grew { side.read } else { 0 };
        let folder = pastes_of(&side.path);
        let pasted = |hash: &str| pasted(&folder, hash);
        let (mut failed, mut end) = (None, from);
        let queue = Queue::new(WAITING);
        let mut pair = self.pipeline.batch_pair(&queue);
        each_lines(&file, from, side.bytes, |lines, offset| {
            end = offset + lines.len() as u64;
            extract::prompts(lines, offset, &pasted, &mut |prompt| match state::past(
                self.db,
                id,
                &prompt.session,
                &prompt.project,
            ) {
                Ok(past) => pair.add(TextSource::Past(past), prompt.document),
                Err(error) => failed = Some(error),
            });
        })?;
        pair.finish()?;
        if let Some(error) = failed {
            return Err(error.into());
        }
        Ok(Some(ReadSide {
            id,
            bytes: end,
            // With 0, an unfinished last line is read by the next update.
            modified: if end == side.bytes { side.modified } else { 0 },
            prints: Prints::of(&file, end)?,
        }))
    }

    /// Commits a batch, then records it. In this order, a crash in between leaves a batch that
    /// [`delete_unrecorded`](Self::delete_unrecorded) deletes; in the other, its documents would be missing for good.
    fn commit(&mut self, record: &BatchRecord) -> Result<(), TextError> {
        let stamp = CommitStamp { batch: self.pipeline.stamp.batch + 1, ..self.pipeline.stamp };
        let mut commit = self.pipeline.writer.prepare_commit()?;
        commit.set_payload(&stamp.payload());
        commit.commit()?;
        self.pipeline.stamp = stamp;
        state::record(self.db, stamp.batch, record)?;
        Ok(())
    }
}

impl DocumentPipeline<'_> {
    fn delete(&self, source: TextSource) {
        let term = Term::from_field_u64(self.fields.source, source.number());
        self.writer.delete_term(term);
    }

    /// Deletes the documents that a log has in this batch: the next update reads them again.
    fn delete_from_batch(&self, file: i64) -> Result<(), TextError> {
        let is = |field, number| -> Box<dyn Query> {
            let term = Term::from_field_u64(field, number);
            Box::new(TermQuery::new(term, IndexRecordOption::Basic))
        };
        for source in [TextSource::Log(file), TextSource::Tail(file)] {
            let source = is(self.fields.source, source.number());
            let batch = is(self.fields.batch, self.stamp.batch + 1);
            self.writer.delete_query(Box::new(BooleanQuery::intersection(vec![source, batch])))?;
        }
        Ok(())
    }

    /// Makes empty batches that are sent through `queue`.
    fn batch_pair<'d>(&'d self, queue: &'d Arc<Queue>) -> BatchPair<'d> {
        BatchPair { prose: self.document_batch(queue), raw: self.document_batch(queue) }
    }

    fn document_batch<'d>(&'d self, queue: &'d Arc<Queue>) -> DocumentBatch<'d> {
        DocumentBatch {
            pipeline: self,
            queue,
            documents: Vec::new(),
            text: String::new(),
            sent: Ok(()),
        }
    }

    /// Reads the files of some jobs, in parallel.
    fn run(&self, mut jobs: Vec<ReadJob<'_>>, record: &mut BatchRecord) -> Result<(), TextError> {
        // The largest first, so that no thread is left alone with a large file at the end.
        jobs.sort_by_key(|job| std::cmp::Reverse(job.bytes()));
        let queue = Queue::new(WAITING);
        let next = AtomicUsize::new(0);
        let work = || -> Result<Vec<Read>, TextError> {
            let mut pair = self.batch_pair(&queue);
            let mut done = Vec::new();
            while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.extend(self.read(job, &mut pair));
                if pair.have_failed() {
                    // No thread begins another job.
                    next.store(jobs.len(), Ordering::Relaxed);
                }
            }
            pair.finish().map(|()| done)
        };
        let results = if self.threads == 1 || jobs.len() == 1 {
            vec![work()]
        } else {
            thread::scope(|scope| {
                let readers: Vec<_> =
                    (0..self.threads.div_ceil(2)).map(|_| scope.spawn(work)).collect();
                readers
                    .into_iter()
                    .map(|reader| reader.join().unwrap_or_else(|panic| resume_unwind(panic)))
                    .collect()
            })
        };
        for read in results {
            for read in read? {
                match read {
                    Read::Log(file) => record.files.push(file),
                    Read::Side(side) => record.sides.push(side),
                    Read::Failed(file) => self.delete_from_batch(file)?,
                }
            }
        }
        Ok(())
    }

    /// Reads one file. A file that cannot be read is reported, and tried again by the next update,
    /// which deletes what a side file has in the index before it reads the side file.
    fn read(&self, job: &ReadJob<'_>, pair: &mut BatchPair<'_>) -> Option<Read> {
        let mut add = |source, document| pair.add(source, document);
        let (path, read) = match *job {
            ReadJob::Log(log) => (&log.stretch.path, read_stale(log, &mut add)),
            ReadJob::Side(id, side, time) => (&side.path, read_side(id, side, time, &mut add)),
        };
        self.done.fetch_add(job.bytes(), Ordering::Relaxed);
        match read {
            Ok(read) => Some(read),
            Err(error) => {
                let path = path.clone();
                let mut file_errors =
                    self.file_errors.lock().unwrap_or_else(PoisonError::into_inner);
                file_errors.push(SessionFileError { path, error });
                match *job {
                    ReadJob::Log(log) => Some(Read::Failed(log.file)),
                    ReadJob::Side(..) => None,
                }
            }
        }
    }
}

fn read_stale(
    log: &StaleLog,
    add: &mut dyn FnMut(TextSource, TextDocument),
) -> std::io::Result<Read> {
    let notes = read_log(&log.stretch, &mut |document| {
        add(TextSource::Log(log.file), document);
    })?;
    if log.tail > 0 {
        read_tail(&log.stretch, log.tail, &mut |document| {
            add(TextSource::Tail(log.file), document);
        })?;
    }
    Ok(Read::Log(ReadFile {
        file: log.file,
        generation: log.generation,
        offset: log.stretch.to,
        tail: log.tail,
        notes,
        from_start: log.stretch.from == 0,
    }))
}

/// Reads a side file; its time is `time`, or else its modification time.
fn read_side(
    id: i64,
    side: &ChangedSideFile,
    time: Option<Time>,
    add: &mut dyn FnMut(TextSource, TextDocument),
) -> std::io::Result<Read> {
    let millis = side.modified / 1_000_000;
    let modified = (millis > 0).then(|| Time::from_millis(millis));
    extract::side(side.kind, &side.path, time.or(modified), &mut |document| {
        add(TextSource::Side(id), document);
    })?;
    Ok(Read::Side(ReadSide {
        id,
        bytes: side.bytes,
        modified: side.modified,
        prints: Prints::default(),
    }))
}

/// Splits logs into batches of bounded size. Logs that fit into one batch are not split: they take
/// seconds, and a commit after a first part took a twentieth of that and left more segments to search.
fn batches(logs: &[StaleLog]) -> Vec<&[StaleLog]> {
    let mut batches = Vec::new();
    let total: u64 = logs.iter().map(StaleLog::bytes).sum();
    let first = if total > BATCH { FIRST_BATCH } else { BATCH };
    let (mut start, mut bytes, mut limit) = (0, 0, first);
    for (at, log) in logs.iter().enumerate() {
        bytes += log.bytes();
        if bytes >= limit {
            batches.push(&logs[start..=at]);
            (start, bytes, limit) = (at + 1, 0, BATCH);
        }
    }
    if start < logs.len() {
        batches.push(&logs[start..]);
    }
    batches
}
