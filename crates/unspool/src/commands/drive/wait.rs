//! `unspool drive wait`

use anyhow::Result;
use unspool_drive::{Drive, RunId, RunNeed, RunStage, RunView};
use unspool_text::{Line, Role};

use crate::driving::paint::{approval_lines, end_words, failure_lines, need_words, short};
use crate::driving::refusal::advice;
use crate::driving::{names, open};
use crate::errors::RunOutcome;
use crate::filters::one_of;
use crate::settings::Settings;
use crate::ui::Ui;

/// The needs that can be waited for.
const NEEDS: [RunNeed; 4] = [RunNeed::Answer, RunNeed::Held, RunNeed::Budget, RunNeed::Idle];

/// Wait until a run needs you, and print why
///
/// Ends with 0 when a run waits for an answer, is held by another process, has spent its budget, or is
/// idle with nothing queued; with 1 when nothing runs any more.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive wait                        any run\n  \
unspool drive wait 1f0c --for answer      one run, until it asks something\n  \
while unspool drive wait --for answer; do read -r _; done")]
pub(super) struct WaitArgs {
    /// The runs [default: all that run]
    #[arg(value_name = "RUN")]
    runs: Vec<String>,

    /// Wait only for this (repeatable)
    #[arg(long = "for", value_name = "NEED", value_parser = one_of(&NEEDS, RunNeed::name))]
    needs: Vec<RunNeed>,

    /// Print one JSON object per line, see docs/drive.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &WaitArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open::open(settings)?;
    let runs = args.chosen(&drive)?;
    let wanted: &[RunNeed] = if args.needs.is_empty() { &NEEDS } else { &args.needs };
    let found = drive.wait(&runs, |view| view.needs_any(wanted))?;
    if found.is_empty() {
        say_over(&drive, &runs, ui)?;
        return Ok(RunOutcome::Problems);
    }
    if args.json {
        ui.print_json_lines(found.iter().filter_map(RunView::to_need_json))?;
    } else {
        paint_needs(&found, ui)?;
    }
    Ok(RunOutcome::Done)
}

impl WaitArgs {
    fn chosen(&self, drive: &Drive) -> Result<Vec<RunId>> {
        if !self.runs.is_empty() {
            let named = self.runs.iter().map(|name| names::find_run(drive, name));
            return named.map(|view| Ok(view?.run.id)).collect();
        }
        let runs = drive.runs()?.into_iter();
        let alive = runs.filter(|view| !view.run.state.is_over());
        Ok(alive.map(|view| view.run.id).collect())
    }
}

/// Prints that no run is active, and how the runs ended.
fn say_over(drive: &Drive, runs: &[RunId], ui: &Ui) -> Result<()> {
    if runs.is_empty() {
        ui.note("nothing runs");
    }
    for run in runs {
        let ended = drive.run(run)?.to_json();
        let words = end_words(&ended);
        // The words for a lost run contain the reason.
        let message = ended.ended.filter(|_| ended.state != RunStage::Lost);
        let message = message.and_then(|end| end.message);
        let why = message.map(|message| format!(": {message}"));
        let why = why.unwrap_or_default();
        ui.note(&format!("{}  {words}{why}", short(run.as_str())));
        if let Some(advice) = advice(&why) {
            ui.note(&advice);
        }
    }
    Ok(())
}

fn paint_needs(found: &[RunView], ui: &Ui) -> Result<()> {
    let mut page = ui.page();
    for view in found {
        let need = view.need().map_or("", |need| need_words(need, &view.run));
        let mut head = Line::of(short(view.run.id.as_str()), Role::Id);
        head.add(format!("  {need}"), Role::Plain);
        page.line(&head)?;
        let open = view.to_json().approvals.into_iter();
        for approval in open.filter(|one| one.resolved.is_none()) {
            page.lines(approval_lines(&approval))?;
        }
        if let Some(spent) = view.run.over_budget() {
            page.line(&Line::of(format!("  {spent}"), Role::Warning))?;
        }
        page.lines(failure_lines(view.resting_failure()))?;
        if let Some(held) = view.run.queue_held() {
            page.line(&Line::of(format!("  {held}"), Role::Warning))?;
        }
    }
    Ok(page.finish()?)
}
