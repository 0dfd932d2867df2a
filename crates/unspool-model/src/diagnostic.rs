//! Diagnostics: what is unusual about the bytes of a file, and on which line.
//!
//! Reading never fails; the problems that it met are reported here. Surfaces decide whether to
//! show them. `check` adds its own findings.

use std::fmt;

/// A problem on one line of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The line, counted from one.
    pub line: u32,
    /// The kind of problem.
    pub oddity: DiagnosticKind,
}

/// What can be unusual about the bytes of a line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DiagnosticKind {
    /// A line that neither is nor contains a JSON object.
    Damaged,
    /// The last line has no newline and is not a whole record: torn, or still being written.
    Unfinished,
    /// A record follows the torn start of another one, or two share a line.
    Glued,
    /// A value that is valid JSON but not an object.
    NotAnObject,
    /// A line too long to be read as a record.
    TooLong,
    /// Bytes that are not UTF-8 inside a record.
    BadUtf8,
}

impl fmt::Display for DiagnosticKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Damaged => "not a JSON object; kept as a fragment",
            Self::Unfinished => "last line is torn or still being written; kept as a fragment",
            Self::Glued => {
                "several records or a torn start share this line; whole records recovered"
            }
            Self::NotAnObject => "JSON, but not an object; kept as a fragment",
            Self::TooLong => "line too long to read as a record; kept as a fragment",
            Self::BadUtf8 => "bytes that are not UTF-8; shown with replacement characters",
        })
    }
}
