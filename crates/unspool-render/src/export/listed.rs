//! What a site says of a session, whatever files it gets.

use unspool_model::graph::Rule;
use unspool_model::ids::SessionId;
use unspool_model::time::Time;

use super::ExportRequest;
use unspool_store::rows;
use unspool_store::session::Session;

/// What a site says of a session, but for where it is.
#[derive(Clone, Debug)]
pub(super) struct ListedSession {
    pub(super) id: SessionId,
    pub(super) project: String,
    pub(super) title: String,
    pub(super) started: Option<Time>,
    pub(super) ended: Option<Time>,
    pub(super) turns: usize,
    pub(super) tokens: u64,
    pub(super) cost_usd: Option<f64>,
}

impl ListedSession {
    /// Looks at a session.
    pub(super) fn of(session: &Session, request: &ExportRequest<'_>) -> Self {
        let row = rows::row(session, Rule::Current, 0, request.prices);
        let project = row.project.as_ref().map(ToString::to_string);
        let project = row.cwd.or(project);
        let title = row.title.unwrap_or_else(|| session.id.to_string());
        let lens = request.lens();
        let told = |text: String| match &lens {
            Some(lens) => lens.text(&text).into_owned(),
            None => text,
        };
        Self {
            id: SessionId::new(request.shown_id(session.id.as_str())),
            project: told(project.unwrap_or_else(|| "elsewhere".to_owned())),
            title: told(title),
            started: row.started,
            ended: row.ended,
            turns: row.turns,
            tokens: row.tokens.sum(),
            cost_usd: row.cost_usd,
        }
    }
}
