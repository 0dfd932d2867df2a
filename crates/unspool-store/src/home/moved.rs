//! Finds sessions that moved to another folder than the one they began in.
//!
//! The log of a session stays in the project that it began in, and only its entries name later
//! folders. A search for the newest session of a folder includes those that moved there. To find
//! them, logs have to be read, so only the newest ones are.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use memchr::memmem;
use rayon::prelude::*;
use unspool_model::path_name::nfc;
use unspool_model::schema::RecordKey;

use super::{Discovery, Project, SessionFile, peek};
use crate::files::OpenFile;
use crate::files::lines::line_around;

/// How many logs are read, the most recently written first.
const LOGS: usize = 64;
/// The most bytes of a log that are read, from its end.
const LIMIT: u64 = 64 * 1024 * 1024;

/// A session with its home and its project.
pub(super) type PlacedSession<'a> = (&'a Discovery, &'a Project, &'a SessionFile);

/// Lists the sessions of other projects than `own` that were in one of `folders` or inside it.
pub(super) fn moved_sessions<'a>(
    discoveries: &'a [Discovery],
    own: &[(&'a Discovery, &'a Project)],
    folders: &[PathBuf],
) -> Vec<PlacedSession<'a>> {
    let is_own = |project: &Project| own.iter().any(|(_, known)| std::ptr::eq(*known, project));
    let mut others: Vec<PlacedSession<'_>> = Vec::new();
    for found in discoveries {
        for project in found.projects.iter().filter(|project| !is_own(project)) {
            let sessions = project.sessions.iter().filter(|s| s.class.has_transcript());
            others.extend(sessions.map(|session| (found, project, session)));
        }
    }
    others.sort_by_key(|(_, _, session)| Reverse(session.stamp.modified));
    others.truncate(LOGS);
    let wandered = others.into_par_iter();
    wandered.filter(|(_, _, session)| was_in(session, folders)).collect()
}

/// Returns whether a session was in one of some folders or inside it.
fn was_in(session: &SessionFile, folders: &[PathBuf]) -> bool {
    let start = session.stamp.bytes.saturating_sub(LIMIT);
    let end = OpenFile::open(&session.path).and_then(|file| file.part(start, LIMIT));
    let Ok(bytes) = end else {
        return false;
    };
    folders.iter().any(|folder| {
        let folder = folder.to_string_lossy();
        // As the client writes it, without the closing quote, so that folders inside match too.
        let quoted = serde_json::to_string(&folder).unwrap_or_default();
        let inside = quoted.trim_end_matches('"').strip_prefix('"');
        let needle = RecordKey::Cwd.opening() + inside.unwrap_or_default();
        memmem::find_iter(&bytes, needle.as_bytes()).any(|at| {
            let cwd = peek::in_line(&bytes[line_around(&bytes, at)], RecordKey::Cwd);
            cwd.is_some_and(|cwd| Path::new(&*nfc(&cwd)).starts_with(&*nfc(&folder)))
        })
    })
}
