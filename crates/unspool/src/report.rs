//! Error messages, and the exit codes of errors.

use std::io;

use unspool_engine::library::LibraryError;
use unspool_engine::ops::locate::EntryError;
use unspool_engine::ops::raw::RawError;
use unspool_engine::ops::transcript::RequestError;
use unspool_search::text::TextError;
use unspool_store::archive::ArchiveError;
use unspool_store::home::{NameCandidate, NameError};
use unspool_store::session::SessionFileError;

use crate::errors::{RunOutcome, UsageError};
use crate::filters::set_in;
use crate::settings::SettingsError;
use crate::ui::Ui;

/// Prints an error with hints, and returns the outcome of the run.
pub(crate) fn report(ui: &Ui, error: &anyhow::Error) -> RunOutcome {
    if is_broken_pipe(error) {
        return RunOutcome::Done;
    }
    ui.error(&words(error));
    if let Some(name) = library_error(error).and_then(LibraryError::name_error) {
        hint(ui, name);
    }
    if let Some(entry) = entry_error(error) {
        entry_hint(ui, entry);
    }
    if let Some(LibraryError::Text(TextError::Unbuilt)) = library_error(error) {
        ui.note("search again later; `--exact` searches without the index");
    }
    crate::driving::refusal::hint(ui, error);
    outcome_of(error)
}

fn library_error(error: &anyhow::Error) -> Option<&LibraryError> {
    error.downcast_ref()
}

/// Returns the message of an error; for a query, with the position marked.
fn words(error: &anyhow::Error) -> String {
    match library_error(error) {
        Some(LibraryError::Query { text, error }) => {
            format!("{error}\n{}", set_in(&error.point(text)))
        }
        _ => format!("{error:#}"),
    }
}

/// Returns the error of an entry's name, if this is one.
fn entry_error(error: &anyhow::Error) -> Option<&EntryError> {
    match error.downcast_ref::<RawError>() {
        Some(RawError::Entry(entry)) => Some(entry),
        _ => library_error(error)
            .and_then(LibraryError::entry_error)
            .or_else(|| error.downcast_ref::<EntryError>()),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let of = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(of)
            || cause
                .downcast_ref::<serde_json::Error>()
                .is_some_and(|error| error.io_error_kind() == Some(io::ErrorKind::BrokenPipe))
    })
}

fn outcome_of(error: &anyhow::Error) -> RunOutcome {
    if let Some(outcome) = crate::driving::refusal::outcome_of(error) {
        return outcome;
    }
    if let Some(error) = library_error(error) {
        return error.class().into();
    }
    if let Some(entry) = entry_error(error) {
        return match entry {
            EntryError::Unknown { .. } => RunOutcome::Problems,
            EntryError::Ambiguous { .. } | EntryError::TooShort { .. } => RunOutcome::Usage,
        };
    }
    if let Some(settings) = error.downcast_ref::<SettingsError>() {
        return match settings {
            SettingsError::Unreadable { .. } => RunOutcome::Io,
            SettingsError::Missing { .. } | SettingsError::Wrong(_) => RunOutcome::Usage,
        };
    }
    if let Some(RawError::NoLine(_)) = error.downcast_ref() {
        return RunOutcome::Problems;
    }
    if let Some(archive) = error.downcast_ref::<ArchiveError>() {
        return match archive {
            ArchiveError::NotAnArchive(_)
            | ArchiveError::NotEmpty(_)
            | ArchiveError::Inside { .. } => RunOutcome::Usage,
            _ => RunOutcome::Io,
        };
    }
    if error.is::<UsageError>() {
        return RunOutcome::Usage;
    }
    if error.is::<RequestError>() {
        return RunOutcome::Problems;
    }
    if error.is::<SessionFileError>() || error.chain().any(<dyn std::error::Error>::is::<io::Error>)
    {
        return RunOutcome::Io;
    }
    RunOutcome::Usage
}

/// Lists similar or matching names.
fn hint(ui: &Ui, error: &NameError) {
    if let NameError::Unknown { names, .. } = error
        && !names.is_empty()
    {
        let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        ui.note(&format!("did you mean {}?", quoted.join(", ")));
    }
    let (words, candidates) = match error {
        NameError::Ambiguous { candidates, .. } => ("these match:", candidates),
        NameError::Unknown { near, .. } | NameError::TooShort { near, .. } => {
            ("near matches:", near)
        }
        NameError::NoSuchFile { .. } | NameError::NotThatMany { .. } | NameError::Unusable(_) => {
            return;
        }
    };
    if candidates.is_empty() {
        return;
    }
    ui.note(words);
    ui.list(candidates.iter().take(10).map(|candidate| describe(candidate, candidates)));
    let is_ambiguous = matches!(error, NameError::Ambiguous { .. });
    let first = candidates.first().map(|candidate| &candidate.kind);
    if is_ambiguous && candidates.iter().all(|other| Some(&other.kind) == first) {
        ui.note("`show` and `tree` take `--project NAME`; every command takes the file");
    }
}

/// Lists similar or matching entries.
fn entry_hint(ui: &Ui, error: &EntryError) {
    let (words, entries) = match error {
        EntryError::Ambiguous { matches, .. } => ("these match:", matches),
        EntryError::Unknown { near, .. } => ("near matches:", near),
        EntryError::TooShort { .. } => return,
    };
    if entries.is_empty() {
        return;
    }
    ui.note(words);
    ui.list(entries);
}

/// Describes a candidate by its id and its path. The path is relative to the home if all candidates are in
/// one home: the demo's home is a temporary folder.
fn describe(candidate: &NameCandidate, all: &[NameCandidate]) -> String {
    let name = candidate.name();
    let root = &candidate.home.root;
    let is_only = all.iter().all(|other| other.home.root == *root);
    let inside = candidate.path.strip_prefix(root).ok().filter(|_| is_only);
    let path = inside.unwrap_or(&candidate.path);
    format!("{name}  {}", path.display())
}
