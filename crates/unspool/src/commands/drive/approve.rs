//! `unspool drive approve` and `unspool drive deny`

use anyhow::Result;
use serde_json::Value;
use unspool_drive::json::AnswerReceiptJson;
use unspool_drive::store::ApprovalRecord;
use unspool_drive::{ApprovalKind, Drive, PermissionMode, PersonChoice};
use unspool_model::named::Named as _;

use crate::driving::{BY, names, open};
use crate::errors::{RunOutcome, UsageError, wrong_use};
use crate::filters::one_of;
use crate::settings::Settings;
use crate::ui::Ui;

/// Allow what a run asks for: a call or a plan
///
/// The first answer counts, wherever it comes from; repeating it changes nothing.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive approve a91b2c3d                    this once\n  \
unspool drive approve a91b2c3d --always 1         also take the client's first suggestion\n  \
unspool drive approve a91b2c3d --input '{\"command\":\"ls\"}'\n  \
unspool drive approve 1f0c --mode acceptEdits     accept the plan that the run waits with")]
pub(super) struct ApproveArgs {
    /// The approval, the beginning of its id, or a run that waits for one thing
    #[arg(value_name = "ID")]
    approval: String,

    /// Also accept this suggestion of the client, counted from 1 (repeatable)
    #[arg(long, value_name = "N")]
    always: Vec<usize>,

    /// Run the call with this input instead
    #[arg(long, value_name = "JSON", value_parser = json_object)]
    input: Option<Value>,

    /// For a plan: the permission mode from now on
    #[arg(long, value_name = "MODE")]
    #[arg(value_parser = one_of(PermissionMode::ALL, PermissionMode::name))]
    mode: Option<PermissionMode>,

    /// Print one JSON object, see docs/drive.md
    #[arg(long)]
    json: bool,
}

/// Refuse what a run asks for, with words for the model
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive deny a91b2c3d 'not there: work in the branch'")]
pub(super) struct DenyArgs {
    /// The approval, the beginning of its id, or a run that waits for one thing
    #[arg(value_name = "ID")]
    approval: String,

    /// Words for the model
    #[arg(value_name = "WORDS")]
    words: Vec<String>,

    /// Print one JSON object, see docs/drive.md
    #[arg(long)]
    json: bool,
}

fn json_object(text: &str) -> Result<Value, UsageError> {
    let value = serde_json::from_str(text);
    let value: Value = value.map_err(|error| UsageError(format!("it is not JSON: {error}")))?;
    if value.is_object() {
        Ok(value)
    } else {
        Err(UsageError("it should be a JSON object".to_owned()))
    }
}

pub(super) fn approve(args: &ApproveArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open::open(settings)?;
    let approval = names::find_approval(&drive, &args.approval)?;
    if approval.kind == ApprovalKind::Question {
        return wrong_use(format!(
            "{} is a question; `unspool drive answer` answers it",
            approval.id
        ));
    }
    let suggestions = args.always.iter().map(|number| {
        let words = || UsageError("suggestions are counted from 1".to_owned());
        number.checked_sub(1).ok_or_else(words)
    });
    let choice = PersonChoice {
        suggestions: suggestions.collect::<Result<_, _>>()?,
        input: args.input.clone(),
        mode: args.mode,
        ..PersonChoice::allow()
    };
    send_answer(&drive, &approval, &choice, args.json, ui)
}

pub(super) fn deny(args: &DenyArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open::open(settings)?;
    let approval = names::find_approval(&drive, &args.approval)?;
    let words = args.words.join(" ");
    let choice = PersonChoice {
        message: Some(words).filter(|words| !words.trim().is_empty()),
        ..PersonChoice::deny("")
    };
    send_answer(&drive, &approval, &choice, args.json, ui)
}

/// Sends an answer, and prints the answer that counts.
pub(super) fn send_answer(
    drive: &Drive,
    approval: &ApprovalRecord,
    choice: &PersonChoice,
    as_json: bool,
    ui: &Ui,
) -> Result<RunOutcome> {
    let given = drive.answer(&approval.id, choice, BY)?;
    if as_json {
        ui.print_json(&AnswerReceiptJson::new(&approval.id, &given))?;
    } else {
        ui.print_text(given.decision.name())?;
    }
    Ok(RunOutcome::Done)
}
