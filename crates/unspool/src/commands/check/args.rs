//! What can be typed after `unspool check`.

use clap::ValueEnum;
use clap::builder::TypedValueParser;
use unspool_engine::ops::check::{RuleId, Severity};

use crate::args::RuleArg;
use crate::filters::one_of;

/// Check logs for damage and broken rules
///
/// What was found goes to standard output, rule by rule with a verdict, and a summary to standard
/// error. Nothing is changed. Ends with exit code 1 if there are errors.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct CheckArgs {
    /// Files or sessions to check; all sessions if none
    #[arg(value_name = "FILE|SESSION")]
    pub(super) sessions: Vec<String>,

    /// List every finding too
    #[arg(long)]
    pub(super) all: bool,

    /// Say what a rule means and what to do about it, and check nothing
    #[arg(long, value_name = "RULE", value_parser = rules(), hide_possible_values = true)]
    #[arg(conflicts_with_all = ["sessions", "all", "min", "rule", "json"])]
    pub(super) explain: Option<RuleId>,

    /// Leave out findings below this
    #[arg(long, value_name = "SEVERITY", default_value = "info")]
    pub(super) min: SeverityArg,

    /// How the active path is found
    #[arg(long, value_name = "RULE", default_value = "current")]
    pub(super) rule: RuleArg,

    /// Print one JSON object per line, the last one with the summary, see docs/json.md
    #[arg(long)]
    pub(super) json: bool,
}

/// How bad a finding is.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SeverityArg {
    /// Everything
    Info,
    /// Warnings and errors
    Warning,
    /// Errors only
    Error,
}

impl From<SeverityArg> for Severity {
    fn from(least: SeverityArg) -> Self {
        match least {
            SeverityArg::Info => Self::Info,
            SeverityArg::Warning => Self::Warning,
            SeverityArg::Error => Self::Error,
        }
    }
}

fn rules() -> impl TypedValueParser<Value = RuleId> {
    one_of(RuleId::ALL, RuleId::id)
}
