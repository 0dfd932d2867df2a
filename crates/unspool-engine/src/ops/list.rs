//! Lists of sessions: rows from the index, or read without one.

mod read;

use unspool_model::conversation::Liveness;
use unspool_model::graph::Rule;

pub use self::read::list;
use unspool_store::home::{Home, LiveSessions};
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
}
