//! Brings an archive up to date with some homes.
//!
//! Files with known stamps are skipped without being opened. The others are compared with their
//! archived state and packed in batches; the manifest is written after each batch, so a killed run
//! keeps its finished batches. Only one process writes to an archive at a time.

#![expect(clippy::disallowed_methods, reason = "an archive is files")]

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use rayon::prelude::*;
use unspool_model::ids::{ProjectId, SessionId};

use super::manifest::{ArchiveManifest, ManifestRow, key};
pub use super::pack::{ArchiveChange, Mode};
use super::pack::{Packing, Prepared, StatePlaces, prepare};
use super::{Archive, ArchiveError, place};
use crate::files::lock::Lock;
use crate::files::private::make_private;
use crate::files::{self, packed_path};
use crate::files::{ArchivedHome, FileStamp};
use crate::home::{self, ArchivableFile, ArchivableKind, ArchiveScope, Discovery, Home, Problem};
use crate::progress::Progress;
use crate::session::SessionFileError;
use crate::tail::LogFile;

/// How long to wait for the lock. Chosen by judgement: a person waits, and the error names the
/// reason.
const TIMEOUT: Duration = Duration::from_secs(2);
/// The most bytes of a batch, unless a single file has more. Chosen by judgement: a kill loses a
/// second of work.
const BATCH_BYTES: u64 = 128 << 20;
/// The most files of a batch. Chosen by judgement: likewise, where files are small.
const BATCH_FILES: usize = 2000;

/// What to archive, and where.
pub struct ArchiveRequest<'a> {
    /// The folder of the archive.
    pub archive: &'a Path,
    /// The homes, as they were discovered.
    pub homes: &'a [Discovery],
    /// The sessions to archive.
    pub wanted: &'a WantedSessions,
    /// Whether files are written.
    pub mode: Mode,
    /// How unchanged files are recognised.
    pub trust: ArchiveTrust,
    /// When the run began.
    pub now: SystemTime,
}

/// How a file is recognised as archived and unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ArchiveTrust {
    /// By the size, time and identity of the file, and by the size and time of the packed file.
    #[default]
    Stamps,
    /// By the bytes of both files, which are read and compared.
    Bytes,
}

/// Which sessions to archive or restore.
#[derive(Clone, Debug)]
pub enum WantedSessions {
    /// All sessions, with the files that they share.
    Everything,
    /// These sessions, each by its home, project and id.
    Sessions(HashSet<(PathBuf, ProjectId, SessionId)>),
}

impl WantedSessions {
    /// Lists the wanted files of a home.
    pub(super) fn files(&self, found: &Discovery) -> (Vec<ArchivableFile>, Vec<Problem>) {
        match self {
            Self::Everything => home::archivable_files(found, ArchiveScope::Everything),
            Self::Sessions(wanted) => {
                let root = &found.home.root;
                let is_wanted = |project: &ProjectId, session: &SessionId| {
                    wanted.contains(&(root.clone(), project.clone(), session.clone()))
                };
                home::archivable_files(found, ArchiveScope::Only(&is_wanted))
            }
        }
    }
}

/// The result of a run.
#[derive(Default, Debug)]
pub struct ArchiveReport {
    /// Files that were or would be written, sorted by path.
    pub stored: Vec<Stored>,
    /// Numbers of sessions by change.
    pub sessions: ArchiveCounts,
    /// Numbers of files by change.
    pub files: ArchiveCounts,
    /// How many bytes of content were added.
    pub added: u64,
    /// How many bytes the archive grew on disk.
    pub written: u64,
    /// The total size of all files of the run.
    pub bytes: u64,
    /// Files that could not be read or written.
    pub file_errors: Vec<SessionFileError>,
    /// Problems that kept files from being found.
    pub problems: Vec<Problem>,
}

/// Numbers of files or sessions by change.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ArchiveCounts {
    /// Not archived before.
    pub new: usize,
    /// Extended.
    pub grown: usize,
    /// Rewritten; the older state is kept too.
    pub rewritten: usize,
    /// Written again because the archived one was damaged.
    pub repaired: usize,
    /// Unchanged.
    pub unchanged: usize,
}

impl ArchiveCounts {
    /// Returns the sum of all counts.
    pub fn all(&self) -> usize {
        self.new + self.grown + self.rewritten + self.repaired + self.unchanged
    }

    fn add(&mut self, change: ArchiveChange) {
        match change {
            ArchiveChange::New => self.new += 1,
            ArchiveChange::Grown => self.grown += 1,
            ArchiveChange::Rewritten => self.rewritten += 1,
            ArchiveChange::Repaired => self.repaired += 1,
            ArchiveChange::Unchanged => self.unchanged += 1,
        }
    }
}

/// A file that was or would be written.
#[derive(Debug)]
pub struct Stored {
    /// Its path.
    pub path: PathBuf,
    /// The session that it belongs to, if any.
    pub session: Option<SessionId>,
    /// How it compared with its archived state.
    pub change: ArchiveChange,
    /// The size of its content.
    pub bytes: u64,
    /// The size of the packed file; `None` in a dry run.
    pub packed: Option<u64>,
}

/// Brings an archive up to date.
pub fn store(
    request: &ArchiveRequest<'_>,
    progress: &dyn Progress,
) -> Result<ArchiveReport, ArchiveError> {
    let mut archive = Archive::open_or_new(request.archive)?;
    let _lock = match request.mode {
        Mode::Write => Some(begin(&archive)?),
        Mode::DryRun => None,
    };
    let mut report = ArchiveReport::default();
    for found in request.homes {
        let from = fs::canonicalize(&found.home.root).unwrap_or_else(|_| found.home.root.clone());
        if is_inside(&archive, &from)? {
            continue;
        }
        let known = archive.homes.len();
        let home = archive.home_from(&from);
        if known < archive.homes.len() && request.mode == Mode::Write {
            archive.write_marker()?;
        }
        let mut run = ArchiveRun::new(&archive, &home, request);
        let (mut files, problems) = request.wanted.files(found);
        report.problems.extend(problems);
        run.all(&files, progress, &mut report)?;
        if matches!(request.wanted, WantedSessions::Sessions(_)) {
            let plans = plans(&run.manifest, &found.home, &files);
            run.all(&plans, progress, &mut report)?;
            files.extend(plans);
        }
        report.count(&files, &run.changes);
    }
    if request.mode == Mode::Write {
        // An empty folder that stays does no harm.
        let _ = fs::remove_dir(archive.temporary());
    }
    report.stored.sort_by(|a, b| a.path.cmp(&b.path));
    report.file_errors.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(report)
}

/// Locks the archive, and removes what a killed run left.
fn begin(archive: &Archive) -> Result<Lock, ArchiveError> {
    let root = archive.root();
    make_private(root).map_err(ArchiveError::at(root))?;
    let lock = Lock::take(root, TIMEOUT).map_err(ArchiveError::at(root))?;
    let lock = lock.ok_or_else(|| ArchiveError::Busy(root.to_owned()))?;
    let temporary = archive.temporary();
    clear(&temporary).map_err(ArchiveError::at(&temporary))?;
    Ok(lock)
}

/// Empties a folder, if it exists. The folder itself stays: it marks an archive whose last run was
/// not finished.
fn clear(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(data) if !data.is_dir() => return fs::remove_file(folder),
        Ok(_) => {}
        Err(_) => return Ok(()),
    }
    for left in fs::read_dir(folder)? {
        let left = left?;
        if left.file_type()?.is_dir() {
            fs::remove_dir_all(left.path())?;
        } else {
            fs::remove_file(left.path())?;
        }
    }
    Ok(())
}

/// Returns whether a home is inside the archive, so that there is nothing to archive. Refuses an
/// archive inside a home, which would contain itself.
fn is_inside(archive: &Archive, home: &Path) -> Result<bool, ArchiveError> {
    let root = nearest(archive.root());
    if root.starts_with(home) {
        return Err(ArchiveError::Inside {
            archive: archive.root().to_owned(),
            home: home.to_owned(),
        });
    }
    Ok(home.starts_with(&root))
}

/// Resolves the links of a path that need not exist.
fn nearest(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let Ok(real) = fs::canonicalize(above) {
            return match path.strip_prefix(above) {
                Ok(rest) => real.join(rest),
                Err(_) => real,
            };
        }
    }
    path.to_owned()
}

/// The work on one home.
struct ArchiveRun {
    mode: Mode,
    trust: ArchiveTrust,
    now: SystemTime,
    root: PathBuf,
    current: PathBuf,
    older: PathBuf,
    temporary: PathBuf,
    manifest_file: PathBuf,
    manifest: ArchiveManifest,
    /// The changes of files that were not skipped; `None` for files that failed or were deleted
    /// after the walk.
    changes: HashMap<PathBuf, Option<ArchiveChange>>,
}

impl ArchiveRun {
    fn new(archive: &Archive, home: &ArchivedHome, request: &ArchiveRequest<'_>) -> Self {
        let manifest_file = archive.manifest(home);
        Self {
            mode: request.mode,
            trust: request.trust,
            now: request.now,
            root: archive.root().to_owned(),
            current: archive.home(home).root,
            older: archive.older(home),
            temporary: archive.temporary(),
            manifest: ArchiveManifest::read(&manifest_file),
            manifest_file,
            changes: HashMap::new(),
        }
    }

    /// Archives files in batches, the largest file of each batch first.
    fn all(
        &mut self,
        files: &[ArchivableFile],
        progress: &dyn Progress,
        report: &mut ArchiveReport,
    ) -> Result<(), ArchiveError> {
        let (stale, total) = self.stale(files, report);
        let stale_bytes = stale.iter().map(|(_, bytes)| bytes).sum();
        report.bytes += total;
        let mut result = Ok(());
        progress.watch(stale_bytes, &mut |done| {
            result = batches(&stale).try_for_each(|batch| self.batch(batch, done, report));
        });
        result
    }

    /// Returns the files that must be read with their sizes, and the total size of all files.
    fn stale<'f>(
        &mut self,
        files: &'f [ArchivableFile],
        report: &mut ArchiveReport,
    ) -> (Vec<(&'f ArchivableFile, u64)>, u64) {
        let looks: Vec<_> = files.par_iter().map(|file| self.look(file)).collect();
        let (mut stale, mut total) = (Vec::new(), 0);
        for (file, look) in files.iter().zip(looks) {
            match look {
                Ok((bytes, known)) => {
                    total += bytes;
                    if !known {
                        stale.push((file, bytes));
                    }
                }
                Err(error) => self.note_failed(file, error, report),
            }
        }
        (stale, total)
    }

    /// Returns the size of a file, and whether its archived state is known to be current.
    fn look(&self, file: &ArchivableFile) -> io::Result<(u64, bool)> {
        let stamp = files::stamp(&file.path)?;
        let row = self.manifest.row(&file.below);
        let known = self.trust == ArchiveTrust::Stamps
            && row.is_some_and(|row| {
                let packed = packed_path(&self.current.join(&file.below));
                let untouched = |data: &fs::Metadata| row.is_of_packed(data);
                row.is_of(&stamp) && fs::metadata(packed).as_ref().is_ok_and(untouched)
            });
        Ok((stamp.bytes, known))
    }

    /// Packs a batch of files, and moves them to their places once all of them are synced to disk.
    fn batch(
        &mut self,
        batch: &[(&ArchivableFile, u64)],
        done: &AtomicU64,
        report: &mut ArchiveReport,
    ) -> Result<(), ArchiveError> {
        if self.mode == Mode::Write {
            let made = make_private(&self.temporary);
            made.map_err(ArchiveError::at(&self.temporary))?;
        }
        let mut largest = batch.to_vec();
        largest.sort_by_key(|&(_, bytes)| std::cmp::Reverse(bytes));
        let packed: Vec<_> = largest
            .par_iter()
            .map(|&(file, bytes)| {
                let packed = self.pack(file);
                done.fetch_add(bytes, Ordering::Relaxed);
                (file, packed)
            })
            .collect();
        let fresh = packed.iter().filter_map(|(_, packed)| packed.as_ref().ok());
        let fresh = fresh.filter_map(|packed| packed.prepared.fresh.as_deref());
        self.settle(&fresh.collect::<Vec<_>>())?;
        let mut folders = BTreeSet::new();
        for (file, packed) in packed {
            match packed.and_then(PendingFile::put) {
                Ok((packing, plans)) => {
                    self.note(file, &packing, plans, report);
                    if packing.change != ArchiveChange::Unchanged {
                        folders.extend(self.current.join(&file.below).parent().map(Path::to_owned));
                    }
                }
                Err(error) => self.note_failed(file, error, report),
            }
        }
        match self.mode {
            Mode::Write => self.commit(&folders),
            Mode::DryRun => Ok(()),
        }
    }

    fn settle(&self, paths: &[&Path]) -> Result<(), ArchiveError> {
        place::settle(paths, &self.temporary).map_err(ArchiveError::at(&self.temporary))
    }

    /// Syncs the folders of new files, then writes the manifest, which must not name lost files.
    fn commit(&mut self, folders: &BTreeSet<PathBuf>) -> Result<(), ArchiveError> {
        let folders = folders.iter().map(PathBuf::as_path);
        self.settle(&folders.collect::<Vec<_>>())?;
        let written = self.manifest.write(&self.temporary, &self.manifest_file);
        written.map_err(ArchiveError::at(&self.manifest_file))
    }

    /// Packs one file; for a session's log, also collects the plans that it names.
    fn pack(&self, file: &ArchivableFile) -> io::Result<PendingFile> {
        let places = StatePlaces {
            current: self.current.join(&file.below),
            older: self.older.join(&file.below),
            temporary: self.temporary.clone(),
        };
        self.check_way(&places)?;
        let row = self.manifest.row(&file.below);
        let is_archived = |stamp: &FileStamp| row.is_some_and(|row| row.is_of(stamp));
        let prepared = prepare(&file.path, &places, self.mode, &is_archived)?;
        let plans = match file.kind {
            ArchivableKind::Main => plans_of(&file.path)?,
            ArchivableKind::Log | ArchivableKind::Side => Vec::new(),
        };
        Ok(PendingFile { prepared, places, plans })
    }

    /// Refuses to write through a link in the archive.
    fn check_way(&self, places: &StatePlaces) -> io::Result<()> {
        let clear = |path: &Path| {
            let below = path.strip_prefix(&self.root);
            below.is_ok_and(|below| place::parents_are_folders(&self.root, below))
        };
        if clear(&places.current) && clear(&places.older) {
            return Ok(());
        }
        let reason = "its place in the archive leads over a link or a file; it was not archived";
        Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
    }

    /// Notes a file that was not archived. A file that was deleted after the walk is not an error.
    fn note_failed(&mut self, file: &ArchivableFile, error: io::Error, report: &mut ArchiveReport) {
        self.changes.insert(file.below.clone(), None);
        if error.kind() != io::ErrorKind::NotFound {
            report.file_errors.push(SessionFileError { path: file.path.clone(), error });
        }
    }

    fn note(
        &mut self,
        file: &ArchivableFile,
        packing: &Packing,
        plans: Vec<String>,
        report: &mut ArchiveReport,
    ) {
        let bytes = packing.stamp.bytes;
        self.changes.insert(file.below.clone(), Some(packing.change));
        if let Some(name) = key(&file.below) {
            let mut row = ManifestRow::new(name, &packing.stamp, packing.packed, self.now);
            row.plans = plans;
            self.manifest.set(row);
        }
        if packing.change == ArchiveChange::Unchanged {
            return;
        }
        let packed = (self.mode == Mode::Write).then_some(packing.packed);
        report.added += packing.added;
        report.written += packed.unwrap_or(0).saturating_sub(packing.before);
        report.stored.push(Stored {
            path: file.path.clone(),
            session: file.owner.as_ref().map(|(_, session)| session.clone()),
            change: packing.change,
            bytes,
            packed,
        });
    }
}

/// A packed file that is not in its place yet.
struct PendingFile {
    prepared: Prepared,
    places: StatePlaces,
    plans: Vec<String>,
}

impl PendingFile {
    fn put(self) -> io::Result<(Packing, Vec<String>)> {
        Ok((self.prepared.put(&self.places)?, self.plans))
    }
}

impl ArchiveReport {
    /// Counts files and sessions by change. A session is new if its log is, rewritten if one of its
    /// logs was, and otherwise as changed as its files. Files that were not archived do not count,
    /// and a session with such a file does not count as unchanged.
    fn count(
        &mut self,
        files: &[ArchivableFile],
        changes: &HashMap<PathBuf, Option<ArchiveChange>>,
    ) {
        let mut sessions: HashMap<&(ProjectId, SessionId), ArchiveChange> = HashMap::new();
        let mut incomplete = HashSet::new();
        for file in files {
            let change = changes.get(&file.below).copied();
            let Some(change) = change.unwrap_or(Some(ArchiveChange::Unchanged)) else {
                incomplete.extend(&file.owner);
                continue;
            };
            self.files.add(change);
            let Some(owner) = &file.owner else { continue };
            let sum = sessions.entry(owner).or_insert(ArchiveChange::Unchanged);
            *sum = match (*sum, change, file.kind) {
                (sum, ArchiveChange::Unchanged, _) => sum,
                (_, ArchiveChange::New, ArchivableKind::Main) | (ArchiveChange::New, _, _) => {
                    ArchiveChange::New
                }
                (_, ArchiveChange::Rewritten, ArchivableKind::Main | ArchivableKind::Log)
                | (ArchiveChange::Rewritten, _, _) => ArchiveChange::Rewritten,
                (
                    ArchiveChange::Unchanged | ArchiveChange::Repaired,
                    ArchiveChange::Repaired,
                    _,
                ) => ArchiveChange::Repaired,
                _ => ArchiveChange::Grown,
            };
        }
        for (owner, change) in sessions {
            if change != ArchiveChange::Unchanged || !incomplete.contains(owner) {
                self.sessions.add(change);
            }
        }
    }
}

/// Returns the plans that sessions' logs name.
pub(super) fn plans(
    manifest: &ArchiveManifest,
    home: &Home,
    files: &[ArchivableFile],
) -> Vec<ArchivableFile> {
    let mut plans = BTreeMap::new();
    for file in files.iter().filter(|file| file.kind == ArchivableKind::Main) {
        let row = manifest.row(&file.below);
        let slugs = row.map(|row| row.plans.as_slice()).unwrap_or_default();
        for path in slugs.iter().filter_map(|slug| home::plan_file(home, slug)) {
            let Ok(below) = path.strip_prefix(&home.root).map(Path::to_owned) else {
                continue;
            };
            let plan = ArchivableFile {
                path,
                below: below.clone(),
                owner: file.owner.clone(),
                kind: ArchivableKind::Side,
            };
            plans.entry(below).or_insert(plan);
        }
    }
    plans.into_values().collect()
}

/// Reads the slugs of the plans that a session's log names.
fn plans_of(log: &Path) -> io::Result<Vec<String>> {
    let file = LogFile::open(log)?;
    let log = file.log();
    let slugs = log.facts.slugs.iter();
    Ok(slugs.map(|&slug| log.text(slug).to_owned()).collect())
}

/// Splits files into batches of bounded size.
fn batches<'b, 'f>(
    files: &'b [(&'f ArchivableFile, u64)],
) -> impl Iterator<Item = &'b [(&'f ArchivableFile, u64)]> {
    let mut rest = files;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |(_, more): &&(&ArchivableFile, u64)| {
            bytes += more;
            bytes <= BATCH_BYTES
        };
        let count = rest.iter().take(BATCH_FILES).take_while(fits).count();
        let (batch, left) = rest.split_at(count.max(1).min(rest.len()));
        rest = left;
        (!batch.is_empty()).then_some(batch)
    })
}
