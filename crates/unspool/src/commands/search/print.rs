//! Prints the hits of a search.

use anyhow::Result;
use unspool_engine::library::SearchAnswer;
use unspool_render::json::HitJson;
use unspool_render::terminal::{HitLayout, PageLayout, hits_by_session, hits_in_order};
use unspool_search::ranked::OpeningQuery;
use unspool_search::ranked::group::group;

use super::SearchArgs;
use crate::context::CommandContext;

/// Prints hits as JSON, in one list, or by session.
pub(super) fn print(
    args: &SearchArgs,
    found: &SearchAnswer,
    context: &CommandContext<'_>,
) -> Result<()> {
    let ui = context.ui;
    if args.json {
        return ui.print_json_lines(found.hits.iter().map(HitJson::from));
    }
    let layout = HitLayout {
        page: PageLayout { width: ui.width(), zone: ui.zone(), user_home: context.user_home() },
        asked: OpeningQuery {
            words: found.words.clone(),
            options: context.settings.home_options(),
        },
    };
    if args.flat {
        return ui.print_lines(hits_in_order(found.hits.iter(), &layout));
    }
    let groups = group(found.hits.clone(), &found.rows);
    ui.print_lines(hits_by_session(&groups, &layout))
}
