//! Lists of sessions: rows from the index, or from the logs.

mod read;

use unspool_model::conversation::Liveness;
use unspool_model::graph::Rule;

pub use self::read::list;
use unspool_store::home::{Home, LiveSessions};
use unspool_store::rows::{AgentRows, SessionKind, SessionRow};
use unspool_store::session::SessionFileError;

/// A request for rows from the logs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RowRequest {
    /// The rule that selects the active path.
    pub rule: Rule,
    /// Whether agents get rows of their own.
    pub agents: AgentRows,
}

/// Rows, newest first, and errors of unreadable files.
#[derive(Default)]
pub struct Listing {
    /// The rows.
    pub rows: Vec<SessionRow>,
    /// The errors of unreadable files.
    pub file_errors: Vec<SessionFileError>,
}

impl Listing {
    /// Marks the sessions that processes own.
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
