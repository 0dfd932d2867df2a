//! Prints a conversation or original records.

use std::io::Write as _;

use anyhow::Result;
use unspool_engine::ops::anywhere::PastSession;
use unspool_engine::ops::transcript::Transcript;
use unspool_model::query;
use unspool_render::json;
use unspool_render::terminal::{self, AgentDisplay, DetailLevel, Options, Tools};
use unspool_search::ranked::WordFinder;
use unspool_text::sanitize;

use super::args::ShowArgs;
use super::choices::{ShowAgentsArg, ToolsArg};
use super::{PAGE, layout};
use crate::context::CommandContext;
use crate::errors::UsageError;
use crate::filters;
use crate::ui::Ui;

/// Prints a conversation as a page; the pager starts at the entry that was named.
pub(super) fn print_page(shown: &Transcript<'_>, args: &ShowArgs, ui: &Ui) -> Result<()> {
    let options = options(args, ui)?;
    let mark = shown.at.as_ref().map(terminal::mark_of);
    let mut page = ui.page_from(mark.as_deref());
    terminal::transcript(shown, &options, &mut |line| page.line(&line))?;
    Ok(page.finish()?)
}

/// Prints a conversation as one JSON object.
pub(super) fn print_json(shown: &Transcript<'_>, ui: &Ui) -> Result<()> {
    let mut out = ui.data();
    json::transcript(shown, &mut out)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Prints the prompts of a session whose log is gone.
pub(super) fn print_past(past: &PastSession, context: &CommandContext<'_>) -> Result<()> {
    let ui = context.ui;
    let layout = layout(context);
    ui.print_lines(terminal::past(past, &layout))?;
    ui.note("the log of this session is gone; these are its prompts, as the history has them");
    Ok(())
}

/// Prints original bytes of a log.
pub(super) fn print_bytes(mut bytes: Vec<u8>, ui: &Ui) -> Result<()> {
    if ui.is_interactive() {
        // The bytes may contain escape sequences, which only a pipe may get.
        let mut text = sanitize::clean(&String::from_utf8_lossy(&bytes)).into_owned();
        text.truncate(text.trim_end().len());
        text.push('\n');
        bytes = text.into_bytes();
    }
    ui.print_bytes(&bytes)
}

/// Returns the options that paint the conversation.
fn options(args: &ShowArgs, ui: &Ui) -> Result<Options> {
    let thinking = if args.thinking || args.full { DetailLevel::Full } else { DetailLevel::Folded };
    let tools = match args.tools {
        ToolsArg::None => Tools::None,
        ToolsArg::Summary if !args.full => Tools::Summary,
        ToolsArg::Summary | ToolsArg::Full => Tools::Full,
    };
    let agents = match args.agents {
        ShowAgentsArg::None => AgentDisplay::None,
        ShowAgentsArg::Fold if !args.full => AgentDisplay::Folded,
        ShowAgentsArg::Fold | ShowAgentsArg::Inline => AgentDisplay::Inline,
    };
    let words = args.find.as_deref().filter(|words| !words.trim().is_empty());
    let find = words.map(|words| -> Result<WordFinder> {
        // The words of a search hit are searched again, without the query's syntax.
        let plain: String = words.chars().map(|c| if is_sign(c) { ' ' } else { c }).collect();
        let query = query::parse(&plain, &filters::clock(ui))
            .map_err(|error| UsageError(error.to_string()))?;
        Ok(WordFinder::of(&query))
    });
    Ok(Options {
        width: ui.width().min(PAGE),
        thinking,
        tools,
        agents,
        zone: ui.zone(),
        find: find.transpose()?,
    })
}

/// Tells whether a character has a meaning in a query.
fn is_sign(c: char) -> bool {
    matches!(c, '"' | '+' | '-' | '*' | ':' | '(' | ')')
}
