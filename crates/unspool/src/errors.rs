//! The outcome of a run: exit codes, and usage errors.

use std::process::ExitCode;

use unspool_engine::library::{Completeness, ErrorClass};

/// The outcome of a run, which determines the exit code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum RunOutcome {
    Done,
    /// Nothing was found, or problems were found.
    Problems,
    /// The command line is wrong.
    Usage,
    /// A file could not be read or written.
    Io,
    /// The user pressed Control-C.
    Interrupted,
    /// A signal with this number ended the run.
    Signal(u8),
}

impl From<RunOutcome> for ExitCode {
    fn from(outcome: RunOutcome) -> Self {
        Self::from(match outcome {
            RunOutcome::Done => 0,
            RunOutcome::Problems => 1,
            RunOutcome::Usage => 2,
            RunOutcome::Io => 3,
            RunOutcome::Interrupted => 130,
            RunOutcome::Signal(signal) => 128_u8.saturating_add(signal),
        })
    }
}

impl From<Completeness> for RunOutcome {
    fn from(reading: Completeness) -> Self {
        match reading {
            Completeness::Whole => Self::Done,
            Completeness::Partial => Self::Io,
        }
    }
}

impl From<ErrorClass> for RunOutcome {
    fn from(class: ErrorClass) -> Self {
        match class {
            ErrorClass::NotFound => Self::Problems,
            ErrorClass::WrongUse => Self::Usage,
            ErrorClass::Unreadable => Self::Io,
        }
    }
}

/// A usage error that the argument parser cannot detect.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

/// Returns a usage error with these words.
pub(crate) fn wrong_use<T>(words: impl Into<String>) -> anyhow::Result<T> {
    Err(UsageError(words.into()).into())
}
