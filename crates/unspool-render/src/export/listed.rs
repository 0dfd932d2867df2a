//! The facts about a session that a site lists, whatever files the session gets.

use unspool_model::graph::Rule;
use unspool_model::ids::SessionId;

use super::ExportRequest;
use crate::html::SiteSession;
use unspool_store::rows;
use unspool_store::session::Session;

/// Collects the facts about a session; its file is set later.
pub(super) fn listed(session: &Session, request: &ExportRequest<'_>) -> SiteSession {
    let row = rows::row(session, Rule::Current, 0, request.prices);
    let project = row.project.as_ref().map(ToString::to_string);
    let project = row.cwd.or(project);
    let title = row.title.unwrap_or_else(|| session.id.to_string());
    let lens = request.lens();
    let told = |text: String| match &lens {
        Some(lens) => lens.text(&text).into_owned(),
        None => text,
    };
    SiteSession {
        id: SessionId::new(request.shown_id(session.id.as_str())),
        project: told(project.unwrap_or_else(|| "elsewhere".to_owned())),
        title: told(title),
        started: row.started,
        ended: row.ended,
        turns: row.turns,
        tokens: row.tokens.sum(),
        cost_usd: row.cost_usd,
        file: String::new(),
    }
}
