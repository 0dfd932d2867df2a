//! Marks for the state of a session: each has its own shape, and a word for screen readers.

use unspool_model::names;
use unspool_store::rows::{SessionRow, Status};
use unspool_text::html::Html;

names! {
    /// The activity of a session, or how it ended.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum SessionMark {
        /// Waits for a person.
        Waits = "waits",
        /// Works.
        Works = "works",
        /// Belongs to a process that does nothing.
        Idle = "idle",
        /// Ended with an answer.
        Done = "done",
        /// Ended with an error.
        Error = "error",
        /// Was interrupted.
        Interrupted = "interrupted",
        /// Has no conversation.
        Empty = "empty",
    }
}

impl SessionMark {
    /// Returns the mark of a row. A row of a running session tells whether a turn is in progress;
    /// only the inbox knows whether the turn waits for a person.
    pub(crate) fn of(row: &SessionRow) -> Self {
        match row.status {
            Status::Open if row.live => Self::Works,
            _ if row.live => Self::Idle,
            Status::Complete => Self::Done,
            Status::Error => Self::Error,
            Status::Interrupted => Self::Interrupted,
            Status::Open => Self::Idle,
            Status::Empty => Self::Empty,
        }
    }

    /// Returns the words for the mark.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Waits => "needs input",
            Self::Works => "working",
            Self::Idle => "idle",
            Self::Done => "done",
            Self::Error => "error",
            Self::Interrupted => "interrupted",
            Self::Empty => "no conversation",
        }
    }

    fn shape(self) -> &'static str {
        match self {
            Self::Waits => "<path d=\"M8 1.2 14.8 8 8 14.8 1.2 8z\" fill=\"currentColor\"/>",
            Self::Works => "<circle cx=\"8\" cy=\"8\" r=\"5\" fill=\"currentColor\"/>",
            Self::Idle => {
                "<circle cx=\"8\" cy=\"8\" r=\"4.2\" fill=\"none\" stroke=\"currentColor\" \
                 stroke-width=\"1.8\"/>"
            }
            Self::Done => {
                "<path d=\"M3 8.6 6.4 12 13 4.6\" fill=\"none\" stroke=\"currentColor\" \
                 stroke-width=\"2\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
            }
            Self::Error => {
                "<path d=\"m4 4 8 8m0-8-8 8\" fill=\"none\" stroke=\"currentColor\" \
                 stroke-width=\"2\" stroke-linecap=\"round\"/>"
            }
            Self::Interrupted => {
                "<circle cx=\"8\" cy=\"8\" r=\"5.6\" fill=\"none\" stroke=\"currentColor\" \
                 stroke-width=\"1.7\"/><path d=\"m4.2 11.8 7.6-7.6\" stroke=\"currentColor\" \
                 stroke-width=\"1.7\"/>"
            }
            Self::Empty => "<circle cx=\"8\" cy=\"8\" r=\"1.8\" fill=\"currentColor\"/>",
        }
    }
}

/// Paints the mark of a session.
pub(crate) fn mark(mark: SessionMark, html: &mut Html) {
    html.tag("<span class=\"mark\"")
        .attribute("data-state", mark.name())
        .attribute("title", mark.words());
    html.tag("><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\">");
    html.tag(mark.shape()).tag("</svg><span class=\"sr\">").tag(mark.words()).tag("</span></span>");
}
