//! A hit: where something was found, and a look at it.

use std::ops::Range;
use std::path::PathBuf;

use unspool_model::entry::MessageKind;
use unspool_model::ids::{AgentId, EntryId, ProjectId, SessionId};
use unspool_model::query::Role;
use unspool_model::time::Time;

/// A place where something was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Hit {
    /// The home it is in.
    pub home: Option<PathBuf>,
    /// The project it is in.
    pub project: Option<ProjectId>,
    /// The session it belongs to.
    pub session: SessionId,
    /// The agent that it is from.
    pub agent: Option<AgentId>,
    /// The file that holds it.
    pub file: PathBuf,
    /// Where its entry begins in the file.
    pub offset: u64,
    /// Its entry.
    pub entry: Option<EntryId>,
    /// Who or what the text is from.
    pub role: Role,
    /// What its message is.
    pub kind: Option<MessageKind>,
    /// When its entry was written.
    pub time: Option<Time>,
    /// How well it fits; zero where hits are not ranked.
    pub score: f32,
    /// Whether it is on the active path; nothing where nobody has looked yet.
    pub active: Option<bool>,
    /// Whether its session's file is gone.
    pub gone: bool,
    /// A look at the text.
    pub snippet: Snippet,
}

/// A part of a text with what was found in it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Snippet {
    /// The part.
    pub text: String,
    /// What was found, in characters of the part.
    pub matches: Vec<Range<usize>>,
}

/// How much of a text a snippet shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The most characters of a line.
    pub width: usize,
    /// How many lines of the text stand before and behind the match. With none, the snippet
    /// is one line and takes white space as a single space.
    pub context: usize,
}

impl Default for Extent {
    fn default() -> Self {
        Self {
            width: 160,
            context: 0,
        }
    }
}
