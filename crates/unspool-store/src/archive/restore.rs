//! Restores sessions from an archive, byte for byte.
//!
//! Every file is unpacked to a temporary file and then moved to its place, which fails if a file
//! exists there: nothing is ever overwritten. An existing file with the same bytes is fine. Nothing
//! is written outside of the target: names come from folders of the archive, never from the content
//! of files, and a link on the way is refused. Files that archiving would not have taken are
//! refused too: an archive may come from anywhere, and the client would obey settings, hooks or
//! credentials in it.

#![expect(clippy::disallowed_methods, reason = "an archive is files")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use rayon::prelude::*;
use tempfile::{NamedTempFile, TempPath};

use super::manifest::{ArchiveManifest, ManifestRow};
use super::store::{Mode, WantedSessions, plans};
use super::{Archive, ArchiveError, place};
use crate::files;
use crate::files::ArchivedHome;
use crate::files::lock::Lock;
use crate::files::private::make_private;
use crate::home::{self, Problem};
use crate::progress::Progress;
use crate::session::SessionFileError;

/// The folder in the target for temporary files.
const WORKPLACE: &str = ".unspool-restoring";
/// How long to wait for the lock. Chosen by judgement: a person waits, and the error names the
/// reason.
const TIMEOUT: Duration = Duration::from_secs(2);
/// How many files are unpacked before they are moved to their places. Chosen by judgement: a bound
/// on what a kill leaves in the workplace.
const BATCH: usize = 1000;
const CHUNK: usize = 256 * 1024;

/// What to restore, and where.
pub struct RestoreRequest<'a> {
    /// The folder of the archive.
    pub archive: &'a Path,
    /// The sessions to restore, by the homes of the archive.
    pub wanted: &'a WantedSessions,
    /// The folder that becomes a home. If the archive has several homes, it gets a folder for each,
    /// named as in the archive.
    pub target: &'a Path,
    /// Whether files are written.
    pub mode: Mode,
}

/// The result of a run.
#[derive(Default, Debug)]
pub struct RestoreReport {
    /// Files that were or would be written, sorted by path.
    pub written: Vec<PathBuf>,
    /// The total size of these files.
    pub bytes: u64,
    /// How many files existed already, with the same bytes.
    pub same: usize,
    /// Files that were refused.
    pub refused: Vec<Refused>,
    /// Files that could not be read or written.
    pub file_errors: Vec<SessionFileError>,
    /// Files of the archive that were skipped.
    pub problems: Vec<Problem>,
}

/// A file that was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct Refused {
    /// The path that it would have been written to.
    pub path: PathBuf,
    /// Why it was refused.
    pub reason: Refusal,
}

/// Why a file is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// A different file exists.
    #[error("there is another file already; it was left as it is")]
    Exists,
    /// Archiving would not have taken the file.
    #[error("it is nothing that belongs to sessions; it was not written")]
    Foreign,
    /// A parent of the destination is a link or a file.
    #[error("a parent of the destination is a symlink or a file; not restored")]
    Way,
}

/// The result of restoring one file.
enum RestoreOutcome {
    /// The temporary file, unless it was moved to its place or this is a dry run, and the size.
    Ready(Option<TempPath>, u64),
    Same,
    Refused(Refusal),
}

/// Restores sessions from an archive.
pub fn restore(
    request: &RestoreRequest<'_>,
    progress: &dyn Progress,
) -> Result<RestoreReport, ArchiveError> {
    let archive = Archive::open(request.archive)?;
    let mut report = RestoreReport::default();
    let alone = archive.homes().len() == 1;
    for home in archive.homes() {
        let target =
            if alone { request.target.to_owned() } else { request.target.join(&home.folder) };
        one_home(&archive, home, &target, request, progress, &mut report)?;
    }
    report.written.sort();
    report.refused.sort_by(|a, b| a.path.cmp(&b.path));
    report.file_errors.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(report)
}

fn one_home(
    archive: &Archive,
    home: &ArchivedHome,
    target: &Path,
    request: &RestoreRequest<'_>,
    progress: &dyn Progress,
    report: &mut RestoreReport,
) -> Result<(), ArchiveError> {
    let root = archive.home(home).root;
    let manifest = ArchiveManifest::read(&archive.manifest(home));
    let files = files_of(&root, request.wanted, &manifest, &mut report.problems);
    if files.is_empty() {
        return Ok(());
    }
    let workplace = target.join(WORKPLACE);
    let _lock = match request.mode {
        Mode::Write => Some(begin(&workplace)?),
        Mode::DryRun => None,
    };
    let work = RestoreWork {
        root: &root,
        target,
        workplace: &workplace,
        manifest: &manifest,
        mode: request.mode,
    };
    let sized: Vec<(PathBuf, u64)> = files
        .into_iter()
        .map(|path| {
            let bytes = files::stamp(&path).map_or(0, |stamp| stamp.bytes);
            (path, bytes)
        })
        .collect();
    let mut result = Ok(());
    progress.watch(sized.iter().map(|(_, bytes)| bytes).sum(), &mut |done| {
        let mut batches = sized.chunks(BATCH);
        result = batches.try_for_each(|batch| work.batch(batch, done, report));
    });
    result?;
    if request.mode == Mode::Write {
        let folders: BTreeSet<&Path> = report.written.iter().filter_map(|it| it.parent()).collect();
        let settled = place::settle(&folders.into_iter().collect::<Vec<_>>(), target);
        settled.map_err(ArchiveError::at(target))?;
        // Files that remain are in a hidden folder, and the next run removes them.
        let _ = fs::remove_dir_all(&workplace);
    }
    Ok(())
}

/// Lists the wanted files of an archived home.
fn files_of(
    root: &Path,
    wanted: &WantedSessions,
    manifest: &ArchiveManifest,
    problems: &mut Vec<Problem>,
) -> Vec<PathBuf> {
    match wanted {
        WantedSessions::Everything => home::tree(root, problems),
        WantedSessions::Sessions(_) => {
            let found = home::discover(&home::Home::new(root));
            let (files, more) = wanted.files(&found);
            problems.extend(more);
            let plans = plans(manifest, &found.home, &files);
            files.into_iter().chain(plans).map(|file| file.path).collect()
        }
    }
}

/// Locks the target, and removes what a killed run left.
fn begin(workplace: &Path) -> Result<Lock, ArchiveError> {
    make_private(workplace).map_err(ArchiveError::at(workplace))?;
    if fs::symlink_metadata(workplace).is_ok_and(|data| data.is_symlink()) {
        // The files in the target of the link are not what a killed run left.
        let error = io::Error::new(io::ErrorKind::InvalidInput, "it is a symlink; remove it");
        return Err(ArchiveError::at(workplace)(error));
    }
    let lock = Lock::take(workplace, TIMEOUT).map_err(ArchiveError::at(workplace))?;
    let lock = lock.ok_or_else(|| ArchiveError::Busy(workplace.to_owned()))?;
    for left in fs::read_dir(workplace).into_iter().flatten().flatten() {
        if left.file_name() != "lock" {
            // A file that stays does no harm.
            let _ = fs::remove_file(left.path());
        }
    }
    Ok(lock)
}

impl RestoreReport {
    /// Returns the files that were refused because archiving would not have taken them.
    pub fn foreign(&self) -> impl Iterator<Item = &Refused> {
        let refused = self.refused.iter();
        refused.filter(|refused| refused.reason == Refusal::Foreign)
    }

    fn add(&mut self, path: &Path, place: PathBuf, result: io::Result<RestoreOutcome>) {
        match result {
            Ok(RestoreOutcome::Ready(_, bytes)) => {
                self.bytes += bytes;
                self.written.push(place);
            }
            Ok(RestoreOutcome::Same) => self.same += 1,
            Ok(RestoreOutcome::Refused(reason)) => {
                self.refused.push(Refused { path: place, reason });
            }
            Err(error) => self.file_errors.push(SessionFileError { path: path.to_owned(), error }),
        }
    }
}

/// The work on one home.
struct RestoreWork<'a> {
    /// The home in the archive.
    root: &'a Path,
    target: &'a Path,
    workplace: &'a Path,
    manifest: &'a ArchiveManifest,
    mode: Mode,
}

impl RestoreWork<'_> {
    fn below<'p>(&self, path: &'p Path) -> &'p Path {
        path.strip_prefix(self.root).unwrap_or(path)
    }

    fn place_of(&self, path: &Path) -> PathBuf {
        self.target.join(self.below(path))
    }

    /// Unpacks a batch of files, and moves them to their places once all of them are synced to
    /// disk.
    fn batch(
        &self,
        batch: &[(PathBuf, u64)],
        done: &AtomicU64,
        report: &mut RestoreReport,
    ) -> Result<(), ArchiveError> {
        let one = |(path, bytes): &(PathBuf, u64)| {
            let outcome = self.one(path);
            done.fetch_add(*bytes, Ordering::Relaxed);
            outcome
        };
        let outcomes: Vec<_> = batch.par_iter().map(one).collect();
        let fresh = outcomes.iter().filter_map(|outcome| match outcome {
            Ok(RestoreOutcome::Ready(fresh, _)) => fresh.as_deref(),
            _ => None,
        });
        let settled = place::settle(&fresh.collect::<Vec<_>>(), self.workplace);
        settled.map_err(ArchiveError::at(self.workplace))?;
        for ((path, _), outcome) in batch.iter().zip(outcomes) {
            let place = self.place_of(path);
            let outcome = outcome.and_then(|outcome| self.put(outcome, &place));
            report.add(path, place, outcome);
        }
        Ok(())
    }

    /// Moves a file to its place, unless another file was created there meanwhile.
    fn put(&self, outcome: RestoreOutcome, place: &Path) -> io::Result<RestoreOutcome> {
        let RestoreOutcome::Ready(Some(fresh), bytes) = outcome else {
            return Ok(outcome);
        };
        make_private(place.parent().unwrap_or(self.target))?;
        match fresh.persist_noclobber(place) {
            Ok(()) => Ok(RestoreOutcome::Ready(None, bytes)),
            Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => {
                Ok(RestoreOutcome::Refused(Refusal::Exists))
            }
            Err(failed) => Err(failed.error),
        }
    }

    /// Unpacks a file, unless it is refused or exists already.
    fn one(&self, path: &Path) -> io::Result<RestoreOutcome> {
        let below = self.below(path);
        let place = self.place_of(path);
        if !home::is_archivable(below) {
            return Ok(RestoreOutcome::Refused(Refusal::Foreign));
        }
        if !place::parents_are_folders(self.target, below) {
            return Ok(RestoreOutcome::Refused(Refusal::Way));
        }
        let file = files::OpenFile::open(path)?;
        match fs::symlink_metadata(&place) {
            Ok(data) if data.is_file() && is_same(&file, &place)? => {
                return Ok(RestoreOutcome::Same);
            }
            Ok(_) => return Ok(RestoreOutcome::Refused(Refusal::Exists)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        if self.mode == Mode::DryRun {
            return Ok(RestoreOutcome::Ready(None, file.stamp()?.bytes));
        }
        let (fresh, bytes) = self.unpack(&file, below)?;
        Ok(RestoreOutcome::Ready(Some(fresh), bytes))
    }

    /// Unpacks a file to a temporary file with its original modification time.
    fn unpack(&self, file: &files::OpenFile, below: &Path) -> io::Result<(TempPath, u64)> {
        let mut fresh = NamedTempFile::new_in(self.workplace)?;
        let bytes = io::copy(&mut file.reader(), &mut fresh)?;
        fresh.flush()?;
        let time = self.time_of(file, below)?;
        fresh.as_file().set_modified(time)?;
        Ok((fresh.into_temp_path(), bytes))
    }

    /// Returns the original modification time of a file. The manifest is more precise than some
    /// disks; the packed file's own time is used if the manifest does not know this state.
    fn time_of(&self, file: &files::OpenFile, below: &Path) -> io::Result<SystemTime> {
        let stamp = file.stamp()?;
        let row = self.manifest.row(below);
        let known = row.filter(|row| row.bytes == stamp.bytes);
        Ok(known.map_or(stamp.modified, ManifestRow::time))
    }
}

/// Returns whether a file on disk has the bytes of an archived one.
fn is_same(archived: &files::OpenFile, place: &Path) -> io::Result<bool> {
    let (there, metadata) = files::open_regular(place)?;
    if metadata.len() != archived.stamp()?.bytes {
        return Ok(false);
    }
    let mut archived = archived.reader();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    loop {
        ours.clear();
        theirs.clear();
        (&mut archived).take(CHUNK as u64).read_to_end(&mut ours)?;
        (&there).take(CHUNK as u64).read_to_end(&mut theirs)?;
        if ours != theirs {
            return Ok(false);
        }
        if ours.is_empty() {
            return Ok(true);
        }
    }
}
