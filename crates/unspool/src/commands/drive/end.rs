//! `unspool drive interrupt` and `unspool drive stop`

use anyhow::Result;
use unspool_drive::RunView;
use unspool_store::home::{Processes as _, SystemProcesses};

use super::change::ChangeArgs;
use crate::driving::paint::{end_words, state_words};
use crate::driving::{names, open};
use crate::errors::RunOutcome;
use crate::filters;
use crate::settings::Settings;
use crate::ui::Ui;

/// Interrupt the turn of a run; queued prompts stay and are sent next
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive interrupt 1f0c")]
pub(super) struct InterruptArgs {
    /// The run
    #[arg(value_name = "RUN")]
    run: String,

    #[command(flatten)]
    change: ChangeArgs,
}

/// End a run: ask the client to end, then force it
///
/// Waits until the run is over, then prints how it ended and which of its processes still run.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive stop 1f0c")]
pub(super) struct StopArgs {
    /// The run
    #[arg(value_name = "RUN")]
    run: String,

    #[command(flatten)]
    change: ChangeArgs,
}

pub(super) fn interrupt(args: &InterruptArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open::open(settings)?;
    let run = names::find_run(&drive, &args.run)?.run.id;
    drive.interrupt(&args.change.id(), &run)?;
    let view = drive.run(&run)?;
    if args.change.json {
        ui.print_json(&view.to_json())?;
    } else {
        ui.print_text(&state_words(&view.to_json(), filters::clock(ui).now))?;
    }
    Ok(RunOutcome::Done)
}

pub(super) fn stop(args: &StopArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open::open(settings)?;
    let run = names::find_run(&drive, &args.run)?.run.id;
    drive.stop(&args.change.id(), &run)?;
    let is_over = |view: &RunView| view.run.state.is_over();
    drive.wait(std::slice::from_ref(&run), is_over)?;
    let ended = drive.run(&run)?.to_json();
    if args.change.json {
        ui.print_json(&ended)?;
        return Ok(RunOutcome::Done);
    }
    ui.print_text(&end_words(&ended))?;
    let end = ended.ended.iter();
    let survivors = end.flat_map(|end| &end.survivors);
    for survivor in survivors.filter(|one| SystemProcesses.start_time(one.pid).is_some()) {
        let (pid, command) = (survivor.pid, &survivor.command);
        ui.warning(&format!("process {pid} of it still runs: {command}"));
    }
    Ok(RunOutcome::Done)
}
