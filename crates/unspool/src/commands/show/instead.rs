//! Views that `unspool show` prints instead of the conversation.

use unspool_model::positions::PathNumber;

use anyhow::Result;
use unspool_engine::ops::path_diff::{CompareError, path_diff};
use unspool_engine::ops::summary;
use unspool_engine::ops::transcript::Transcript;
use unspool_engine::ops::{changes, context_series, timeline};
use unspool_render::json::{
    ChangesJson, CompareJson, ContextSeriesJson, SummaryJson, TimelineJson,
};
use unspool_render::terminal;

use super::layout;
use crate::context::CommandContext;
use crate::errors::UsageError;

/// The name of the option group.
pub(super) const INSTEAD: &str = "instead";

/// What to show instead of the conversation: one of these at most.
#[derive(clap::Args, Clone, Debug)]
#[group(id = INSTEAD, multiple = false)]
pub(super) struct InsteadArgs {
    /// Show a summary instead: turns, tools, changed files, models, branches, agents
    #[arg(long)]
    summary: bool,

    /// Show where the time went instead: model, tools, agents, waiting, the slowest calls
    #[arg(long)]
    timeline: bool,

    /// Show how full the model's context was after each answer instead
    #[arg(long)]
    context_series: bool,

    /// Compare two paths instead, by their numbers: prompts, files, cost, how they ended
    #[arg(long, value_name = "A,B", value_parser = parse_pair, conflicts_with = "path")]
    compare: Option<PathPair>,

    /// Show all changes of files instead, those of agents included
    #[arg(long)]
    changes: bool,
}

/// The numbers of two paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PathPair(PathNumber, PathNumber);

fn parse_pair(text: &str) -> Result<PathPair, UsageError> {
    let number = |text: &str| text.trim().parse::<PathNumber>().ok();
    let pair = text.split_once(',');
    let numbers = pair.and_then(|(a, b)| number(a).zip(number(b)));
    match numbers {
        Some((a, b)) if a != b => Ok(PathPair(a, b)),
        Some(_) => Err(UsageError(format!("{text:?} names one path twice"))),
        None => Err(UsageError(format!("{text:?} is not two numbers of paths; write 1,2"))),
    }
}

/// The form of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PrintForm {
    /// A page.
    Page,
    /// One JSON object.
    Json,
}

impl InsteadArgs {
    /// Tells whether one of these views is requested.
    pub(super) fn is_any(&self) -> bool {
        self.summary
            || self.timeline
            || self.context_series
            || self.changes
            || self.compare.is_some()
    }

    /// Prints the requested view.
    pub(super) fn print(
        &self,
        shown: &Transcript<'_>,
        form: PrintForm,
        context: &CommandContext<'_>,
    ) -> Result<()> {
        let (ui, layout) = (context.ui, layout(context));
        let prices = &context.library.settings().prices;
        if let Some(PathPair(a, b)) = self.compare {
            let diff = path_diff(shown, (a, b), prices).map_err(compare_error)?;
            return match form {
                PrintForm::Json => ui.print_json(&CompareJson::new(shown, &diff)),
                PrintForm::Page => ui.print_lines(terminal::compare(shown, &diff, &layout)),
            };
        }
        if self.timeline {
            let times = timeline::timeline(shown, prices)?;
            return match form {
                PrintForm::Json => ui.print_json(&TimelineJson::new(shown, &times)),
                PrintForm::Page => ui.print_lines(terminal::timeline(shown, &times, &layout)),
            };
        }
        if self.context_series {
            let series = context_series::context_series(shown);
            return match form {
                PrintForm::Json => ui.print_json(&ContextSeriesJson::new(shown, &series)),
                PrintForm::Page => {
                    ui.print_lines(terminal::context_series(shown, &series, &layout))
                }
            };
        }
        if self.changes {
            let found = changes::changes(shown)?;
            return match form {
                PrintForm::Json => ui.print_json(&ChangesJson::new(shown, &found)),
                PrintForm::Page => ui.print_lines(terminal::changes(shown, &found, &layout)),
            };
        }
        let sums = summary::summary(shown, prices)?;
        match form {
            PrintForm::Json => ui.print_json(&SummaryJson::from(&sums)),
            PrintForm::Page => ui.print_lines(terminal::summary(&sums, &layout)),
        }
    }
}

/// Unwraps the error, so that an unknown path is reported as in other commands.
fn compare_error(error: CompareError) -> anyhow::Error {
    match error {
        CompareError::Path(error) => error.into(),
        CompareError::Read(error) => error.into(),
    }
}
