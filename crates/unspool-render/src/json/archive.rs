//! Archives as scripts see them: one line for each file or session, the last one with a sum.

use serde::Serialize;
use unspool_model::ids::SessionId;
use unspool_model::time::Time;

use super::{SCHEMA, time};
use unspool_store::archive::inventory::{ArchivedSession, Inventory};
use unspool_store::archive::restore;
use unspool_store::archive::store::{self, ArchiveChange, ArchiveCounts, Mode, Stored};
use unspool_store::archive::verify::ArchiveVerdict;
use unspool_store::home::Problem;
use unspool_store::session::SessionFileError;

/// A line about archiving.
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
        /// How it stood to what was archived.
        #[serde(with = "ChangeJson")]
        change: ArchiveChange,
        /// How long it is.
        bytes: u64,
        /// How long it is in the archive.
        packed_bytes: Option<u64>,
    },
    /// The last line.
    Summary {
        /// The version of the contract.
        schema: u32,
        /// The sum.
        summary: StoreSummary,
    },
}

/// What a run came to.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StoreSummary {
    dry_run: bool,
    #[serde(with = "ArchivedCountsJson")]
    sessions: ArchiveCounts,
    #[serde(with = "ArchivedCountsJson")]
    files: ArchiveCounts,
    bytes: u64,
    added_bytes: u64,
    written_bytes: u64,
    failed: usize,
}

/// How a file compares with what is archived of it.
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

/// How many came out how.
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
    /// Makes a line of a file.
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

    /// Makes the last line.
    pub fn summary(report: &store::ArchiveReport, mode: Mode) -> Self {
        Self::Summary {
            schema: SCHEMA,
            summary: StoreSummary {
                dry_run: mode == Mode::DryRun,
                sessions: report.sessions,
                files: report.files,
                bytes: report.bytes,
                added_bytes: report.added,
                written_bytes: report.written,
                failed: report.file_errors.len(),
            },
        }
    }
}

/// A line about writing back.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum RestoredJson {
    /// A file.
    File {
        /// The version of the contract.
        schema: u32,
        /// Where it was or would be written; for one that failed, where it is archived.
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
        /// The sum.
        summary: RestoreSummary,
    },
}

/// What a run came to.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RestoreSummary {
    dry_run: bool,
    target: String,
    written: usize,
    bytes: u64,
    same: usize,
    refused: usize,
    /// Of those, how many are nothing that belongs to sessions.
    foreign: usize,
    failed: usize,
}

impl RestoredJson {
    /// Makes the lines of a run.
    pub fn lines(
        report: &restore::RestoreReport,
        target: &std::path::Path,
        mode: Mode,
    ) -> impl Iterator<Item = Self> {
        let file = |path: &std::path::Path, result, reason| Self::File {
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
        let summary = Self::Summary {
            schema: SCHEMA,
            summary: RestoreSummary {
                dry_run: mode == Mode::DryRun,
                target: target.display().to_string(),
                written: report.written.len(),
                bytes: report.bytes,
                same: report.same,
                refused: report.refused.len(),
                foreign: report.foreign().count(),
                failed: report.file_errors.len(),
            },
        };
        written.chain(refused).chain(failed).chain([summary])
    }
}

/// A line about what is archived.
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
        /// Its title, if anything in it can be one.
        title: Option<&'a str>,
        /// Its project.
        project: &'a str,
        /// Where its home was.
        home: &'a str,
        /// How many files belong to it.
        files: usize,
        /// How long they are together.
        bytes: u64,
        /// How much they take on disk.
        packed_bytes: u64,
        /// When its log was last written.
        modified: Option<String>,
        /// Older states of its files.
        older: Vec<OlderJson>,
    },
    /// The last line.
    Summary {
        /// The version of the contract.
        schema: u32,
        /// The sum.
        summary: KeptSummary,
    },
}

/// An older state as scripts see it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OlderJson {
    file: String,
    packed: String,
    bytes: u64,
    modified: Option<String>,
}

/// What is archived, in all.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KeptSummary {
    sessions: usize,
    bytes: u64,
    packed_bytes: u64,
    older: usize,
    shared_files: usize,
}

impl<'a> KeptJson<'a> {
    /// Makes a line of a session.
    pub fn session(kept: &'a ArchivedSession) -> Self {
        let older = kept.older.iter().map(|state| OlderJson {
            file: state.below.display().to_string(),
            packed: state.path.display().to_string(),
            bytes: state.bytes,
            modified: time(Some(Time::from_millis(state.modified))),
        });
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
            older: older.collect(),
        }
    }

    /// Makes the last line.
    pub fn summary(inventory: &Inventory) -> Self {
        let sessions = || inventory.sessions.iter();
        Self::Summary {
            schema: SCHEMA,
            summary: KeptSummary {
                sessions: inventory.sessions.len(),
                bytes: sessions().map(|kept| kept.bytes).sum(),
                packed_bytes: sessions().map(|kept| kept.packed).sum(),
                older: sessions().map(|kept| kept.older.len()).sum(),
                shared_files: inventory.shared,
            },
        }
    }
}

/// A line about damage.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum DamageJson {
    /// A file that is damaged, gone or foreign.
    File {
        /// The version of the contract.
        schema: u32,
        /// The packed file.
        file: String,
        /// What is wrong, and where.
        error: String,
    },
    /// The last line.
    Summary {
        /// The version of the contract.
        schema: u32,
        /// The sum.
        summary: VerdictSummary,
    },
}

/// What was unpacked, in all.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VerdictSummary {
    files: usize,
    bytes: u64,
    packed_bytes: u64,
    damaged: usize,
    problems: usize,
}

impl DamageJson {
    /// Makes a line of a file.
    pub fn file(damage: &SessionFileError) -> Self {
        Self::File {
            schema: SCHEMA,
            file: damage.path.display().to_string(),
            error: damage.error.to_string(),
        }
    }

    /// Makes a line of what is gone or foreign.
    pub fn problem(problem: &Problem) -> Self {
        Self::File {
            schema: SCHEMA,
            file: problem.path.display().to_string(),
            error: problem.reason.to_string(),
        }
    }

    /// Makes the last line.
    pub fn summary(verdict: &ArchiveVerdict) -> Self {
        Self::Summary {
            schema: SCHEMA,
            summary: VerdictSummary {
                files: verdict.files,
                bytes: verdict.bytes,
                packed_bytes: verdict.packed,
                damaged: verdict.damaged.len(),
                problems: verdict.problems.len(),
            },
        }
    }
}
