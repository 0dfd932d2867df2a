//! Prints a list of sessions.

use std::io::Write as _;

use anyhow::Result;
use unspool_model::query::Clock;
use unspool_render::json::{self, RowJson};
use unspool_render::terminal::{ListLayout, PageLayout, cards, list_rows};
use unspool_store::rows::SessionRow;

use super::ListArgs;
use crate::context::CommandContext;

/// The most columns that a card is spread over.
const CARD: usize = 100;

/// Prints rows as JSON, by a template, as cards or as a table.
pub(super) fn print(
    args: &ListArgs,
    rows: &[SessionRow],
    clock: &Clock,
    context: &CommandContext<'_>,
) -> Result<()> {
    let ui = context.ui;
    if args.json || args.format.is_some() {
        let mut out = ui.data();
        for row in rows {
            match &args.format {
                Some(template) => out.write_all(template.line(row).as_bytes())?,
                None => json::write_line(&RowJson::from(row), &mut out)?,
            }
        }
        return Ok(out.flush()?);
    }
    if rows.is_empty() {
        return Ok(());
    }
    let user_home = context.user_home();
    let mut page = ui.page();
    if args.cards {
        let layout = PageLayout {
            width: ui.width().min(CARD),
            zone: clock.zone.clone(),
            user_home,
        };
        for line in cards(rows, &layout) {
            page.line(&line)?;
        }
    } else {
        let layout = ListLayout {
            width: ui.width(),
            zone: clock.zone.clone(),
            user_home,
            columns: Some(args.columns.clone()).filter(|columns| !columns.is_empty()),
            sort: args.sort,
            group: args.group,
        };
        for line in list_rows(rows, &layout) {
            page.line(&line)?;
        }
    }
    Ok(page.finish()?)
}
