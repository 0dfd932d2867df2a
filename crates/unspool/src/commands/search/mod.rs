//! `unspool search`

mod args;
mod exclusions;
mod print;

use anyhow::Result;
use unspool_engine::library::{COUNTED_HITS, Completeness, HitsLeft, SearchAnswer};
use unspool_search::ranked::MissingWord;
use unspool_search::scan::HitsBeyondLimit;
use unspool_text::human;

pub(crate) use self::args::SearchArgs;
pub(crate) use self::exclusions::move_exclusions_after_dashes;
use crate::context::CommandContext;
use crate::errors::RunOutcome;
use crate::filters;
use crate::ui::Ui;

pub(crate) fn run(args: &SearchArgs, context: &CommandContext<'_>) -> Result<RunOutcome> {
    let clock = filters::clock(context.ui);
    let filter = args.filter.resolve(&clock, context.settings)?;
    let request = args.request(filter, clock.zone);
    let answer = context.library.search(&request, context)?;
    context.ui.notes(&answer.unmatched);
    print::print(args, &answer, context)?;
    for missing in &answer.missing {
        say_missing(missing, context.ui);
    }
    Ok(conclude(&answer, context.ui))
}

/// Prints what is not shown, and returns the outcome.
fn conclude(answer: &SearchAnswer, ui: &Ui) -> RunOutcome {
    let reading = RunOutcome::from(answer.reading);
    if !answer.hits.is_empty() {
        say_left(answer.left, ui);
        return reading;
    }
    if answer.searched == Completeness::Partial {
        ui.note("nothing was found in what can be searched so far; `--exact` searches all");
        return RunOutcome::Io;
    }
    // A note about a missing word implies that nothing was found.
    if answer.missing.is_empty() {
        ui.note("nothing was found");
    }
    reading.max(RunOutcome::Problems)
}

fn say_missing(missing: &MissingWord, ui: &Ui) {
    let MissingWord { word, near } = missing;
    match near {
        Some(near) => ui.note(&format!("`{word}` is nowhere; did you mean `{near}`?")),
        None => ui.note(&format!("`{word}` is nowhere")),
    }
}

fn say_left(left: HitsLeft, ui: &Ui) {
    let more = match left {
        HitsLeft::Counted(HitsBeyondLimit::Exactly(0)) => return,
        HitsLeft::Counted(HitsBeyondLimit::Exactly(further)) => {
            human::plural(further as usize, "more hit")
        }
        HitsLeft::Counted(HitsBeyondLimit::AtLeast(_)) => {
            format!("more than {COUNTED_HITS} more hits")
        }
        HitsLeft::Perhaps => "there may be more hits".to_owned(),
    };
    ui.note(&format!("{more}; --limit shows more"));
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use unspool_search::text::OWN_COMMANDS;

    #[test]
    fn the_output_of_every_command_ranks_after() {
        let command = crate::cli::CliArgs::command();
        let mut names: Vec<&str> = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(clap::Command::get_name)
            .collect();
        names.sort_unstable();
        let mut known = OWN_COMMANDS;
        known.sort_unstable();
        assert_eq!(names, known);
    }
}
