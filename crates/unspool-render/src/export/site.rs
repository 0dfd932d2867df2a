//! Transcripts in a site: what it says of each session, and who is next to whom.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use unspool_model::graph::Rule;
use unspool_model::ids::SessionId;
use unspool_model::time::Time;

use super::ExportRequest;
use super::plan::{ExportPlan, PlannedSession};
use crate::document::PathStatus;
use crate::html::{Neighbours, SiteBuilder, SiteSession, Words};
use unspool_store::rows;
use unspool_store::session::Session;

/// What a site says of a session, but for where it is.
#[derive(Clone, Debug)]
pub(super) struct ListedSession {
    id: SessionId,
    project: String,
    title: String,
    started: Option<Time>,
    ended: Option<Time>,
    turns: usize,
    tokens: u64,
    cost_usd: Option<f64>,
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

    fn in_site(&self, planned: &PlannedSession) -> SiteSession {
        let active = planned.paths.iter();
        let active = active.filter(|path| path.status == PathStatus::Active);
        let first = active.chain(&planned.paths).map(|path| &path.name).next();
        let first = first.or_else(|| planned.agents.first().map(|agent| &agent.name));
        SiteSession {
            id: self.id.clone(),
            project: self.project.clone(),
            title: self.title.clone(),
            started: self.started,
            ended: self.ended,
            turns: self.turns,
            tokens: self.tokens,
            cost_usd: self.cost_usd,
            file: first.cloned().unwrap_or_default(),
        }
    }
}

/// A site that transcripts are being written into, from several threads.
pub(super) struct Site(Mutex<SiteBuilder>);

impl Site {
    /// Begins a site for the sessions of a plan.
    pub(super) fn begin(plan: &ExportPlan, folder: &Path) -> io::Result<Self> {
        let sessions = plan.sessions.iter().map(|planned| {
            let listed = planned.listed.as_ref();
            listed.map(|listed| listed.in_site(planned))
        });
        let sessions: Option<Vec<_>> = sessions.collect();
        // The plan of a site looks at every session.
        let sessions = sessions.ok_or_else(|| io::Error::other("the plan is for no site"))?;
        Ok(Self(Mutex::new(SiteBuilder::new(folder, sessions)?)))
    }

    /// Returns the folder that transcripts go to.
    pub(super) fn folder(&self) -> PathBuf {
        self.lock().transcripts()
    }

    /// Returns what leads from a session of the plan to others.
    pub(super) fn neighbours(&self, session: usize) -> Neighbours {
        self.lock().neighbours(session)
    }

    /// Takes the words of a transcript.
    pub(super) fn add(&self, session: usize, words: &Words) -> io::Result<()> {
        self.lock().add(session, words)
    }

    /// Writes lists and search.
    pub(super) fn finish(self) -> io::Result<()> {
        let site = self.0.into_inner();
        site.unwrap_or_else(PoisonError::into_inner).finish()
    }

    fn lock(&self) -> MutexGuard<'_, SiteBuilder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
