//! One line on a first run: when Claude Code deletes sessions, and what keeps them.
//!
//! It is said once, after the first command that a person sees at a terminal and that has an index. That it
//! was said is remembered in the folder for state.

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

/// The mark in the folder for state.
const MARK: &str = "told-about-deletion";

/// A run that may turn out to be the first that a person sees.
pub(crate) struct FirstRun {
    index: PathBuf,
}

impl FirstRun {
    /// Looks before the command runs; none if this cannot be a first run that a person looks at.
    pub(crate) fn before(settings: &Settings, typed: &[OsString], ui: &Ui) -> Option<Self> {
        let index = settings.index.value.as_deref()?;
        let is_watched = ui.is_interactive() && ui.can_note();
        let is_demo = settings.homes.value == HomeChoice::Demo;
        let is_told = settings.data.as_deref().is_some_and(|state| state.join(MARK).exists());
        let is_due = is_watched && !is_demo && !is_for_script(typed) && !is_told;
        is_due.then(|| Self { index: index.to_owned() })
    }

    /// Says the line after the command, if that made the index. What goes wrong is not worth a
    /// word.
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
            && remember(state)
        {
            ui.note(&words);
        }
    }
}

/// Makes the mark; tells whether it was not there before.
fn remember(state: &Path) -> bool {
    fs::File::create_new(state.join(MARK)).is_ok()
}

/// Tells whether a script reads what is printed.
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
        assert!(remember(state.path()));
        assert!(!remember(state.path()));
        assert!(!remember(&state.path().join("nowhere")));
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
