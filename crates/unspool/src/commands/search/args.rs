//! The arguments of `unspool search`.

use clap::builder::TypedValueParser;
use jiff::tz::TimeZone;
use unspool_engine::library::{SearchMode, SearchPaths, SearchRequest};
use unspool_model::named::Named as _;
use unspool_model::query::TextRole;
use unspool_search::hit::SnippetSize;
use unspool_search::scan::CaseMode;
use unspool_store::filter::RowFilter;

use crate::filters::{FilterArgs, one_of};

/// The default number of hits.
const LIMIT: usize = 20;

/// The number of hits for each session, unless `--flat` is set.
const HITS: usize = 3;

/// The length of a snippet, in characters.
const SNIPPET: usize = 200;

/// Search everything that was said, thought, called and answered
///
/// Searches prompts, answers, thinking, tool inputs and results, agents and abandoned branches;
/// best matches first. Words are optional unless quoted or prefixed with `+`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  unspool search importer bug                  best matches first
  unspool search '\"last row\" tool:Bash'        a phrase in what Bash ran or printed
  unspool search parser --here --since 7d      in this project, in the last week
  unspool search --exact 'panicked at' -n 5    match a text literally

In a query:
  \"a phrase\"  +required  -excluded  begin*  this OR that
  project:app branch:main tool:Bash role:user model:opus file:main.rs
  since:3d until:yesterday is:active is:agent has:error
  --           what follows is not an option: unspool search -- --no-verify
Filters are about the session, but for role:, tool:, since:, until: and has:error, which are about
the hit itself.")]
pub(crate) struct SearchArgs {
    /// What to look for
    #[arg(required = true, value_name = "QUERY", num_args = 1..)]
    pub(super) query: Vec<String>,

    /// Match the query as a regular expression (no index)
    #[arg(long, conflicts_with = "exact")]
    pub(super) regex: bool,

    /// Match the query literally (no index)
    #[arg(long)]
    pub(super) exact: bool,

    /// Ignore case (ranked search always does)
    #[arg(long, short = 'i')]
    pub(super) ignore_case: bool,

    /// Show hits one after another instead of by session
    #[arg(long)]
    pub(super) flat: bool,

    /// Show at most this many hits
    #[arg(long, short = 'n', value_name = "N", default_value_t = LIMIT)]
    pub(super) limit: usize,

    /// Show this many lines of the text around a hit
    #[arg(long, short = 'C', value_name = "LINES", default_value_t = 0)]
    pub(super) context: usize,

    /// Only texts with this role (repeatable)
    #[arg(long, value_name = "ROLE", value_parser = roles())]
    pub(super) role: Vec<TextRole>,

    /// Only texts on the active path
    #[arg(long)]
    pub(super) active: bool,

    /// Print one JSON object per line, see docs/json.md
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) filter: FilterArgs,
}

fn roles() -> impl TypedValueParser<Value = TextRole> {
    one_of(TextRole::ALL, TextRole::name)
}

impl SearchArgs {
    /// Builds a request from the arguments; `filter` is the resolved filter.
    pub(super) fn request(&self, filter: RowFilter, zone: TimeZone) -> SearchRequest {
        let case = if self.ignore_case { CaseMode::Ignore } else { CaseMode::Sensitive };
        SearchRequest {
            text: self.query.join(" "),
            mode: if self.regex {
                SearchMode::Regex(case)
            } else if self.exact {
                SearchMode::Exact(case)
            } else {
                SearchMode::Ranked
            },
            filter,
            roles: self.role.clone(),
            paths: if self.active { SearchPaths::Active } else { SearchPaths::All },
            limit: self.limit,
            of_session: (!self.flat).then_some(HITS),
            extent: SnippetSize { width: SNIPPET, context: self.context },
            zone,
            time: None,
        }
    }
}
