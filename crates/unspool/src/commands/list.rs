//! `unspool list`

use std::io::Write as _;

use anyhow::Result;
use unspool_engine::home::Discovery;
use unspool_engine::ops::list::{self, Agents, Kind, Request, Row};
use unspool_engine::render::human;
use unspool_engine::render::json::{self, RowJson};
use unspool_engine::render::terminal::{ListLayout, list_rows};

use crate::args::RuleArg;
use crate::errors::Outcome;
use crate::sessions::Homes;
use crate::ui::Ui;

/// List sessions, newest first
#[derive(clap::Args, Clone, Default, Debug)]
pub(crate) struct Args {
    /// List at most this many
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,

    /// List agents too, each as a row of its own
    #[arg(long)]
    agents: bool,

    /// List files without a conversation too (always with --json)
    #[arg(long)]
    empty: bool,

    /// How the active path is found
    #[arg(long, value_name = "RULE", default_value = "current")]
    rule: RuleArg,

    /// Print one JSON object per line, see docs/json.md
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, homes: &Homes, ui: &Ui) -> Result<Outcome> {
    let request = Request {
        rule: args.rule.into(),
        agents: if args.agents {
            Agents::Listed
        } else {
            Agents::Folded
        },
    };
    let walked = homes.say_problems(ui);
    let sessions = homes.found.iter().flat_map(Discovery::sessions);
    let total = sessions.map(|(_, session)| session.stamp.bytes).sum();
    let listing = ui.with_progress(total, |read| {
        list::list(&homes.found, &homes.live, &request, read)
    });
    for trouble in &listing.troubles {
        ui.warning(&trouble.to_string());
    }
    let mut rows = listing.rows;
    let empty = rows.iter().filter(|row| row.kind == Kind::Empty).count();
    let hides_empty = !args.json && !args.empty;
    if hides_empty {
        rows.retain(|row| row.kind != Kind::Empty);
    }
    rows.truncate(args.limit.unwrap_or(usize::MAX));
    if args.json {
        print_json(&rows, ui)?;
    } else {
        print_table(&rows, ui)?;
    }
    if rows.is_empty() && args.limit != Some(0) {
        ui.note(&nothing(homes, if hides_empty { empty } else { 0 }));
    } else if hides_empty && empty > 0 {
        ui.note(&format!(
            "{empty} without a conversation; --empty lists them too"
        ));
    }
    let damaged = rows.iter().filter(|row| row.oddities > 0).count();
    if damaged > 0 {
        let files = human::plural(damaged, "file");
        ui.note(&format!(
            "{files} with damaged lines; `unspool check` lists them"
        ));
    }
    let nothing = rows.is_empty() && args.limit != Some(0);
    Ok(match (listing.troubles.is_empty(), nothing) {
        (false, _) => Outcome::Io,
        (true, true) => walked.max(Outcome::Problems),
        (true, false) => walked,
    })
}

fn print_json(rows: &[Row], ui: &Ui) -> Result<()> {
    let mut out = ui.data();
    for row in rows {
        json::write_line(&RowJson::from(row), &mut out)?;
    }
    Ok(out.flush()?)
}

fn print_table(rows: &[Row], ui: &Ui) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let layout = ListLayout {
        width: ui.width(),
        zone: ui.zone(),
    };
    let mut page = ui.page();
    for line in list_rows(rows, &layout) {
        page.line(&line)?;
    }
    Ok(page.finish()?)
}

fn nothing(homes: &Homes, empty: usize) -> String {
    let places: Vec<String> = homes
        .found
        .iter()
        .map(|home| home.home.root.display().to_string())
        .collect();
    let places = places.join(", ");
    match empty {
        0 => format!("no sessions in {places}; `unspool --demo` shows made-up ones"),
        _ => format!("no sessions in {places} but {empty} without a conversation (--empty)"),
    }
}
