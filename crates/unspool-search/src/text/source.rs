//! Files that documents come from: logs, side files, and the history of prompts.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use memchr::memchr;
use tantivy::tokenizer::{TokenStream as _, Tokenizer as _};
use unspool_model::log::LONGEST_LINE;

use super::document::{TextDocument, WritingStyle};
use super::extract::{Extractor, LogOwner, SideFileRefs, Sink, prompts, side, sidecar};
use super::words::{Stemming, WordTokenizer};
use unspool_store::files::lines::LineReader;
use unspool_store::files::{self, OpenFile};
use unspool_store::home::{SideFileKind, layout};
use unspool_store::tail::LogFile;

/// How many bytes of a line are read at a time. Chosen by judgement: most lines take one read.
const CHUNK: u64 = 512 * 1024;
/// How many bytes before a stretch are read to find the calls of its results. Chosen by judgement:
/// a result follows its call within a few entries.
const LOOK_BACK: u64 = 256 * 1024;

/// The file of a document, as the index numbers it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TextSource {
    /// A log, by its id in `files`.
    Log(i64),
    /// A side file, by its id in `text_sides`.
    Side(i64),
    /// A session in the history of prompts, by its id in `text_past`.
    Past(i64),
    /// The last line of a log while it has no newline; by the log's id.
    Tail(i64),
}

impl TextSource {
    /// Returns the number that the index stores.
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Log(id) => (id as u64) << 2,
            Self::Side(id) => (id as u64) << 2 | 1,
            Self::Past(id) => (id as u64) << 2 | 2,
            Self::Tail(id) => (id as u64) << 2 | 3,
        }
    }

    /// Returns the source of a number that the index stores.
    pub(crate) fn of_number(number: u64) -> Self {
        let id = (number >> 2) as i64;
        match number & 3 {
            0 => Self::Log(id),
            1 => Self::Side(id),
            2 => Self::Past(id),
            _ => Self::Tail(id),
        }
    }
}

/// A byte range of a log to read.
#[derive(Clone, Debug)]
pub(crate) struct LogStretch {
    pub(crate) path: PathBuf,
    pub(crate) whose: LogOwner,
    /// The start of the first line.
    pub(crate) from: u64,
    /// The end of the last line.
    pub(crate) to: u64,
}

/// Passes each document of a whole file of a home to `each`, as the index gets them: of a log, a
/// spilled output, a task, a plan or the history. An agent's sidecar has no documents of its own:
/// its texts are with the agent's log.
pub fn documents(path: &Path, mut each: impl FnMut(TextDocument)) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let kind = SideFileKind::of_path(path);
    let to = files::stamp(path)?.bytes;
    match kind {
        SideFileKind::History => {
            let folder = layout::pastes_of(path);
            let pasted = |hash: &str| pasted(&folder, hash);
            each_lines(&OpenFile::open(path)?, 0, to, |lines, offset| {
                prompts(lines, offset, &pasted, &mut |prompt| each(prompt.document));
            })
        }
        // Files with the extension of a log are read as logs.
        SideFileKind::Journal => {
            let whose =
                if layout::is_agent_name(&name) { LogOwner::Agent } else { LogOwner::Session };
            let path = path.to_owned();
            let stretch = LogStretch { path, whose, from: 0, to };
            read_log(&stretch, &mut each).map(|_| ())
        }
        _ if layout::is_sidecar(&name) => Ok(()),
        kind => side(kind, path, None, &mut each),
    }
}

/// Passes each word that the index keeps of a document to `each`, with its position.
pub fn words_of(document: &TextDocument, mut each: impl FnMut(&str, usize)) {
    let stemming = match document.style {
        WritingStyle::Prose => Stemming::Stems,
        WritingStyle::Raw => Stemming::Words,
    };
    let mut tokenizer = WordTokenizer::new(stemming);
    let mut stream = tokenizer.token_stream(&document.text);
    stream.process(&mut |token| each(&token.text, token.position));
}

/// Passes each document of a stretch to `sink`; returns what the lines say about side files.
///
/// If the file has become shorter, the stretch ends early.
pub(crate) fn read_log(stretch: &LogStretch, sink: &mut Sink<'_>) -> io::Result<SideFileRefs> {
    let file = OpenFile::open(&stretch.path)?;
    let copies = AgentEntries::next_to(&stretch.path);
    let is_copied = |agent: &str, entry: &str| copies.contains(agent, entry);
    let mut extractor = Extractor::new(stretch.whose, &is_copied);
    // A stretch may begin between a call and its result, or after lines that show a file.
    if stretch.from > 0 {
        let start = stretch.from.saturating_sub(LOOK_BACK);
        let before = file.part(start, stretch.from - start)?;
        let whole = if start == 0 {
            0
        } else {
            memchr(b'\n', &before).map_or(before.len(), |newline| newline + 1)
        };
        extractor.look_back(&before[whole..]);
    }
    if stretch.from == 0 && stretch.whose == LogOwner::Agent {
        sidecar(&stretch.path, sink);
    }
    each_lines(&file, stretch.from, stretch.to, |lines, offset| {
        extractor.lines(lines, offset, sink);
    })?;
    let mut notes = extractor.into_notes();
    notes.agents = copies.into_agents();
    Ok(notes)
}

/// Passes each document of the last line of a log, which has no newline, to `sink`.
pub(crate) fn read_tail(stretch: &LogStretch, tail: u64, sink: &mut Sink<'_>) -> io::Result<()> {
    let file = OpenFile::open(&stretch.path)?;
    let is_copied = |_: &str, _: &str| false;
    let mut extractor = Extractor::new(stretch.whose, &is_copied);
    let line = file.part(stretch.to, tail.min(LONGEST_LINE))?;
    extractor.lines(&line, stretch.to, sink);
    Ok(())
}

/// Reads one line, for the text of a hit.
pub(crate) fn read_line(path: &Path, offset: u64) -> io::Result<Vec<u8>> {
    let file = OpenFile::open(path)?;
    let mut line = Vec::new();
    let mut at = offset;
    loop {
        let more = file.part(at, CHUNK.min(line.len() as u64 + 16 * 1024))?;
        let end = memchr(b'\n', &more);
        line.extend_from_slice(&more[..end.map_or(more.len(), |newline| newline + 1)]);
        at += more.len() as u64;
        if end.is_some() || more.is_empty() || line.len() as u64 > LONGEST_LINE {
            return Ok(line);
        }
    }
}

/// Reads a byte range of a file, which is cut at the end of the file.
pub(crate) fn read_stretch(path: &Path, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    OpenFile::open(path)?.part(offset, length)
}

/// Returns the pasted text with a hash.
pub fn pasted(folder: &Path, hash: &str) -> Option<String> {
    let plain = !hash.is_empty() && hash.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let path = folder.join(format!("{hash}.txt"));
    let is_file = || files::path_info_no_follow(&path).is_ok_and(|look| look.is_file());
    let bytes = (plain && is_file()).then(|| files::read(&path).ok())??;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Passes blocks of whole lines and their offsets to `each`; lines that begin at `to` or later
/// are left out.
///
/// A line that is too long for memory is skipped. A last line without a newline is left for the
/// next update.
pub(crate) fn each_lines(
    file: &OpenFile,
    from: u64,
    to: u64,
    mut each: impl FnMut(&[u8], u64),
) -> io::Result<()> {
    LineReader::default().read(file, from..to, &mut |lines, offset| {
        if lines.ends_with(b"\n") {
            each(lines, offset);
        }
        ControlFlow::Continue(())
    })
}

/// The ids of entries in agents' own logs, read on first use.
struct AgentEntries {
    log: PathBuf,
    /// The entries of each agent; none if it has no log of its own.
    known: RefCell<HashMap<String, Option<HashSet<String>>>>,
}

impl AgentEntries {
    fn next_to(log: &Path) -> Self {
        Self { log: log.to_owned(), known: RefCell::default() }
    }

    fn contains(&self, agent: &str, entry: &str) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if agent.is_empty() || entry.is_empty() || !agent.chars().all(plain) {
            return false;
        }
        let mut known = self.known.borrow_mut();
        let entries = known.entry(agent.to_owned()).or_insert_with(|| self.entries(agent));
        entries.as_ref().is_some_and(|entries| entries.contains(entry))
    }

    fn entries(&self, agent: &str) -> Option<HashSet<String>> {
        let places = layout::agent_logs(&self.log, agent);
        let file = places.iter().find_map(|path| LogFile::open(path).ok())?;
        let log = file.log();
        let uuids = log.entries.iter().filter_map(|entry| entry.uuid);
        Some(uuids.map(|uuid| log.text(uuid).to_owned()).collect())
    }

    /// Returns the agents that were looked up, and whether each has a log of its own.
    fn into_agents(self) -> Vec<(String, bool)> {
        let known = self.known.into_inner().into_iter();
        let mut agents: Vec<_> = known.map(|(agent, held)| (agent, held.is_some())).collect();
        agents.sort_unstable();
        agents
    }
}
