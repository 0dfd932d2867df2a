//! Actions on sessions that the user asked for.

use super::{WorkCall, WorkContext, WorkReply};
use crate::settings::{
    ExportKind, PageRefusal, ResumeOffer, ResumeRefusal, ResumeWay, SessionSubject, TuiCommand,
};

/// An action.
#[derive(Clone, Debug)]
pub(crate) enum ActRequest {
    /// Finds out how a session can be resumed; `then` is the use of the answer.
    Resume { session: SessionSubject, way: ResumeWay, then: ResumeUse },
    /// Exports sessions.
    Export { sessions: Vec<SessionSubject>, kind: ExportKind },
    /// Opens the page of a session in a browser.
    Browse(SessionSubject),
    /// Finds the address of a session's page.
    Link(SessionSubject),
    /// Builds the command that opens a text in the editor.
    Edit { text: String, line: usize },
    /// Copies a text to a clipboard of the system.
    Copy { text: String, what: String },
}

/// The use of the command that resumes a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ResumeUse {
    /// It is run after a confirmation.
    Run,
    /// It is copied.
    Copy,
}

/// The result of an action.
#[derive(Debug)]
pub(crate) enum ActReply {
    /// The session can be resumed.
    Resume { offer: Box<ResumeOffer>, way: ResumeWay, then: ResumeUse },
    /// The session cannot be resumed in this way.
    NotResumed(ResumeRefusal),
    /// The command that opens the editor.
    Edit(TuiCommand),
    /// The text has to go to the terminal's clipboard: the system has none.
    CopyToTerminal { text: String, what: String },
    /// The address of the page.
    Link(String),
    /// No server shows the page.
    NoPage(PageRefusal),
    /// A message about the success or the failure.
    Message(String),
}

/// Carries out an action.
pub(super) fn answer(context: &WorkContext, request: ActRequest, call: &mut WorkCall<'_>) {
    let host = &context.settings.host;
    let reply = match request {
        ActRequest::Resume { session, way, then } => match host.resume(&session, &way) {
            Ok(offer) => ActReply::Resume { offer: Box::new(offer), way, then },
            Err(refusal) => ActReply::NotResumed(refusal),
        },
        ActRequest::Export { sessions, kind } => match host.export(&sessions, kind) {
            Ok(words) | Err(words) => ActReply::Message(words),
        },
        ActRequest::Browse(session) => match host.browse(&session) {
            Ok(words) => ActReply::Message(words),
            Err(refusal) => ActReply::NoPage(refusal),
        },
        ActRequest::Link(session) => match host.link(&session) {
            Ok(link) => ActReply::Link(link),
            Err(refusal) => ActReply::NoPage(refusal),
        },
        ActRequest::Edit { text, line } => match host.editor(&text, line) {
            Ok(command) => ActReply::Edit(command),
            Err(words) => ActReply::Message(words),
        },
        ActRequest::Copy { text, what } if host.copy(&text) => {
            ActReply::Message(format!("copied {what}"))
        }
        ActRequest::Copy { text, what } => ActReply::CopyToTerminal { text, what },
    };
    call.reply(WorkReply::Act(reply));
}
