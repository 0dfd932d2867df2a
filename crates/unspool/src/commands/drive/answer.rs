//! `unspool drive answer`

use anyhow::Result;
use unspool_drive::{ApprovalKind, reply};

use super::approve::send_answer;
use crate::driving::{names, open};
use crate::errors::{RunOutcome, UsageError, wrong_use};
use crate::settings::Settings;
use crate::ui::Ui;

/// Answer the questions of a run, or fill in a form
///
/// A question is named by its number, its header or the beginning of its text; an answer is an
/// option, its number, or words of your own. One question needs no name.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive answer a91b2c3d Blue\n  \
unspool drive answer a91b2c3d colour=Blue 2='S, L'\n  \
unspool drive answer a91b2c3d name=site port=8080   the fields of a form")]
pub(super) struct AnswerArgs {
    /// The question, the beginning of its id, or a run that waits for one thing
    #[arg(value_name = "ID")]
    approval: String,

    /// The answers
    #[arg(value_name = "QUESTION=ANSWER", required = true)]
    answers: Vec<String>,

    /// Print one JSON object, see docs/drive.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &AnswerArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open::open(settings)?;
    let approval = names::find_approval(&drive, &args.approval)?;
    let input = approval.request.input();
    let typed = match approval.kind {
        ApprovalKind::Question => reply::answers(&input, &args.answers),
        ApprovalKind::Elicitation => reply::form(&input, &args.answers),
        ApprovalKind::Tool | ApprovalKind::Plan => {
            return wrong_use(format!(
                "{} is not a question; `unspool drive approve` or `deny` answers it",
                approval.id
            ));
        }
    };
    let choice = typed.map_err(|fault| UsageError(fault.0))?;
    send_answer(&drive, &approval, &choice, args.json, ui)
}
