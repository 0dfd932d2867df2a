//! Prints the hits of a search.

use std::io::Write as _;

use anyhow::Result;
use unspool_engine::library::SearchAnswer;
use unspool_render::json::{self, HitJson};
use unspool_render::terminal::{HitLayout, PageLayout, hits_by_session, hits_in_order};
use unspool_search::ranked::OpeningQuery;
use unspool_search::ranked::group::group;

use super::SearchArgs;
use crate::context::CommandContext;

/// Prints hits as JSON, one after another, or by session.
pub(super) fn print(
    args: &SearchArgs,
    found: &SearchAnswer,
    context: &CommandContext<'_>,
) -> Result<()> {
    let ui = context.ui;
    if args.json {
        let mut out = ui.data();
        for hit in &found.hits {
            json::write_line(&HitJson::from(hit), &mut out)?;
        }
        return Ok(out.flush()?);
    }
    let layout = HitLayout {
        page: PageLayout { width: ui.width(), zone: ui.zone(), user_home: context.user_home() },
        asked: OpeningQuery {
            words: found.words.clone(),
            options: context.settings.home_options(),
        },
    };
    let mut page = ui.page();
    if args.flat {
        for line in hits_in_order(found.hits.iter(), &layout) {
            page.line(&line)?;
        }
    } else {
        let groups = group(found.hits.clone(), &found.rows);
        for line in hits_by_session(&groups, &layout) {
            page.line(&line)?;
        }
    }
    Ok(page.finish()?)
}
