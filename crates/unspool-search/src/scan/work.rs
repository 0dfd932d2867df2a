//! Searches one stretch of a file and builds its hits.

use std::io;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use unspool_model::entry::{Entry, EntryKind, MessageKind};
use unspool_model::history::{HistoryLine, PASTE_HASH};
use unspool_model::ids::{AgentId, EntryId, SessionId};
use unspool_model::log::Log;
use unspool_model::query::{TextRole, TimeRange};
use unspool_model::roles;
use unspool_model::schema::TextKind;
use unspool_model::time::Time;

use super::ScanRequest;
use super::line::{LineFinder, LineMatch, WantedMatches};
use super::origins::SpilledOrigins;
use super::pattern::{MatchCandidate, ScanPattern};
use super::plain::{json, plain};
use super::source::{Content, PastPrompts, ScanSource};
use crate::hit::{SearchHit, Snippet};
use crate::text::follow;
use crate::text::source::pasted;
use unspool_store::files::OpenFile;
use unspool_store::files::lines::{LineReader, line_around};
use unspool_store::home::layout::{pastes_of, sidecar_of};

/// How many bytes of a large file are one piece of work. Chosen by judgement: some milliseconds for one core.
const STRETCH: u64 = 16 * 1024 * 1024;

/// A piece of work: a stretch of a file.
pub(super) struct ScanWork {
    /// The index of the file in the list.
    pub(super) source: usize,
    stretch: Range<u64>,
}

impl ScanWork {
    /// Returns the length of the stretch in bytes.
    pub(super) fn bytes(&self, source: &ScanSource) -> u64 {
        let end = self.stretch.end.min(source.bytes);
        end.saturating_sub(self.stretch.start)
    }
}

/// Splits files into pieces of work, in order.
pub(super) fn divide(sources: &[ScanSource]) -> Vec<ScanWork> {
    let mut works = Vec::new();
    for (source, file) in sources.iter().enumerate() {
        let mut start = 0;
        while file.has_records() && file.bytes - start > STRETCH + STRETCH / 2 {
            let stretch = start..start + STRETCH;
            start = stretch.end;
            works.push(ScanWork { source, stretch });
        }
        // The last stretch has no end, in case the file grows.
        let stretch = start..u64::MAX;
        works.push(ScanWork { source, stretch });
    }
    works
}

/// Searches pieces of work one after the other.
pub(super) struct Worker<'r> {
    sources: &'r [ScanSource],
    request: &'r ScanRequest,
    pattern: &'r ScanPattern,
    finder: LineFinder<'r>,
    lines: LineReader,
    origins: SpilledOrigins,
    /// How many hits to build; further hits are only counted.
    room: usize,
    hits: Vec<SearchHit>,
    further: u64,
}

impl<'r> Worker<'r> {
    pub(super) fn new(
        sources: &'r [ScanSource],
        pattern: &'r ScanPattern,
        request: &'r ScanRequest,
    ) -> Self {
        Self {
            sources,
            request,
            pattern,
            finder: LineFinder::new(pattern, request.extent),
            lines: LineReader::default(),
            origins: SpilledOrigins::default(),
            room: 0,
            hits: Vec::new(),
            further: 0,
        }
    }

    /// Searches a piece of work; builds at most `room` hits and counts the others.
    pub(super) fn run(&mut self, work: &ScanWork, room: usize) -> io::Result<()> {
        self.room = room;
        let mut lines = std::mem::take(&mut self.lines);
        let result = self.search(work, &mut lines);
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

    fn search(&mut self, work: &ScanWork, lines: &mut LineReader) -> io::Result<()> {
        let source = &self.sources[work.source];
        let (pattern, extent) = (self.pattern, self.request.extent);
        let path = &source.path;
        match &source.content {
            Content::Log | Content::Journal => {
                let file = OpenFile::open(path)?;
                lines.read(&file, work.stretch.clone(), &mut |bytes, offset| {
                    self.log(source, bytes, offset)
                })
            }
            Content::Spilled => self.side_text(work, TextRole::Result, || {
                let is_json = path.extension().is_some_and(|ending| ending == "json");
                let strings = is_json.then(|| json(path, pattern, extent)).transpose()?;
                match strings.flatten() {
                    Some(found) => Ok(Some(found)),
                    None => plain(&OpenFile::open(path)?, pattern, extent, lines),
                }
            }),
            Content::Plan => self.side_text(work, TextRole::Assistant, || {
                plain(&OpenFile::open(path)?, pattern, extent, lines)
            }),
            Content::Task => self.side_text(work, TextRole::System, || json(path, pattern, extent)),
            Content::Sidecar => {
                self.side_text(work, TextRole::Title, || json(&sidecar_of(path), pattern, extent))
            }
            Content::History(past) => {
                let file = OpenFile::open(path)?;
                lines.read(&file, 0..u64::MAX, &mut |bytes, offset| {
                    self.history(source, past, bytes, offset)
                })
            }
        }
    }

    /// Returns the hits since the last call, and the number of further ones.
    pub(super) fn take(&mut self) -> (Vec<SearchHit>, u64) {
        let hits = std::mem::take(&mut self.hits);
        (hits, std::mem::take(&mut self.further))
    }

    /// Searches whole lines of a log.
    fn log(&mut self, source: &ScanSource, bytes: &[u8], offset: u64) -> ControlFlow<()> {
        let pattern = self.pattern;
        pattern.candidates(bytes, |line, candidate| {
            let at = LinePlace { before: &bytes[..line.start], offset: offset + line.start as u64 };
            self.line(source, &bytes[line], &at, candidate);
        });
        ControlFlow::Continue(())
    }

    fn line(
        &mut self,
        source: &ScanSource,
        line: &[u8],
        at: &LinePlace<'_>,
        candidate: MatchCandidate,
    ) {
        let filtered = !self.request.roles.is_empty() || self.asks_time();
        let shown = self.hits.len() < self.room;
        let wanted = match (filtered, shown) {
            (true, _) => WantedMatches::All,
            (false, true) => WantedMatches::First,
            (false, false) => WantedMatches::Any,
        };
        let finds = self.finder.line(line, candidate, wanted);
        if finds.is_empty() {
            return;
        }
        if wanted == WantedMatches::Any {
            self.further += 1;
            return;
        }
        let log = Log::read(line);
        let hits = finds.into_iter().filter_map(|find| from_find(source, at, &log, find));
        let request = self.request;
        let allowed = |hit: &SearchHit| {
            let time = hit.time.unwrap_or(source.modified);
            allows(request, hit.role, time)
        };
        if let Some(hit) = hits.into_iter().find(allowed) {
            self.take_hit(hit);
        }
    }

    fn asks_time(&self) -> bool {
        self.request.time != TimeRange::default()
    }

    /// Keeps an allowed hit if there is room, or counts it.
    fn take_hit(&mut self, hit: SearchHit) {
        if self.hits.len() < self.room {
            self.hits.push(hit);
        } else {
            self.further += 1;
        }
    }

    /// Searches a side file, which has at most one hit.
    fn side_text(
        &mut self,
        work: &ScanWork,
        role: TextRole,
        look: impl FnOnce() -> io::Result<Option<Snippet>>,
    ) -> io::Result<()> {
        if !self.request.roles.allow(|&allowed| allowed == role) {
            return Ok(());
        }
        let Some(snippet) = look()? else {
            return Ok(());
        };
        let source = &self.sources[work.source];
        let mut hit = SearchHit {
            role,
            snippet,
            time: (source.content != Content::Sidecar).then_some(source.modified),
            ..hit(source)
        };
        // Finding the entry reads logs, so it is done only if the hit or its time is used.
        let closer = self.asks_time() || self.hits.len() < self.room;
        if source.content == Content::Spilled
            && closer
            && let Some(origin) = self.origins.of(self.sources, work.source)
        {
            hit.file = origin.file;
            hit.offset = origin.offset;
            hit.entry = origin.entry;
            hit.time = origin.time.or(hit.time);
        }
        if allows(self.request, role, hit.time.unwrap_or(source.modified)) {
            self.take_hit(hit);
        }
        Ok(())
    }

    /// Searches whole lines of a history. A prompt whose session still exists is found in the log of
    /// the session.
    fn history(
        &mut self,
        source: &ScanSource,
        past: &PastPrompts,
        bytes: &[u8],
        offset: u64,
    ) -> ControlFlow<()> {
        let mut lines = Vec::new();
        self.pattern.candidates(bytes, |line, _| lines.push(line));
        // A pasted text may be in another file.
        let hashes = memchr::memmem::find_iter(bytes, PASTE_HASH);
        lines.extend(hashes.map(|at| line_around(bytes, at)));
        lines.sort_by_key(|line| line.start);
        lines.dedup();
        let folder = pastes_of(&source.path);
        for line in lines {
            let typed = HistoryLine::read(&bytes[line.clone()]);
            let session = SessionId::new(typed.session());
            let time = typed.time.unwrap_or(source.modified);
            let folders = past.folders.as_ref();
            let elsewhere = folders.is_some_and(|folders| !folders.contains(&typed.project()));
            if past.there.contains(&session)
                || elsewhere
                || !allows(self.request, TextRole::User, time)
            {
                continue;
            }
            let Some(snippet) = self.typed(&typed, &folder) else {
                continue;
            };
            self.take_hit(SearchHit {
                session,
                offset: offset + line.start as u64,
                role: TextRole::User,
                kind: Some(MessageKind::Prompt),
                time: typed.time,
                snippet,
                ..hit(source)
            });
        }
        ControlFlow::Continue(())
    }

    /// Finds the first match in a prompt and its pasted texts.
    fn typed(&self, typed: &HistoryLine<'_>, folder: &Path) -> Option<Snippet> {
        let mut found = None;
        typed.each_text(&|hash| pasted(folder, hash), |text| {
            if found.is_none() {
                let first = self.pattern.find_at(text, 0);
                let extent = self.request.extent;
                found = first.map(|first| self.pattern.snippet(text, first, extent));
            }
        });
        found
    }
}

/// The place of a line.
struct LinePlace<'b> {
    /// The lines before it in the same chunk.
    before: &'b [u8],
    /// The offset of the line in the file.
    offset: u64,
}

impl LinePlace<'_> {
    /// Returns the role of a text of this line. In the flat dialect, the line before it decides
    /// whether it is the result of a call.
    fn role(&self, kind: TextKind, log: &Log, entry: &Entry) -> TextRole {
        let may_be_result = kind == TextKind::Said && roles::is_flat_result(entry);
        if may_be_result && follows_call(self.before, log, entry) {
            return TextRole::Result;
        }
        roles::role(kind, log, entry)
    }
}

/// Tells whether the last entry of the conversation before an entry is a call of the flat
/// dialect. `log` is the line of the entry, `before` the lines before it.
fn follows_call(before: &[u8], log: &Log, entry: &Entry) -> bool {
    /// How many lines without messages may be between the two.
    const BETWEEN: usize = 16;
    let is_turn = |other: &&Entry| {
        let kind = other.kind;
        matches!(kind, EntryKind::User | EntryKind::Assistant | EntryKind::System)
    };
    let same_line = log.entries.iter().take_while(|other| other.span.start < entry.span.start);
    if let Some(turn) = same_line.filter(is_turn).last() {
        return roles::is_flat_call(log, turn);
    }
    let lines = before.trim_ascii_end().rsplit(|&byte| byte == b'\n').take(BETWEEN);
    for line in lines {
        let log = Log::read(line);
        if let Some(turn) = log.entries.iter().rev().find(is_turn) {
            return roles::is_flat_call(&log, turn);
        }
    }
    false
}

fn allows(request: &ScanRequest, role: TextRole, time: Time) -> bool {
    request.roles.allow(|&allowed| allowed == role) && request.time.contains(time)
}

/// Returns the properties that all hits of a file share.
fn hit(source: &ScanSource) -> SearchHit {
    SearchHit {
        home: source.home.clone(),
        project: source.project.clone(),
        session: source.session.clone(),
        agent: source.agent.clone(),
        file: source.path.clone(),
        offset: 0,
        entry: None,
        role: TextRole::System,
        kind: None,
        time: None,
        score: 0.0,
        active: None,
        gone: source.gone,
        snippet: Snippet::default(),
    }
}

/// Builds a hit of a match in a line; `log` is that line.
fn from_find(
    source: &ScanSource,
    at: &LinePlace<'_>,
    log: &Log,
    find: LineMatch,
) -> Option<SearchHit> {
    let before = |entry: &&Entry| entry.span.start <= find.at as u64;
    let entry = log.entries.iter().rev().find(before)?;
    let inside = entry.agent.map(|agent| AgentId::new(log.text(agent)));
    Some(SearchHit {
        agent: source.agent.clone().or(inside),
        offset: at.offset + entry.span.start,
        entry: entry.uuid.map(|uuid| EntryId::new(log.text(uuid))),
        role: match source.content {
            Content::Journal => TextRole::Result,
            _ => at.role(find.kind, log, entry),
        },
        kind: follow::kind_at(&source.path, at.offset + entry.span.start, entry.says),
        time: entry.time,
        snippet: find.snippet,
        ..hit(source)
    })
}
