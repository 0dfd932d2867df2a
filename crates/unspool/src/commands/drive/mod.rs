//! `unspool drive`

mod again;
mod answer;
mod approve;
mod attach;
mod change;
mod commands;
mod end;
mod host;
mod list;
mod plan;
mod queue;
mod send;
mod start;
mod started;
mod trust;
mod typing;
mod wait;

use anyhow::Result;
use clap::Subcommand;
use unspool_drive::RunView;

pub(crate) use self::host::{HostArgs, NotifyArgs, run_host, run_notify};
use crate::errors::RunOutcome;
use crate::settings::Settings;
use crate::ui::Ui;

/// Run Claude Code from here: start, prompt, approve, answer, stop
///
/// Each run has a small process of its own that goes on when this command, a server or the terminal
/// ends: queued prompts are sent, and requests wait for an answer from any place. See docs/drive.md.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive trust ~/work/site                         see what runs code there, trust it\n  \
unspool drive start ~/work/site --prompt 'fix the nav'  start a run; prints its id\n  \
unspool drive attach 1f0c                               follow it, type prompts, answer y or n\n  \
unspool drive wait && unspool drive list                wait until a run needs you\n  \
unspool drive approve a91b2c3d                          allow what it asks\n\n\
RUN is the id of a run, a unique beginning of it (4 characters or more), or the session that it \
drives.\n\n\
Exit codes: 0 done, 1 nothing found or refused, 2 wrong use, 3 could not read or write.")]
pub(crate) struct DriveArgs {
    #[command(subcommand)]
    action: DriveAction,
}

#[derive(Subcommand, Clone, Debug)]
enum DriveAction {
    Start(Box<start::StartArgs>),
    Send(send::SendArgs),
    List(list::DriveListArgs),
    Attach(attach::AttachArgs),
    Approve(approve::ApproveArgs),
    Deny(approve::DenyArgs),
    Answer(answer::AnswerArgs),
    Commands(commands::DriveCommandsArgs),
    Mode(change::ModeArgs),
    Deadlines(change::DeadlinesArgs),
    Cancel(queue::CancelArgs),
    Order(queue::OrderArgs),
    Interrupt(end::InterruptArgs),
    Stop(end::StopArgs),
    Wait(wait::WaitArgs),
    GoOn(again::GoOnArgs),
    Again(again::AgainArgs),
    Trust(trust::TrustArgs),
}

pub(crate) fn run(args: &DriveArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    match &args.action {
        DriveAction::Start(args) => start::run(args, settings, ui),
        DriveAction::Send(args) => send::run(args, settings, ui),
        DriveAction::List(args) => list::run(args, settings, ui),
        DriveAction::Attach(args) => attach::run(args, settings, ui),
        DriveAction::Approve(args) => approve::approve(args, settings, ui),
        DriveAction::Deny(args) => approve::deny(args, settings, ui),
        DriveAction::Answer(args) => answer::run(args, settings, ui),
        DriveAction::Commands(args) => commands::run(args, settings, ui),
        DriveAction::Mode(args) => change::mode(args, settings, ui),
        DriveAction::Deadlines(args) => change::deadlines(args, settings, ui),
        DriveAction::Cancel(args) => queue::cancel(args, settings, ui),
        DriveAction::Order(args) => queue::order(args, settings, ui),
        DriveAction::Interrupt(args) => end::interrupt(args, settings, ui),
        DriveAction::Stop(args) => end::stop(args, settings, ui),
        DriveAction::Wait(args) => wait::run(args, settings, ui),
        DriveAction::GoOn(args) => again::go_on(args, settings, ui),
        DriveAction::Again(args) => again::again(args, settings, ui),
        DriveAction::Trust(args) => trust::run(args, settings, ui),
    }
}

/// Prints the id of a run, or everything about it.
fn print_run(view: &RunView, as_json: bool, ui: &Ui) -> Result<()> {
    if as_json { ui.print_json(&view.to_json()) } else { ui.print_text(view.run.id.as_str()) }
}
