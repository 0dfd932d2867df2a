//! Lists of sessions: rows from the index, or read without one.

mod read;

use std::collections::HashMap;
use std::ffi::OsStr;

use foldhash::fast::FixedState;
use unspool_model::conversation::Liveness;
use unspool_model::graph::Rule;

pub use self::read::list;
use unspool_store::filter::{Direction, SortKey, sort};
use unspool_store::home::{Discovery, Home, HomesFound, LiveSessions};
use unspool_store::index::{CatalogueError, Index, RefreshBasis};
use unspool_store::progress::Progress;
use unspool_store::rows::{AgentRows, SessionKind, SessionRow};
use unspool_store::session::SessionFileError;

/// What to list.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RowRequest {
    /// How the active path is found.
    pub rule: Rule,
    /// Whether agents get rows of their own.
    pub agents: AgentRows,
}

/// Rows, newest first, and what could not be read.
#[derive(Default)]
pub struct Listing {
    /// The rows.
    pub rows: Vec<SessionRow>,
    /// Files that could not be read.
    pub file_errors: Vec<SessionFileError>,
}

/// Lists all sessions of some homes from an index, which is brought up to date first.
pub fn from_index(
    index: &mut Index,
    homes: &[Home],
    agents: AgentRows,
    basis: &RefreshBasis<'_>,
    progress: &dyn Progress,
) -> Result<(Listing, HomesFound), CatalogueError> {
    let refreshed = index.refresh(homes, basis, progress)?;
    let (rows, refreshed) = match index.rows(homes, agents) {
        Err(error) if error.is_damage() => {
            index.rebuild()?;
            let refreshed = index.refresh(homes, basis, progress)?;
            (index.rows(homes, agents)?, refreshed)
        }
        rows => (rows?, refreshed),
    };
    let mut listing = Listing { rows, file_errors: refreshed.file_errors };
    listing.set_modified(&refreshed.found);
    sort(&mut listing.rows, SortKey::default(), Direction::Usual);
    Ok((listing, refreshed.found))
}

impl Listing {
    /// Notes which sessions a process owns.
    pub fn set_live(&mut self, homes: &[Home], live: &[LiveSessions]) {
        for (home, live) in homes.iter().zip(live) {
            let of_home = |row: &&mut SessionRow| row.home.as_ref() == Some(&home.root);
            let main = |row: &&mut SessionRow| row.kind != SessionKind::Agent;
            for row in self.rows.iter_mut().filter(of_home).filter(main) {
                if live.is_live(&row.id) {
                    row.set_live(Liveness::Live);
                }
            }
        }
    }

    /// Takes the times of files from a walk; a file may get a new time and no new bytes.
    fn set_modified(&mut self, found: &[Discovery]) {
        let sessions = found.iter().flat_map(Discovery::sessions);
        let sessions = sessions.map(|(_, file)| (&file.path, &file.stamp));
        let listed = self.rows.iter().any(|row| row.kind == SessionKind::Agent);
        let agents = found.iter().filter(|_| listed);
        let agents = agents.flat_map(Discovery::agents).map(|(_, file)| (&file.path, &file.stamp));
        let times: HashMap<&OsStr, i64, FixedState> = sessions
            .chain(agents)
            .map(|(path, stamp)| (path.as_os_str(), stamp.modified_ms()))
            .collect();
        for row in &mut self.rows {
            if let Some(&modified) = times.get(row.file.as_os_str()) {
                row.modified = modified;
            }
        }
    }
}
