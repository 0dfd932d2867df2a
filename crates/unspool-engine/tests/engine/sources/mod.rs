//! The sources of crates, for tests of their contents.

use std::fs;
use std::path::{Path, PathBuf};

use unspool_testkit::files_below;

/// A source file that is not a test.
pub(crate) struct SourceFile {
    /// The path below `src`, with `/` as separator.
    pub(crate) name: String,
    /// The text, without the tests at its end.
    pub(crate) text: String,
}

/// Returns the folder of a crate's sources.
fn root(package: &str) -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    crates.join(package).join("src")
}

/// Reads the sources of a crate that are not tests, by name.
pub(crate) fn sources(package: &str) -> Vec<SourceFile> {
    let root = root(package);
    let files = files_below(&root).into_iter();
    let sources = files.filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
    let mut sources: Vec<SourceFile> =
        sources.map(|path| read(&path, &root)).filter(|file| !is_test(&file.name)).collect();
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    sources
}

fn is_test(name: &str) -> bool {
    name.split(['/', '.']).any(|part| part == "tests" || part == "testing")
}

fn read(path: &Path, root: &Path) -> SourceFile {
    let source = fs::read_to_string(path).expect("a source");
    let name = path.strip_prefix(root).expect("a path inside");
    SourceFile {
        name: name.to_string_lossy().replace('\\', "/"),
        text: without_tests(&source).to_owned(),
    }
}

/// Returns a source without the tests at its end.
pub(crate) fn without_tests(source: &str) -> &str {
    let tests = source.match_indices("#[cfg(test)]\n").find(|(at, mark)| {
        let item = source[at + mark.len()..].lines().next().unwrap_or_default();
        item.contains("mod ") && item.ends_with('{')
    });
    tests.map_or(source, |(at, _)| &source[..at])
}
