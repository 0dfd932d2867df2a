//! Checks of sessions, one after the other.

use unspool_model::graph::Rule;

use super::Library;
use super::error::LibraryError;
use super::export::SessionChoice;
use super::note::Listener;
use super::resolve;
use super::resolve::SessionRequest;
use super::walk::{Completeness, HomesWalk};
use crate::ops::check::{self, CheckReport};
use unspool_store::home::{FileClass, FoundLog, PlacedLog, Resolved};

/// A request for [`Library::check`].
#[derive(Clone, Copy, Default, Debug)]
pub struct CheckRequest<'a> {
    /// The sessions to check; all if `None`.
    pub choice: Option<SessionChoice<'a>>,
    /// The rule that selects the active path.
    pub rule: Rule,
}

impl Library {
    /// Checks sessions and passes each report, or the error that prevented it, to `each`. An error
    /// of `each` ends the check.
    pub fn check<E>(
        &self,
        request: &CheckRequest<'_>,
        listener: &dyn Listener,
        mut each: impl FnMut(Result<CheckReport, LibraryError>) -> Result<(), E>,
    ) -> Result<Completeness, E> {
        let walk = self.walk();
        let (chosen, reading) = match request.choice {
            None => (all(&walk), walk.report_problems(listener)),
            Some(SessionChoice::Named(names)) => {
                let resolver = self.resolver(&walk, listener);
                for name in names {
                    let opened = resolver.open(&SessionRequest::named(name));
                    each(opened.map(|(_, session)| check::check(&session, request.rule)))?;
                }
                return Ok(Completeness::Whole);
            }
            Some(choice @ SessionChoice::Matching(_)) => {
                match self.export_sources(choice, listener) {
                    Ok(found) => (found.sessions, found.reading),
                    Err(error) => {
                        each(Err(error))?;
                        return Ok(Completeness::Whole);
                    }
                }
            }
        };
        for resolved in chosen {
            let opened = resolve::open(&walk, &resolved);
            let report = opened.map(|session| check::check(&session, request.rule));
            each(report.map_err(Into::into))?;
        }
        Ok(reading)
    }
}

/// Returns every session of every home, and all agents without a session.
fn all(walk: &HomesWalk) -> Vec<Resolved> {
    let mut all = Vec::new();
    for home in walk.found() {
        let placed = |project, log| PlacedLog { home, project, log }.resolved();
        // `report_problems` has already reported unreadable files.
        let sessions = home.sessions().filter(|(_, it)| it.class != FileClass::Unreadable);
        all.extend(sessions.map(|(project, it)| placed(project, FoundLog::Session(it))));
        for project in &home.projects {
            let loose = project.loose_agents.iter().map(FoundLog::Agent);
            all.extend(loose.map(|log| placed(project, log)));
        }
    }
    all
}
