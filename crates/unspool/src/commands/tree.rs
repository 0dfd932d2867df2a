//! `unspool tree`

use anyhow::Result;
use unspool_engine::ops::transcript::{Transcript, TranscriptRequest};
use unspool_engine::ops::tree;
use unspool_render::json::TreeJson;
use unspool_render::terminal::{only_agents_left, tree_rows};

use super::remarks::say_remarks;
use crate::args::{RuleArg, SessionArgs};
use crate::context::CommandContext;
use crate::errors::RunOutcome;

/// Draw the graph of a session: turns, forks, compactions, agents
///
/// One row for each turn. The active path runs down the left edge; abandoned branches are drawn
/// to its right, with the number to pass to `show --path`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool tree        the newest session of this project\n  \
unspool tree 4ba6   a session by the beginning of its id")]
pub(crate) struct TreeArgs {
    #[command(flatten)]
    session: SessionArgs,

    /// Find the active path by this rule
    #[arg(long, value_name = "RULE", default_value = "current")]
    rule: RuleArg,

    /// Print one JSON object, see docs/json.md
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &TreeArgs, context: &CommandContext<'_>) -> Result<RunOutcome> {
    let ui = context.ui;
    let opened = context.library.session(&args.session.request(), context)?;
    let request = TranscriptRequest { rule: args.rule.into(), ..TranscriptRequest::default() };
    let shown = Transcript::new(&opened.session, &request)?;
    let rows = tree::rows(&shown)?;
    if args.json {
        ui.print_json(&TreeJson::new(&shown, &rows))?;
    } else {
        ui.print_lines(tree_rows(&shown, &rows, ui.width(), &ui.zone()))?;
    }
    say_remarks(ui, &opened.session, &opened.session.main);
    if rows.is_empty() && only_agents_left(&shown) {
        ui.note("only agents are left of this session; `unspool show` lists them");
    } else if rows.is_empty() {
        ui.note("there is no conversation in this file");
    }
    Ok(RunOutcome::Done)
}
