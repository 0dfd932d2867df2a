//! The sessions of an export.
//!
//! The library chooses and opens them. What becomes of them is decided by `unspool_render::export`,
//! which paints.

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

/// Which sessions are meant.
#[derive(Clone, Copy, Debug)]
pub enum SessionChoice<'a> {
    /// These, by their names.
    Named(&'a [String]),
    /// Those that a filter admits.
    Matching(&'a RowFilter),
}

/// The sessions of an export.
pub struct ExportSources {
    /// The sessions: as they were named, each once, or in the order of homes and files.
    pub sessions: Vec<Resolved>,
    /// Names in the filter that fit no session.
    pub unmatched: Vec<Unmatched>,
    /// Whether everything could be read.
    pub reading: Completeness,
    walk: Arc<HomesWalk>,
}

/// Whether the titles of sessions are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TitleNeed {
    /// They are, so other logs of the project are asked for them.
    Shown,
    /// They are not.
    Unused,
}

/// Opens the sessions of an export.
pub struct SessionOpener<'a> {
    walk: &'a HomesWalk,
    titles: Option<ProjectSummaries<'a>>,
}

impl ExportSources {
    /// Returns how many bytes the sessions have.
    pub fn bytes(&self) -> u64 {
        let logs = self.sessions.iter().map(|resolved| resolved.target.log());
        logs.map(|log| log.stamp().bytes).sum()
    }

    /// Makes what opens the sessions.
    pub fn opener(&self, titles: TitleNeed) -> SessionOpener<'_> {
        SessionOpener {
            walk: &self.walk,
            titles: (titles == TitleNeed::Shown).then(|| ProjectSummaries::new(self.walk.found())),
        }
    }

    /// Lists the sessions of the same project, which a session may share entries with.
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
    /// Finds the sessions to export.
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

    /// Prepares the export of one session that was found before.
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
        let (rows, reading) = self.told_rows(&walk, agents, listener)?;
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
