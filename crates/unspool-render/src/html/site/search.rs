//! The search of a site, as scripts that a page loads when it needs them.
//!
//! There is no server and no request: a page on a disk may load scripts next to it and nothing
//! else. So the words are split, in their order, into scripts of bounded size, and a list contains
//! the first word of each script; the places (turns of transcripts) are split in the same way,
//! newest first, and so are the texts for snippets. A search loads the list, the scripts of the
//! typed words, and the scripts of the places that it shows.

#![expect(clippy::disallowed_methods, reason = "a site is files")]

use std::fmt::Write as _;
use std::fs::{self, File};
use std::hash::BuildHasher as _;
use std::io::{self, BufRead as _, BufReader, BufWriter, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use foldhash::HashSet;
use foldhash::fast::FixedState;

use super::postings::Postings;
use super::words::{TurnWords, Words};

/// The size in bytes at which a script of words ends.
const WORDS_BYTES: usize = 64 * 1024;
/// The size in bytes at which a script of texts ends.
const TEXTS_BYTES: usize = 96 * 1024;
/// The number of places in a script of places.
const PLACES: usize = 400;
/// The most places that are kept of a word. Of a more common word the newest are kept, and a search
/// for it together with other words looks only for the others.
const COMMON: usize = 20_000;

/// A builder of the search: collects words and places, then writes the scripts.
#[derive(Debug)]
pub(super) struct SearchBuilder {
    folder: PathBuf,
    postings: Postings,
    /// The places in the order of `add`, each as a line with a JSON array and a line with its text.
    places: BufWriter<File>,
    written: u64,
    count: u32,
    batches: Vec<Batch>,
    /// Hashes of the turns so far: paths of one session share most of their turns.
    known: HashSet<u64>,
}

/// Consecutive places of one session.
#[derive(Clone, Copy, Debug)]
struct Batch {
    session: usize,
    /// The number of the first place, in the order of `add`.
    first: u32,
    count: u32,
    /// The offset of the first place in the temporary file.
    offset: u64,
}

/// The facts about the session of a place that a result shows.
#[derive(Clone, Debug)]
pub(super) struct SessionHeading<'a> {
    pub(super) title: &'a str,
    pub(super) project: &'a str,
    pub(super) day: String,
}

impl SearchBuilder {
    /// Begins a search in a folder, which is created if it is missing.
    pub(super) fn new(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self {
            postings: Postings::new(folder.clone()),
            places: BufWriter::new(tempfile::tempfile_in(&folder)?),
            folder,
            written: 0,
            count: 0,
            batches: Vec::new(),
            known: HashSet::default(),
        })
    }

    /// Adds the words of a transcript of a session.
    pub(super) fn add(&mut self, session: usize, words: &Words) -> io::Result<()> {
        let (first, offset) = (self.count, self.written);
        for turn in words.found() {
            if turn.terms.is_empty() || !self.is_new(session, turn) {
                continue;
            }
            let mut line = serde_json::to_vec(&(&turn.way, &turn.headline))?;
            line.push(b'\n');
            line.extend(serde_json::to_vec(&turn.text)?);
            line.push(b'\n');
            self.places.write_all(&line)?;
            self.written += line.len() as u64;
            for term in &turn.terms {
                self.postings.add(term, self.count)?;
            }
            self.count += 1;
        }
        let count = self.count - first;
        if count > 0 {
            self.batches.push(Batch { session, first, count, offset });
        }
        Ok(())
    }

    fn is_new(&mut self, session: usize, turn: &TurnWords) -> bool {
        let hash = FixedState::default().hash_one((session, &turn.headline, &turn.terms));
        self.known.insert(hash)
    }

    /// Writes the scripts. `order` lists the sessions in the order of the results.
    pub(super) fn finish<'a>(
        self,
        order: &[usize],
        shown: impl Fn(usize) -> SessionHeading<'a>,
    ) -> io::Result<()> {
        let Self { folder, postings, places, batches, count, .. } = self;
        let mut rank = vec![usize::MAX; order.iter().max().map_or(0, |max| max + 1)];
        for (position, session) in order.iter().enumerate() {
            rank[*session] = position;
        }
        let mut sorted = batches.clone();
        sorted.sort_by_key(|batch| (rank.get(batch.session).copied(), batch.first));
        // Places are renumbered by `order`: the final number of the first place of each batch.
        let mut bases = vec![0; batches.len()];
        let mut base = 0;
        for batch in &sorted {
            bases[batches.partition_point(|b| b.first < batch.first)] = base;
            base += batch.count;
        }
        let mut file = places.into_inner().map_err(io::IntoInnerError::into_error)?;
        let texts = write_places(&folder, &mut file, &sorted, shown)?;
        let firsts = write_words(&folder, postings, |place| {
            let at = batches.partition_point(|batch| batch.first <= place) - 1;
            bases[at] + (place - batches[at].first)
        })?;
        let list = serde_json::json!({
            "words": firsts, "texts": texts, "places": count, "each": PLACES,
        });
        fs::write(folder.join("index.js"), format!("unspoolIndex({list});\n"))
    }
}

/// Writes the scripts of places and texts, and returns the first place of each script of texts.
fn write_places<'a>(
    folder: &Path,
    file: &mut File,
    batches: &[Batch],
    shown: impl Fn(usize) -> SessionHeading<'a>,
) -> io::Result<Vec<u32>> {
    let mut places =
        PlaceScripts { script: Script::new(folder, Series::Places), open: None, count: 0 };
    let mut texts =
        TextScripts { script: Script::new(folder, Series::Texts), firsts: Vec::new(), count: 0 };
    for batch in batches {
        file.seek(SeekFrom::Start(batch.offset))?;
        let mut lines = BufReader::new(&mut *file);
        let mut line = String::new();
        for _ in 0..batch.count {
            line.clear();
            lines.read_line(&mut line)?;
            places.add(batch.session, line.trim_end(), &shown)?;
            line.clear();
            lines.read_line(&mut line)?;
            texts.add(line.trim_end())?;
        }
    }
    places.end()?;
    texts.end()
}

/// Scripts of texts.
struct TextScripts<'f> {
    script: Script<'f>,
    firsts: Vec<u32>,
    count: u32,
}

impl TextScripts<'_> {
    /// Adds a text, which is JSON.
    fn add(&mut self, text: &str) -> io::Result<()> {
        if self.script.text.is_empty() {
            self.firsts.push(self.count);
        } else {
            self.script.text.push(',');
        }
        self.script.text.push_str(text);
        self.count += 1;
        if self.script.text.len() >= TEXTS_BYTES {
            self.script.write()?;
        }
        Ok(())
    }

    /// Writes the current script, and returns the first place of each script.
    fn end(mut self) -> io::Result<Vec<u32>> {
        if !self.script.text.is_empty() {
            self.script.write()?;
        }
        Ok(self.firsts)
    }
}

/// Scripts of places, grouped by session.
struct PlaceScripts<'f> {
    script: Script<'f>,
    /// The session whose places are being written.
    open: Option<usize>,
    count: usize,
}

impl PlaceScripts<'_> {
    fn add<'a>(
        &mut self,
        session: usize,
        place: &str,
        shown: &impl Fn(usize) -> SessionHeading<'a>,
    ) -> io::Result<()> {
        let text = &mut self.script.text;
        if self.open == Some(session) {
            text.push(',');
        } else {
            text.push_str(if self.open.is_some() { "]]," } else { "" });
            let SessionHeading { title, project, day } = shown(session);
            let head = serde_json::to_string(&(title, project, day))?;
            text.push_str(head.trim_end_matches(']'));
            text.push_str(",[");
            self.open = Some(session);
        }
        text.push_str(place);
        self.count += 1;
        if self.count == PLACES {
            self.end()?;
        }
        Ok(())
    }

    /// Writes the current script, unless it is empty.
    fn end(&mut self) -> io::Result<()> {
        if self.open.take().is_some() {
            self.script.text.push_str("]]");
            self.script.write()?;
        }
        self.count = 0;
        Ok(())
    }
}

/// Writes the scripts of words, and returns the first word of each.
fn write_words(
    folder: &Path,
    postings: Postings,
    number: impl Fn(u32) -> u32,
) -> io::Result<Vec<String>> {
    let mut script = Script::new(folder, Series::Words);
    let mut firsts = Vec::new();
    postings.drain(|word, places| {
        let mut places: Vec<u32> = places.into_iter().map(&number).collect();
        places.sort_unstable();
        if script.text.is_empty() {
            firsts.push(word.to_owned());
        }
        let is_common = places.len() > COMMON;
        places.truncate(COMMON);
        let _ = write!(
            script.text,
            "{}\"{word}\":\"{}",
            comma(&script.text),
            if is_common { "*" } else { "" }
        );
        // Each place is the distance from the one before, in hexadecimal.
        let mut last = 0;
        for (index, place) in places.into_iter().enumerate() {
            let space = if index > 0 { " " } else { "" };
            let _ = write!(script.text, "{space}{:x}", place - last);
            last = place;
        }
        script.text.push('"');
        if script.text.len() >= WORDS_BYTES { script.write() } else { Ok(()) }
    })?;
    if !script.text.is_empty() {
        script.write()?;
    }
    Ok(firsts)
}

fn comma(text: &str) -> &'static str {
    if text.is_empty() { "" } else { "," }
}

/// The content of a series of scripts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Series {
    Words,
    Places,
    Texts,
}

impl Series {
    /// Returns the first letter of the file names.
    fn letter(self) -> char {
        match self {
            Self::Words => 'w',
            Self::Places => 'p',
            Self::Texts => 't',
        }
    }
}

/// A script that is being filled.
struct Script<'a> {
    folder: &'a Path,
    series: Series,
    number: usize,
    text: String,
}

impl<'a> Script<'a> {
    fn new(folder: &'a Path, series: Series) -> Self {
        Self { folder, series, number: 0, text: String::new() }
    }

    /// Writes the script and begins the next one.
    fn write(&mut self) -> io::Result<()> {
        let (number, text) = (self.number, &self.text);
        let script = match self.series {
            Series::Words => format!("unspoolWords({number},{{{text}}});\n"),
            Series::Places => format!("unspoolPlaces({number},[{text}]);\n"),
            Series::Texts => format!("unspoolTexts({number},[{text}]);\n"),
        };
        let name = format!("{}{number}.js", self.series.letter());
        fs::write(self.folder.join(name), script)?;
        self.number += 1;
        self.text.clear();
        Ok(())
    }
}
