//! Which sessions have what looks like secrets: kinds, counts and places.
//!
//! Every line of every log is looked at, and the texts next to logs: spilled outputs, plans, tasks.
//! What was found is told by its kind and its place, never as a text: a [`SecretReport`] has
//! nothing in it that opens anything. Memory does not grow with the logs: each thread has one chunk
//! of one file, and places are bounded by [`MOST_PLACES`].

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

/// How many places of one session are told. Chosen by judgement: more than a person looks at.
pub const MOST_PLACES: usize = 1000;

/// What was found in one session.
#[derive(Clone, PartialEq, Debug)]
pub struct SecretReport {
    /// The home it is in.
    pub home: Option<PathBuf>,
    /// The project it is in.
    pub project: Option<ProjectId>,
    /// The session; empty if an old history of prompts does not say.
    pub session: SessionId,
    /// Its title, with secrets replaced; none if it is not known.
    pub title: Option<String>,
    /// How many secrets of each kind there are, each counted once however often it is repeated.
    pub kinds: SecretTally,
    /// Where they are, in the order of files and lines.
    pub places: Vec<SecretPlace>,
    /// How many more places there are.
    pub more_places: u64,
}

/// A line of a log, or a text next to one, that has secrets in it.
#[derive(Clone, PartialEq, Debug)]
pub struct SecretPlace {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from one; none if it is about the whole file.
    pub line: Option<u32>,
    /// The uuid of the entry, if it has one.
    pub entry: Option<EntryId>,
    /// The agent that it is from.
    pub agent: Option<AgentId>,
    /// Who or what the text is from.
    pub role: TextRole,
    /// When it was written.
    pub time: Option<Time>,
    /// How many secrets of each kind are there, each counted once.
    pub kinds: SecretTally,
}

/// What was found in some files.
#[derive(Default, Debug)]
pub struct SecretSearch {
    /// The sessions with secrets, in the order of the files.
    pub reports: Vec<SecretReport>,
    /// Files that could not be read.
    pub file_errors: Vec<SessionFileError>,
}

/// What one file has.
#[derive(Default)]
struct FileSecrets {
    /// Each place with the session it belongs to.
    found: Vec<(SessionId, SecretPlace, SeenSecrets)>,
    file_error: Option<SessionFileError>,
}

/// Looks for secrets in some files; `read` counts the bytes that are done.
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

/// Puts the files of a session together.
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

/// Looks through one file.
struct FileLook<'a> {
    source: &'a ScanSource,
    redactor: &'a Redactor,
    /// The sessions whose logs are looked at, in which their prompts are too.
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

    /// Hands out lines with their numbers.
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

    /// Looks at a line of a log.
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

    /// Looks at a line of the history. A prompt whose session is still there is found in its log.
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

    /// Takes what a file as a whole has.
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

/// Returns who or what most of an entry is from.
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
