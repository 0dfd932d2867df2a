//! Shell completion.
//!
//! Commands, options and their values come from the definition of the command line, walked by the engine of
//! `clap_complete`. Sessions, projects, branches, models and tools come from the index without a refresh
//! ([`KnownValues`]), runs from the store of driven runs. The scripts are our own and small: they pass the
//! words up to the cursor to `unspool __complete` and show the lines it prints, so a script of an older
//! version works with a newer program, and no environment variable changes what a run does.

mod line;
mod runs;
mod shell;
mod values;

use std::ffi::OsString;
use std::sync::Arc;

use anyhow::Result;
use clap_complete::engine::{self, CompletionCandidate};

pub(crate) use self::line::with_globals_first;
pub(crate) use self::shell::CompletingShell;
use self::values::KnownValues;
use crate::args::first_word;
use crate::settings::Settings;
use crate::ui::Ui;

/// Returns the completions of the last word, as lines that the shell's script understands.
pub(crate) fn complete(
    shell: CompletingShell,
    words: &[OsString],
    definition: clap::Command,
    settings: &Settings,
    ui: &Ui,
) -> Result<Vec<String>> {
    let known = Arc::new(KnownValues::new(settings, ui)?);
    let typed = line::joined(shell.unquoted(words));
    let Some(last) = typed.words.last().cloned() else {
        return Ok(Vec::new());
    };
    let at = typed.words.len() - 1;
    let is_first = first_word(&typed.words) == Some(at);
    let mut definition = known.attached(definition);
    let here = Some(settings.here.as_path());
    let mut found = engine::complete(&mut definition, typed.words, at, here)?;
    if is_first && !last.is_empty() {
        // `unspool 4ba6` is short for `unspool show 4ba6`.
        found.extend(known.sessions(&last));
    }
    leave_out_options(&mut found, &last);
    let line = |candidate: &CompletionCandidate| {
        let value = candidate.get_value().to_str()?;
        let value = value.strip_prefix(&typed.before)?;
        let help = candidate.get_help().map(ToString::to_string);
        shell.line(value, help.as_deref().unwrap_or_default())
    };
    Ok(found.iter().filter_map(line).collect())
}

/// Drops options unless the word begins one: twenty options would hide the sessions.
fn leave_out_options(found: &mut Vec<CompletionCandidate>, word: &OsString) {
    let is_option = |candidate: &CompletionCandidate| {
        let value = candidate.get_value().to_string_lossy();
        value.starts_with('-')
    };
    if word.is_empty() && !found.iter().all(is_option) {
        found.retain(|candidate| !is_option(candidate));
    }
}

#[cfg(test)]
mod tests;
