//! `unspool drive go-on` and `unspool drive again`

use anyhow::Result;
use unspool_drive::{ActionId, DriveError, PromptId, RunId};

use super::print_run;
use super::started::started;
use crate::driving::open::{BypassGrant, ClientNeed, open_for};
use crate::driving::refusal::DriveRefusal;
use crate::driving::{BY, names};
use crate::errors::{RunOutcome, wrong_use};
use crate::settings::Settings;
use crate::ui::Ui;

/// Continue a run that is over, as a new run, or one that is held
///
/// In a new run the client waits for a prompt; nothing that was pending runs again. A run that was held, because another process had its
/// session or its last turn failed, sends its queue again.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive go-on 1f0c")]
pub(super) struct GoOnArgs {
    #[command(flatten)]
    next: NextArgs,
}

/// Send the last prompt of a finished run again, in a new run
///
/// A live run whose last turn failed gets the prompt itself, ahead of its queue. Tools that the prompt made run may run twice: what they
/// did is not undone.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive again 1f0c --yes")]
pub(super) struct AgainArgs {
    #[command(flatten)]
    next: NextArgs,

    /// Accept that tools may run twice
    #[arg(long)]
    yes: bool,
}

#[derive(clap::Args, Clone, Debug)]
struct NextArgs {
    /// The run
    #[arg(value_name = "RUN")]
    run: String,

    /// The id of the new run, a uuid: the same id again is the same run [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = RunId::parse)]
    id: Option<RunId>,

    /// Print one JSON object, see docs/drive.md
    #[arg(long)]
    json: bool,
}

impl NextArgs {
    fn id(&self) -> RunId {
        self.id.clone().unwrap_or_else(RunId::random)
    }
}

pub(super) fn go_on(args: &GoOnArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open_for(settings, ClientNeed::Started, BypassGrant::Withheld)?;
    let old = names::find_run(&drive, &args.next.run)?.run;
    let is_held = old.held_by.is_some() || old.held_for.is_some();
    if is_held && !old.state.is_over() {
        drive.release_queue(&ActionId::random(), &old.id)?;
        print_run(&drive.run(&old.id)?, args.next.json, ui)?;
        return Ok(RunOutcome::Done);
    }
    let view = drive.go_on(&args.next.id(), &old.id, BY);
    let view = view.map_err(|error| not_over(&old.id, "go-on", error))?;
    started(&drive, &view, args.next.json, settings, ui)
}

pub(super) fn again(args: &AgainArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open_for(settings, ClientNeed::Started, BypassGrant::Withheld)?;
    let old = names::find_run(&drive, &args.next.run)?;
    let words =
        "tools that the last prompt made run may run twice, and what they did is not undone";
    if !args.yes {
        let run = &old.run.id;
        return wrong_use(format!(
            "{words}; `unspool drive again {run} --yes` runs it again, `unspool drive go-on {run}` \
             goes on without"
        ));
    }
    ui.warning(words);
    if !old.run.state.is_over() && old.run.last_failure.is_some() {
        let id = args.next.id();
        let id = PromptId::parse(id.as_str()).unwrap_or_else(|_| PromptId::random());
        drive.repeat_last(&id, &old.run.id, BY)?;
        print_run(&drive.run(&old.run.id)?, args.next.json, ui)?;
        return Ok(RunOutcome::Done);
    }
    let view = drive.run_again(&args.next.id(), &old.run.id, BY);
    let view = view.map_err(|error| not_over(&old.run.id, "again --yes", error))?;
    started(&drive, &view, args.next.json, settings, ui)
}

/// Adds the command that ends the old run to the error.
fn not_over(run: &RunId, wanted: &'static str, error: DriveError) -> anyhow::Error {
    match error {
        DriveError::NotOver(_) | DriveError::StillRunning(_) => {
            let (run, why) = (run.clone(), error.to_string());
            DriveRefusal::NotOver { run, why, wanted }.into()
        }
        error => error.into(),
    }
}
