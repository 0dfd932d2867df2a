//! `unspool list`

mod args;
mod print;

use std::mem;

use anyhow::Result;
use unspool_engine::library::ListAnswer;
use unspool_text::human;

pub(crate) use self::args::{ListArgs, template};
use crate::context::CommandContext;
use crate::errors::RunOutcome;
use crate::filters;

pub(crate) fn run(args: &ListArgs, context: &CommandContext<'_>) -> Result<RunOutcome> {
    let clock = filters::clock(context.ui);
    let request = args.request(args.filter.resolve(&clock, context.settings)?);
    let answer = context.library.list(&request, context)?;
    print::print(args, &answer.rows, &clock, context)?;
    say_rest(args, &answer, context);
    let reading = RunOutcome::from(answer.reading);
    let outcome = if found_nothing(args, &answer) { RunOutcome::Problems } else { reading };
    // The process ends: dropping thousands of rows would take a tenth of its time.
    mem::forget(answer);
    Ok(outcome.max(reading))
}

fn found_nothing(args: &ListArgs, answer: &ListAnswer) -> bool {
    answer.rows.is_empty() && args.limit != Some(0)
}

/// Prints what the list leaves out, and why it is empty.
fn say_rest(args: &ListArgs, answer: &ListAnswer, context: &CommandContext<'_>) {
    let ui = context.ui;
    ui.notes(&answer.unmatched);
    if found_nothing(args, answer) {
        if answer.unmatched.is_empty() {
            ui.note(&nothing(args, answer, context));
        }
    } else if !answer.hidden.is_none() && args.format.is_none() {
        let how = args.asking_for_empty();
        ui.note(&format!("{}; {how} lists them", answer.hidden));
    }
    let damaged = answer.rows.iter().filter(|row| row.diagnostic_kinds > 0).count();
    if damaged > 0 {
        let files = human::plural(damaged, "file");
        ui.note(&format!("{files} with damaged lines; `unspool check` lists them"));
    }
}

/// Explains an empty list.
fn nothing(args: &ListArgs, answer: &ListAnswer, context: &CommandContext<'_>) -> String {
    let homes = context.home_labels();
    if args.filter.is_only_live() {
        return format!("no session in {homes} is running; `unspool watch` waits for one");
    }
    let hidden = answer.hidden;
    let but = if hidden.is_none() {
        String::new()
    } else {
        format!(" but {hidden} ({})", args.asking_for_empty())
    };
    if args.filter.here() {
        let here = context.settings.here.display();
        return format!("no sessions of {here}, its folders or its worktrees fit, in {homes}{but}");
    }
    match (args.filter.is_empty(), hidden.is_none()) {
        (false, _) => format!("no sessions in {homes} fit all of this{but}"),
        (true, true) => format!("no sessions in {homes}; `unspool --demo` shows made-up ones"),
        (true, false) => format!("no sessions in {homes}{but}"),
    }
}
