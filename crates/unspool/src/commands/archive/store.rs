//! `unspool archive ARCHIVE`

use std::path::{Path, PathBuf};

use anyhow::Result;
use unspool_engine::library::{ArchiveChoice, ArchiveSelection};
use unspool_render::json::StoredJson;
use unspool_store::archive::store::{
    ArchiveChange, ArchiveCounts, ArchiveReport, ArchiveRequest, ArchiveTrust, Mode, store,
};
use unspool_text::{Line, Role, human};

use super::{archive_folder, mode};
use crate::context::CommandContext;
use crate::errors::RunOutcome;
use crate::filters::{self, FilterArgs};
use crate::settings::Settings;
use crate::ui::Ui;

#[derive(clap::Args, Clone, Debug)]
pub(super) struct StoreArgs {
    /// The folder of the archive (created if missing); `archive` in the settings if left out
    archive: Option<PathBuf>,

    /// Archive only these sessions; all if none
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,

    /// Print what would be archived, and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Compare every file with its archived copy, byte by byte, and repair damage
    #[arg(long)]
    recheck: bool,

    /// Print one JSON object per file, the last one with the summary, see docs/json.md
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    filter: FilterArgs,
}

pub(super) fn run(args: &StoreArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let archive = archive_folder(args.archive.as_deref(), settings)?;
    let context = CommandContext::open(settings, ui)?;
    let selection = select(args, &context)?;
    let Some(wanted) = &selection.wanted else {
        ui.note("no session fits; nothing was archived");
        return Ok(RunOutcome::Problems);
    };
    let request = ArchiveRequest {
        archive: &archive,
        homes: selection.homes(),
        wanted,
        mode: mode(args.dry_run),
        trust: if args.recheck { ArchiveTrust::Bytes } else { ArchiveTrust::Stamps },
        now: context.library.settings().clock.now(),
    };
    let report = store(&request, ui)?;
    let walked = RunOutcome::from(selection.report_problems(&context));
    ui.warnings(&report.problems);
    ui.warnings(&report.file_errors);
    if args.json {
        let stored = report.stored.iter().map(StoredJson::file);
        ui.print_json_lines(stored.chain([StoredJson::summary(&report, request.mode)]))?;
    } else {
        print(&report, request.mode, ui)?;
        say_summary(&report, &archive, request.mode, ui);
    }
    Ok(match (report.file_errors.is_empty(), report.files.all()) {
        (false, _) => RunOutcome::Io,
        (true, 0) => {
            ui.note("there is nothing to archive");
            walked.max(RunOutcome::Problems)
        }
        (true, _) => walked,
    })
}

/// Finds the sessions by name or by filter.
fn select(args: &StoreArgs, context: &CommandContext<'_>) -> Result<ArchiveSelection> {
    let clock = || filters::clock(context.ui);
    let filter = (!args.filter.is_empty()).then(|| args.filter.resolve(&clock(), context.settings));
    let filter = filter.transpose()?;
    let choice = ArchiveChoice { names: &args.sessions, filter: filter.as_ref() };
    let selection = context.library.archive_selection(choice, context)?;
    context.ui.notes(&selection.unmatched);
    Ok(selection)
}

/// Prints the files of a dry run; of written files, only those whose older state was moved aside or was
/// damaged.
fn print(report: &ArchiveReport, mode: Mode, ui: &Ui) -> Result<()> {
    let aside = [ArchiveChange::Rewritten, ArchiveChange::Repaired];
    let shown = |change: ArchiveChange| mode == Mode::DryRun || aside.contains(&change);
    let listed = report.stored.iter().filter(|stored| shown(stored.change));
    ui.print_lines(listed.map(|stored| {
        let (word, role) = match stored.change {
            ArchiveChange::New => ("new", Role::Success),
            ArchiveChange::Grown => ("grown", Role::Success),
            ArchiveChange::Rewritten => ("rewritten", Role::Warning),
            ArchiveChange::Repaired => ("repaired", Role::Warning),
            ArchiveChange::Unchanged => ("unchanged", Role::Muted),
        };
        let mut line = Line::of(format!("{word:9}"), role);
        line.add(format!("  {:>8}  ", human::bytes(stored.bytes)), Role::Number);
        line.add(stored.path.display().to_string(), Role::Path);
        line
    }))
}

fn say_summary(report: &ArchiveReport, archive: &Path, mode: Mode, ui: &Ui) {
    let counts = |counts: &ArchiveCounts| {
        let repaired = match counts.repaired {
            0 => String::new(),
            count => format!("{count} repaired, "),
        };
        format!(
            "{} new, {} grown, {} rewritten, {repaired}{} unchanged",
            counts.new, counts.grown, counts.rewritten, counts.unchanged
        )
    };
    let sizes = match mode {
        Mode::Write => format!(
            "{} added, {} on disk, in {}",
            human::bytes(report.added),
            human::bytes(report.written),
            archive.display()
        ),
        Mode::DryRun => format!("{} would be added", human::bytes(report.added)),
    };
    ui.plain_note(&format!("sessions: {}", counts(&report.sessions)));
    ui.plain_note(&format!("files:    {}", counts(&report.files)));
    ui.plain_note(&format!("bytes:    {sizes}"));
    if report.files.rewritten > 0 && mode == Mode::Write {
        let files = human::plural(report.files.rewritten, "file");
        ui.note(&format!(
            "{files} no longer began with what was archived; the older states are kept"
        ));
    }
}
