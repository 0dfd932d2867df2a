//! Prints a list of sessions.

use std::io::Write as _;

use anyhow::Result;
use unspool_engine::library::InboxRequest;
use unspool_model::query::Clock;
use unspool_render::json::RowJson;
use unspool_render::terminal::{ListLayout, PageLayout, cards, list_rows, live_states};
use unspool_store::rows::SessionRow;
use unspool_text::Line;

use super::ListArgs;
use crate::context::CommandContext;

/// The largest width of a card.
const CARD: usize = 100;

/// Prints rows as JSON, by a template, as cards or as a table.
pub(super) fn print(
    args: &ListArgs,
    rows: &[SessionRow],
    clock: &Clock,
    context: &CommandContext<'_>,
) -> Result<()> {
    let ui = context.ui;
    if args.json {
        return ui.print_json_lines(rows.iter().map(RowJson::from));
    }
    if let Some(template) = &args.format {
        let mut out = ui.data();
        for row in rows {
            out.write_all(template.line(row).as_bytes())?;
        }
        return Ok(out.flush()?);
    }
    if rows.is_empty() {
        return Ok(());
    }
    let user_home = context.user_home();
    if args.cards {
        let layout =
            PageLayout { width: ui.width().min(CARD), zone: clock.zone.clone(), user_home };
        return ui.print_lines(cards(rows, &layout));
    }
    let layout = ListLayout {
        width: ui.width(),
        zone: clock.zone.clone(),
        user_home,
        columns: Some(args.columns.clone()).filter(|columns| !columns.is_empty()),
        sort: args.sort,
        group: args.group,
    };
    let mut page = ui.page();
    page.lines(list_rows(rows, &layout))?;
    page.lines(live_lines(args, rows, clock, context)?)?;
    Ok(page.finish()?)
}

/// Describes the states of live sessions, below a list of them.
fn live_lines(
    args: &ListArgs,
    rows: &[SessionRow],
    clock: &Clock,
    context: &CommandContext<'_>,
) -> Result<Vec<Line>> {
    if !args.filter.live() {
        return Ok(Vec::new());
    }
    let request = InboxRequest { since: Some(clock.now), done: 0 };
    let inbox = context.library.inbox(&request, context)?;
    let mut lines = live_states(&inbox, rows, clock.now);
    if !lines.is_empty() {
        lines.insert(0, Line::new());
    }
    Ok(lines)
}
