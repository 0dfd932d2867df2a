//! The files that a session's calls name.

use std::collections::{BTreeSet, HashSet};
use std::iter;

use serde::{Deserialize, Serialize};
use unspool_model::entry::BlockKind;
use unspool_model::log::Log;
use unspool_model::symbols::Symbol;

/// Sorted file paths without duplicates.
///
/// They share one string: the rows of a list have tens of thousands of paths, and few lists use
/// them.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct FilePaths {
    text: String,
    /// The end offset of each path in the text.
    ends: Vec<u32>,
}

impl FilePaths {
    /// Iterates over the paths, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = iter::once(&0).chain(&self.ends);
        let spans = starts.zip(&self.ends);
        spans.map(|(&from, &to)| self.text.get(from as usize..to as usize).unwrap_or_default())
    }

    /// Adds the paths of another set, such as those of an agent.
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

/// Returns the files that the calls of a log name, on any path.
pub(super) fn touched(log: &Log) -> FilePaths {
    let calls = log.blocks.iter().filter(|block| block.kind == BlockKind::Call);
    let files: HashSet<Symbol> = calls.filter_map(|block| block.file).collect();
    files.into_iter().map(|file| log.text(file)).collect()
}
