//! `unspool pick`

mod args;
mod editor;
mod output;

use anyhow::Result;
use unspool_tui::{PickerUse, StartScreen, TuiOutcome};

pub(crate) use self::args::PickArgs;
use crate::errors::RunOutcome;
use crate::filters;
use crate::fullscreen;
use crate::settings::Settings;
use crate::ui::Ui;

pub(crate) fn run(args: &PickArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let filter = args.filter.resolve(&filters::clock(ui), settings)?;
    if let Some(file) = &args.editor {
        return editor::run(file, filter, settings, ui);
    }
    let start =
        StartScreen::Picker(PickerUse::Choose { several: args.multi, query: args.query.clone() });
    match fullscreen::show(start, filter, settings, ui)? {
        TuiOutcome::Chosen(rows) if args.exec.is_empty() => output::print(args, &rows, ui),
        TuiOutcome::Chosen(rows) => fullscreen::replace(&output::command(&args.exec, &rows)),
        TuiOutcome::Interrupted => Ok(RunOutcome::Interrupted),
        TuiOutcome::Left | TuiOutcome::Inserted(_) | TuiOutcome::EditElsewhere => {
            Ok(RunOutcome::Problems)
        }
        ended @ (TuiOutcome::Replaced(_) | TuiOutcome::Ended(_)) => fullscreen::end(ended),
    }
}
