//! The parameters of a request about a session.
//!
//! Every address below `/s/{id}` names a session, optionally an agent of it, and which path is shown how. The
//! id is checked before anything is opened, and a path in a request never becomes a path in the file system.

use std::sync::Arc;
use unspool_model::names;
use unspool_model::positions::PathNumber;

use jiff::tz::TimeZone;
use unspool_engine::library::{FeedTarget, OpenSession};
use unspool_engine::ops::transcript::{TranscriptRequest, ViewKind};

use super::urls::SheetUrls;
use crate::pages::zone::PageZone;
use crate::route::Call;
use crate::state::is_session_id;
use crate::web::RequestProblem;

/// The parameters of a request about a session.
#[derive(Clone)]
pub(super) struct SheetRequest {
    pub(super) session: String,
    pub(super) project: Option<String>,
    /// The agent whose conversation is requested.
    pub(super) agent: Option<String>,
    /// The path; none for the active one.
    pub(super) path: Option<PathNumber>,
    pub(super) view: ViewKind,
    /// Whether links name the path. The links on a page of the active path do not, so that they
    /// lead to whichever path is active.
    links: LinkedPath,
    /// The time zone of days.
    pub(super) zone: TimeZone,
}

names! {
    /// The path that links lead to.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    enum LinkedPath {
        /// The shown path, by its number.
        #[default]
        Shown = "path",
        /// Whichever path is active.
        Active = "active",
    }
}

impl SheetRequest {
    /// Reads the parameters of a request.
    pub(super) fn of(call: &Call) -> Result<Self, RequestProblem> {
        let session = call.name("id");
        if !is_session_id(session) {
            return Err(RequestProblem::not_found("no session has this id"));
        }
        let agent = Some(call.name("agent")).filter(|agent| !agent.is_empty());
        Ok(Self {
            session: session.to_owned(),
            project: call.query.get("project").map(str::to_owned),
            agent: agent.map(str::to_owned),
            path: call.query.read("path")?,
            view: call.query.named("view")?.unwrap_or_default(),
            links: call.query.named("links")?.unwrap_or_default(),
            zone: PageZone::of(call).zone,
        })
    }

    /// Opens the requested session.
    pub(super) fn open(&self, call: &Call) -> Result<Arc<OpenSession>, RequestProblem> {
        call.state.session_in(&self.session, self.project.as_deref())
    }

    /// Returns the addresses for the requested conversation.
    pub(super) fn ways(&self) -> SheetUrls {
        SheetUrls::new(&self.session, self.project.as_deref())
            .of_agent(self.agent.as_deref())
            .on_path(self.path.filter(|_| self.links == LinkedPath::Shown))
            .in_view(self.view)
    }

    /// Returns a request for another path of the same conversation.
    pub(super) fn on_path(&self, path: Option<PathNumber>) -> Self {
        Self { path, ..self.clone() }
    }

    /// Returns the target of a stream: the requested path, or the active one.
    pub(super) fn target(&self) -> FeedTarget {
        FeedTarget { agent: self.agent.clone(), path: self.path }
    }

    /// Returns the request for the transcript.
    pub(super) fn layout(&self) -> TranscriptRequest {
        TranscriptRequest {
            view: self.view,
            path: self.path,
            agent: self.agent.clone(),
            ..TranscriptRequest::default()
        }
    }
}
