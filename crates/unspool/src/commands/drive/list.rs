//! `unspool drive list`

use anyhow::Result;
use unspool_drive::{Drive, RunView};
use unspool_text::sanitize;

use crate::driving::open;
use crate::driving::paint::{approval_summary, failure_summary, run_table, short};
use crate::errors::RunOutcome;
use crate::filters;
use crate::settings::Settings;
use crate::ui::Ui;

/// List runs, and what they wait for
///
/// Leaves out runs that are over, except those whose host died, until their session is continued:
/// what was pending there was interrupted.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive list         what runs, and what waits\n  \
unspool drive list --all   also runs that ended")]
pub(super) struct DriveListArgs {
    /// List all known runs, also those that ended
    #[arg(long)]
    all: bool,

    /// Print one JSON object per line, see docs/drive.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &DriveListArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open::open(settings)?;
    let runs = drive.runs()?;
    let known = runs.len();
    let shown = if args.all { runs } else { RunView::current(runs) };
    if args.json {
        ui.print_json_lines(shown.iter().map(RunView::to_json))?;
    } else if !shown.is_empty() {
        print(&shown, settings, ui)?;
        say_left(&drive, &shown, ui);
    }
    if !shown.is_empty() {
        return Ok(RunOutcome::Done);
    }
    ui.note(match known {
        0 => "no runs yet; `unspool drive start` starts one",
        _ => "nothing runs; `unspool drive list --all` lists runs that ended",
    });
    Ok(RunOutcome::Problems)
}

/// Prints the processes that lost runs left running.
fn say_left(drive: &Drive, runs: &[RunView], ui: &Ui) {
    for view in runs {
        for left in drive.left_running(view) {
            let run = short(view.run.id.as_str());
            let command = sanitize::one_line(&left.command, 80);
            ui.note(&format!(
                "process {} of {run} still works: {command}; `unspool drive stop {run}` ends it",
                left.pid
            ));
        }
    }
}

fn print(runs: &[RunView], settings: &Settings, ui: &Ui) -> Result<()> {
    let now = filters::clock(ui).now;
    let mut page = ui.page();
    let table = run_table(runs, now, settings.user_home.as_deref());
    page.lines(table.lines(ui.width()))?;
    for view in runs {
        let run = view.to_json();
        if run.ended.is_none() {
            page.lines(failure_summary(&run))?;
        }
        for approval in &run.approvals {
            let mut line = approval_summary(approval);
            if let Some(resolved) = &approval.resolved {
                line.add(format!("  ({resolved})"), unspool_text::Role::Failure);
            }
            page.line(&line)?;
        }
    }
    Ok(page.finish()?)
}
