//! Generates large, realistic and reproducible logs for benchmarks.
//!
//! Sizes of files, the mix of lines and the frequency of words are those of heavy users. The same seed and
//! size give the same bytes. Text is cut from prepared pools, and lines are appended as bytes, so gigabytes
//! are written as fast as the disk takes them, without being held in memory.
//!
//! ```
//! use unspool_testkit::generate::{Corpus, chain};
//!
//! let folder = tempfile::tempdir()?;
//! let manifest = Corpus::new(7, 2_000_000).write_to(folder.path())?;
//! assert!(manifest.bytes >= 2_000_000);
//!
//! let mut file = Vec::new();
//! assert_eq!(chain(&mut file, 1000)?.entries, 1000);
//! # std::io::Result::Ok(())
//! ```

mod corpus;
mod lines;
mod pools;
mod shapes;
mod steps;
mod tools;
mod transcript;
mod words;

#[cfg(test)]
mod tests;

pub use corpus::{Corpus, CorpusManifest};
pub use shapes::{chain, forks, long_line, nested};

/// A word that a corpus contains in a few known places and nowhere else.
pub const NEEDLE: &str = "quixotrope";

/// The extent of one written file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenLog {
    /// The size in bytes.
    pub bytes: u64,
    /// The number of lines.
    pub entries: u64,
}
