//! A note on the first run: when Claude Code deletes sessions, and how to keep them.
//!
//! The note is printed once, after the first command that a person runs on a terminal and that creates the
//! index. A marker file in the data folder records that it was printed.

#![expect(
    clippy::disallowed_methods,
    reason = "a mark in the folder for state says that the line was said"
)]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::context::CommandContext;
use crate::settings::{HomeChoice, Settings};
use crate::ui::Ui;

/// The marker file in the data folder.
const MARK: &str = "told-about-deletion";

/// A run that may be the first one of a person.
pub(crate) struct FirstRun {
    index: PathBuf,
}

impl FirstRun {
    /// Checks the conditions before the command runs; `None` if this is not a first run, or if no person
    /// watches it.
    pub(crate) fn before(settings: &Settings, typed: &[OsString], ui: &Ui) -> Option<Self> {
        let index = settings.index.value.as_deref()?;
        let is_watched = ui.is_interactive() && ui.can_note();
        let is_demo = settings.homes.value == HomeChoice::Demo;
        let is_told = settings.data.as_deref().is_some_and(|state| state.join(MARK).exists());
        let is_due = is_watched && !is_demo && !is_for_script(typed) && !is_told;
        is_due.then(|| Self { index: index.to_owned() })
    }

    /// Prints the note after the command, if the command created the index. Errors are ignored.
    pub(crate) fn after(self, settings: &Settings, ui: &Ui) {
        if !self.index.exists() {
            return;
        }
        let Ok(context) = CommandContext::open(settings, ui) else {
            return;
        };
        let told = context.library.retention();
        let words = told.and_then(|told| told.words(&ui.zone()));
        let state = context.library.data_folder().ok();
        if let (Some(words), Some(state)) = (words, state)
            && create_marker(state)
        {
            ui.note(&words);
        }
    }
}

/// Creates the marker; returns whether it did not exist.
fn create_marker(state: &Path) -> bool {
    fs::File::create_new(state.join(MARK)).is_ok()
}

/// Tells whether the output is for a script.
fn is_for_script(typed: &[OsString]) -> bool {
    typed.iter().any(|word| {
        let word = word.to_string_lossy();
        word == "--json" || word.starts_with("--format")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_once() {
        let state = tempfile::tempdir().expect("a folder");
        assert!(create_marker(state.path()));
        assert!(!create_marker(state.path()));
        assert!(!create_marker(&state.path().join("nowhere")));
    }

    #[test]
    fn scripts_are_not_told() {
        let typed = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert!(is_for_script(&typed("unspool list --json")));
        assert!(is_for_script(&typed("unspool list --format {id}")));
        assert!(is_for_script(&typed("unspool recap --format=md")));
        assert!(!is_for_script(&typed("unspool show @")));
    }
}
