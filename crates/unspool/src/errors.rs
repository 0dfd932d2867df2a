//! How a run ends: exit codes, and wrong uses.

use std::process::ExitCode;

use unspool_engine::library::{Completeness, ErrorClass};

/// How a run ended, as scripts see it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum RunOutcome {
    /// Done.
    Done,
    /// Nothing was found, or problems were.
    Problems,
    /// Wrong use.
    Usage,
    /// Something could not be read or written.
    Io,
    /// A person pressed Control-C.
    Interrupted,
    /// This signal ended it.
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

/// A wrong use that the argument parser cannot see.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

/// Refuses a wrong use, in words.
pub(crate) fn wrong_use<T>(words: impl Into<String>) -> anyhow::Result<T> {
    Err(UsageError(words.into()).into())
}
