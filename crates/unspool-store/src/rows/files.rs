//! The files that a session touched.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use unspool_model::entry::{BlockKind, Verdict};
use unspool_model::log::Log;
use unspool_model::symbols::Symbol;
use unspool_model::tool::changes_files;

/// A file that a session touched.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct TouchedFile {
    /// The file, as the call names it.
    pub path: String,
    /// Whether it was changed.
    pub changed: bool,
}

/// Lists the files that the calls of a log name, on whatever path; `known` are those that
/// were changed on its active path.
pub(super) fn touched(log: &Log, known: &BTreeSet<Symbol>) -> Vec<TouchedFile> {
    let mut files: BTreeMap<Symbol, bool> = known.iter().map(|&file| (file, true)).collect();
    let mut changing: HashMap<Symbol, Symbol> = HashMap::new();
    for block in log.blocks.iter().filter(|b| b.kind == BlockKind::Call) {
        let Some(file) = block.file else { continue };
        files.entry(file).or_default();
        if block.name.is_some_and(|name| changes_files(log.text(name))) {
            changing.extend(block.call.map(|call| (call, file)));
        }
    }
    if !changing.is_empty() {
        let done = BlockKind::Result(Verdict::Done);
        for block in log.blocks.iter().filter(|block| block.kind == done) {
            if let Some(file) = block.call.and_then(|call| changing.get(&call)) {
                files.insert(*file, true);
            }
        }
    }
    let file =
        |(path, changed): (Symbol, bool)| TouchedFile { path: log.text(path).to_owned(), changed };
    let mut files: Vec<TouchedFile> = files.into_iter().map(file).collect();
    files.sort();
    files
}

/// Adds what an agent touched to what its session did.
pub(crate) fn add_files(files: &mut Vec<TouchedFile>, more: &[TouchedFile]) {
    if more.is_empty() {
        return;
    }
    files.extend_from_slice(more);
    files.sort_by(|a, b| a.path.cmp(&b.path).then(b.changed.cmp(&a.changed)));
    files.dedup_by(|a, b| a.path == b.path);
}
