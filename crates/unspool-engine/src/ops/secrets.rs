//! Sessions with likely secrets: kinds, counts and places.
//!
//! Every line of every log is searched, and the side files: spilled outputs, plans, tasks. Findings
//! are reported by kind and place, never as text: a [`SecretReport`] contains nothing that opens
//! anything. Memory does not grow with the logs: each thread has one chunk of one file, and
//! [`MOST_PLACES`] limits the places.

use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use unspool_model::entry::{Block, BlockKind, Entry};
use unspool_model::history::HistoryLine;
use unspool_model::ids::{AgentId, EntryId, ProjectId, SessionId};
use unspool_model::log::Log;
use unspool_model::query::TextRole;
use unspool_model::roles;
use unspool_model::schema::TextKind;
use unspool_model::time::Time;
use unspool_redact::{Redactor, SecretTally, SeenSecrets};
use unspool_search::scan::{Content, ScanSource};
use unspool_store::files::lines::LineReader;
use unspool_store::files::{self, OpenFile};
use unspool_store::home::layout::sidecar_of;
use unspool_store::session::SessionFileError;

/// How many places of one session are reported. Chosen by judgement: more than a person looks at.
pub const MOST_PLACES: usize = 1000;

/// The findings in one session.
#[derive(Clone, PartialEq, Debug)]
pub struct SecretReport {
    /// The home of the session.
    pub home: Option<PathBuf>,
    /// The project of the session.
    pub project: Option<ProjectId>,
    /// The session; empty if an old prompt history does not contain its id.
    pub session: SessionId,
    /// The title, with secrets redacted, if it is known.
    pub title: Option<String>,
    /// The number of secrets of each kind, each counted once however often it is repeated.
    pub kinds: SecretTally,
    /// The places, in the order of files and lines.
    pub places: Vec<SecretPlace>,
    /// The number of further places.
    pub more_places: u64,
}

/// A line of a log, or a side file, that contains secrets.
#[derive(Clone, PartialEq, Debug)]
pub struct SecretPlace {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from one; `None` for a whole file.
    pub line: Option<u32>,
    /// The uuid of the entry, if it has one.
    pub entry: Option<EntryId>,
    /// The agent that wrote the line.
    pub agent: Option<AgentId>,
    /// The role of the text.
    pub role: TextRole,
    /// The time of the entry.
    pub time: Option<Time>,
    /// The number of secrets of each kind in this place, each counted once.
    pub kinds: SecretTally,
}

/// The findings in some files.
#[derive(Default, Debug)]
pub struct SecretSearch {
    /// The sessions with secrets, in the order of the files.
    pub reports: Vec<SecretReport>,
    /// Files that could not be read.
    pub file_errors: Vec<SessionFileError>,
}

/// The findings in one file.
#[derive(Default)]
struct FileSecrets {
    /// The places, each with its session.
    found: Vec<(SessionId, SecretPlace, SeenSecrets)>,
    file_error: Option<SessionFileError>,
}

/// Searches files for secrets; `read` counts the bytes that were read.
pub fn secrets(sources: &[ScanSource], redactor: &Redactor, read: &AtomicU64) -> SecretSearch {
    let logs = sources.iter().filter(|source| is_log(source));
    let there: HashSet<&SessionId> = logs.map(|source| &source.session).collect();
    let files: Vec<FileSecrets> = sources
        .par_iter()
        .map(|source| {
            let mut look =
                FileLook { source, redactor, there: &there, found: FileSecrets::default() };
            if let Err(error) = look.file() {
                let path = source.path.clone();
                look.found.file_error = Some(SessionFileError { path, error });
            }
            read.fetch_add(source.bytes, Ordering::Relaxed);
            look.found
        })
        .collect();
    gather(sources, files)
}

fn is_log(source: &ScanSource) -> bool {
    matches!(source.content, Content::Log | Content::Journal)
}

/// Merges the findings by session.
fn gather(sources: &[ScanSource], files: Vec<FileSecrets>) -> SecretSearch {
    let mut search = SecretSearch::default();
    let mut kinds: Vec<SeenSecrets> = Vec::new();
    let mut known: HashMap<(Option<PathBuf>, SessionId), usize> = HashMap::new();
    for (source, file) in sources.iter().zip(files) {
        search.file_errors.extend(file.file_error);
        for (session, place, seen) in file.found {
            let key = (source.home.clone(), session.clone());
            let at = *known.entry(key).or_insert_with(|| {
                search.reports.push(SecretReport {
                    home: source.home.clone(),
                    project: source.project.clone(),
                    session,
                    title: None,
                    kinds: SecretTally::default(),
                    places: Vec::new(),
                    more_places: 0,
                });
                kinds.push(SeenSecrets::default());
                kinds.len() - 1
            });
            kinds[at].merge(seen);
            let report = &mut search.reports[at];
            if report.places.len() < MOST_PLACES {
                report.places.push(place);
            } else {
                report.more_places += 1;
            }
        }
    }
    for (report, seen) in search.reports.iter_mut().zip(kinds) {
        report.kinds = seen.tally();
    }
    search
}

/// Searches one file.
struct FileLook<'a> {
    source: &'a ScanSource,
    redactor: &'a Redactor,
    /// The sessions whose logs are searched; their prompts are in the logs.
    there: &'a HashSet<&'a SessionId>,
    found: FileSecrets,
}

impl FileLook<'_> {
    fn file(&mut self) -> io::Result<()> {
        match &self.source.content {
            Content::Log | Content::Journal => self.lines(Self::record),
            Content::History(_) => self.lines(Self::typed),
            Content::Spilled => self.text(TextRole::Result),
            Content::Plan => self.text(TextRole::Assistant),
            Content::Task => self.json(&self.source.path, TextRole::System),
            Content::Sidecar => self.json(&sidecar_of(&self.source.path), TextRole::Title),
        }
    }

    /// Passes lines with their numbers to `each`.
    fn lines(&mut self, mut each: impl FnMut(&mut Self, &[u8], u32)) -> io::Result<()> {
        let file = OpenFile::open(&self.source.path)?;
        let mut lines = LineReader::default();
        let mut number = 0;
        lines.read(&file, 0..u64::MAX, &mut |bytes, _| {
            let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            for line in bytes.split(|&byte| byte == b'\n') {
                number += 1;
                each(self, line, number);
            }
            ControlFlow::Continue(())
        })?;
        match lines.overlong {
            0 => Ok(()),
            _ => Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "a line is too long to be looked at",
            )),
        }
    }

    /// Searches a line of a log.
    fn record(&mut self, line: &[u8], number: u32) {
        let seen = self.redactor.see_record(line);
        if seen.is_empty() {
            return;
        }
        let log = Log::read(line);
        let entry = log.entries.first();
        let inside = entry.and_then(|entry| entry.agent);
        let place = SecretPlace {
            line: Some(number),
            entry: entry.and_then(|entry| Some(EntryId::new(log.text(entry.uuid?)))),
            agent: inside.map(|agent| AgentId::new(log.text(agent))),
            time: entry.and_then(|entry| entry.time),
            ..self.place(entry.map_or(TextRole::System, |entry| role(&log, entry)), &seen)
        };
        self.add(place, seen);
    }

    /// Searches a line of the prompt history. A prompt of a session that still exists is found in its log.
    fn typed(&mut self, line: &[u8], number: u32) {
        let typed = HistoryLine::read(line);
        let session = SessionId::new(typed.session());
        if self.there.contains(&session) {
            return;
        }
        let seen = self.redactor.see_record(line);
        if seen.is_empty() {
            return;
        }
        let place = SecretPlace {
            line: Some(number),
            time: typed.time,
            ..self.place(TextRole::User, &seen)
        };
        self.found.found.push((session, place, seen));
    }

    fn text(&mut self, role: TextRole) -> io::Result<()> {
        let bytes = files::read(&self.source.path)?;
        let seen = self.redactor.see_text(&bytes);
        self.whole(role, seen);
        Ok(())
    }

    fn json(&mut self, path: &Path, role: TextRole) -> io::Result<()> {
        let bytes = match files::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            bytes => bytes?,
        };
        let seen = self.redactor.see_record(&bytes);
        self.whole(role, seen);
        Ok(())
    }

    /// Adds the findings in a whole file.
    fn whole(&mut self, role: TextRole, seen: SeenSecrets) {
        if !seen.is_empty() {
            let place = self.place(role, &seen);
            self.add(place, seen);
        }
    }

    fn place(&self, role: TextRole, seen: &SeenSecrets) -> SecretPlace {
        SecretPlace {
            file: self.source.path.clone(),
            line: None,
            entry: None,
            agent: None,
            role,
            time: None,
            kinds: seen.tally(),
        }
    }

    fn add(&mut self, place: SecretPlace, seen: SeenSecrets) {
        let agent = self.source.agent.clone().or(place.agent);
        let place = SecretPlace { agent, ..place };
        let session = self.source.session.clone();
        self.found.found.push((session, place, seen));
    }
}

/// Returns the role of the main text of an entry.
fn role(log: &Log, entry: &Entry) -> TextRole {
    let has = |wanted: fn(&Block) -> bool| log.blocks_of(entry).iter().any(wanted);
    let kind = if has(|block| block.kind == BlockKind::Call) {
        TextKind::Input
    } else if has(|block| matches!(block.kind, BlockKind::Result(_))) {
        TextKind::Result
    } else {
        TextKind::Said
    };
    roles::role(kind, log, entry)
}

#[cfg(test)]
mod tests;
