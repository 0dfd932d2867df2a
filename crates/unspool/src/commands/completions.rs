//! `unspool completions`, and `unspool __complete`, which the printed scripts call.

use std::ffi::OsString;
use std::io::Write as _;

use anyhow::Result;

use crate::completing::{self, CompletingShell};
use crate::errors::RunOutcome;
use crate::settings::Settings;
use crate::ui::Ui;

/// Print a completion script for a shell
///
/// The script calls `unspool` whenever you press Tab, so it stays correct after an update. It
/// offers sessions with their titles, newest first, from the index as it is.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool completions bash > ~/.local/share/bash-completion/completions/unspool\n  \
unspool completions zsh > ~/.zfunc/_unspool    (a folder of fpath)\n  \
unspool completions fish > ~/.config/fish/completions/unspool.fish\n\n\
To try it in the current shell: source <(unspool completions bash), or zsh, or \
`unspool completions fish | source`.")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: CompletingShell,
}

/// Print what the last of some words can be completed to
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct CompleteArgs {
    /// The shell that asks
    #[arg(value_name = "SHELL")]
    shell: CompletingShell,

    /// The words up to the cursor, the name of the program first
    #[arg(value_name = "WORD", last = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

pub(crate) fn run(args: &CompletionsArgs, ui: &Ui) -> Result<RunOutcome> {
    ui.print_bytes(args.shell.script().as_bytes())?;
    Ok(RunOutcome::Done)
}

/// Prints candidates, one on each line. The scripts discard errors.
pub(crate) fn complete(
    args: &CompleteArgs,
    definition: clap::Command,
    settings: &Settings,
    ui: &Ui,
) -> Result<RunOutcome> {
    let mut out = ui.data();
    for line in completing::complete(args.shell, &args.words, definition, settings, ui)? {
        writeln!(out, "{line}")?;
    }
    out.flush()?;
    Ok(RunOutcome::Done)
}
