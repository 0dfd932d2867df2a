//! The files that the calls of a session name.

use std::collections::{BTreeSet, HashSet};
use std::iter;

use serde::{Deserialize, Serialize};
use unspool_model::entry::BlockKind;
use unspool_model::log::Log;
use unspool_model::symbols::Symbol;

/// Paths of files, each once and in order.
///
/// They are one piece of text: the rows of a list have tens of thousands of them, and few lists ask
/// for any.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct FilePaths {
    text: String,
    /// Where each path ends in the text.
    ends: Vec<u32>,
}

impl FilePaths {
    /// Iterates over the paths, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = iter::once(&0).chain(&self.ends);
        let spans = starts.zip(&self.ends);
        spans.map(|(&from, &to)| self.text.get(from as usize..to as usize).unwrap_or_default())
    }

    /// Adds what an agent touched to what its session did.
    pub(crate) fn add(&mut self, more: &Self) {
        if !more.ends.is_empty() {
            *self = self.iter().chain(more.iter()).collect();
        }
    }
}

impl<'p> FromIterator<&'p str> for FilePaths {
    fn from_iter<I: IntoIterator<Item = &'p str>>(paths: I) -> Self {
        let sorted: BTreeSet<&str> = paths.into_iter().collect();
        let mut packed = Self::default();
        for path in sorted {
            packed.text.push_str(path);
            packed.ends.push(packed.text.len() as u32);
        }
        packed
    }
}

/// Lists the files that the calls of a log name, on whatever path.
pub(super) fn touched(log: &Log) -> FilePaths {
    let calls = log.blocks.iter().filter(|block| block.kind == BlockKind::Call);
    let files: HashSet<Symbol> = calls.filter_map(|block| block.file).collect();
    files.into_iter().map(|file| log.text(file)).collect()
}
