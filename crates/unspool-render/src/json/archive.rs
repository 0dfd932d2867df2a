//! JSON of the archive commands: one line for each file or session, and a last line with totals.

use std::path::Path;

use serde::Serialize;
use unspool_model::ids::SessionId;
use unspool_model::time::Time;

use super::{SCHEMA, all, time, wire};
use unspool_store::archive::inventory::{ArchivedSession, Inventory, OlderState};
use unspool_store::archive::restore;
use unspool_store::archive::store::{self, ArchiveChange, ArchiveCounts, Mode, Stored};
use unspool_store::archive::verify::ArchiveVerdict;
use unspool_store::home::Problem;
use unspool_store::session::SessionFileError;

/// A line of `archive --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum StoredJson<'a> {
    /// A file that was or would be written.
    File {
        /// The version of the contract.
        schema: u32,
        /// The file.
        file: String,
        /// The session, if it is known.
        session: Option<&'a str>,
        /// How the file compares with its archived state.
        #[serde(with = "ChangeJson")]
        change: ArchiveChange,
        /// The size of the file.
        bytes: u64,
        /// The size of the file in the archive.
        packed_bytes: Option<u64>,
    },
    /// The last line.
    Summary {
        /// The version of the contract.
        schema: u32,
        /// The totals of the run.
        summary: StoreSummary,
    },
}

wire! {
    /// The totals of a run that archives.
    pub struct StoreSummary new(report: &store::ArchiveReport, mode: Mode) {
        dry_run: bool = mode == Mode::DryRun,
        #[serde(with = "ArchivedCountsJson")]
        sessions: ArchiveCounts = report.sessions,
        #[serde(with = "ArchivedCountsJson")]
        files: ArchiveCounts = report.files,
        bytes: u64 = report.bytes,
        added_bytes: u64 = report.added,
        written_bytes: u64 = report.written,
        failed: usize = report.file_errors.len(),
    }
}

/// How a file compares with its archived state.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "ArchiveChange", rename_all = "lowercase")]
enum ChangeJson {
    New,
    Grown,
    Rewritten,
    Repaired,
    Unchanged,
}

/// The numbers of files or sessions by their change.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(remote = "ArchiveCounts")]
struct ArchivedCountsJson {
    new: usize,
    grown: usize,
    rewritten: usize,
    repaired: usize,
    unchanged: usize,
}

impl<'a> StoredJson<'a> {
    /// Creates the line of a file.
    pub fn file(stored: &'a Stored) -> Self {
        Self::File {
            schema: SCHEMA,
            file: stored.path.display().to_string(),
            session: stored.session.as_ref().map(SessionId::as_str),
            change: stored.change,
            bytes: stored.bytes,
            packed_bytes: stored.packed,
        }
    }

    /// Creates the last line.
    pub fn summary(report: &store::ArchiveReport, mode: Mode) -> Self {
        Self::Summary { schema: SCHEMA, summary: StoreSummary::new(report, mode) }
    }
}

/// A line of `archive restore --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum RestoredJson {
    /// A file.
    File {
        /// The version of the contract.
        schema: u32,
        /// The path that was or would be written; for a failed file, its path in the archive.
        file: String,
        /// `written`, `refused` or `failed`.
        result: &'static str,
        /// Why it was not written.
        reason: Option<String>,
    },
    /// The last line.
    Summary {
        /// The version of the contract.
        schema: u32,
        /// The totals of the run.
        summary: RestoreSummary,
    },
}

wire! {
    /// The totals of a run that restores.
    pub struct RestoreSummary new(report: &restore::RestoreReport, target: &Path, mode: Mode) {
        dry_run: bool = mode == Mode::DryRun,
        target: String = target.display().to_string(),
        written: usize = report.written.len(),
        bytes: u64 = report.bytes,
        same: usize = report.same,
        refused: usize = report.refused.len(),
        /// The number of refused files that do not belong to sessions.
        foreign: usize = report.foreign().count(),
        failed: usize = report.file_errors.len(),
    }
}

impl RestoredJson {
    /// Creates the lines of a run.
    pub fn lines(
        report: &restore::RestoreReport,
        target: &Path,
        mode: Mode,
    ) -> impl Iterator<Item = Self> {
        let file = |path: &Path, result, reason| Self::File {
            schema: SCHEMA,
            file: path.display().to_string(),
            result,
            reason,
        };
        let written = report.written.iter();
        let written = written.map(move |path| file(path, "written", None));
        let refused = report
            .refused
            .iter()
            .map(move |refused| file(&refused.path, "refused", Some(refused.reason.to_string())));
        let failed = report.file_errors.iter().map(move |file_error| {
            file(&file_error.path, "failed", Some(file_error.error.to_string()))
        });
        let summary = RestoreSummary::new(report, target, mode);
        let summary = Self::Summary { schema: SCHEMA, summary };
        written.chain(refused).chain(failed).chain([summary])
    }
}

/// A line of `archive list --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum KeptJson<'a> {
    /// A session.
    Session {
        /// The version of the contract.
        schema: u32,
        /// The session.
        session: &'a str,
        /// The title, if the session has one.
        title: Option<&'a str>,
        /// The project.
        project: &'a str,
        /// The path of the home when it was archived.
        home: &'a str,
        /// The number of files of the session.
        files: usize,
        /// The size of these files.
        bytes: u64,
        /// The size of these files in the archive.
        packed_bytes: u64,
        /// When the log of the session was last written.
        modified: Option<String>,
        /// Older states of its files.
        older: Vec<OlderJson>,
    },
    /// The last line.
    Summary {
        /// The version of the contract.
        schema: u32,
        /// The totals of the archive.
        summary: KeptSummary,
    },
}

wire! {
    /// An older state of a file.
    pub struct OlderJson from(state: &OlderState) {
        file: String = state.below.display().to_string(),
        packed: String = state.path.display().to_string(),
        bytes: u64 = state.bytes,
        modified: Option<String> = time(Some(Time::from_millis(state.modified))),
    }

    /// The totals of an archive.
    pub struct KeptSummary from(inventory: &Inventory) {
        sessions: usize = inventory.sessions.len(),
        bytes: u64 = inventory.sessions.iter().map(|kept| kept.bytes).sum(),
        packed_bytes: u64 = inventory.sessions.iter().map(|kept| kept.packed).sum(),
        older: usize = inventory.sessions.iter().map(|kept| kept.older.len()).sum(),
        shared_files: usize = inventory.shared,
    }
}

impl<'a> KeptJson<'a> {
    /// Creates the line of a session.
    pub fn session(kept: &'a ArchivedSession) -> Self {
        Self::Session {
            schema: SCHEMA,
            session: kept.session.as_str(),
            title: kept.title.as_deref(),
            project: kept.project.as_str(),
            home: &kept.home.from,
            files: kept.files,
            bytes: kept.bytes,
            packed_bytes: kept.packed,
            modified: time(Some(Time::from_millis(kept.modified))),
            older: all(&kept.older),
        }
    }

    /// Creates the last line.
    pub fn summary(inventory: &Inventory) -> Self {
        Self::Summary { schema: SCHEMA, summary: inventory.into() }
    }
}

/// A line of `archive verify --json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum DamageJson {
    /// A file that is damaged, missing or foreign.
    File {
        /// The version of the contract.
        schema: u32,
        /// The packed file.
        file: String,
        /// The error, and where it is.
        error: String,
    },
    /// The last line.
    Summary {
        /// The version of the contract.
        schema: u32,
        /// The totals of the run.
        summary: VerdictSummary,
    },
}

wire! {
    /// The totals of a run that verifies.
    pub struct VerdictSummary from(verdict: &ArchiveVerdict) {
        files: usize = verdict.files,
        bytes: u64 = verdict.bytes,
        packed_bytes: u64 = verdict.packed,
        damaged: usize = verdict.damaged.len(),
        problems: usize = verdict.problems.len(),
    }
}

impl DamageJson {
    /// Creates the line of a damaged file.
    pub fn file(damage: &SessionFileError) -> Self {
        Self::File {
            schema: SCHEMA,
            file: damage.path.display().to_string(),
            error: damage.error.to_string(),
        }
    }

    /// Creates the line of a missing or foreign file.
    pub fn problem(problem: &Problem) -> Self {
        Self::File {
            schema: SCHEMA,
            file: problem.path.display().to_string(),
            error: problem.reason.to_string(),
        }
    }

    /// Creates the last line.
    pub fn summary(verdict: &ArchiveVerdict) -> Self {
        Self::Summary { schema: SCHEMA, summary: verdict.into() }
    }
}
