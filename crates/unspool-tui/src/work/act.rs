//! What a person asked to be done with sessions.

use super::{WorkCall, WorkContext, WorkReply};
use crate::settings::{
    ExportKind, PageRefusal, ResumeOffer, ResumeRefusal, ResumeWay, SessionSubject, TuiCommand,
};

/// What is to be done.
#[derive(Clone, Debug)]
pub(crate) enum ActRequest {
    /// To say how a session is resumed; `then` says what for.
    Resume { session: SessionSubject, way: ResumeWay, then: ResumeUse },
    /// To export sessions.
    Export { sessions: Vec<SessionSubject>, kind: ExportKind },
    /// To open a place in a browser.
    Browse(SessionSubject),
    /// To find the address of a place.
    Link(SessionSubject),
    /// To make the command that opens a text in the editor.
    Edit { text: String, line: usize },
    /// To give a text to a clipboard of the system.
    Copy { text: String, what: String },
}

/// What becomes of the command that resumes a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ResumeUse {
    /// It is run, when the person has said so.
    Run,
    /// It is copied.
    Copy,
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum ActReply {
    /// The session can be resumed.
    Resume { offer: Box<ResumeOffer>, way: ResumeWay, then: ResumeUse },
    /// The session cannot be resumed so.
    NotResumed(ResumeRefusal),
    /// The command that opens the editor.
    Edit(TuiCommand),
    /// A text goes to the terminal's clipboard: the system has none of its own.
    CopyToTerminal { text: String, what: String },
    /// A text to copy.
    Link(String),
    /// No server shows a page of the place now.
    NoPage(PageRefusal),
    /// It is done or could not be done, in words.
    Told(String),
}

/// Does what is asked.
pub(super) fn answer(context: &WorkContext, request: ActRequest, call: &mut WorkCall<'_>) {
    let host = &context.settings.host;
    let reply = match request {
        ActRequest::Resume { session, way, then } => match host.resume(&session, &way) {
            Ok(offer) => ActReply::Resume { offer: Box::new(offer), way, then },
            Err(refusal) => ActReply::NotResumed(refusal),
        },
        ActRequest::Export { sessions, kind } => match host.export(&sessions, kind) {
            Ok(words) | Err(words) => ActReply::Told(words),
        },
        ActRequest::Browse(session) => match host.browse(&session) {
            Ok(words) => ActReply::Told(words),
            Err(refusal) => ActReply::NoPage(refusal),
        },
        ActRequest::Link(session) => match host.link(&session) {
            Ok(link) => ActReply::Link(link),
            Err(refusal) => ActReply::NoPage(refusal),
        },
        ActRequest::Edit { text, line } => match host.editor(&text, line) {
            Ok(command) => ActReply::Edit(command),
            Err(words) => ActReply::Told(words),
        },
        ActRequest::Copy { text, what } if host.copy(&text) => {
            ActReply::Told(format!("copied {what}"))
        }
        ActRequest::Copy { text, what } => ActReply::CopyToTerminal { text, what },
    };
    call.tell(WorkReply::Act(reply));
}
