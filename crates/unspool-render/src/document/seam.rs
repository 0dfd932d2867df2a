//! Places where a resume differs from what a person saw: before which message, and in which words.
//!
//! The history contains messages that a resume would leave out or cut off. Seams are computed once
//! for every surface: a left-out stretch begins or ends, or the client would start in the middle.

use unspool_model::conversation::Message;

use unspool_engine::ops::transcript::{Transcript, ViewKind};

/// What a resume does differently from a message on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seam {
    /// It leaves out this message and the following ones.
    LeavesOut,
    /// It continues with this message.
    GoesOn,
    /// It starts with this message, because the entry's parent is not in the file.
    StartsHere,
}

impl Seam {
    /// Returns the seam before a message, which follows `last`.
    pub fn before(
        shown: &Transcript<'_>,
        last: Option<&Message>,
        message: &Message,
    ) -> Option<Self> {
        let leaves_out = last.is_some_and(|last| last.left_out);
        if message.left_out != leaves_out {
            return Some(if message.left_out { Self::LeavesOut } else { Self::GoesOn });
        }
        let is_history = shown.kind == ViewKind::History && shown.agent.is_none();
        let is_active = shown.path.as_ref().is_some_and(|path| path.active);
        let start = shown.conversation.resume_start();
        let start = start.filter(|_| is_history && is_active && last.is_some())?;
        let starts = shown.view.nodes(message).contains(&start);
        starts.then_some(Self::StartsHere)
    }

    /// Returns the words to show.
    pub fn words(self) -> &'static str {
        match self {
            Self::LeavesOut => "left out at a resume, without a rewind",
            Self::GoesOn => "a resume goes on here",
            Self::StartsHere => "a resume starts here: nothing above is sent",
        }
    }
}
