//! What a session is to be laid out as, and why that may not be possible.

use std::ops::Range;

use unspool_model::graph::Rule;
use unspool_model::names;
use unspool_model::positions::{PathNumber, TurnNumber};

use crate::ops::locate::EntryPlace;
use crate::ops::message::Unanswered;

/// What to lay out.
#[derive(Clone, Debug, Default)]
pub struct TranscriptRequest {
    /// How the active path is found.
    pub rule: Rule,
    /// History or context.
    pub view: ViewKind,
    /// The path to show; the active one if none.
    pub path: Option<PathNumber>,
    /// The agent to show instead of the session.
    pub agent: Option<String>,
    /// The entry to show: the path or agent that contains it is chosen, whatever else is asked for.
    pub at: Option<EntryPlace>,
    /// The turns to show; all if none.
    pub turns: Option<Range<TurnNumber>>,
    /// What to do with calls that have no result.
    pub unanswered: Unanswered,
    /// What to do with messages that a resume would leave out though there was no rewind.
    pub left_out: LeftOutMessages,
}

names! {
    /// What to do with messages that a resume would leave out though there was no rewind.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub enum LeftOutMessages {
        /// Show them in place, marked.
        #[default]
        Show = "show",
        /// Leave them out.
        Hide = "hide",
    }

    /// Which view of a path to lay out.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub enum ViewKind {
        /// Everything in place, compactions joined.
        #[default]
        History = "history",
        /// What the model would be sent now.
        Context = "context",
    }
}

/// Why a session cannot be laid out as asked.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// There is no such path.
    #[error("path {asked} does not exist; the session has {}", count_paths(*.count))]
    NoPath {
        /// The number asked for.
        asked: PathNumber,
        /// How many there are.
        count: usize,
    },
    /// There is no such agent.
    #[error("no agent {asked:?} in this session{}", list_known(.known))]
    NoAgent {
        /// The id asked for.
        asked: String,
        /// The agents there are.
        known: Vec<String>,
    },
    /// There are no such turns.
    #[error("turn {asked} does not exist; the path has {count}")]
    NoTurn {
        /// The first turn asked for.
        asked: TurnNumber,
        /// How many there are.
        count: usize,
    },
}

fn count_paths(count: usize) -> String {
    match count {
        0 => "none".to_owned(),
        1 => "one".to_owned(),
        _ => format!("{count}, see `unspool tree`"),
    }
}

fn list_known(ids: &[String]) -> String {
    match ids {
        [] => ", which has none".to_owned(),
        _ => format!("; there are {}", ids.join(", ")),
    }
}

impl TranscriptRequest {
    /// Says what to do with calls that have no result: the clients that chose by time left them
    /// out of what they sent.
    pub(super) fn unanswered(&self) -> Unanswered {
        match (self.rule, self.view, self.unanswered) {
            (Rule::NewestTime, ViewKind::Context, Unanswered::Mark) => Unanswered::Hide,
            (_, _, asked) => asked,
        }
    }
}
