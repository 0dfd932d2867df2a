//! Resolves the names of sessions: an id, the start of one, a rank by age, or a file.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf, is_separator};

use rayon::prelude::*;
use unspool_model::path_name::{self, FolderMatch};
use unspool_model::schema::RecordKey;

use super::moved::moved_sessions;
use super::near::near;
use super::{
    Discovery, FileClass, FoundLog, NameCandidate, PlacedLog, Problem, Project, Resolved,
    SessionFile, describe_log,
};
use super::{layout, peek};
use crate::files;

/// The fewest characters of an id's start that can name it.
pub const MIN_PREFIX: usize = 4;

/// The name of a session as typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SessionName {
    /// The newest session here (1), the one before it (2), and so on.
    Newest(usize),
    /// A file.
    File(PathBuf),
    /// An id or the start of one.
    Prefix(String),
}

impl SessionName {
    /// Parses a name; the form of the text decides what kind of name it is.
    pub fn parse(text: &str) -> Self {
        if let Some(place) = text.strip_prefix('@') {
            if place.is_empty() {
                return Self::Newest(1);
            }
            let digits = place.bytes().all(|byte| byte.is_ascii_digit());
            if let Ok(place) = place.parse()
                && digits
            {
                return Self::Newest(place);
            }
        }
        if text.contains(is_separator) || layout::is_log(Path::new(text)) {
            Self::File(PathBuf::from(text))
        } else {
            Self::Prefix(text.to_owned())
        }
    }
}

/// Why a name cannot be resolved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameError {
    /// No session has this name.
    #[error("no session is named `{text}`")]
    Unknown {
        /// The name.
        text: String,
        /// Sessions or agents with similar ids.
        near: Vec<NameCandidate>,
        /// Similar names of sessions, added by callers that know these names.
        names: Vec<String>,
    },
    /// Several sessions or agents have this name.
    #[error("`{text}` could be any of {}", candidates.len())]
    Ambiguous {
        /// The name.
        text: String,
        /// All of these, sorted by name and path.
        candidates: Vec<NameCandidate>,
    },
    /// The start of an id is too short.
    #[error("`{text}` is too short: a part of an id needs {MIN_PREFIX} characters or more")]
    TooShort {
        /// The name.
        text: String,
        /// Sessions or agents with similar ids.
        near: Vec<NameCandidate>,
    },
    /// There are fewer sessions than the rank that was asked for.
    #[error("{}", not_that_many(*asked, *found))]
    NotThatMany {
        /// The rank that was asked for.
        asked: usize,
        /// How many sessions there are.
        found: usize,
    },
    /// The file does not exist.
    #[error("no such file: {}", path.display())]
    NoSuchFile {
        /// The path of the file.
        path: PathBuf,
        /// Sessions or agents whose ids are similar to the file's name.
        near: Vec<NameCandidate>,
    },
    /// The file exists and cannot be used.
    #[error(transparent)]
    Unusable(#[from] Problem),
}

/// Resolves a name in discovered homes.
///
/// `here` is the current folder: relative paths start there, and `@` counts the sessions of its
/// project, or all sessions if it has none.
pub fn resolve(
    name: &SessionName,
    discoveries: &[Discovery],
    here: &Path,
) -> Result<Resolved, NameError> {
    match name {
        SessionName::Newest(place) => newest(*place, discoveries, here),
        SessionName::File(path) => file(path, discoveries, here),
        SessionName::Prefix(text) => prefix(text, discoveries),
    }
}

/// Lists the projects that are named after `here` or the nearest folder above it.
pub fn projects_here<'a>(
    discoveries: &'a [Discovery],
    here: &Path,
) -> Vec<(&'a Discovery, &'a Project)> {
    nearest_here(discoveries, here).1
}

/// Lists the same projects, with the folder that they are named after, as given and with links
/// resolved; without any project, `here` itself.
fn nearest_here<'a>(
    discoveries: &'a [Discovery],
    here: &Path,
) -> (Vec<PathBuf>, Vec<(&'a Discovery, &'a Project)>) {
    let mut starts = vec![plain(here)];
    if let Ok(real) = fs::canonicalize(here) {
        starts.push(plain(&real));
    }
    starts.dedup();
    let levels = starts.iter().map(|start| start.ancestors().count()).max();
    for level in 0..levels.unwrap_or(0) {
        let folders: Vec<&Path> =
            starts.iter().filter_map(|start| start.ancestors().nth(level)).collect();
        let found = projects_of(discoveries, &folders);
        if !found.is_empty() {
            return (folders.into_iter().map(Path::to_path_buf).collect(), found);
        }
    }
    (starts, Vec::new())
}

/// Removes the prefix that `canonicalize` adds to a Windows path.
fn plain(path: &Path) -> PathBuf {
    match path.to_str().and_then(|text| text.strip_prefix(r"\\?\")) {
        Some(rest) => PathBuf::from(rest),
        None => path.to_path_buf(),
    }
}

fn projects_of<'a>(
    discoveries: &'a [Discovery],
    folders: &[&Path],
) -> Vec<(&'a Discovery, &'a Project)> {
    let all = || {
        discoveries
            .iter()
            .flat_map(|found| found.projects.iter().map(move |project| (found, project)))
    };
    let fits = |project: &Project, wanted: FolderMatch| {
        folders.iter().any(|folder| {
            let folder = folder.to_string_lossy();
            let mut names = std::iter::once(&project.id).chain(&project.aliases);
            names.any(|name| path_name::matches_folder(&folder, name.as_str()) == wanted)
        })
    };
    let exact: Vec<_> = all().filter(|(_, project)| fits(project, FolderMatch::Exact)).collect();
    if !exact.is_empty() {
        return exact;
    }
    all()
        .filter(|(_, project)| {
            fits(project, FolderMatch::PrefixOfLong) && began_in(project, folders)
        })
        .collect()
}

/// Returns whether a session of the project began in one of the folders. A project whose sessions
/// name no folder is included.
fn began_in(project: &Project, folders: &[&Path]) -> bool {
    let mut places = folders_of(project).peekable();
    if places.peek().is_none() {
        return true;
    }
    places.any(|place| {
        let place = path_name::nfc(&place).into_owned();
        folders.iter().any(|folder| {
            Path::new(&place).starts_with(&*path_name::nfc(&folder.to_string_lossy()))
        })
    })
}

/// Returns the folders that the three newest sessions of a project began in.
pub(crate) fn folders_of(project: &Project) -> impl Iterator<Item = String> {
    let mut logs: Vec<&SessionFile> =
        project.sessions.iter().filter(|session| session.class.has_transcript()).collect();
    logs.sort_by_key(|session| Reverse(session.stamp.modified));
    let newest = logs.into_iter().take(3);
    newest.filter_map(|session| peek::first(&session.path, RecordKey::Cwd))
}

/// Sessions by age, and whether they are from all projects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecentSessions {
    /// The sessions, newest first.
    pub sessions: Vec<Resolved>,
    /// Set if the folder has no sessions, so that those of all projects were taken.
    pub everywhere: bool,
}

/// Lists the sessions of a folder's project and those that moved there from another project, newest
/// first; those of all projects if there are none.
///
/// The time of the last entry counts: files get new times when they are copied.
pub fn recent(discoveries: &[Discovery], here: &Path) -> RecentSessions {
    let (folders, mut projects) = nearest_here(discoveries, here);
    let moved_sessions = moved_sessions(discoveries, &projects, &folders);
    let everywhere = projects.is_empty() && moved_sessions.is_empty();
    if everywhere {
        for found in discoveries {
            projects.extend(found.projects.iter().map(|project| (found, project)));
        }
    }
    let readable: Vec<(&Discovery, &Project, &SessionFile)> = projects
        .into_iter()
        .flat_map(|(home, project)| {
            let sessions = project.sessions.iter().filter(|s| s.class.has_transcript());
            sessions.map(move |session| (home, project, session))
        })
        .chain(moved_sessions)
        .collect();
    // Every log is read: many of them, if no project belongs to the folder.
    let mut found: Vec<(i64, PlacedLog<'_>)> = readable
        .into_par_iter()
        .map(|(home, project, session)| {
            let log = FoundLog::Session(session);
            (peek::last_time(session), PlacedLog { home, project, log })
        })
        .collect();
    found.sort_by(|(a_time, a), (b_time, b)| {
        b_time.cmp(a_time).then_with(|| a.log.path().cmp(b.log.path()))
    });
    let mut found: Vec<PlacedLog<'_>> = found.into_iter().map(|(_, hit)| hit).collect();
    one_per_file(&mut found);
    RecentSessions { sessions: found.iter().map(PlacedLog::resolved).collect(), everywhere }
}

fn newest(place: usize, discoveries: &[Discovery], here: &Path) -> Result<Resolved, NameError> {
    let RecentSessions { mut sessions, .. } = recent(discoveries, here);
    let found = sessions.len();
    match place.checked_sub(1).filter(|&index| index < found) {
        Some(index) => Ok(sessions.swap_remove(index)),
        None => Err(NameError::NotThatMany { asked: place, found }),
    }
}

fn not_that_many(asked: usize, found: usize) -> String {
    match found {
        _ if asked == 0 => "`@0` names nothing: `@1` is the newest session".to_owned(),
        0 => "there are no sessions".to_owned(),
        1 => format!("`@{asked}` goes past the only session"),
        more => format!("`@{asked}` goes past the last of {more} sessions"),
    }
}

fn file(path: &Path, discoveries: &[Discovery], here: &Path) -> Result<Resolved, NameError> {
    let mut full = files::plain_path(here.join(path));
    if full.is_dir() {
        // A shell completes the folder next to a log first.
        let log = layout::log_of_folder(&full);
        if files::is_file(&log) {
            full = log;
        }
    }
    let look = files::path_info_no_follow(&full);
    if look.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if path.components().count() == 1 {
            let found = prefix(&stem, discoveries);
            if matches!(found, Ok(_) | Err(NameError::Ambiguous { .. })) {
                return found;
            }
        }
        let near = near(&stem, discoveries);
        return Err(NameError::NoSuchFile { path: full, near });
    }
    if let Some(hit) = listed(&full, discoveries) {
        return Ok(hit.resolved());
    }
    let target = describe_log(&full)?;
    Ok(Resolved { home: None, project: None, target })
}

/// Finds a file among the discovered logs.
fn listed<'a>(path: &Path, discoveries: &'a [Discovery]) -> Option<PlacedLog<'a>> {
    let real = files::canonical(path).ok()?;
    let mut hits = discoveries.iter().flat_map(Discovery::logs);
    hits.find(|hit| {
        let other = hit.log.path();
        let same_name =
            other.file_name() == path.file_name() || other.file_name() == real.file_name();
        same_name && files::canonical(other).is_ok_and(|other| other == real)
    })
}

fn prefix(text: &str, discoveries: &[Discovery]) -> Result<Resolved, NameError> {
    let mut hits = Vec::new();
    let agents_only = layout::is_agent_name(text);
    let wanted = layout::agent_in(text);
    // An exact id wins over one in another case, both win over prefixes, and sessions over agents.
    for fit in [IdFit::Whole, IdFit::WholeInAnyCase, IdFit::Start] {
        if fit == IdFit::Start && wanted.chars().count() < MIN_PREFIX {
            break;
        }
        let fitting = |sessions: bool| {
            let all = discoveries.iter().flat_map(Discovery::logs);
            let fits = |hit: &PlacedLog<'_>| {
                hit.log.is_session() == sessions && fit.fits(wanted, hit.log.id())
            };
            all.filter(fits).collect()
        };
        if !agents_only {
            hits = fitting(true);
        }
        if hits.is_empty() {
            hits = fitting(false);
        }
        if !hits.is_empty() {
            return only_one(text, hits);
        }
    }
    let text = text.to_owned();
    let near = near(&text, discoveries);
    Err(if wanted.chars().count() < MIN_PREFIX {
        NameError::TooShort { text, near }
    } else {
        NameError::Unknown { text, near, names: Vec::new() }
    })
}

/// Resolves a name by the logs of all sessions that have it.
pub fn of_logs(
    text: &str,
    logs: &[&Path],
    discoveries: &[Discovery],
) -> Result<Resolved, NameError> {
    let all = discoveries.iter().flat_map(Discovery::logs);
    let hits: Vec<PlacedLog<'_>> = all.filter(|hit| logs.contains(&hit.log.path())).collect();
    only_one(text, hits)
}

fn only_one(text: &str, mut hits: Vec<PlacedLog<'_>>) -> Result<Resolved, NameError> {
    drop_stubs(&mut hits);
    one_per_file(&mut hits);
    if let [hit] = hits.as_slice() {
        return Ok(hit.resolved());
    }
    let mut candidates: Vec<NameCandidate> = hits.iter().map(NameCandidate::of).collect();
    candidates.sort_by(|a, b| a.name().cmp(&b.name()).then_with(|| a.path.cmp(&b.path)));
    Err(NameError::Ambiguous { text: text.to_owned(), candidates })
}

/// Of sessions with the same id, keeps those with the most content.
fn drop_stubs(hits: &mut Vec<PlacedLog<'_>>) {
    let mut best: HashMap<&str, u8> = HashMap::new();
    for hit in hits.iter() {
        let best = best.entry(hit.log.id()).or_default();
        *best = weight(hit.log).max(*best);
    }
    hits.retain(|hit| best.get(hit.log.id()).is_none_or(|&best| weight(hit.log) == best));
}

/// Ranks a log by its content: a main log counts more than agents, agents more than an empty file.
fn weight(log: FoundLog<'_>) -> u8 {
    match log {
        FoundLog::Session(session) => match session.class {
            FileClass::Empty => 0,
            FileClass::AgentsOnly => 1,
            FileClass::Session | FileClass::Named | FileClass::Unreadable => 2,
        },
        FoundLog::Agent(agent) => u8::from(agent.stamp.bytes > 0),
    }
}

/// Keeps the first of several paths to the same file.
fn one_per_file(hits: &mut Vec<PlacedLog<'_>>) {
    let mut seen = HashSet::new();
    hits.retain(|hit| match hit.log.stamp().identity {
        Some(identity) => seen.insert((hit.log.id().to_owned(), identity)),
        None => true,
    });
}

/// How a text is compared with an id.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IdFit {
    Whole,
    WholeInAnyCase,
    Start,
}

impl IdFit {
    fn fits(self, text: &str, id: &str) -> bool {
        match self {
            Self::Whole => id == text,
            Self::WholeInAnyCase => id.eq_ignore_ascii_case(text),
            Self::Start => {
                id.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(text))
            }
        }
    }
}
