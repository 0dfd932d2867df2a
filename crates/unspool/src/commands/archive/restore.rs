//! `unspool archive restore`

use std::path::{Path, PathBuf};

use anyhow::Result;
use unspool_engine::library::ArchiveChoice;
use unspool_render::json::RestoredJson;
use unspool_store::archive::Archive;
use unspool_store::archive::restore::{Refusal, RestoreReport, RestoreRequest, restore};
use unspool_store::archive::store::{Mode, WantedSessions};
use unspool_text::{Line, Role, human};

use super::{archive_folder, mode};
use crate::context::{CommandContext, system_clock};
use crate::errors::{RunOutcome, UsageError};
use crate::settings::{HomeChoice, Settings};
use crate::ui::Ui;

/// The largest number of foreign files that are listed.
const NAMED: usize = 20;

/// Write sessions of an archive back, byte for byte
///
/// Writes into a new folder that is laid out as a home, so every command reads it with --home. Never overwrites a file: one with other
/// content is kept and reported. Restores only what `archive` stores; settings, hooks or credentials in an archive are reported and
/// skipped.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool archive restore ~/sessions                        everything, into a new folder here\n  \
unspool archive restore ~/sessions 4ba6 --into-home")]
pub(super) struct RestoreArgs {
    /// The folder of the archive; `archive` in the settings if left out
    archive: Option<PathBuf>,

    /// Restore only these sessions; everything if none
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,

    /// Write into this folder; `restored-` with the date and time, here, if left out
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,

    /// Write into the home that is in force, for Claude Code to find
    #[arg(long, conflicts_with = "to")]
    into_home: bool,

    /// Print what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Print one JSON object per file, the last one with the summary, see docs/json.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &RestoreArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let folder = archive_folder(args.archive.as_deref(), settings)?;
    let archive = Archive::open(&folder)?;
    let target = target(args, settings, ui)?;
    let request = RestoreRequest {
        archive: &folder,
        wanted: &wanted(args, &archive, settings, ui)?,
        target: &target,
        mode: mode(args.dry_run),
    };
    let report = restore(&request, ui)?;
    ui.warnings(&report.problems);
    say_refused(&report, ui);
    ui.warnings(&report.file_errors);
    print(args, &report, &target, ui)?;
    if !args.json {
        say_summary(&report, &target, request.mode, ui);
        if args.into_home && !report.written.is_empty() {
            ui.note(
                "Claude Code deletes sessions that were not written for cleanupPeriodDays (30 by \
                 default), also these",
            );
        }
    }
    Ok(if !report.file_errors.is_empty() {
        RunOutcome::Io
    } else if !report.refused.is_empty() {
        RunOutcome::Problems
    } else {
        RunOutcome::Done
    })
}

/// Lists the files that were not written, but only some of the foreign ones.
fn say_refused(report: &RestoreReport, ui: &Ui) {
    let others = report.refused.iter();
    let others = others.filter(|refused| refused.reason != Refusal::Foreign);
    for refused in others.chain(report.foreign().take(NAMED)) {
        ui.warning(&refused.to_string());
    }
    let more = report.foreign().skip(NAMED).count();
    if more > 0 {
        ui.warning(&format!(
            "{more} more belong to no session and were not written; --json lists all"
        ));
    }
}

/// Returns the folder to write into.
fn target(args: &RestoreArgs, settings: &Settings, ui: &Ui) -> Result<PathBuf> {
    if let Some(folder) = &args.to {
        return Ok(settings.here.join(folder));
    }
    if !args.into_home {
        let now = jiff::Timestamp::try_from(system_clock().now())?.to_zoned(ui.zone());
        let name = now.strftime("restored-%Y-%m-%d-%H%M%S").to_string();
        return Ok(settings.here.join(name));
    }
    match &settings.homes.value {
        HomeChoice::Folders(homes) if homes.len() == 1 => Ok(homes[0].root.clone()),
        _ => Err(UsageError("name the one home to write into with --home".to_owned()).into()),
    }
}

/// Finds the sessions of the archive that were named.
fn wanted(
    args: &RestoreArgs,
    archive: &Archive,
    settings: &Settings,
    ui: &Ui,
) -> Result<WantedSessions> {
    if args.sessions.is_empty() {
        return Ok(WantedSessions::Everything);
    }
    let homes = archive.homes().iter().map(|it| archive.home(it)).collect();
    let context = CommandContext::of_homes(homes, settings, ui)?;
    let choice = ArchiveChoice { names: &args.sessions, filter: None };
    let selection = context.library.archive_selection(choice, &context)?;
    let none = || UsageError("no session of the archive fits".to_owned());
    Ok(selection.wanted.ok_or_else(none)?)
}

/// Prints JSON if requested, else the files that a dry run would write.
fn print(args: &RestoreArgs, report: &RestoreReport, target: &Path, ui: &Ui) -> Result<()> {
    if args.json {
        return ui.print_json_lines(RestoredJson::lines(report, target, mode(args.dry_run)));
    }
    let written = report.written.iter().filter(|_| args.dry_run);
    ui.print_lines(written.map(|path| Line::of(path.display().to_string(), Role::Path)))
}

fn say_summary(report: &RestoreReport, target: &Path, mode: Mode, ui: &Ui) {
    let verb = match mode {
        Mode::Write => "written",
        Mode::DryRun => "would be written",
    };
    let mut words = vec![format!(
        "{} {verb} ({})",
        human::plural(report.written.len(), "file"),
        human::bytes(report.bytes)
    )];
    for (count, what) in [
        (report.same, "already there"),
        (report.refused.len(), "not written"),
        (report.file_errors.len(), "failed"),
    ] {
        if count > 0 {
            words.push(format!("{count} {what}"));
        }
    }
    ui.plain_note(&format!("{} in {}", words.join(", "), target.display()));
}
