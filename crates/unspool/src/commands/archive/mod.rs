//! `unspool archive`

mod kept;
mod restore;
mod store;
mod verify;

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Subcommand;
use unspool_store::archive::store::Mode;

use crate::errors::{RunOutcome, UsageError};
use crate::settings::Settings;
use crate::ui::Ui;

/// Keep sessions for good, in a folder of your choice
///
/// Copies sessions with everything that belongs to them (agents, spilled outputs, file history
/// and so on) into an archive, compressed. Run it again to add what is new: a session that grew
/// is extended, one that was cut or rewritten keeps its older state too, and nothing is ever
/// deleted. Every command reads an archive with --home ARCHIVE. See docs/archive.md.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool archive ~/sessions                keep everything there; again later adds what is new\n  \
unspool archive ~/sessions --dry-run      say what would be kept\n  \
unspool list --home ~/sessions            read the archive\n  \
unspool archive restore ~/sessions 4ba6   write a session back")]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ArchiveArgs {
    #[command(subcommand)]
    action: Option<Action>,

    #[command(flatten)]
    store: store::StoreArgs,
}

#[derive(Subcommand, Clone, Debug)]
enum Action {
    Restore(restore::RestoreArgs),
    List(kept::ArchiveListArgs),
    Verify(verify::VerifyArgs),
}

pub(crate) fn run(args: &ArchiveArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    match &args.action {
        None => store::run(&args.store, settings, ui),
        Some(Action::Restore(args)) => restore::run(args, settings, ui),
        Some(Action::List(args)) => kept::list(args, settings, ui),
        Some(Action::Verify(args)) => verify::run(args, settings, ui),
    }
}

/// Returns the given archive, else the one in the settings.
fn archive_folder(named: Option<&Path>, settings: &Settings) -> Result<PathBuf, UsageError> {
    let named = named.map(|folder| settings.here.join(folder));
    named.or_else(|| settings.archive.value.clone()).ok_or_else(|| {
        let words = "name the folder of the archive, or set `archive` in the settings";
        UsageError(words.to_owned())
    })
}

fn mode(dry_run: bool) -> Mode {
    if dry_run { Mode::DryRun } else { Mode::Write }
}
