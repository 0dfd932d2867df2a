//! The arguments of `unspool check`.

use clap::ValueEnum;
use clap::builder::TypedValueParser;
use unspool_engine::ops::check::{RuleId, Severity};

use crate::args::RuleArg;
use crate::filters::{FilterArgs, one_of};

/// Check logs for damage and broken rules
///
/// Prints findings rule by rule, with a verdict, to standard output, and a summary to standard
/// error. Changes nothing. Exits with 1 if there are errors or, with --secrets, if anything looks
/// like a secret.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool check                          all sessions, rule by rule\n  \
unspool check @ --all                  every finding in the newest session here\n  \
unspool check --explain damaged-line   what a rule means\n  \
unspool check --secrets --since 7d     which sessions have keys, tokens or passwords in them")]
pub(crate) struct CheckArgs {
    /// Files or sessions to check; all sessions if none
    #[arg(value_name = "FILE|SESSION")]
    pub(super) sessions: Vec<String>,

    /// List every finding too
    #[arg(long)]
    pub(super) all: bool,

    /// Look for secrets instead: kinds, counts and places by session, never the secret itself
    #[arg(long, conflicts_with_all = ["min", "rule", "explain"])]
    pub(super) secrets: bool,

    /// Explain a rule and what to do about it, without checking anything
    #[arg(long, value_name = "RULE", value_parser = rules(), hide_possible_values = true)]
    #[arg(conflicts_with_all = ["sessions", "all", "min", "rule", "json"])]
    pub(super) explain: Option<RuleId>,

    /// Leave out findings below this
    #[arg(long, value_name = "SEVERITY", default_value = "info")]
    pub(super) min: SeverityArg,

    /// Find the active path by this rule
    #[arg(long, value_name = "RULE", default_value = "current")]
    pub(super) rule: RuleArg,

    /// Print one JSON object per line, the last one with the summary, see docs/json.md
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) filter: FilterArgs,
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
