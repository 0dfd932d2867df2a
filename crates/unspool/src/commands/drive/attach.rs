//! `unspool drive attach`

use std::sync::Arc;

use anyhow::Result;
use unspool_drive::json::DriveEventJson;
use unspool_drive::spool_parts::SpoolPart;
use unspool_drive::{Drive, RunId};
use unspool_render::json;

use super::typing::{self, SeenApproval, TypingPlace};
use crate::driving::paint::{
    Painted, RunEventPainter, TextPieces, approval_lines, end_words, short, state_words,
};
use crate::driving::refusal::advice;
use crate::driving::{names, open};
use crate::errors::RunOutcome;
use crate::filters;
use crate::settings::Settings;
use crate::ui::Ui;

/// Follow a run: what is said, calls, and what waits for you
///
/// On a terminal a line that you type is a prompt; while something waits, `y` allows it, `n` refuses
/// it, and other words refuse it with those words or answer the question. `:interrupt` interrupts,
/// `:stop` ends the run. Ctrl-C or Ctrl-D detaches: the run goes on. Ends when the run is over.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive attach 1f0c")]
pub(super) struct AttachArgs {
    /// The run, or the session that it drives
    #[arg(value_name = "RUN")]
    run: String,

    /// Show only what comes from now on
    #[arg(long)]
    new: bool,

    /// Print events, one JSON object per line, see docs/drive.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &AttachArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open::open(settings)?;
    let run = names::find_run(&drive, &args.run)?.run.id;
    let since = if args.new { drive.spool_length(&run) } else { 0 };
    if args.json {
        follow_json(&drive, &run, since, ui)?;
    } else {
        follow(&drive, &run, since, settings, ui)?;
    }
    Ok(RunOutcome::Done)
}

fn follow_json(drive: &Arc<Drive>, run: &RunId, since: u64, ui: &Ui) -> Result<()> {
    let mut out = ui.live();
    for event in drive.follow(run, since)? {
        let mut line = Vec::new();
        json::write_line(&event.into_json(), &mut line)?;
        out.raw(&line)?;
    }
    Ok(())
}

fn follow(drive: &Arc<Drive>, run: &RunId, since: u64, settings: &Settings, ui: &Ui) -> Result<()> {
    let view = drive.run(run)?.to_json();
    let now = filters::clock(ui).now;
    ui.note(&format!("run {}, {}, in {}", short(run.as_str()), state_words(&view, now), view.cwd));
    let seen = SeenApproval::default();
    let lines = drive.lines(run, since)?;
    if ui.can_ask() && ui.is_interactive() {
        ui.note("type a prompt, or y, n or words to answer; Ctrl-C detaches, the run goes on");
        let place = TypingPlace {
            drive: Arc::clone(drive),
            run: run.clone(),
            display: settings.display.clone(),
            seen: seen.clone(),
        };
        typing::begin(place, lines.stopper());
    }
    let pieces = if ui.is_interactive() { TextPieces::Shown } else { TextPieces::Hidden };
    let mut painter = RunEventPainter::new(pieces);
    let mut out = ui.live();
    // Pending approvals are shown even if they are older than `--new`.
    let earlier = view.approvals.iter().filter(|_| since > 0);
    for approval in earlier.filter(|one| one.resolved.is_none()) {
        out.lines(&approval_lines(approval))?;
        seen.set(&approval.id);
    }
    for said in lines.flatten().flat_map(|line| SpoolPart::of(&line)) {
        match painter.paint(&said) {
            Some(Painted::Piece(text)) => out.piece(&text)?,
            Some(Painted::Lines(lines)) => out.lines(&lines)?,
            None => {}
        }
        if let SpoolPart::Event(event) = &said
            && let DriveEventJson::Approval(approval) = &**event
        {
            seen.set(&approval.id);
        }
    }
    say_end(drive, run, ui)
}

/// Prints how the run ended, or that it continues.
fn say_end(drive: &Drive, run: &RunId, ui: &Ui) -> Result<()> {
    let view = drive.run(run)?;
    if !view.run.state.is_over() {
        ui.note("detached; the run goes on");
        return Ok(());
    }
    let ended = view.to_json();
    let message = ended.ended.as_ref().and_then(|end| end.message.as_deref());
    let why = message.map(|message| format!(": {message}"));
    ui.note(&format!("{}{}", end_words(&ended), why.unwrap_or_default()));
    if let Some(advice) = message.and_then(advice) {
        ui.note(&advice);
    }
    Ok(())
}
