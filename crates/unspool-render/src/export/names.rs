//! File names of transcripts.
//!
//! Ids may contain anything. File names contain only letters, digits, dots, hyphens and
//! underscores, and no two files of an export have the same name, even if case is ignored.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::hash::BuildHasher as _;
use unspool_model::positions::PathNumber;

use foldhash::quality::FixedState;

use crate::document::PathStatus;

/// The most characters of an id in a name.
const LONGEST: usize = 120;

/// Reserves names, each once.
#[derive(Default)]
pub(super) struct UniqueNames {
    stems: HashSet<String>,
    files: HashSet<String>,
}

impl UniqueNames {
    /// Returns the beginning of the names of a session's files. The second session with an id gets
    /// `_2`, the third `_3`.
    pub(super) fn stem(&mut self, id: &str) -> String {
        unique(&mut self.stems, &format!("transcript_{}", safe(id)), "")
    }

    /// Returns the name of a path's file, with the number of the path if the session has several.
    pub(super) fn path(
        &mut self,
        stem: &str,
        (number, total): (PathNumber, usize),
        status: PathStatus,
        extension: &str,
    ) -> String {
        let name = match (total, status) {
            (0 | 1, _) => stem.to_owned(),
            (_, PathStatus::Active) => format!("{stem}_path{number}"),
            (_, PathStatus::Abandoned) => format!("{stem}_path{number}_abandoned"),
        };
        self.file(&name, extension)
    }

    /// Returns the name of an agent's file.
    pub(super) fn agent(&mut self, stem: &str, agent: &str, extension: &str) -> String {
        self.file(&format!("{stem}_agent_{}", safe(agent)), extension)
    }

    fn file(&mut self, name: &str, extension: &str) -> String {
        unique(&mut self.files, name, &format!(".{extension}"))
    }
}

/// Reserves a name, with a number if it is taken.
fn unique(taken: &mut HashSet<String>, name: &str, ending: &str) -> String {
    let mut full = format!("{name}{ending}");
    let mut count = 1;
    while !taken.insert(full.to_lowercase()) {
        count += 1;
        full = format!("{name}_{count}{ending}");
    }
    full
}

/// Makes an id safe for file names. An id that had to change gets a hash of the original, so that
/// different ids stay different.
fn safe(id: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut name: String =
        id.chars().take(LONGEST).map(|c| if fits(c) { c } else { '_' }).collect();
    if name != id || id.is_empty() {
        let hash = FixedState::default().hash_one(id) as u32;
        // Writing to a string does not fail.
        let _ = write!(name, "-{hash:08x}");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_documented() {
        use PathStatus::{Abandoned, Active};
        let mut names = UniqueNames::default();
        let stem = names.stem("11111111-2222");
        assert_eq!(
            names.path(&stem, (PathNumber::at(0), 1), Active, "md"),
            "transcript_11111111-2222.md"
        );
        let stem = names.stem("abc");
        assert_eq!(
            names.path(&stem, (PathNumber::at(0), 2), Abandoned, "html"),
            "transcript_abc_path1_abandoned.html"
        );
        assert_eq!(
            names.path(&stem, (PathNumber::at(1), 2), Active, "txt"),
            "transcript_abc_path2.txt"
        );
        assert_eq!(names.agent(&stem, "a1b2", "md"), "transcript_abc_agent_a1b2.md");
        let second = names.stem("abc");
        assert_eq!(
            names.path(&second, (PathNumber::at(0), 2), Abandoned, "md"),
            "transcript_abc_2_path1_abandoned.md"
        );
    }

    #[test]
    fn ids_of_any_kind_become_names_of_files_that_differ() {
        let mut names = UniqueNames::default();
        let long = "x".repeat(5000);
        let ids = ["../../etc/passwd", "a b", "a\tb", "ÄÖ", "", "CON:", &long, "a\0b", "X", "x"];
        let mut seen = HashSet::new();
        for id in ids {
            let name = names.stem(id);
            assert!(name.len() < 160, "{name}");
            let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            assert!(name.chars().all(fits), "{name}");
            assert!(!name.contains('/'), "{name}");
            assert!(seen.insert(name.to_lowercase()), "{name}");
        }
    }

    #[test]
    fn a_name_is_given_out_once() {
        let mut names = UniqueNames::default();
        let (a, b) = (names.stem("abc"), names.stem("abc_path1"));
        let first = names.path(&a, (PathNumber::at(0), 2), PathStatus::Active, "md");
        let second = names.path(&b, (PathNumber::at(0), 1), PathStatus::Active, "md");
        assert_eq!(first, "transcript_abc_path1.md");
        assert_eq!(second, "transcript_abc_path1_2.md");
    }
}
