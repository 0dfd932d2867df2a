//! `unspool stats`

use std::collections::HashSet;
use std::io::Write as _;
use std::path::Path;

use anyhow::Result;
use clap::builder::TypedValueParser;
use unspool_engine::home::Home;
use unspool_engine::index::{Index, LedgerRow};
use unspool_engine::ops::filter;
use unspool_engine::ops::list::Row;
use unspool_engine::ops::stats::{
    self, By, ExplainedFile, MOST_KEYS, Request, SessionMeta, Source, Stats, Then, Totals,
};
use unspool_engine::prices::PriceTable;
use unspool_engine::render::json::{self, ExplainedJson, StatsJson};
use unspool_engine::render::terminal::{StatsLayout, explained, stats as page_of};
use unspool_engine::render::{csv, human};
use unspool_engine::session::Session;
use unspool_model::ids::AgentId;
use unspool_model::log::Log;
use unspool_model::query::Clock;

use crate::errors::{Outcome, Usage};
use crate::filters::{self, FilterArgs, one_of};
use crate::sessions::Homes;
use crate::ui::Ui;

/// Sum up tokens, cost, time, turns, calls and changed lines
///
/// Everything counts once, however many forks, resumes and copies repeat it. `--since` and
/// `--until` are about what was written, so a session that spans midnight counts on both days;
/// other filters are about sessions.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Make groups of this; of several keys with commas between them: project,model
    #[arg(long, value_name = "KEYS", value_delimiter = ',', value_parser = units())]
    by: Vec<By>,

    /// Show only so many groups, the largest, and the others as one
    #[arg(long, short = 'n', value_name = "N", requires = "by")]
    limit: Option<usize>,

    /// Show which lines of this session count, and why others do not
    #[arg(long, value_name = "SESSION", conflicts_with_all = ["by", "csv", "FilterArgs"])]
    explain: Option<String>,

    /// Print a table for spreadsheets, one row for each group
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// Print one JSON object, see docs/json.md
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    filter: FilterArgs,
}

/// What totals are made of.
pub(crate) struct Material<'a> {
    /// The index, up to date.
    pub(crate) index: &'a Index,
    /// The homes that are read.
    pub(crate) roots: &'a [Home],
    /// All sessions of these homes, agents counted with their session.
    pub(crate) rows: Vec<Row>,
    /// What tokens cost.
    pub(crate) prices: &'a PriceTable,
    /// Whether everything could be read.
    pub(crate) reading: Outcome,
}

pub(crate) fn run(args: &Args, homes: &Homes, material: Material<'_>, ui: &Ui) -> Result<Outcome> {
    let reading = material.reading;
    let outcome = match &args.explain {
        Some(name) => explain(args, name, homes, &material, ui),
        None => sum_up(args, homes, material, ui),
    };
    Ok(outcome?.max(reading))
}

fn sum_up(args: &Args, homes: &Homes, material: Material<'_>, ui: &Ui) -> Result<Outcome> {
    let zone = ui.zone();
    let clock = Clock {
        zone: zone.clone(),
        ..filters::clock(ui)
    };
    let mut filter = args.filter.resolve(&clock, homes)?;
    // Lines are in a time or not, sessions only touch it.
    let time = std::mem::take(&mut filter.time);
    let (sessions, unmatched) = select(material.rows, &filter, args.filter.is_empty());
    for unmatched in unmatched {
        ui.note(&unmatched);
    }
    let totals = stats::collect(material.index, material.roots, &sessions, |_, _| {})?;
    let (by, then) = keys(&args.by)?;
    let request = Request {
        by,
        then,
        time,
        limit: args.limit,
    };
    let stats = totals.stats(&request, material.prices, &zone);
    let is_nothing = stats.total.sessions == 0;
    if !is_nothing || args.json || args.csv {
        print(args, &stats, homes, ui)?;
    }
    say_unpriced(&stats.unpriced_models, ui);
    if is_nothing {
        ui.note("there is nothing to count");
        return Ok(Outcome::Problems);
    }
    Ok(Outcome::Done)
}

/// Takes the keys of groups apart: the first, and those behind it.
fn keys(asked: &[By]) -> Result<(By, Then), Usage> {
    let is_repeated = |(at, by): (usize, &By)| asked[..at].contains(by);
    if asked.iter().enumerate().any(is_repeated) {
        return Err(Usage("--by takes every key once".to_owned()));
    }
    match *asked {
        [] => Ok((By::Nothing, Then::default())),
        [by] => Ok((by, Then::default())),
        [by, second] => Ok((by, [second, By::Nothing])),
        [by, second, third] => Ok((by, [second, third])),
        _ => Err(Usage(format!("--by takes {MOST_KEYS} keys at most"))),
    }
}

/// Marks the sessions that a filter admits. The others stay: they decide what is a copy.
fn select(
    rows: Vec<Row>,
    filter: &filter::Filter,
    everything: bool,
) -> (Vec<SessionMeta>, Vec<String>) {
    let mut sessions: Vec<_> = rows.iter().map(|row| SessionMeta::of(row, true)).collect();
    if everything {
        return (sessions, Vec::new());
    }
    let files: Vec<_> = rows.iter().map(|row| row.file.clone()).collect();
    let selection = filter::select(rows, filter);
    let kept: HashSet<&Path> = selection
        .rows
        .iter()
        .map(|row| row.file.as_path())
        .collect();
    for (session, file) in sessions.iter_mut().zip(&files) {
        session.selected = kept.contains(file.as_path());
    }
    let unmatched = selection.unmatched.iter().map(ToString::to_string);
    (sessions, unmatched.collect())
}

fn print(args: &Args, stats: &Stats, homes: &Homes, ui: &Ui) -> Result<()> {
    if args.json || args.csv {
        let mut out = ui.data();
        if args.csv {
            csv::stats(stats, &mut out)?;
        } else {
            json::write_line(&StatsJson::from(stats), &mut out)?;
        }
        return Ok(out.flush()?);
    }
    let layout = StatsLayout {
        width: ui.width(),
        user_home: homes.user_home().map(|home| home.display().to_string()),
        glyphs: ui.glyphs(),
    };
    let mut page = ui.page();
    for line in page_of(stats, &layout) {
        page.line(&line)?;
    }
    Ok(page.finish()?)
}

fn say_unpriced(models: &[String], ui: &Ui) {
    if models.is_empty() {
        return;
    }
    ui.note(&format!(
        "no price is known for {}: {}; tokens are counted, their cost is not",
        human::plural(models.len(), "model"),
        models.join(", ")
    ));
}

fn explain(
    args: &Args,
    name: &str,
    homes: &Homes,
    material: &Material<'_>,
    ui: &Ui,
) -> Result<Outcome> {
    let (_, session) = homes.session(name, ui)?;
    let logs = logs(&session);
    let sessions: Vec<_> = material
        .rows
        .iter()
        .map(|row| SessionMeta::of(row, true))
        .collect();
    let mut held: Vec<(SessionMeta, LedgerRow)> = Vec::new();
    let totals = stats::collect(material.index, material.roots, &sessions, |session, row| {
        if logs.iter().any(|(path, _)| *path == row.path) {
            held.push((session.clone(), row));
        }
    })?;
    // As the session has them: its own log first.
    held.sort_by_key(|(_, row)| logs.iter().position(|(path, _)| *path == row.path));
    if held.is_empty() {
        ui.note("no home holds this file, so it has no part in totals");
        return Ok(Outcome::Problems);
    }
    print_explained(args, &totals, &held, &logs, material.prices, ui)
}

fn print_explained(
    args: &Args,
    totals: &Totals,
    held: &[(SessionMeta, LedgerRow)],
    logs: &[(&Path, &Log)],
    prices: &PriceTable,
    ui: &Ui,
) -> Result<Outcome> {
    let agents: Vec<Option<AgentId>> = held
        .iter()
        .map(|(_, row)| row.agent.as_deref().map(AgentId::new))
        .collect();
    let files: Vec<ExplainedFile<'_>> = held
        .iter()
        .zip(&agents)
        .filter_map(|((session, row), agent)| {
            let (_, log) = logs.iter().find(|(path, _)| *path == row.path)?;
            let source = Source {
                session,
                agent: agent.as_ref(),
                file: &row.path,
                ledger: &row.ledger,
            };
            Some(ExplainedFile { source, log })
        })
        .collect();
    let found = totals.explain(&held[0].0, &files, prices);
    if args.json {
        let mut out = ui.data();
        json::write_line(&ExplainedJson::from(&found), &mut out)?;
        out.flush()?;
    } else {
        let mut page = ui.page();
        for line in explained(&found, ui.width()) {
            page.line(&line)?;
        }
        page.finish()?;
    }
    say_unpriced(&found.unpriced_models, ui);
    Ok(Outcome::Done)
}

/// The logs of a session, its own first.
fn logs(session: &Session) -> Vec<(&Path, &Log)> {
    let own = (session.main.path(), session.log());
    let agents = session.agents.iter().map(|agent| &agent.file);
    std::iter::once(own)
        .chain(agents.map(|file| (file.path(), file.log())))
        .collect()
}

fn units() -> impl TypedValueParser<Value = By> {
    one_of(&By::ALL, By::name)
}
