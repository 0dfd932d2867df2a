//! Turns the lines of a log into documents of the index.
//!
//! Decides which strings of a record can be searched: all but ids, names of fields, times and
//! encoded data. Records come in as bytes; only `side_files` opens files. Extracting a line again
//! gives the same documents at the same places, which is how the text of a hit is read.

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
use entry::{DocumentObserver, TextFields};
use lines::FileLines;
pub(crate) use pieces::{LONGEST, Sink};
use seen::{SeenTexts, WaitingCalls};
pub(crate) use side_files::{prompts, side, sidecar, spilled_names};

/// The owner of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LogOwner {
    /// A session.
    Session,
    /// An agent.
    Agent,
}

/// Tells whether the own log of an agent contains an entry, so that a copy of it is not indexed.
pub(crate) type IsInAgentLog<'c> = dyn Fn(&str, &str) -> bool + 'c;

/// Extracts documents from the lines of one file, in order.
pub(crate) struct Extractor<'c> {
    whose: LogOwner,
    is_copied: &'c IsInAgentLog<'c>,
    calls: WaitingCalls,
    seen: SeenTexts,
    lines: FileLines,
    notes: SideFileRefs,
    /// The tool of a call of the flat dialect that waits for its result.
    flat_call: Option<Arc<str>>,
    /// The time of the last entry that has one; metadata records have none.
    time: Option<Time>,
}

/// References to side files in the lines of a log.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct SideFileRefs {
    /// Slugs of plans.
    pub(crate) plans: Vec<String>,
    /// Offsets of results that were spilled into files, with the names of the files.
    pub(crate) spilled: Vec<(u64, String)>,
    /// Agents whose progress records the lines contain, and whether each has a log of its own.
    pub(crate) agents: Vec<(String, bool)>,
}

impl<'c> Extractor<'c> {
    /// Starts a file. `is_copied` gets the ids of an agent and of an entry.
    pub(crate) fn new(whose: LogOwner, is_copied: &'c IsInAgentLog<'c>) -> Self {
        Self {
            whose,
            is_copied,
            calls: WaitingCalls::default(),
            seen: SeenTexts::default(),
            lines: FileLines::default(),
            notes: SideFileRefs::default(),
            flat_call: None,
            time: None,
        }
    }

    /// Extracts documents from lines, the first of which begins at `offset` of the file.
    pub(crate) fn lines(&mut self, bytes: &[u8], offset: u64, sink: &mut Sink<'_>) {
        let mut watch =
            DocumentObserver { extractor: self, sink, offset, fields: TextFields::default() };
        let log = Log::sketch(bytes, &mut watch);
        for &slug in &*log.facts.slugs {
            let slug = log.text(slug);
            if !self.notes.plans.iter().any(|known| known == slug) {
                self.notes.plans.push(slug.to_owned());
            }
        }
    }

    /// Extracts documents from the first entry only.
    pub(crate) fn first(&mut self, bytes: &[u8], sink: &mut Sink<'_>) {
        let log = Log::sketch(bytes, &mut ());
        if let Some(entry) = log.entries.first() {
            let end = (entry.span.end() as usize).min(bytes.len());
            self.lines(&bytes[entry.span.start as usize..end], 0, sink);
        }
    }

    /// Collects calls and file lines from lines that were indexed before, without making
    /// documents.
    pub(crate) fn look_back(&mut self, bytes: &[u8]) {
        self.lines(bytes, 0, &mut |_| {});
        self.seen = SeenTexts::default();
        self.notes = SideFileRefs::default();
    }

    /// Returns the references to side files.
    pub(crate) fn into_notes(self) -> SideFileRefs {
        self.notes
    }
}
