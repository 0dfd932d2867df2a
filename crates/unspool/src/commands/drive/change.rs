//! `unspool drive mode` and `unspool drive deadlines`

use anyhow::Result;
use unspool_drive::socket::{LimitChange, LimitsChange};
use unspool_drive::{ActionId, PermissionMode, RunView, UsdAmount};
use unspool_model::named::Named as _;

use crate::driving::{names, open};
use crate::errors::{RunOutcome, UsageError, wrong_use};
use crate::filters::one_of;
use crate::settings::{DeadlineChoice, Settings};
use crate::ui::Ui;

/// Change what the client of a run may do without asking, or its model
///
/// The client is told at once, also in a turn. `unspool drive commands` lists its models.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive mode 1f0c --mode plan")]
pub(super) struct ModeArgs {
    /// The run
    #[arg(value_name = "RUN")]
    run: String,

    /// What the client may do without asking
    #[arg(long, value_name = "MODE")]
    #[arg(value_parser = one_of(PermissionMode::ALL, PermissionMode::name))]
    mode: Option<PermissionMode>,

    /// The model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    #[command(flatten)]
    change: ChangeArgs,
}

/// Change the deadlines of a run, or its budget
///
/// Deadlines count from now. A budget that is higher than what the session has cost lets the queue go
/// on.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive deadlines 1f0c --idle off      the client stays until it is stopped\n  \
unspool drive deadlines 1f0c --waiting 600   requests wait for 10 minutes from now\n  \
unspool drive deadlines 1f0c --budget 5      the session may cost 5 US dollars")]
pub(super) struct DeadlinesArgs {
    /// The run
    #[arg(value_name = "RUN")]
    run: String,

    /// End the client after this many idle seconds
    #[arg(long, value_name = "SECONDS|off", value_parser = limit)]
    idle: Option<DeadlineChoice>,

    /// Answer for you after this many seconds
    #[arg(long, value_name = "SECONDS|off", value_parser = limit)]
    waiting: Option<DeadlineChoice>,

    /// Stop sending queued prompts once the session has cost this many US dollars
    #[arg(long, value_name = "USD|off", value_parser = budget_change)]
    budget: Option<LimitChange<UsdAmount>>,

    #[command(flatten)]
    change: ChangeArgs,
}

/// What every command takes that changes a run.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct ChangeArgs {
    /// The id of this request, a uuid: repeating it does nothing more [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = ActionId::parse)]
    id: Option<ActionId>,

    /// Print one JSON object, see docs/drive.md
    #[arg(long)]
    pub(super) json: bool,
}

impl ChangeArgs {
    pub(super) fn id(&self) -> ActionId {
        self.id.clone().unwrap_or_else(ActionId::random)
    }

    /// Prints the run after the change.
    fn print_result(&self, view: &RunView, words: &str, ui: &Ui) -> Result<RunOutcome> {
        if self.json {
            ui.print_json(&view.to_json())?;
        } else {
            ui.note(words);
        }
        Ok(RunOutcome::Done)
    }
}

/// Parses an amount of dollars above zero.
pub(super) fn budget(text: &str) -> Result<UsdAmount, UsageError> {
    let amount = UsdAmount::parse(text).filter(|amount| *amount > UsdAmount::default());
    let words = || UsageError("it should be US dollars, such as 5 or 0.50".to_owned());
    amount.ok_or_else(words)
}

/// Parses a deadline.
pub(super) fn limit(text: &str) -> Result<DeadlineChoice, UsageError> {
    let words = || UsageError("it should be a number of seconds up to a year, or off".to_owned());
    DeadlineChoice::parse(text).ok_or_else(words)
}

fn budget_change(text: &str) -> Result<LimitChange<UsdAmount>, UsageError> {
    if text == "off" {
        return Ok(LimitChange::Off);
    }
    budget(text).map(LimitChange::To)
}

pub(super) fn mode(args: &ModeArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    if args.mode.is_none() && args.model.is_none() {
        return wrong_use("there is nothing to change: give --mode or --model");
    }
    let drive = open::open(settings)?;
    let run = names::find_run(&drive, &args.run)?.run.id;
    drive.set_mode(&args.change.id(), &run, args.mode, args.model.as_deref())?;
    let words = "the client was told; `unspool drive list --json` shows what it took over";
    args.change.print_result(&drive.run(&run)?, words, ui)
}

pub(super) fn deadlines(args: &DeadlinesArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let deadline = |choice: Option<DeadlineChoice>| match choice {
        Some(choice) => LimitChange::from(choice.seconds()),
        None => LimitChange::Keep,
    };
    let limits = LimitsChange {
        idle: deadline(args.idle),
        waiting: deadline(args.waiting),
        budget: args.budget.unwrap_or_default(),
    };
    if limits == LimitsChange::default() {
        return wrong_use("there is nothing to change: give --idle, --waiting or --budget");
    }
    let drive = open::open(settings)?;
    let run = names::find_run(&drive, &args.run)?.run.id;
    drive.set_limits(&args.change.id(), &run, limits)?;
    args.change.print_result(&drive.run(&run)?, "changed", ui)
}
