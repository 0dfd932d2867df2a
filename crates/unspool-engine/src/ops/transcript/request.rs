//! Requests for the layout of a session, and their errors.

use std::ops::Range;

use unspool_model::graph::Rule;
use unspool_model::names;
use unspool_model::positions::{PathNumber, TurnNumber};

use crate::ops::locate::EntryPlace;
use crate::ops::message::Unanswered;

/// A request to lay out a session.
#[derive(Clone, Debug, Default)]
pub struct TranscriptRequest {
    /// The rule that selects the active path.
    pub rule: Rule,
    /// History or context.
    pub view: ViewKind,
    /// The path to show; `None` is the active one.
    pub path: Option<PathNumber>,
    /// The agent to show instead of the session.
    pub agent: Option<String>,
    /// The entry to show: it selects the path or agent that contains it, overriding other fields.
    pub at: Option<EntryPlace>,
    /// The turns to show; `None` shows all.
    pub turns: Option<Range<TurnNumber>>,
    /// How calls without a result are shown.
    pub unanswered: Unanswered,
    /// Whether messages are shown that a resume would leave out without a rewind.
    pub left_out: LeftOutMessages,
}

names! {
    /// Whether messages are shown that a resume would leave out without a rewind.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub enum LeftOutMessages {
        /// Shows them in place, marked.
        #[default]
        Show = "show",
        /// Leaves them out.
        Hide = "hide",
    }

    /// The kind of view of a path.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    pub enum ViewKind {
        /// All messages in place, across compactions.
        #[default]
        History = "history",
        /// The messages that a resume would send to the model.
        Context = "context",
    }
}

/// Why a layout is not possible.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The path does not exist.
    #[error("path {asked} does not exist; the session has {}", count_paths(*.count))]
    NoPath {
        /// The requested number.
        asked: PathNumber,
        /// The number of paths.
        count: usize,
    },
    /// The agent does not exist.
    #[error("no agent {asked:?} in this session{}", list_known(.known))]
    NoAgent {
        /// The requested id.
        asked: String,
        /// The ids of all agents.
        known: Vec<String>,
    },
    /// The turns do not exist.
    #[error("turn {asked} does not exist; the path has {count}")]
    NoTurn {
        /// The first requested turn.
        asked: TurnNumber,
        /// The number of turns.
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
    /// Returns how calls without a result are shown: clients with the rule [`Rule::NewestTime`] did
    /// not send such calls.
    pub(super) fn unanswered(&self) -> Unanswered {
        match (self.rule, self.view, self.unanswered) {
            (Rule::NewestTime, ViewKind::Context, Unanswered::Mark) => Unanswered::Hide,
            (_, _, asked) => asked,
        }
    }
}
