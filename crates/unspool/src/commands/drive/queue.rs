//! `unspool drive cancel` and `unspool drive order`

use anyhow::Result;
use unspool_drive::json::PromptReceiptJson;
use unspool_drive::{PromptId, PromptState};

use super::change::ChangeArgs;
use crate::driving::{names, open};
use crate::errors::RunOutcome;
use crate::settings::Settings;
use crate::ui::Ui;

/// Take back a prompt that the client has not started
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive cancel 1f0c 8d21")]
pub(super) struct CancelArgs {
    /// The run
    #[arg(value_name = "RUN")]
    run: String,

    /// The prompt: its id, or a unique beginning of it (4 characters or more)
    #[arg(value_name = "PROMPT")]
    prompt: String,

    /// Print one JSON object, see docs/drive.md
    #[arg(long)]
    json: bool,
}

/// Reorder queued prompts; those not named follow
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive order 1f0c 8d21 77aa")]
pub(super) struct OrderArgs {
    /// The run
    #[arg(value_name = "RUN")]
    run: String,

    /// The prompts, in their order
    #[arg(value_name = "PROMPT", required = true)]
    prompts: Vec<String>,

    #[command(flatten)]
    change: ChangeArgs,
}

pub(super) fn cancel(args: &CancelArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open::open(settings)?;
    let view = names::find_run(&drive, &args.run)?;
    let id = names::find_prompt(&view, &args.prompt)?;
    let run = &view.run.id;
    let state = drive.cancel_prompt(run, &id)?;
    let is_taken_back = matches!(state, PromptState::Cancelled | PromptState::Sent);
    if args.json {
        ui.print_json(&PromptReceiptJson::new(run, &id, state))?;
    } else {
        ui.note(match state {
            PromptState::Cancelled => "cancelled",
            PromptState::Sent => "the client has it; it was asked to give it back",
            PromptState::Queued => "it is still queued",
            PromptState::TakenUp => "too late: the client works on it; `unspool drive interrupt`",
            PromptState::Done => "too late: it is done",
            PromptState::Lost => "it was lost with its run",
        });
    }
    Ok(if is_taken_back { RunOutcome::Done } else { RunOutcome::Problems })
}

pub(super) fn order(args: &OrderArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open::open(settings)?;
    let view = names::find_run(&drive, &args.run)?;
    let named = args.prompts.iter();
    let named = named.map(|text| names::find_prompt(&view, text));
    let order = named.collect::<Result<Vec<PromptId>>>()?;
    drive.reorder(&args.change.id(), &view.run.id, &order)?;
    let view = drive.run(&view.run.id)?;
    if args.change.json {
        ui.print_json(&view.to_json())?;
    } else {
        for prompt in view.to_json().queue {
            ui.print_text(&format!("{}  {}", prompt.id, prompt.state))?;
        }
    }
    Ok(RunOutcome::Done)
}
