//! One stretch of one file, from bytes to hits.

use std::io;
use std::ops::{ControlFlow, Range};

use unspool_model::ids::{AgentId, EntryId};
use unspool_model::log::Log;
use unspool_model::query::{Role, TimeRange};
use unspool_model::time::Time;

use super::line::{Find, Finder, Wanted};
use super::lines::Lines;
use super::pattern::{Candidate, Pattern};
use super::plain::plain;
use super::role::role;
use super::source::{Content, Source};
use super::{Request, Rest};
use crate::files::File;
use crate::ops::search::hit::{Hit, Snippet};

/// How much of a large file is one piece of work.
const STRETCH: u64 = 16 * 1024 * 1024;

/// A piece of work: a stretch of a file.
pub(super) struct Work {
    /// The file, by its place in the list.
    pub(super) source: usize,
    stretch: Range<u64>,
}

impl Work {
    /// Returns how many bytes it has.
    pub(super) fn bytes(&self, source: &Source) -> u64 {
        let end = self.stretch.end.min(source.bytes);
        end.saturating_sub(self.stretch.start)
    }
}

/// Divides files into pieces of work, in order.
pub(super) fn divide(sources: &[Source]) -> Vec<Work> {
    let mut works = Vec::new();
    for (source, file) in sources.iter().enumerate() {
        let mut start = 0;
        while file.content == Content::Log && file.bytes - start > STRETCH + STRETCH / 2 {
            let stretch = start..start + STRETCH;
            start = stretch.end;
            works.push(Work { source, stretch });
        }
        // The last one goes on to wherever the file ends by then.
        let stretch = start..u64::MAX;
        works.push(Work { source, stretch });
    }
    works
}

/// Searches one piece of work after the other.
pub(super) struct Worker<'r> {
    request: &'r Request,
    pattern: &'r Pattern,
    finder: Finder<'r>,
    lines: Lines,
    /// How many hits are wanted; others are counted.
    room: usize,
    hits: Vec<Hit>,
    further: u64,
}

impl<'r> Worker<'r> {
    pub(super) fn new(pattern: &'r Pattern, request: &'r Request) -> Self {
        Self {
            request,
            pattern,
            finder: Finder::new(pattern, request.extent),
            lines: Lines::default(),
            room: 0,
            hits: Vec::new(),
            further: 0,
        }
    }

    /// Searches a piece of work; builds no more than `room` hits and counts the others.
    pub(super) fn run(&mut self, source: &Source, work: &Work, room: usize) -> io::Result<()> {
        self.room = room;
        let file = File::open(&source.path)?;
        let mut lines = std::mem::take(&mut self.lines);
        let result = match source.content {
            Content::Log => lines.read(&file, work.stretch.clone(), &mut |bytes, offset| {
                self.log(source, bytes, offset)
            }),
            Content::Spilled => self.spilled(source, &file, &mut lines),
        };
        let overlong = std::mem::take(&mut lines.overlong);
        self.lines = lines;
        result?;
        match overlong {
            0 => Ok(()),
            _ => Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "a line is too long to be searched",
            )),
        }
    }

    /// Takes what was found: the first hits, and the number of those behind them.
    pub(super) fn take(&mut self) -> (Vec<Hit>, u64) {
        let hits = std::mem::take(&mut self.hits);
        (hits, std::mem::take(&mut self.further))
    }

    /// Searches whole lines of a log.
    fn log(&mut self, source: &Source, bytes: &[u8], offset: u64) -> ControlFlow<()> {
        let pattern = self.pattern;
        pattern.candidates(bytes, |line, candidate| {
            let offset = offset + line.start as u64;
            self.line(source, &bytes[line], offset, candidate);
        });
        match self.request.rest {
            Rest::Skip if self.hits.len() == self.room => ControlFlow::Break(()),
            Rest::Skip | Rest::Count => ControlFlow::Continue(()),
        }
    }

    fn line(&mut self, source: &Source, line: &[u8], offset: u64, candidate: Candidate) {
        let filtered = !self.request.roles.is_empty() || self.request.time != TimeRange::default();
        let shown = self.hits.len() < self.room;
        let wanted = match (filtered, shown) {
            (true, _) => Wanted::All,
            (false, true) => Wanted::First,
            (false, false) => Wanted::Any,
        };
        let finds = self.finder.line(line, candidate, wanted);
        if finds.is_empty() {
            return;
        }
        if wanted == Wanted::Any {
            self.further += 1;
            return;
        }
        let log = Log::read(line);
        let hits = finds
            .into_iter()
            .filter_map(|find| from_find(source, offset, &log, find));
        let request = self.request;
        let allowed = |hit: &Hit| {
            let time = hit.time.unwrap_or(source.modified);
            allows(request, hit.role, time)
        };
        match hits.into_iter().find(allowed) {
            Some(hit) if shown => self.hits.push(hit),
            Some(_) => self.further += 1,
            None => {}
        }
    }

    /// Searches a file of plain text, which is one hit at most.
    fn spilled(&mut self, source: &Source, file: &File, lines: &mut Lines) -> io::Result<()> {
        if !allows(self.request, Role::Result, source.modified) {
            return Ok(());
        }
        let Some(snippet) = plain(file, self.pattern, self.request.extent, lines)? else {
            return Ok(());
        };
        if self.hits.len() == self.room {
            self.further += 1;
            return Ok(());
        }
        self.hits.push(Hit {
            role: Role::Result,
            snippet,
            ..hit(source)
        });
        Ok(())
    }
}

fn allows(request: &Request, role: Role, time: Time) -> bool {
    request.roles.allow(|&allowed| allowed == role) && request.time.contains(time)
}

/// Returns what all hits of a file have in common.
fn hit(source: &Source) -> Hit {
    Hit {
        home: source.home.clone(),
        project: source.project.clone(),
        session: source.session.clone(),
        agent: source.agent.clone(),
        file: source.path.clone(),
        offset: 0,
        entry: None,
        role: Role::System,
        kind: None,
        time: None,
        score: 0.0,
        active: None,
        gone: false,
        snippet: Snippet::default(),
    }
}

/// Makes a hit of something that was found on a line; `log` is that line.
fn from_find(source: &Source, offset: u64, log: &Log, find: Find) -> Option<Hit> {
    let before = |entry: &&unspool_model::entry::Entry| entry.span.start <= find.at as u64;
    let entry = log.entries.iter().rev().find(before)?;
    let inside = entry.agent.map(|agent| AgentId::new(log.text(agent)));
    Some(Hit {
        agent: source.agent.clone().or(inside),
        offset: offset + entry.span.start,
        entry: entry.uuid.map(|uuid| EntryId::new(log.text(uuid))),
        role: role(find.part, log, entry),
        kind: entry.says,
        time: entry.time,
        snippet: find.snippet,
        ..hit(source)
    })
}
