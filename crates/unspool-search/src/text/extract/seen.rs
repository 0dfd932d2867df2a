//! Texts and calls of a log so far, to recognise repeats and the calls of results.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;
use std::sync::Arc;

use foldhash::fast::FixedState;
use unspool_model::json::Str;

/// How many texts are remembered before all are forgotten. Chosen by judgement to bound
/// memory.
const TEXTS: usize = 200_000;
/// How many calls may wait for their results. Chosen by judgement to bound memory.
const CALLS: usize = 20_000;

/// Hashes a text, with the same result in every run.
pub(super) fn hash(text: &[u8]) -> u64 {
    FixedState::default().hash_one(text)
}

/// A fingerprint of a string. Comparing the lengths first avoids most hashing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TextPrint {
    length: usize,
    hash: u64,
}

impl TextPrint {
    /// Returns the print of a raw string.
    pub(super) fn of(raw: &[u8]) -> Self {
        Self { length: raw.len(), hash: hash(raw) }
    }

    /// Tells whether the print of a string is among `prints`.
    pub(super) fn is_among(raw: &[u8], prints: &[Self]) -> bool {
        let mut alike = prints.iter().filter(|print| print.length == raw.len()).peekable();
        alike.peek().is_some() && {
            let own = hash(raw);
            alike.any(|print| print.hash == own)
        }
    }
}

/// The texts of a log so far, as hashes.
#[derive(Default)]
pub(super) struct SeenTexts {
    texts: HashSet<u64, FixedState>,
}

impl SeenTexts {
    /// Notes a text; returns whether it is new.
    pub(super) fn note(&mut self, text: Str<'_>) -> bool {
        self.note_bytes(text.raw())
    }

    fn note_bytes(&mut self, text: &[u8]) -> bool {
        if self.texts.len() >= TEXTS {
            self.texts.clear();
        }
        self.texts.insert(hash(text))
    }

    /// Notes the lines of a text and returns the new ones, each with a newline.
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

/// The properties of a call that its result needs.
#[derive(Clone)]
pub(super) struct SeenCall {
    /// The tool.
    pub(super) tool: Arc<str>,
    /// Whether the call runs unspool itself.
    pub(super) own: bool,
    /// The prints of the strings in its input.
    pub(super) input: Vec<TextPrint>,
}

/// Calls by their ids, for their results, and the names of tools.
#[derive(Default)]
pub(super) struct WaitingCalls {
    waiting: HashMap<Box<[u8]>, SeenCall>,
    tools: HashMap<Box<str>, Arc<str>>,
}

impl WaitingCalls {
    /// Returns the shared copy of a tool's name.
    pub(super) fn tool(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.tools.get(name) {
            return known.clone();
        }
        let shared: Arc<str> = name.into();
        self.tools.insert(name.into(), shared.clone());
        shared
    }

    pub(super) fn add(&mut self, id: &[u8], call: SeenCall) {
        if self.waiting.len() >= CALLS {
            self.waiting.clear();
        }
        self.waiting.insert(id.into(), call);
    }

    /// Returns the call of a result. The call is kept, since a result may come twice.
    pub(super) fn answered(&self, id: &[u8]) -> Option<&SeenCall> {
        self.waiting.get(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_lines_are_returned() {
        let mut seen = SeenTexts::default();
        assert_eq!(seen.new_lines("a\nb\n\n"), "a\nb\n");
        assert_eq!(seen.new_lines("a\nb \nc"), "c\n");
        assert_eq!(seen.new_lines("a"), "");
    }
}
