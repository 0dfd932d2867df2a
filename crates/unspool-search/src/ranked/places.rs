//! What a search must know of the files that hits are in.

use std::path::PathBuf;

use unspool_model::ids::{AgentId, ProjectId, SessionId};
use unspool_model::query::{Field, Has, Is};

use crate::text::TextSource;

/// Where a file belongs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexedFile {
    /// The home.
    pub home: Option<PathBuf>,
    /// The project.
    pub project: Option<ProjectId>,
    /// The session; empty if it is unknown.
    pub session: SessionId,
    /// The agent whose log it is.
    pub agent: Option<AgentId>,
    /// The file.
    pub path: PathBuf,
    /// What kind of session it is of.
    pub kind: PlaceKind,
    /// Whether the session's files are gone.
    pub gone: bool,
}

/// What kind of session a file is of, as far as it matters for ranking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaceKind {
    /// A session that a person drove.
    Main,
    /// A session that a program drove.
    Headless,
    /// An agent.
    Agent,
}

/// Knows the files of an index. Asked once for each file that a hit is in, in the order
/// of their scores, and about filters only where a query has some.
pub trait IndexedFiles {
    /// Tells whether every file of the index may be shown, so that no file need be looked up.
    fn all_shown(&self) -> bool;

    /// Returns where a file belongs; none if its hits are not to be shown.
    fn place(&self, source: TextSource) -> Option<IndexedFile>;

    /// Tells whether a filter of [`Field::Project`], [`Field::Branch`], [`Field::Model`] or
    /// [`Field::File`] matches a file.
    fn matches(&self, source: TextSource, field: Field, value: &str) -> bool;

    /// Tells what a file's session is. Never asked whether something is active.
    fn is(&self, source: TextSource, is: Is) -> bool;

    /// Tells whether a file's session has agents, branches or compactions.
    fn has(&self, source: TextSource, has: Has) -> bool;

    /// Returns the log and the place in it that a spilled output belongs to.
    fn origin(&self, source: TextSource) -> Option<(PathBuf, u64)>;

    /// Tells whether what is at an offset is on the active path; none where paths do not exist.
    fn active(&self, source: TextSource, offset: u64) -> Option<bool>;
}
