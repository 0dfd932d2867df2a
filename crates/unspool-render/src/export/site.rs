//! Transcripts in a site: the facts that it lists, and the links between its sessions.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::plan::{ExportPlan, PlannedSession};
use crate::document::PathStatus;
use crate::html::{Neighbours, SiteBuilder, SiteSession, Words};

/// A site that several threads write transcripts into.
pub(super) struct Site(Mutex<SiteBuilder>);

impl Site {
    /// Begins a site for the sessions of a plan.
    pub(super) fn begin(plan: &ExportPlan, folder: &Path) -> io::Result<Self> {
        let sessions = plan.sessions.iter().map(|planned| {
            let listed = planned.listed.as_ref();
            listed.map(|listed| in_site(listed, planned))
        });
        let sessions: Option<Vec<_>> = sessions.collect();
        // The plan of a site collects these facts for every session.
        let sessions = sessions.ok_or_else(|| io::Error::other("the plan is for no site"))?;
        Ok(Self(Mutex::new(SiteBuilder::new(folder, sessions)?)))
    }

    /// Returns the folder of the transcripts.
    pub(super) fn folder(&self) -> PathBuf {
        self.lock().transcripts()
    }

    /// Returns the links from a session of the plan to others.
    pub(super) fn neighbours(&self, session: usize) -> Neighbours {
        self.lock().neighbours(session)
    }

    /// Adds the words of a transcript to the search.
    pub(super) fn add(&self, session: usize, words: &Words) -> io::Result<()> {
        self.lock().add(session, words)
    }

    /// Writes the lists and the search.
    pub(super) fn finish(self) -> io::Result<()> {
        let site = self.0.into_inner();
        site.unwrap_or_else(PoisonError::into_inner).finish()
    }

    fn lock(&self) -> MutexGuard<'_, SiteBuilder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the facts about a session of the plan, with the file that links open.
fn in_site(listed: &SiteSession, planned: &PlannedSession) -> SiteSession {
    let active = planned.paths.iter();
    let active = active.filter(|path| path.status == PathStatus::Active);
    let first = active.chain(&planned.paths).map(|path| &path.name).next();
    let first = first.or_else(|| planned.agents.first().map(|agent| &agent.name));
    SiteSession { file: first.cloned().unwrap_or_default(), ..listed.clone() }
}
