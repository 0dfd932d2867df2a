//! Logs as sessions, and options for showing them.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use tempfile::TempDir;
use unspool_render::terminal::{AgentDisplay, DetailLevel, Options, Tools};
use unspool_store::home::{Resolved, describe_log};
use unspool_store::session::Session;
use unspool_testkit::reallogs::RealLogs;

/// Finds the session of a file.
pub(crate) fn resolved(file: &Path) -> Resolved {
    Resolved { home: None, project: None, target: describe_log(file).expect("a transcript") }
}

/// Opens the session of a file.
pub(crate) fn opened(file: &Path) -> Session {
    Session::open(&resolved(file), None).expect("a session")
}

/// Writes a log in a folder of its own.
pub(crate) fn write(log: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("00000000-1111-4111-8111-111111111111.jsonl");
    fs::write(&file, log).expect("writes");
    (folder, file)
}

/// Returns sessions of the real client: the files of the fixtures that are not agents' files.
pub(crate) fn real_sessions() -> Vec<PathBuf> {
    let mut files = RealLogs::fixtures().files();
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with("agent-")
    });
    files
}

/// Returns the usual options, with this level of detail for calls.
pub(crate) fn options(tools: Tools) -> Options {
    Options {
        width: 80,
        thinking: DetailLevel::Folded,
        tools,
        agents: AgentDisplay::Folded,
        zone: TimeZone::UTC,
        find: None,
    }
}
