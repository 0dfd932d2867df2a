//! The arguments of `unspool stats`.

use clap::builder::TypedValueParser;
use unspool_engine::ops::stats::By;

use crate::filters::{FilterArgs, one_of};

/// Sum up tokens, cost, time, turns, calls and changed lines
///
/// Counts everything once, however many forks, resumes and copies repeat it. `--since` and
/// `--until` select by the time of each message, so a session that spans midnight counts on both
/// days; other filters select whole sessions.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool stats --since 7d --by day   the last week, day by day\n  \
unspool stats --by project,model    who used what, by project\n  \
unspool stats --here --json         this project, for a script\n  \
unspool stats --explain 4ba6        which lines of a session count")]
pub(crate) struct StatsArgs {
    /// Group by these keys, separated by commas: project,model
    #[arg(long, value_name = "KEYS", value_delimiter = ',', value_parser = units())]
    pub(super) by: Vec<By>,

    /// Show the N largest groups and sum the rest
    #[arg(long, short = 'n', value_name = "N", requires = "by")]
    pub(super) limit: Option<usize>,

    /// Show which lines of this session count, and why others do not
    #[arg(long, value_name = "SESSION", conflicts_with_all = ["by", "csv", "FilterArgs"])]
    pub(super) explain: Option<String>,

    /// Print CSV, one row for each group
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,

    /// Print one JSON object, see docs/json.md
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) filter: FilterArgs,
}

fn units() -> impl TypedValueParser<Value = By> {
    one_of(By::OFFERED, By::name)
}
