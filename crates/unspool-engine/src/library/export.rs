//! The sessions of an export.
//!
//! The library selects and opens them; `unspool_render::export` writes the documents.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::Library;
use super::error::LibraryError;
use super::note::Listener;
use super::resolve;
use super::session::siblings;
use super::walk::{Completeness, HomesWalk};
use unspool_store::filter::{self, RowFilter, Unmatched};
use unspool_store::home::{Discovery, Resolved, SessionFile};
use unspool_store::rows::{AgentRows, SessionKind};
use unspool_store::session::{Session, SessionFileError};
use unspool_store::titles::ProjectSummaries;

/// Selects the sessions of an export or a check.
#[derive(Clone, Copy, Debug)]
pub enum SessionChoice<'a> {
    /// Sessions by name.
    Named(&'a [String]),
    /// Sessions that match a filter.
    Matching(&'a RowFilter),
}

/// The sessions of an export.
pub struct ExportSources {
    /// The sessions: in the order of their names and each once, or in the order of homes and files.
    pub sessions: Vec<Resolved>,
    /// Names in the filter that match no session.
    pub unmatched: Vec<Unmatched>,
    /// Whether every home and log was readable.
    pub reading: Completeness,
    walk: Arc<HomesWalk>,
}

/// Whether an export shows the titles of sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TitleNeed {
    /// Titles are shown, so summaries in other logs of the project are read.
    Shown,
    /// Titles are not shown.
    Unused,
}

/// Opens the sessions of an export.
pub struct SessionOpener<'a> {
    walk: &'a HomesWalk,
    titles: Option<ProjectSummaries<'a>>,
}

impl ExportSources {
    /// Returns the size of all logs in bytes.
    pub fn bytes(&self) -> u64 {
        let logs = self.sessions.iter().map(|resolved| resolved.target.log());
        logs.map(|log| log.stamp().bytes).sum()
    }

    /// Returns an opener for these sessions.
    pub fn opener(&self, titles: TitleNeed) -> SessionOpener<'_> {
        SessionOpener {
            walk: &self.walk,
            titles: (titles == TitleNeed::Shown).then(|| ProjectSummaries::new(self.walk.found())),
        }
    }

    /// Lists the other sessions of the project, which may share entries with this session.
    pub fn relatives(&self, resolved: &Resolved) -> Vec<SessionFile> {
        siblings(resolved, self.walk.found())
    }
}

impl SessionOpener<'_> {
    /// Opens a session.
    pub fn open(&self, resolved: &Resolved) -> Result<Session, SessionFileError> {
        let mut session = resolve::open(self.walk, resolved)?;
        if let Some(titles) = &self.titles {
            titles.name(&mut session);
        }
        Ok(session)
    }
}

impl Library {
    /// Selects the sessions to export.
    pub fn export_sources(
        &self,
        choice: SessionChoice<'_>,
        listener: &dyn Listener,
    ) -> Result<ExportSources, LibraryError> {
        match choice {
            SessionChoice::Named(names) => self.named_sources(names, listener),
            SessionChoice::Matching(filter) => self.matching_sources(filter, listener),
        }
    }

    /// Returns the sources for the export of one resolved session.
    pub fn export_of(&self, found: &Resolved) -> ExportSources {
        ExportSources {
            sessions: vec![found.clone()],
            unmatched: Vec::new(),
            reading: Completeness::Whole,
            walk: self.walk(),
        }
    }

    fn named_sources(
        &self,
        names: &[String],
        listener: &dyn Listener,
    ) -> Result<ExportSources, LibraryError> {
        let walk = self.walk();
        let mut sessions = Vec::new();
        let mut met = HashSet::new();
        let resolver = self.resolver(&walk, listener);
        for name in names {
            let found = resolver.resolve(name)?;
            if met.insert(found.target.path().to_owned()) {
                sessions.push(found);
            }
        }
        Ok(ExportSources { sessions, unmatched: Vec::new(), reading: Completeness::Whole, walk })
    }

    fn matching_sources(
        &self,
        filter: &RowFilter,
        listener: &dyn Listener,
    ) -> Result<ExportSources, LibraryError> {
        let walk = self.walk();
        let agents = if filter.kinds.contains(&SessionKind::Agent) {
            AgentRows::Listed
        } else {
            AgentRows::Folded
        };
        let (rows, reading) = self.rows_with_report(&walk, agents, listener)?;
        let selection = filter::select(rows, filter);
        let rows = selection.rows.into_iter();
        let wanted: HashSet<PathBuf> = rows.map(|row| row.file).collect();
        let all = walk.found().iter().flat_map(everything);
        let sessions = all.filter(|resolved| wanted.contains(resolved.target.path()));
        Ok(ExportSources {
            sessions: sessions.collect(),
            unmatched: selection.unmatched,
            reading,
            walk,
        })
    }
}

/// Lists all sessions and agents of a home.
pub(super) fn everything(home: &Discovery) -> impl Iterator<Item = Resolved> + '_ {
    home.logs().map(|placed| placed.resolved())
}
