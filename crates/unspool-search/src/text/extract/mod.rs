//! From the lines of a log to the documents of the index.
//!
//! Knows which strings of a record a person could look for: all of them, but for ids,
//! names of fields, times and encoded data. Bytes go in, documents come out; nothing is
//! read from files here. Reading the same lines again gives the same documents at the same
//! places, which is how the text of a hit is found again.

mod blocks;
mod entry;
mod lines;
mod outcome;
mod pieces;
mod seen;
mod side_files;
mod strings;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use unspool_model::log::Log;
use unspool_model::time::Time;

pub use blocks::OWN_COMMANDS;
use entry::{TextFields, Watch};
use lines::FileLines;
pub(crate) use pieces::{LONGEST, Sink};
use seen::{SeenTexts, WaitingCalls};
pub(crate) use side_files::{prompts, side, sidecar, spilled_names};

/// Whose log is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LogOwner {
    /// A session's.
    Session,
    /// An agent's.
    Agent,
}

/// Tells whether an agent's own file contains an entry, so that a copy of it need not be kept.
pub(crate) type IsCopied<'c> = dyn Fn(&str, &str) -> bool + 'c;

/// Makes documents of the lines of one file, in order.
pub(crate) struct Extractor<'c> {
    whose: LogOwner,
    is_copied: &'c IsCopied<'c>,
    calls: WaitingCalls,
    seen: SeenTexts,
    lines: FileLines,
    notes: Notes,
    /// The tool of a call of the flat dialect that waits for its result.
    flat_call: Option<Arc<str>>,
    /// The last time that an entry named; lines about the session have none of their own.
    time: Option<Time>,
}

/// What the lines say about the log's side files.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Notes {
    /// Names of plans.
    pub(crate) plans: Vec<String>,
    /// Where results are that were spilled into files, with the files' names.
    pub(crate) spilled: Vec<(u64, String)>,
    /// Agents whose progress records the lines contain, and whether each has a log of its own.
    pub(crate) agents: Vec<(String, bool)>,
}

impl<'c> Extractor<'c> {
    /// Starts on a file. `is_copied` is asked with an agent and an entry.
    pub(crate) fn new(whose: LogOwner, is_copied: &'c IsCopied<'c>) -> Self {
        Self {
            whose,
            is_copied,
            calls: WaitingCalls::default(),
            seen: SeenTexts::default(),
            lines: FileLines::default(),
            notes: Notes::default(),
            flat_call: None,
            time: None,
        }
    }

    /// Reads lines, of which the first begins at `offset` of the file.
    pub(crate) fn lines(&mut self, bytes: &[u8], offset: u64, sink: &mut Sink<'_>) {
        let mut watch = Watch { extractor: self, sink, offset, fields: TextFields::default() };
        let log = Log::sketch(bytes, &mut watch);
        for &slug in &*log.facts.slugs {
            let slug = log.text(slug);
            if !self.notes.plans.iter().any(|known| known == slug) {
                self.notes.plans.push(slug.to_owned());
            }
        }
    }

    /// Reads the first entry of some lines only.
    pub(crate) fn first(&mut self, bytes: &[u8], sink: &mut Sink<'_>) {
        let log = Log::sketch(bytes, &mut ());
        if let Some(entry) = log.entries.first() {
            let end = (entry.span.end() as usize).min(bytes.len());
            self.lines(&bytes[entry.span.start as usize..end], 0, sink);
        }
    }

    /// Learns of the calls and files in lines that were read before, without making documents
    /// of them.
    pub(crate) fn look_back(&mut self, bytes: &[u8]) {
        self.lines(bytes, 0, &mut |_| {});
        self.seen = SeenTexts::default();
        self.notes = Notes::default();
    }

    /// Returns what was learnt of the log's side files.
    pub(crate) fn into_notes(self) -> Notes {
        self.notes
    }
}
