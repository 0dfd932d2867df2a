//! One module for each command: what can be typed, one request to the library, printing.

pub(crate) mod archive;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
#[cfg(unix)]
pub(crate) mod drive;
pub(crate) mod export;
pub(crate) mod list;
pub(crate) mod man;
mod opener;
#[cfg(unix)]
pub(crate) mod pick;
pub(crate) mod recap;
mod remarks;
#[cfg(unix)]
pub(crate) mod resume;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod tree;
pub(crate) mod watch;

use anyhow::Result;
#[cfg(unix)]
use unspool_tui::{PickerUse, StartScreen};

use crate::args::{CliArgs, CliCommand};
use crate::context::CommandContext;
use crate::errors::RunOutcome;
#[cfg(unix)]
use crate::fullscreen;
use crate::settings::Settings;
use crate::ui::Ui;

/// Tells whether a command means anything while the settings are wrong.
pub(crate) fn needs_settings(args: &CliArgs) -> bool {
    match &args.command {
        Some(CliCommand::Config(args)) => args.needs_settings(),
        Some(CliCommand::Completions(_) | CliCommand::Complete(_) | CliCommand::Man(_)) => false,
        // Everything that it needs to know is in the store.
        #[cfg(unix)]
        Some(CliCommand::Host(_)) => false,
        _ => true,
    }
}

/// Runs the command that was typed.
pub(crate) fn run(args: &CliArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    match &args.command {
        Some(CliCommand::Archive(args)) => archive::run(args, settings, ui),
        Some(CliCommand::Config(args)) => config::run(args, settings, ui),
        Some(CliCommand::Completions(args)) => completions::run(args, ui),
        Some(CliCommand::Complete(args)) => completions::complete(args, settings, ui),
        Some(CliCommand::Man(args)) => man::run(args, settings, ui),
        Some(CliCommand::Serve(args)) => serve::run(args, settings, ui),
        #[cfg(unix)]
        Some(CliCommand::Drive(args)) => drive::run(args, settings, ui),
        #[cfg(unix)]
        Some(CliCommand::Host(args)) => Ok(drive::run_host(args)),
        #[cfg(unix)]
        Some(CliCommand::Notify(args)) => drive::run_notify(args, settings),
        #[cfg(unix)]
        Some(CliCommand::Pick(args)) => pick::run(args, settings, ui),
        #[cfg(unix)]
        Some(CliCommand::Watch(args)) if args.full_screen => watch::full_screen(args, settings, ui),
        #[cfg(unix)]
        None if ui.is_for_a_person() => {
            let start = StartScreen::Picker(PickerUse::Browse);
            fullscreen::run(start, settings, ui)
        }
        command => {
            let context = CommandContext::open(settings, ui)?;
            let outcome = ask(command.as_ref(), &context);
            context.close();
            outcome
        }
    }
}

/// Runs a command that asks the library of the homes that are set.
fn ask(command: Option<&CliCommand>, context: &CommandContext<'_>) -> Result<RunOutcome> {
    match command {
        Some(CliCommand::List(args)) => list::run(args, context),
        Some(CliCommand::Show(args)) => show::run(args, context),
        Some(CliCommand::Tree(args)) => tree::run(args, context),
        Some(CliCommand::Check(args)) => check::run(args, context),
        Some(CliCommand::Search(args)) => search::run(args, context),
        Some(CliCommand::Export(args)) => export::run(args, context),
        Some(CliCommand::Stats(args)) => stats::run(args, context),
        Some(CliCommand::Recap(args)) => recap::run(args, context),
        Some(CliCommand::Watch(args)) => watch::run(args, context),
        #[cfg(unix)]
        Some(CliCommand::Resume(args)) => resume::run(args, context),
        // The others were run before.
        _ => list::run(&list::ListArgs::default(), context),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// The most lines that a file of a command has.
    const MOST: usize = 200;

    #[test]
    fn files_of_commands_are_short() {
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/commands")];
        while let Some(folder) = folders.pop() {
            for item in fs::read_dir(folder).expect("a folder") {
                let path = item.expect("an item").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let lines = fs::read_to_string(&path).expect("a file").lines().count();
                assert!(lines <= MOST, "{} has {lines} lines", path.display());
            }
        }
    }
}
