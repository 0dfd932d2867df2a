//! What stands above a transcript: which session and path it is, and what it cost.
//!
//! Plain data, known before the first passage is made. Texts are as the log has them
//! and hostile; every surface escapes them.

use std::ops::Range;

use unspool_model::conversation::Outcome;
use unspool_model::ids::{EntryId, ProjectId, SessionId};
use unspool_model::time::Time;
use unspool_model::usage::Tokens;

use crate::ops::transcript::ViewKind;

/// What is known of a transcript before it begins.
#[derive(Clone, Debug)]
pub struct Head {
    /// The session.
    pub session: SessionId,
    /// Which of its paths this is.
    pub path: PathHead,
    /// Whether the whole path is shown, or what the model would be sent.
    pub view: ViewKind,
    /// How many compactions the path has; none are left in a context.
    pub compactions: usize,
    /// How many messages are shown.
    pub messages: usize,
    /// The session's title.
    pub title: Option<String>,
    /// The project it is in, by the name that its home gives it.
    pub project: Option<ProjectId>,
    /// The folder it began in.
    pub cwd: Option<String>,
    /// The git branch that was named last.
    pub branch: Option<String>,
    /// The client's version that was named last.
    pub version: Option<String>,
    /// The earliest entry of the file.
    pub started: Option<Time>,
    /// The latest entry of the file.
    pub ended: Option<Time>,
    /// The models that answered.
    pub models: Vec<String>,
    /// What the session and its agents used.
    pub tokens: Tokens,
    /// What that cost in US dollars; none if a model has no price.
    pub cost_usd: Option<f64>,
    /// The agent whose conversation this is; none for the session's own.
    pub agent: Option<AgentHead>,
    /// The turns to come, for an outline.
    pub turns: Vec<TurnHead>,
    /// The session's other paths.
    pub others: Vec<OtherPath>,
    /// Paths that are not written because this one holds all of them.
    pub holds: Vec<HeldPath>,
}

/// One path among those of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathHead {
    /// Its number, the same as in `tree` and `show --path`.
    pub number: u32,
    /// How many there are.
    pub total: usize,
    /// Whether a resume would go on from it.
    pub status: PathStatus,
    /// The entry where it leaves another path; only an abandoned one has one.
    pub fork_point: Option<EntryId>,
}

/// Whether a resume would go on from a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PathStatus {
    /// It would.
    Active,
    /// It would not.
    Abandoned,
}

impl PathStatus {
    /// Returns the word in the header of a transcript.
    pub fn word(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Abandoned => "ABANDONED",
        }
    }
}

/// A turn, as an outline lists it.
#[derive(Clone, Debug)]
pub struct TurnHead {
    /// Its number on the path, counted from one.
    pub number: u32,
    /// What was asked for: the first words of it, on one line.
    pub prompt: String,
    /// When it began.
    pub started: Option<Time>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// How many calls were made.
    pub calls: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// The messages that belong to it, counted from zero.
    pub messages: Range<u32>,
}

/// Another path of the session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherPath {
    /// Its number.
    pub number: u32,
    /// Whether a resume would go on from it.
    pub status: PathStatus,
    /// The file beside this one that it is written to; none if it is not written.
    pub file: Option<String>,
}

/// A path that another one holds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HeldPath {
    /// The session it is a path of.
    pub session: SessionId,
    /// Its number there.
    pub number: u32,
}

/// What is known of an agent before its conversation begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentHead {
    /// Its id.
    pub id: String,
    /// What kind of agent it is.
    pub kind: Option<String>,
    /// What it was asked to do, in short.
    pub description: Option<String>,
    /// The entry of the parent conversation that it goes on from, if it was forked.
    pub forked_at: Option<String>,
    /// How many messages its conversation has; none if its file is gone.
    pub messages: Option<usize>,
    /// Where its conversation is to be read.
    pub whereabouts: Whereabouts,
}

/// Where an agent's conversation is to be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Whereabouts {
    /// Here: it comes next, between `open_agent` and `close_agent`.
    Nested,
    /// In the file of this name beside this one.
    Beside(String),
    /// Not here: its file is gone, it is not exported, or it was shown under a call before.
    Elsewhere,
}
