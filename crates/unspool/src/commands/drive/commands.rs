//! `unspool drive commands`

use anyhow::Result;
use unspool_drive::json::RunMenuJson;
use unspool_text::{Align, Column, Line, Role, Table, sanitize};

use crate::driving::{names, open};
use crate::errors::RunOutcome;
use crate::settings::Settings;
use crate::ui::Ui;

/// The length to which names and descriptions are cut.
const SUMMARY: usize = 200;

/// List the slash commands and the models that the client of a run offers
///
/// A slash command is sent as a prompt: `unspool drive send RUN '/compact'`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive commands 1f0c")]
pub(super) struct DriveCommandsArgs {
    /// The run
    #[arg(value_name = "RUN")]
    run: String,

    /// Print one JSON object, see docs/drive.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &DriveCommandsArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open::open(settings)?;
    let run = names::find_run(&drive, &args.run)?.run.id;
    let menu = drive.menu(&run)?;
    let menu = RunMenuJson::new(Some((run, menu)));
    let is_empty = menu.commands.is_empty() && menu.models.is_empty();
    if args.json {
        ui.print_json(&menu)?;
    } else if !is_empty {
        print(&menu, ui)?;
    }
    if is_empty {
        ui.note("the client has not said yet what it offers");
        return Ok(RunOutcome::Problems);
    }
    Ok(RunOutcome::Done)
}

fn print(menu: &RunMenuJson, ui: &Ui) -> Result<()> {
    let mut table = Table::new(vec![
        Column::new(Align::Left).priority(2),
        Column::new(Align::Left).min(12).flexible().priority(1),
    ]);
    let mut row = |name: String, words: &str| {
        let name = sanitize::one_line(&name, SUMMARY);
        let words = sanitize::one_line(words, SUMMARY);
        table.row(vec![Line::of(name, Role::Id), Line::of(words, Role::Plain)]);
    };
    for command in &menu.commands {
        let name = format!("/{} {}", command.name, command.argument_hint);
        row(name.trim_end().to_owned(), &command.description);
    }
    for model in &menu.models {
        let words = format!("{} {}", model.name, model.description);
        row(format!("--model {}", model.value), words.trim_end());
    }
    ui.print_lines(table.lines(ui.width()))
}
