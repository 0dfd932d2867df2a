//! Checks of sessions, one after the other.

use unspool_model::graph::Rule;

use super::Library;
use super::error::LibraryError;
use super::note::Listener;
use super::resolve;
use super::session::SessionRequest;
use super::walk::{Completeness, HomesWalk};
use crate::ops::check::{self, CheckReport};
use unspool_store::home::{FileClass, Resolved, SessionFile, Target};

/// What to check.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CheckRequest<'a> {
    /// Names of sessions; all sessions if none.
    pub names: &'a [String],
    /// How the active path is found.
    pub rule: Rule,
}

impl Library {
    /// Checks sessions and gives the report of each, or why it cannot be opened, to `each`. An
    /// error of `each` ends the check.
    pub fn check<E>(
        &self,
        request: &CheckRequest<'_>,
        listener: &dyn Listener,
        mut each: impl FnMut(Result<CheckReport, LibraryError>) -> Result<(), E>,
    ) -> Result<Completeness, E> {
        let walk = self.walk();
        if request.names.is_empty() {
            let reading = walk.tell_problems(listener);
            for resolved in all(&walk) {
                let opened = resolve::open(&walk, &resolved);
                let report = opened.map(|session| check::check(&session, request.rule));
                each(report.map_err(Into::into))?;
            }
            return Ok(reading);
        }
        let resolver = self.resolver(&walk, listener);
        for name in request.names {
            let opened = resolver.open(&SessionRequest::named(name));
            each(opened.map(|(_, session)| check::check(&session, request.rule)))?;
        }
        Ok(Completeness::Whole)
    }
}

/// Returns every session of every home, and agents that belong to none.
fn all(walk: &HomesWalk) -> Vec<Resolved> {
    let mut all = Vec::new();
    for home in walk.found() {
        // The walk has told which files cannot be read.
        let readable = |session: &SessionFile| session.class != FileClass::Unreadable;
        for (project, session) in home.sessions().filter(|(_, session)| readable(session)) {
            all.push(Resolved {
                home: Some(home.home.clone()),
                project: Some(project.id.clone()),
                target: Target::Session(session.clone()),
            });
        }
        for project in &home.projects {
            all.extend(project.loose_agents.iter().map(|agent| Resolved {
                home: Some(home.home.clone()),
                project: Some(project.id.clone()),
                target: Target::Agent(agent.clone()),
            }));
        }
    }
    all
}
