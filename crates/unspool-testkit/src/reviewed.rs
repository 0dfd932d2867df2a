//! Compares generated files, which people review, with their current content.

use std::path::Path;
use std::{env, fs};

/// The environment variable that makes a test write such a file.
const UPDATE: &str = "UPDATE_REVIEWED";

/// Compares a file with its expected content. With `UPDATE_REVIEWED=1` in the environment, writes the file
/// instead.
pub fn assert_reviewed(path: &Path, expected: &str) {
    if env::var_os(UPDATE).is_some() {
        fs::write(path, expected).expect("the file can be written");
        return;
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    let same = found
        .lines()
        .zip(expected.lines())
        .take_while(|(found, expected)| found == expected)
        .count();
    assert!(
        found == expected,
        "{}:{} is out of date: run this test with {UPDATE}=1 and read the change\nfound    {:?}\nexpected {:?}",
        path.display(),
        same + 1,
        found.lines().nth(same),
        expected.lines().nth(same),
    );
}
