//! `unspool drive send`

use std::path::PathBuf;

use anyhow::Result;
use unspool_drive::json::PromptReceiptJson;
use unspool_drive::{PromptId, PromptState, RunView, SendWhen};

use crate::driving::paint::end_words;
use crate::driving::refusal::DriveRefusal;
use crate::driving::session::newer_than;
use crate::driving::{BY, input, names, open};
use crate::errors::{RunOutcome, UsageError};
use crate::settings::Settings;
use crate::ui::Ui;

/// Give a run a prompt: it is queued until the client is idle
///
/// When this command returns, the prompt is stored; the run itself sends it.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive send 1f0c 'now the tests'\n  \
unspool drive send 1f0c --now 'stop that, use the other file'\n  \
unspool drive send 1f0c 'what is wrong here?' --image screen.png\n  \
unspool drive send 1f0c --seen 0e259bfc 'go on'  only if nothing came since\n  \
cat plan.md | unspool drive send 1f0c -")]
pub(super) struct SendArgs {
    /// The run, or the session that it drives
    #[arg(value_name = "RUN|SESSION")]
    run: String,

    /// The prompt; - reads it from standard input
    #[arg(value_name = "TEXT|-")]
    text: Option<String>,

    /// Send it at once, into the running turn
    #[arg(long)]
    now: bool,

    /// Hold the prompt if messages came after this entry, the last one that you saw
    #[arg(long, value_name = "ENTRY")]
    seen: Option<String>,

    /// Send this image with it: PNG, JPEG, GIF or WebP (repeatable)
    #[arg(long, value_name = "FILE")]
    image: Vec<PathBuf>,

    /// The id of the prompt, a uuid: the same id again sends nothing more [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = PromptId::parse)]
    id: Option<PromptId>,

    /// Print one JSON object, see docs/drive.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &SendArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open::open(settings)?;
    let images: Vec<PathBuf> = args.image.iter().map(|file| settings.here.join(file)).collect();
    let content = input::prompt(args.text.as_deref(), &images)?;
    let words = "there is nothing to send: give a text, - for standard input, or --image";
    let content = content.ok_or_else(|| UsageError(words.to_owned()))?;
    let view = names::find_run(&drive, &args.run)?;
    let id = args.id.clone().unwrap_or_else(PromptId::random);
    let is_known = view.prompts.iter().any(|prompt| prompt.id == id);
    if !is_known {
        check_live(&view)?;
        check_seen(args, &view, settings, ui)?;
    }
    let send = if args.now { SendWhen::Now } else { SendWhen::Idle };
    let run = &view.run.id;
    let state = drive.put_prompt(run, &id, &content, send, BY)?;
    if args.json {
        ui.print_json(&PromptReceiptJson::new(run, &id, state))?;
    } else {
        ui.print_text(id.as_str())?;
        ui.note(words_of(state, send));
    }
    Ok(RunOutcome::Done)
}

/// Returns an error if the run has ended.
fn check_live(view: &RunView) -> Result<(), DriveRefusal> {
    if view.run.state.is_over() {
        return Err(DriveRefusal::Over {
            run: view.run.id.clone(),
            how: end_words(&view.to_json()),
        });
    }
    Ok(())
}

/// Returns an error if messages came that the person has not seen.
fn check_seen(args: &SendArgs, view: &RunView, settings: &Settings, ui: &Ui) -> Result<()> {
    let Some(seen) = &args.seen else {
        return Ok(());
    };
    let session = view.run.session.clone();
    match newer_than(&session, seen, settings, ui)? {
        (_, Some(0)) => Ok(()),
        (at, count) => Err(DriveRefusal::Newer { session, at, count }.into()),
    }
}

fn words_of(state: PromptState, send: SendWhen) -> &'static str {
    match state {
        PromptState::Queued if send == SendWhen::Now => "it is sent at once",
        PromptState::Queued => "queued: it is sent when the client is idle",
        PromptState::Sent => "sent",
        PromptState::TakenUp => "the client works on it",
        PromptState::Done => "it is done already",
        PromptState::Cancelled => "it was cancelled before",
        PromptState::Lost => "it was lost with its run",
    }
}
