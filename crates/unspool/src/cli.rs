//! The definition of the command line: arguments are parsed by it, and help, completions and manual pages
//! are generated from it.

use anyhow::Result;
use clap::{CommandFactory as _, Parser, Subcommand};
use unspool_tui::{PickerUse, StartScreen};

use crate::args::GlobalArgs;
use crate::commands::{
    archive, check, completions, config, drive, export, list, man, pick, recap, resume, search,
    serve, show, stats, tree, watch,
};
use crate::context::CommandContext;
use crate::errors::RunOutcome;
use crate::fullscreen;
use crate::settings::Settings;
use crate::ui::Ui;

/// Find and read every Claude Code session you ever ran.
///
/// Reads sessions from `$CLAUDE_CONFIG_DIR`, else from the homes in the settings, else from `~/.claude`, and never changes them. Without a
/// command, opens a full-screen program on a terminal and lists sessions in a pipe; `unspool SESSION` is short for `unspool show SESSION`.
#[derive(Parser, Debug)]
#[command(name = "unspool", version, max_term_width = 100)]
#[command(after_help = "Examples:\n  \
unspool                        find, read and resume sessions in a full-screen program\n  \
unspool --demo                 look around in made-up sessions\n  \
unspool @                      show the newest session of this project\n  \
unspool search importer bug    find what was said about it\n  \
unspool stats --by day         what each day cost\n\n\
SESSION is an id, a unique beginning of one (4 characters or more), \
the name that you gave a session, @ (newest in this project), @2 (the one before), or the path \
of a .jsonl file.\n\n\
Exit codes: 0 done, 1 nothing or problems found, 2 wrong use, 3 could not read.")]
pub(crate) struct CliArgs {
    #[command(subcommand)]
    pub(crate) command: Option<CliCommand>,

    #[command(flatten)]
    pub(crate) global: GlobalArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum CliCommand {
    List(Box<list::ListArgs>),
    Pick(Box<pick::PickArgs>),
    Show(show::ShowArgs),
    Tree(tree::TreeArgs),
    Search(Box<search::SearchArgs>),
    Export(Box<export::ExportArgs>),
    Stats(Box<stats::StatsArgs>),
    Recap(Box<recap::RecapArgs>),
    Watch(watch::WatchArgs),
    Resume(resume::ResumeArgs),
    Serve(serve::ServeArgs),
    Drive(drive::DriveArgs),
    #[command(name = "__host", hide = true)]
    Host(drive::HostArgs),
    #[command(name = "__notify", hide = true)]
    Notify(drive::NotifyArgs),
    Check(check::CheckArgs),
    Archive(Box<archive::ArchiveArgs>),
    Config(config::ConfigArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    #[command(name = "__complete", hide = true)]
    Complete(completions::CompleteArgs),
}

/// Tells whether a command has to fail if the settings are wrong.
pub(crate) fn needs_settings(args: &CliArgs) -> bool {
    match &args.command {
        Some(CliCommand::Config(args)) => args.needs_settings(),
        // A host reads everything it needs from the store.
        Some(
            CliCommand::Completions(_)
            | CliCommand::Complete(_)
            | CliCommand::Man(_)
            | CliCommand::Host(_),
        ) => false,
        _ => true,
    }
}

/// Runs the command.
pub(crate) fn run(args: &CliArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    match &args.command {
        Some(CliCommand::Archive(args)) => archive::run(args, settings, ui),
        Some(CliCommand::Config(args)) => config::run(args, settings, ui),
        Some(CliCommand::Completions(args)) => completions::run(args, ui),
        Some(CliCommand::Complete(args)) => {
            completions::complete(args, CliArgs::command(), settings, ui)
        }
        Some(CliCommand::Man(args)) => man::run(args, CliArgs::command(), settings, ui),
        Some(CliCommand::Serve(args)) => serve::run(args, settings, ui),
        Some(CliCommand::Drive(args)) => drive::run(args, settings, ui),
        Some(CliCommand::Host(args)) => Ok(drive::run_host(args)),
        Some(CliCommand::Notify(args)) => drive::run_notify(args, settings),
        Some(CliCommand::Pick(args)) => pick::run(args, settings, ui),
        Some(CliCommand::Watch(args)) if args.full_screen => watch::full_screen(args, settings, ui),
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

/// Runs a command that queries the library of the configured homes.
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
        Some(CliCommand::Resume(args)) => resume::run(args, context),
        // `run` has handled all other commands.
        _ => list::run(&list::ListArgs::default(), context),
    }
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;

    #[test]
    fn options_that_exclude_or_need_each_other_are_told() {
        use ErrorKind::{ArgumentConflict, MissingRequiredArgument};
        for (line, expected) in [
            ("config --path --example", ArgumentConflict),
            ("config --path --json", ArgumentConflict),
            ("config --example --json", ArgumentConflict),
            ("show x --at e --path 1", ArgumentConflict),
            ("show x --at e --turn 1", ArgumentConflict),
            ("show x --at e --agent x", ArgumentConflict),
            ("show x --at e --context", ArgumentConflict),
            ("show x --at e --raw line:1", ArgumentConflict),
            ("show x --at e --summary", ArgumentConflict),
            ("show x --summary --turn 1", ArgumentConflict),
            ("show x --summary --full", ArgumentConflict),
            ("show x --summary --tools full", ArgumentConflict),
            ("show x --summary --timeline", ArgumentConflict),
            ("show x --timeline --changes", ArgumentConflict),
            ("show x --context-series --context", ArgumentConflict),
            ("show x --compare 1,2 --path 1", ArgumentConflict),
            ("show x --changes --raw line:1", ArgumentConflict),
            ("stats --json --csv", ArgumentConflict),
            ("stats --explain x --by day", ArgumentConflict),
            ("stats --explain x --since 3d", ArgumentConflict),
            ("stats --limit 3", MissingRequiredArgument),
        ] {
            let words = line.split(' ');
            let parsed = CliArgs::try_parse_from(std::iter::once("unspool").chain(words));
            assert_eq!(parsed.map_err(|error| error.kind()).err(), Some(expected), "{line}");
        }
    }
}
