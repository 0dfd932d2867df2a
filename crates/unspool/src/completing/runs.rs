//! Completion of driven runs.

use std::ffi::OsStr;

use clap_complete::engine::CompletionCandidate;
use unspool_drive::RunView;
use unspool_drive::store;
use unspool_text::sanitize;

use super::values::{KnownValues, candidate};
use crate::driving::open::{folders, open};
use crate::driving::paint::state_words;
use crate::settings::Settings;

/// The largest width of a title, so that the state fits next to it.
const TITLE: usize = 40;

/// Returns the runs, active ones first. Errors are ignored while a line is being typed, and no store is
/// created where none exists.
pub(super) fn known_runs(settings: &Settings) -> Vec<RunView> {
    let store = folders(settings).map(|(state, _)| state.join("drive").join(store::FILE));
    if !store.is_ok_and(|store| store.exists()) {
        return Vec::new();
    }
    let runs = open(settings).ok().and_then(|drive| drive.runs().ok());
    let mut runs = runs.unwrap_or_default();
    runs.sort_by_key(|view| view.run.state.is_over());
    runs
}

impl KnownValues {
    /// Completes run ids, with the titles and states of the runs.
    pub(super) fn runs(&self, word: &OsStr) -> Vec<CompletionCandidate> {
        let beginning = word.to_str().unwrap_or_default();
        let runs = known_runs(&self.settings).into_iter();
        runs.filter(|view| view.run.id.as_str().starts_with(beginning))
            .map(|view| candidate(view.run.id.as_str(), &self.run_words(&view)))
            .collect()
    }

    /// Describes a run by the title of its session and its state. A session that is not in the index yet is
    /// described by its first prompt, and one without a prompt by its folder.
    fn run_words(&self, view: &RunView) -> String {
        let rows = self.rows(&view.run.session, 1);
        let title = rows.first().and_then(|row| row.title.clone());
        let prompt = || view.prompts.first().map(|prompt| prompt.content.text.clone());
        let title = title.or_else(prompt);
        let title = title.unwrap_or_else(|| view.run.plan.cwd.display().to_string());
        let state = state_words(&view.to_json(), self.now);
        format!("{} · {state}", sanitize::one_line(&title, TITLE))
    }
}
