//! Lists of sessions, filtered and sorted.

use std::fmt;

use unspool_model::graph::Rule;

use super::Library;
use super::error::LibraryError;
use super::index::{report_unreadable, watched};
use super::note::Listener;
use super::walk::{Completeness, HomesWalk};
use crate::ops::list::{self, Listing, RowRequest};
use unspool_store::filter::{self, Direction, RowFilter, Selection, SortKey, Unmatched, sort};
use unspool_store::home::Discovery;
use unspool_store::rows::{AgentRows, SessionKind, SessionRow};

/// A request for [`Library::list`].
#[derive(Clone, Default, Debug)]
pub struct ListRequest {
    /// The filter that sessions must match.
    pub filter: RowFilter,
    /// Whether agents get rows of their own.
    pub agents: AgentRows,
    /// The rule that selects the active path. The index knows the current rule; any other rule
    /// reads all logs.
    pub rule: Rule,
    /// How sessions without a conversation are listed.
    pub empty: EmptyRows,
    /// The sort key.
    pub sort: SortKey,
    /// The sort direction.
    pub direction: Direction,
    /// The maximum number of rows.
    pub limit: Option<usize>,
}

/// How sessions without a conversation are listed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum EmptyRows {
    /// With a row each.
    #[default]
    Listed,
    /// Only counted, in [`HiddenRows`].
    Hidden,
}

/// The result of [`Library::list`].
#[derive(Debug)]
pub struct ListAnswer {
    /// The rows of the sessions, sorted.
    pub rows: Vec<SessionRow>,
    /// The number of sessions that were left out.
    pub hidden: HiddenRows,
    /// Names in the filter that match no session.
    pub unmatched: Vec<Unmatched>,
    /// Whether every home and log was readable.
    pub reading: Completeness,
}

/// The number of sessions without a conversation that are not listed. Each session is counted once.
/// `Display` describes them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct HiddenRows {
    /// Sessions without agents.
    pub empty: usize,
    /// Sessions of which only agents are left.
    pub only_agents: usize,
}

impl HiddenRows {
    /// Reports whether no session is hidden.
    pub fn is_none(self) -> bool {
        self.empty == 0 && self.only_agents == 0
    }

    /// Counts a row if it must be hidden, and returns whether it must.
    fn takes(&mut self, row: &SessionRow) -> bool {
        let only_agents = row.has_only_agents();
        let is_empty = !only_agents && row.kind == SessionKind::Empty;
        self.only_agents += usize::from(only_agents);
        self.empty += usize::from(is_empty);
        only_agents || is_empty
    }
}

impl fmt::Display for HiddenRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { empty, only_agents } = self;
        match (empty, only_agents) {
            (_, 0) => write!(f, "{empty} without a conversation"),
            (0, _) => write!(f, "{only_agents} of which only agents are left"),
            _ => write!(
                f,
                "{empty} without a conversation and {only_agents} of which only agents are left"
            ),
        }
    }
}

impl Library {
    /// Lists sessions.
    pub fn list(
        &self,
        request: &ListRequest,
        listener: &dyn Listener,
    ) -> Result<ListAnswer, LibraryError> {
        let walk = self.walk();
        let (Listing { rows, file_errors }, walked) = match request.rule {
            Rule::Current => {
                let listing = self.listing(&walk, request.agents, listener)?;
                (listing, self.report_problems(&walk, listener))
            }
            rule => {
                let walked = walk.report_problems(listener);
                let agents = request.agents;
                (self.read_all(RowRequest { rule, agents }, &walk, listener), walked)
            }
        };
        let reading = walked.max(report_unreadable(file_errors, listener));
        let Selection { mut rows, unmatched, .. } = filter::select(rows, &request.filter);
        let mut hidden = HiddenRows::default();
        if request.empty == EmptyRows::Hidden {
            rows.retain(|row| !hidden.takes(row));
        }
        sort(&mut rows, request.sort, request.direction);
        rows.truncate(request.limit.unwrap_or(usize::MAX));
        Ok(ListAnswer { rows, hidden, unmatched, reading })
    }

    /// Reads all logs.
    fn read_all(&self, request: RowRequest, walk: &HomesWalk, listener: &dyn Listener) -> Listing {
        let (found, live) = (walk.found(), walk.live());
        let sessions = found.iter().flat_map(Discovery::sessions);
        let total = sessions.map(|(_, session)| session.stamp.bytes).sum();
        let prices = &self.settings.prices;
        let read = watched(listener, total, |read| list::list(found, live, &request, prices, read));
        read.unwrap_or_default()
    }
}
