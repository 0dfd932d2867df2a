//! The arguments of `unspool list`.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use unspool_engine::library::{EmptyRows, ListRequest};
use unspool_model::named::Named as _;
use unspool_render::row_fields::ListColumn;
use unspool_render::template::Template;
use unspool_render::terminal::{ListGroup, MARKS_LEGEND};
use unspool_store::filter::{Direction, RowFilter};
use unspool_store::rows::{AgentRows, SessionKind, Status};

use crate::args::RuleArg;
use crate::errors::UsageError;
use crate::filters::{FilterArgs, one_of, set_in};

/// List sessions, newest first
///
/// Lists sessions that people and programs ran; agents count with their session. A session must
/// match every filter, and one of the values if a filter is repeated.
#[derive(clap::Args, Clone, Default, Debug)]
#[command(after_help = after_help())]
pub(crate) struct ListArgs {
    /// List at most this many
    #[arg(long, short = 'n', value_name = "N")]
    pub(super) limit: Option<usize>,

    /// Sort by this key: newest and largest first, names from A to Z
    #[arg(long, value_name = "KEY", default_value = "ended", value_parser = column(ListColumn::sortable()))]
    pub(super) sort: &'static ListColumn,

    /// Reverse the order
    #[arg(long)]
    pub(super) reverse: bool,

    /// List agents too, one row each
    #[arg(long, conflicts_with_all = ["headless", "kind"])]
    pub(super) agents: bool,

    /// List sessions without a conversation too, also those of which only agents are left
    /// (always with --json)
    #[arg(long, conflicts_with_all = ["headless", "kind"])]
    pub(super) empty: bool,

    /// Group sessions under headings
    #[arg(long, value_name = "KEY", value_parser = groups())]
    #[arg(conflicts_with_all = ["json", "format", "cards"])]
    pub(super) group: Option<ListGroup>,

    /// Show a card for each session
    #[arg(long, conflicts_with_all = ["json", "format", "columns"])]
    pub(super) cards: bool,

    /// Show these columns
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = column(ListColumn::all()))]
    #[arg(conflicts_with_all = ["json", "format"])]
    pub(super) columns: Vec<&'static ListColumn>,

    /// Print each session with this template, such as '{id}\t{title}'
    #[arg(long, value_name = "TEMPLATE", value_parser = template, conflicts_with = "json")]
    pub(super) format: Option<Template>,

    /// Find the active path by this rule
    #[arg(long, value_name = "RULE", default_value = "current")]
    pub(super) rule: RuleArg,

    /// Print one JSON object per line, see docs/json.md
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) filter: FilterArgs,
}

impl ListArgs {
    /// Builds a request from the arguments; `filter` is the resolved filter.
    pub(super) fn request(&self, filter: RowFilter) -> ListRequest {
        let asks_for_agents = self.agents || filter.kinds.contains(&SessionKind::Agent);
        let asks_for_empty = self.empty
            || filter.kinds.contains(&SessionKind::Empty)
            || filter.statuses.contains(&Status::Empty);
        ListRequest {
            filter,
            agents: if asks_for_agents { AgentRows::Listed } else { AgentRows::Folded },
            rule: self.rule.into(),
            empty: if self.json || asks_for_empty { EmptyRows::Listed } else { EmptyRows::Hidden },
            sort: self.sort.sort_key(),
            direction: if self.reverse { Direction::Reversed } else { Direction::Usual },
            limit: self.limit,
        }
    }

    /// Returns the option that lists sessions without a conversation.
    pub(super) fn asking_for_empty(&self) -> &'static str {
        if self.filter.has_kinds() { "--status empty" } else { "--empty" }
    }
}

fn after_help() -> String {
    format!(
        "Examples:\n  \
         unspool list --here --since 7d                this project, the last week\n  \
         unspool list --sort cost -n 10                what cost most\n  \
         unspool list --status interrupted --cards     what was left in the middle\n  \
         unspool list --format '{{id}}\\t{{title}}'        lines for a script\n\n\
         Signs: {MARKS_LEGEND}; --cards says it in words.\n\n\
         A TEMPLATE is printed once for each session. {{field}} is what --json calls it, \
         {{tokens.output}} a part of it, {{title:40}} at most 40 columns of it; \\t \\n \\0 \
         \\\\ {{{{ }}}} are a tab, a line break, a zero byte, a backslash and braces."
    )
}

fn groups() -> impl TypedValueParser<Value = ListGroup> {
    one_of(ListGroup::ALL, ListGroup::name)
}

/// Parses a column by one of its two names; the help lists the first.
fn column(columns: Vec<&'static ListColumn>) -> impl TypedValueParser<Value = &'static ListColumn> {
    let value = |column: &&ListColumn| PossibleValue::new(column.name).aliases(column.other_name);
    let names: Vec<PossibleValue> = columns.iter().map(value).collect();
    PossibleValuesParser::new(names).try_map(move |text| {
        let is_named =
            |column: &&&ListColumn| column.name == text || column.other_name == Some(&text);
        let found = columns.iter().find(is_named).copied();
        found.ok_or_else(|| UsageError(format!("there is no `{text}`")))
    })
}

/// Parses a template.
pub(crate) fn template(text: &str) -> Result<Template, UsageError> {
    Template::parse(text)
        .map_err(|error| UsageError(format!("{error}\n{}", set_in(&error.point(text)))))
}
