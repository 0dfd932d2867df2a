//! Brings an archive up to date with some homes.
//!
//! Files whose stamps are known are passed over without being opened. The others are
//! compared with what is archived of them and packed, a batch at a time; after each batch
//! the manifest is written, so a run that is ended has done what it has done. One process
//! writes to an archive at a time.

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
use crate::home::{self, Belonging, BelongingKind, BelongingScope, Discovery, Home, Problem};
use crate::progress::Progress;
use crate::session::SessionFileError;
use crate::tail::LogFile;

/// How long to wait for another process. Chosen by judgement: a person waits, and is told what for.
const PATIENCE: Duration = Duration::from_secs(2);
/// A batch has at most this many bytes, unless one file has more. Chosen by judgement: a kill loses
/// a second of work.
const BATCH_BYTES: u64 = 128 << 20;
/// A batch has at most this many files. Chosen by judgement: likewise, where files are small.
const BATCH_FILES: usize = 2000;

/// What to archive, and where.
pub struct ArchiveRequest<'a> {
    /// The folder of the archive.
    pub archive: &'a Path,
    /// The homes, as they were found.
    pub homes: &'a [Discovery],
    /// Which of their sessions.
    pub wanted: &'a WantedSessions,
    /// Whether something is written.
    pub mode: Mode,
    /// How files are known again.
    pub trust: ArchiveTrust,
    /// When the run began.
    pub now: SystemTime,
}

/// How a file is known to be archived as it is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ArchiveTrust {
    /// By the size, time and number of the file and by the size and time of the packed one.
    #[default]
    Stamps,
    /// By its bytes: both are read.
    Bytes,
}

/// Which sessions are meant.
#[derive(Clone, Debug)]
pub enum WantedSessions {
    /// All of them, with what belongs to all of them together.
    Everything,
    /// These, each by its home, its project and its id.
    Sessions(HashSet<(PathBuf, ProjectId, SessionId)>),
}

impl WantedSessions {
    /// Lists the files of a home that are meant.
    pub(super) fn files(&self, found: &Discovery) -> (Vec<Belonging>, Vec<Problem>) {
        match self {
            Self::Everything => home::belongings(found, BelongingScope::Everything),
            Self::Sessions(wanted) => {
                let root = &found.home.root;
                let is_wanted = |project: &ProjectId, session: &SessionId| {
                    wanted.contains(&(root.clone(), project.clone(), session.clone()))
                };
                home::belongings(found, BelongingScope::Only(&is_wanted))
            }
        }
    }
}

/// What a run did.
#[derive(Default, Debug)]
pub struct ArchiveReport {
    /// Files that were or would be written, by path.
    pub stored: Vec<Stored>,
    /// How many sessions came out how.
    pub sessions: ArchiveCounts,
    /// How many files came out how.
    pub files: ArchiveCounts,
    /// How much content was added, in bytes.
    pub added: u64,
    /// How much the archive grew on disk, in bytes.
    pub written: u64,
    /// How much content belongs to all files that were looked at.
    pub bytes: u64,
    /// Files that could not be read or written.
    pub file_errors: Vec<SessionFileError>,
    /// What kept files from being found.
    pub problems: Vec<Problem>,
}

/// How many came out how.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ArchiveCounts {
    /// Not archived before.
    pub new: usize,
    /// Extended.
    pub grown: usize,
    /// Rewritten; the older state stays too.
    pub rewritten: usize,
    /// Written again because the archived one was damaged.
    pub repaired: usize,
    /// As they were.
    pub unchanged: usize,
}

impl ArchiveCounts {
    /// Returns how many there are.
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
    /// The file.
    pub path: PathBuf,
    /// The session that it belongs to, if it is known.
    pub session: Option<SessionId>,
    /// How it stood to what was archived.
    pub change: ArchiveChange,
    /// How long it is.
    pub bytes: u64,
    /// How long it is in the archive; nothing if it was not written.
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
        // An empty folder that is left does no harm.
        let _ = fs::remove_dir(archive.temporary());
    }
    report.stored.sort_by(|a, b| a.path.cmp(&b.path));
    report.file_errors.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(report)
}

/// Takes the lock, and clears away what a run left that was ended.
fn begin(archive: &Archive) -> Result<Lock, ArchiveError> {
    let root = archive.root();
    make_private(root).map_err(ArchiveError::at(root))?;
    let lock = Lock::take(root, PATIENCE).map_err(ArchiveError::at(root))?;
    let lock = lock.ok_or_else(|| ArchiveError::Busy(root.to_owned()))?;
    let temporary = archive.temporary();
    clear(&temporary).map_err(ArchiveError::at(&temporary))?;
    Ok(lock)
}

/// Empties a folder, if it is there. The folder itself stays: it says of an archive that a run has
/// not come to its end.
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

/// Tells whether a home is one of the archive's own, which is read with others and has nothing
/// new. Refuses an archive in a home, which would contain itself.
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

/// Resolves the links of a path that need not be there yet.
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
    /// What came of files that were not passed over.
    changes: HashMap<PathBuf, ArchiveChange>,
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

    /// Archives files, the largest of each batch first.
    fn all(
        &mut self,
        files: &[Belonging],
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

    /// Returns the files that must be looked into, and how long all are together.
    fn stale<'f>(
        &self,
        files: &'f [Belonging],
        report: &mut ArchiveReport,
    ) -> (Vec<(&'f Belonging, u64)>, u64) {
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
                // It went away since the walk.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => report.file_errors.push(file_error(&file.path, error)),
            }
        }
        (stale, total)
    }

    /// Tells how long a file is, and whether it is archived as it is.
    fn look(&self, file: &Belonging) -> io::Result<(u64, bool)> {
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

    /// Packs some files, and puts them in their places once all of them are on the disk.
    fn batch(
        &mut self,
        batch: &[(&Belonging, u64)],
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
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => report.file_errors.push(file_error(&file.path, error)),
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

    /// Makes the places of files last, then remembers what is there.
    fn commit(&mut self, folders: &BTreeSet<PathBuf>) -> Result<(), ArchiveError> {
        let folders = folders.iter().map(PathBuf::as_path);
        self.settle(&folders.collect::<Vec<_>>())?;
        let written = self.manifest.write(&self.temporary, &self.manifest_file);
        written.map_err(ArchiveError::at(&self.manifest_file))
    }

    /// Packs one file, and finds out which plans it names if it is a session's log.
    fn pack(&self, file: &Belonging) -> io::Result<PendingFile> {
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
            BelongingKind::Main => plans_of(&file.path)?,
            BelongingKind::Log | BelongingKind::Side => Vec::new(),
        };
        Ok(PendingFile { prepared, places, plans })
    }

    /// Refuses to write where a link in the archive leads.
    fn check_way(&self, places: &StatePlaces) -> io::Result<()> {
        let clear = |path: &Path| {
            let below = path.strip_prefix(&self.root);
            below.is_ok_and(|below| place::way_is_clear(&self.root, below))
        };
        if clear(&places.current) && clear(&places.older) {
            return Ok(());
        }
        let reason = "its place in the archive leads over a link or a file; it was not archived";
        Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
    }

    fn note(
        &mut self,
        file: &Belonging,
        packing: &Packing,
        plans: Vec<String>,
        report: &mut ArchiveReport,
    ) {
        let bytes = packing.stamp.bytes;
        self.changes.insert(file.below.clone(), packing.change);
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

/// A file that is packed and not in its place yet.
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
    /// Counts files and sessions by what came of them. A session is as changed as its files:
    /// rewritten if one of its logs was, new if its log is.
    fn count(&mut self, files: &[Belonging], changes: &HashMap<PathBuf, ArchiveChange>) {
        let mut sessions: HashMap<&(ProjectId, SessionId), ArchiveChange> = HashMap::new();
        for file in files {
            let change = changes.get(&file.below).copied();
            let change = change.unwrap_or(ArchiveChange::Unchanged);
            self.files.add(change);
            let Some(owner) = &file.owner else { continue };
            let sum = sessions.entry(owner).or_insert(ArchiveChange::Unchanged);
            *sum = match (*sum, change, file.kind) {
                (sum, ArchiveChange::Unchanged, _) => sum,
                (_, ArchiveChange::New, BelongingKind::Main) | (ArchiveChange::New, _, _) => {
                    ArchiveChange::New
                }
                (_, ArchiveChange::Rewritten, BelongingKind::Main | BelongingKind::Log)
                | (ArchiveChange::Rewritten, _, _) => ArchiveChange::Rewritten,
                (
                    ArchiveChange::Unchanged | ArchiveChange::Repaired,
                    ArchiveChange::Repaired,
                    _,
                ) => ArchiveChange::Repaired,
                _ => ArchiveChange::Grown,
            };
        }
        for change in sessions.into_values() {
            self.sessions.add(change);
        }
    }
}

/// Returns the plans that the logs of sessions name.
pub(super) fn plans(
    manifest: &ArchiveManifest,
    home: &Home,
    files: &[Belonging],
) -> Vec<Belonging> {
    let mut plans = BTreeMap::new();
    for file in files.iter().filter(|file| file.kind == BelongingKind::Main) {
        let row = manifest.row(&file.below);
        let slugs = row.map(|row| row.plans.as_slice()).unwrap_or_default();
        for path in slugs.iter().filter_map(|slug| home::plan_file(home, slug)) {
            let Ok(below) = path.strip_prefix(&home.root).map(Path::to_owned) else {
                continue;
            };
            let plan = Belonging {
                path,
                below: below.clone(),
                owner: file.owner.clone(),
                kind: BelongingKind::Side,
            };
            plans.entry(below).or_insert(plan);
        }
    }
    plans.into_values().collect()
}

/// Reads which plans a session's log names.
fn plans_of(log: &Path) -> io::Result<Vec<String>> {
    let file = LogFile::open(log)?;
    let log = file.log();
    let slugs = log.facts.slugs.iter();
    Ok(slugs.map(|&slug| log.text(slug).to_owned()).collect())
}

fn file_error(path: &Path, error: io::Error) -> SessionFileError {
    let path = path.to_owned();
    SessionFileError { path, error }
}

/// Divides files into batches of bounded size.
fn batches<'b, 'f>(
    files: &'b [(&'f Belonging, u64)],
) -> impl Iterator<Item = &'b [(&'f Belonging, u64)]> {
    let mut rest = files;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = |(_, more): &&(&Belonging, u64)| {
            bytes += more;
            bytes <= BATCH_BYTES
        };
        let count = rest.iter().take(BATCH_FILES).take_while(fits).count();
        let (batch, left) = rest.split_at(count.max(1).min(rest.len()));
        rest = left;
        (!batch.is_empty()).then_some(batch)
    })
}
