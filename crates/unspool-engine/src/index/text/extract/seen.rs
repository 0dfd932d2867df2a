//! What a log has already said, so that repeats are told from news.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;
use std::sync::Arc;

use foldhash::fast::FixedState;
use unspool_model::json::Str;

/// How many texts are remembered before all are forgotten: a bound, not a promise.
const TEXTS: usize = 200_000;
/// How many lines of files are remembered before all are forgotten.
const LINES: usize = 400_000;
/// Lines shorter than this, in bytes, are syntax.
const SHORTEST: usize = 3;
/// How long a stretch without a sign must be to be taken for encoded data.
const ENCODED: usize = 256;
/// How many calls may wait for their results.
const CALLS: usize = 20_000;

/// Hashes a text the same way in every run.
pub(super) fn hash(text: &[u8]) -> u64 {
    FixedState::default().hash_one(text)
}

/// The texts of a file so far.
#[derive(Default)]
pub(super) struct Seen {
    texts: HashSet<u64>,
}

impl Seen {
    /// Notes a text; tells whether it is new.
    pub(super) fn note(&mut self, text: Str<'_>) -> bool {
        self.note_bytes(text.raw())
    }

    fn note_bytes(&mut self, text: &[u8]) -> bool {
        if self.texts.len() >= TEXTS {
            self.texts.clear();
        }
        self.texts.insert(hash(text))
    }

    /// Notes the lines of a text and returns those that are new, one below the other.
    pub(super) fn new_lines(&mut self, text: &str) -> String {
        let mut new = String::new();
        for line in text.lines().map(str::trim_end) {
            if !line.is_empty() && self.note_bytes(line.as_bytes()) {
                new.push_str(line);
                new.push('\n');
            }
        }
        new
    }
}

/// The lines of files that a log has shown so far: read, written, or as they were before.
///
/// Kept by their hashes, white space around them aside, so that a file that comes back with
/// each change to it costs a look at each line and no room in the index.
#[derive(Default)]
pub(super) struct FileLines {
    known: HashSet<u64, FixedState>,
}

impl FileLines {
    /// Notes the lines of a text that is in the index as a whole.
    pub(super) fn note(&mut self, text: &str) {
        for line in text.lines() {
            self.is_new(line);
        }
    }

    /// Notes the lines of a text that may stand behind their numbers.
    pub(super) fn note_numbered(&mut self, text: &str) {
        for line in text.lines() {
            let line = line.trim_start();
            let behind = line.trim_start_matches(|c: char| c.is_ascii_digit());
            let plain = match behind.strip_prefix(['→', '\t']) {
                Some(plain) if behind.len() < line.len() => plain,
                _ => line,
            };
            self.is_new(plain);
        }
    }

    /// Notes the lines of a file and returns those that are new, one below the other.
    pub(super) fn new_in(&mut self, text: &str) -> String {
        self.new_lines(text, |line| line)
    }

    /// Notes the lines of a patch, without their signs, and returns those that are new.
    pub(super) fn new_in_patch(&mut self, text: &str) -> String {
        self.new_lines(text, |line| line.strip_prefix(['+', '-']).unwrap_or(line))
    }

    fn new_lines<'t>(&mut self, text: &'t str, plain: impl Fn(&'t str) -> &'t str) -> String {
        let mut new = String::new();
        for line in text.lines().map(plain) {
            if self.is_new(line) {
                if !new.is_empty() {
                    new.push('\n');
                }
                push_readable(line.trim(), &mut new);
            }
        }
        new
    }

    fn is_new(&mut self, line: &str) -> bool {
        let line = line.trim();
        if line.len() < SHORTEST {
            return false;
        }
        if self.known.len() >= LINES {
            self.known.clear();
        }
        self.known.insert(hash(line.as_bytes()))
    }
}

/// Adds a line without the pictures that it may hold, as the files of notebooks do.
fn push_readable(line: &str, out: &mut String) {
    let encoded = |part: &str| {
        let sign = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        part.len() >= ENCODED && part.as_bytes().iter().take(ENCODED).all(sign)
    };
    if line.len() < ENCODED {
        out.push_str(line);
        return;
    }
    for part in line.split_inclusive('"') {
        if !encoded(part) {
            out.push_str(part);
        }
    }
}

/// What must be known of a call when its result comes.
#[derive(Clone)]
pub(super) struct Call {
    /// The tool.
    pub(super) tool: Arc<str>,
    /// Whether the call runs unspool itself.
    pub(super) own: bool,
    /// Hashes of the strings of its input, as they stand in the record.
    pub(super) input: Vec<u64>,
}

/// Calls that wait for their results, and the names of tools.
#[derive(Default)]
pub(super) struct Calls {
    waiting: HashMap<Box<[u8]>, Call>,
    tools: HashMap<Box<str>, Arc<str>>,
}

impl Calls {
    /// Returns the one copy of a tool's name.
    pub(super) fn tool(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.tools.get(name) {
            return known.clone();
        }
        let shared: Arc<str> = name.into();
        self.tools.insert(name.into(), shared.clone());
        shared
    }

    pub(super) fn add(&mut self, id: &[u8], call: Call) {
        if self.waiting.len() >= CALLS {
            self.waiting.clear();
        }
        self.waiting.insert(id.into(), call);
    }

    /// Returns the call that a result answers to. It stays: a result may come twice.
    pub(super) fn answered(&self, id: &[u8]) -> Option<&Call> {
        self.waiting.get(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_lines_are_returned() {
        let mut seen = Seen::default();
        assert_eq!(seen.new_lines("a\nb\n\n"), "a\nb\n");
        assert_eq!(seen.new_lines("a\nb \nc"), "c\n");
        assert_eq!(seen.new_lines("a"), "");
    }

    #[test]
    fn lines_of_files_are_new_once_and_pictures_are_none() {
        let mut lines = FileLines::default();
        lines.note("  known\n");
        assert_eq!(lines.new_in("known\r\n\tnew one\n}\n"), "new one");
        assert_eq!(lines.new_in_patch("-known\n+new one\n other\n@@"), "other");
        let picture = format!(r#""image/png": "{}","#, "iVBO".repeat(200));
        assert_eq!(lines.new_in(&picture), r#""image/png": ","#);
        let long = "word ".repeat(100);
        assert_eq!(lines.new_in(&long), long.trim());
    }
}
