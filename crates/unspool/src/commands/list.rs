//! `unspool list`

use std::fmt;
use std::io::Write as _;

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use unspool_engine::home::Discovery;
use unspool_engine::ops::filter::{self, Direction, Selection, SortKey, sort};
use unspool_engine::ops::list::{self, Agents, Kind, Listing, Request, Row, Status};
use unspool_engine::prices::PriceTable;
use unspool_engine::render::human;
use unspool_engine::render::json::{self, RowJson};
use unspool_engine::render::template::Template;
use unspool_engine::render::terminal::{
    ListColumn, ListGroup, ListLayout, MARKS_LEGEND, PageLayout, cards, list_rows,
};
use unspool_model::graph::Rule;
use unspool_model::query::Clock;

use crate::args::RuleArg;
use crate::errors::{Outcome, Usage};
use crate::filters::{self, FilterArgs, one_of, set_in};
use crate::indexed::{Indexed, prices};
use crate::sessions::Homes;
use crate::settings::Settings;
use crate::ui::Ui;

/// The most columns that a card is spread over.
const CARD: usize = 100;

/// List sessions, newest first
///
/// What people and programs ran is listed; agents are counted with their session. Values of
/// one filter are alternatives, and all filters must hold.
#[derive(clap::Args, Clone, Default, Debug)]
#[command(after_help = after_help())]
pub(crate) struct Args {
    /// List at most this many
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,

    /// Sort by this: the newest and the largest first, names from A to Z
    #[arg(long, value_name = "KEY", default_value = "ended", value_parser = keys())]
    sort: SortKey,

    /// Reverse the order
    #[arg(long)]
    reverse: bool,

    /// List agents too, each as a row of its own
    #[arg(long, conflicts_with_all = ["headless", "kind"])]
    agents: bool,

    /// List sessions without a conversation too, also those of which only agents are left
    /// (always with --json)
    #[arg(long, conflicts_with_all = ["headless", "kind"])]
    empty: bool,

    /// Put sessions under a heading for each of these
    #[arg(long, value_name = "KEY", value_parser = groups())]
    #[arg(conflicts_with_all = ["json", "format", "cards"])]
    group: Option<ListGroup>,

    /// Show a card for each session
    #[arg(long, conflicts_with_all = ["json", "format", "columns"])]
    cards: bool,

    /// Show these columns
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = columns())]
    #[arg(conflicts_with_all = ["json", "format"])]
    columns: Vec<ListColumn>,

    /// Print a line of your own making for each session, such as '{id}\t{title}'
    #[arg(long, value_name = "TEMPLATE", value_parser = template, conflicts_with = "json")]
    format: Option<Template>,

    /// How the active path is found
    #[arg(long, value_name = "RULE", default_value = "current")]
    rule: RuleArg,

    /// Print one JSON object per line, see docs/json.md
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    filter: FilterArgs,
}

pub(crate) fn run(args: &Args, homes: &Homes, settings: &Settings, ui: &Ui) -> Result<Outcome> {
    let clock = filters::clock(ui);
    let mut filter = args.filter.resolve(&clock, homes)?;
    let asks_for_agents = args.agents || filter.kinds.contains(&Kind::Agent);
    let agents = if asks_for_agents {
        Agents::Listed
    } else {
        Agents::Folded
    };
    let asks_for_empty = filter.kinds.contains(&Kind::Empty)
        || filter.statuses.contains(&Status::Empty)
        || args.empty;
    let hides_empty = !args.json && !asks_for_empty;
    if filter.kinds.is_empty() {
        filter.kinds = Kind::ALL.to_vec();
    }
    let (listing, walked) = match args.rule.into() {
        Rule::Current => {
            let mut indexed = Indexed::open(homes, settings)?;
            let listing = indexed.listing(agents, ui)?;
            (listing, indexed.say_problems(ui))
        }
        rule => {
            let walked = homes.say_problems(ui);
            let request = Request { rule, agents };
            (read_all(request, homes, &prices(settings), ui), walked)
        }
    };
    for trouble in &listing.troubles {
        ui.warning(&trouble.to_string());
    }
    let selection = filter::select(listing.rows, &filter);
    let mut shown = Shown::of(args, selection, hides_empty);
    shown.rows.truncate(args.limit.unwrap_or(usize::MAX));
    print(args, &shown.rows, &clock, homes, ui)?;
    shown.say_rest(args, homes, ui);
    Ok(
        match (listing.troubles.is_empty(), shown.found_nothing(args)) {
            (false, _) => Outcome::Io,
            (true, true) => walked.max(Outcome::Problems),
            (true, false) => walked,
        },
    )
}

/// Reads all logs, since the index knows one rule only.
fn read_all(request: Request, homes: &Homes, prices: &PriceTable, ui: &Ui) -> Listing {
    let sessions = homes.found().iter().flat_map(Discovery::sessions);
    let total = sessions.map(|(_, session)| session.stamp.bytes).sum();
    ui.with_progress(total, |read| {
        list::list(homes.found(), homes.live(), &request, prices, read)
    })
}

impl Args {
    /// Returns the option that sessions without a conversation are asked for by.
    fn asking_for_empty(&self) -> &'static str {
        if self.filter.has_kinds() {
            "--status empty"
        } else {
            "--empty"
        }
    }
}

/// Sessions without a conversation that are not listed. Each is in one of the numbers.
#[derive(Clone, Copy, Default)]
struct Hidden {
    /// Those that have no agents either.
    empty: usize,
    /// Those of which only agents are left.
    only_agents: usize,
}

impl Hidden {
    /// Counts a row if it is to be hidden, and tells whether it is.
    fn takes(&mut self, row: &Row) -> bool {
        let only_agents = row.has_only_agents();
        let is_empty = !only_agents && row.kind == Kind::Empty;
        self.only_agents += usize::from(only_agents);
        self.empty += usize::from(is_empty);
        only_agents || is_empty
    }

    fn is_none(self) -> bool {
        self.empty == 0 && self.only_agents == 0
    }
}

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { empty, only_agents } = self;
        match (empty, only_agents) {
            (_, 0) => write!(f, "{empty} without a conversation"),
            (0, _) => write!(f, "{only_agents} of which only agents are left"),
            _ => write!(
                f,
                "{empty} without a conversation and {only_agents} of which only agents are left"
            ),
        }
    }
}

/// The rows to show, and what is said about those that are not.
struct Shown {
    rows: Vec<Row>,
    /// Those that were left out.
    hidden: Hidden,
    unmatched: Vec<String>,
}

impl Shown {
    fn of(args: &Args, selection: Selection, hides_empty: bool) -> Self {
        let Selection {
            mut rows,
            unmatched,
            ..
        } = selection;
        let mut hidden = Hidden::default();
        if hides_empty {
            rows.retain(|row| !hidden.takes(row));
        }
        let direction = if args.reverse {
            Direction::Reversed
        } else {
            Direction::Usual
        };
        sort(&mut rows, args.sort, direction);
        Self {
            rows,
            hidden,
            unmatched: unmatched.iter().map(ToString::to_string).collect(),
        }
    }

    fn found_nothing(&self, args: &Args) -> bool {
        self.rows.is_empty() && args.limit != Some(0)
    }

    /// Says what is not in the list, and why there is none.
    fn say_rest(&self, args: &Args, homes: &Homes, ui: &Ui) {
        for unmatched in &self.unmatched {
            ui.note(unmatched);
        }
        if self.found_nothing(args) {
            if self.unmatched.is_empty() {
                ui.note(&self.nothing(args, homes));
            }
        } else if !self.hidden.is_none() && args.format.is_none() {
            let how = args.asking_for_empty();
            ui.note(&format!("{}; {how} lists them", self.hidden));
        }
        let damaged = self.rows.iter().filter(|row| row.oddities > 0).count();
        if damaged > 0 {
            let files = human::plural(damaged, "file");
            ui.note(&format!(
                "{files} with damaged lines; `unspool check` lists them"
            ));
        }
    }

    fn nothing(&self, args: &Args, homes: &Homes) -> String {
        let places = homes.places();
        let but = if self.hidden.is_none() {
            String::new()
        } else {
            format!(" but {} ({})", self.hidden, args.asking_for_empty())
        };
        if args.filter.here() {
            let here = homes.here().display();
            return format!(
                "no sessions of {here}, its folders or its worktrees fit, in {places}{but}"
            );
        }
        match (args.filter.is_empty(), self.hidden.is_none()) {
            (false, _) => format!("no sessions in {places} fit all of this{but}"),
            (true, true) => format!("no sessions in {places}; `unspool --demo` shows made-up ones"),
            (true, false) => format!("no sessions in {places}{but}"),
        }
    }
}

fn print(args: &Args, rows: &[Row], clock: &Clock, homes: &Homes, ui: &Ui) -> Result<()> {
    if args.json || args.format.is_some() {
        let mut out = ui.data();
        for row in rows {
            match &args.format {
                Some(template) => out.write_all(template.line(row).as_bytes())?,
                None => json::write_line(&RowJson::from(row), &mut out)?,
            }
        }
        return Ok(out.flush()?);
    }
    if rows.is_empty() {
        return Ok(());
    }
    let user_home = homes.user_home().map(|home| home.display().to_string());
    let mut page = ui.page();
    if args.cards {
        let layout = PageLayout {
            width: ui.width().min(CARD),
            zone: clock.zone.clone(),
            user_home,
        };
        for line in cards(rows, &layout) {
            page.line(&line)?;
        }
    } else {
        let layout = ListLayout {
            width: ui.width(),
            zone: clock.zone.clone(),
            user_home,
            columns: Some(args.columns.clone()).filter(|columns| !columns.is_empty()),
            sort: args.sort,
            group: args.group,
        };
        for line in list_rows(rows, &layout) {
            page.line(&line)?;
        }
    }
    Ok(page.finish()?)
}

fn after_help() -> String {
    format!(
        "Signs: {MARKS_LEGEND}; --cards says it in words.\n\n\
         A TEMPLATE is printed once for each session. {{field}} stands for what --json calls it, \
         {{tokens.output}} for a part of it, {{title:40}} for at most 40 columns of it; \\t \\n \\0 \
         \\\\ {{{{ }}}} stand for a tab, a line break, a zero byte, a backslash and braces."
    )
}

fn keys() -> impl TypedValueParser<Value = SortKey> {
    one_of(&SortKey::ALL, SortKey::name)
}

fn groups() -> impl TypedValueParser<Value = ListGroup> {
    one_of(&ListGroup::ALL, ListGroup::name)
}

/// Reads a column by either of its names; the help lists the first.
fn columns() -> impl TypedValueParser<Value = ListColumn> {
    let value =
        |column: &ListColumn| PossibleValue::new(column.name()).aliases(column.other_name());
    PossibleValuesParser::new(ListColumn::ALL.iter().map(value)).try_map(|text| {
        let is_named = |column: &ListColumn| {
            column.name() == text || column.other_name() == Some(text.as_str())
        };
        let found = ListColumn::ALL.into_iter().find(is_named);
        found.ok_or_else(|| Usage(format!("there is no `{text}`")))
    })
}

fn template(text: &str) -> Result<Template, Usage> {
    Template::parse(text).map_err(|error| Usage(format!("{error}\n{}", set_in(&error.point(text)))))
}
