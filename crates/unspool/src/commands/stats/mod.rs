//! `unspool stats`

mod args;

use std::io::Write as _;

use anyhow::Result;
use unspool_engine::library::{SessionRequest, StatsRequest};
use unspool_engine::ops::stats::{Explained, Stats, group_keys};
use unspool_render::csv;
use unspool_render::json::{ExplainedJson, StatsJson};
use unspool_render::terminal::{StatsLayout, explained, stats as page_of};
use unspool_text::human;

pub(crate) use self::args::StatsArgs;
use crate::context::CommandContext;
use crate::errors::{RunOutcome, UsageError};
use crate::filters;
use crate::ui::Ui;

pub(crate) fn run(args: &StatsArgs, context: &CommandContext<'_>) -> Result<RunOutcome> {
    match &args.explain {
        Some(name) => explain(args, name, context),
        None => sum_up(args, context),
    }
}

fn sum_up(args: &StatsArgs, context: &CommandContext<'_>) -> Result<RunOutcome> {
    let ui = context.ui;
    let clock = filters::clock(ui);
    let (by, then) = group_keys(&args.by).map_err(|error| UsageError(format!("--by {error}")))?;
    let request = StatsRequest {
        filter: args.filter.resolve(&clock, context.settings)?,
        by,
        then,
        limit: args.limit,
        zone: clock.zone,
    };
    let answer = context.library.stats(&request, context)?;
    ui.notes(&answer.unmatched);
    let is_nothing = answer.stats.total.sessions == 0;
    if !is_nothing || args.json || args.csv {
        print(args, &answer.stats, context)?;
    }
    say_unpriced(&answer.stats.unpriced_models, ui);
    if is_nothing {
        ui.note("there is nothing to count");
        return Ok(RunOutcome::from(answer.reading).max(RunOutcome::Problems));
    }
    Ok(answer.reading.into())
}

/// Prints which lines of a session count.
fn explain(args: &StatsArgs, name: &str, context: &CommandContext<'_>) -> Result<RunOutcome> {
    let ui = context.ui;
    let answer = context.library.explain(&SessionRequest::named(name), context)?;
    let Some(found) = &answer.explained else {
        ui.note("this file is outside every home and is not counted");
        return Ok(RunOutcome::from(answer.reading).max(RunOutcome::Problems));
    };
    print_explained(args, found, ui)?;
    say_unpriced(&found.unpriced_models, ui);
    Ok(answer.reading.into())
}

/// Prints totals as JSON, as CSV, or as a page.
fn print(args: &StatsArgs, stats: &Stats, context: &CommandContext<'_>) -> Result<()> {
    let ui = context.ui;
    if args.json {
        return ui.print_json(&StatsJson::from(stats));
    }
    if args.csv {
        let mut out = ui.data();
        csv::stats(stats, &mut out)?;
        return Ok(out.flush()?);
    }
    let layout =
        StatsLayout { width: ui.width(), user_home: context.user_home(), glyphs: ui.glyphs() };
    ui.print_lines(page_of(stats, &layout))
}

pub(super) fn say_unpriced(models: &[String], ui: &Ui) {
    if models.is_empty() {
        return;
    }
    ui.note(&format!(
        "no price is known for {}: {}; tokens are counted, their cost is not",
        human::plural(models.len(), "model"),
        models.join(", ")
    ));
}

fn print_explained(args: &StatsArgs, found: &Explained, ui: &Ui) -> Result<()> {
    if args.json {
        return ui.print_json(&ExplainedJson::from(found));
    }
    ui.print_lines(explained(found, ui.width()))
}
