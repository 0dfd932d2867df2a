//! What a request about a session asks for.
//!
//! Every address below `/s/{id}` names a session, maybe an agent of it, and what of that is shown.
//! The id is checked before anything is opened, and a path of a request never becomes a path of
//! the file system.

use std::sync::Arc;
use unspool_model::names;
use unspool_model::positions::PathNumber;

use jiff::tz::TimeZone;
use unspool_engine::library::{FeedTarget, OpenSession};
use unspool_engine::ops::transcript::{TranscriptRequest, ViewKind};

use super::ways::SheetWays;
use crate::pages::zone::PageZone;
use crate::route::Call;
use crate::state::is_session_id;
use crate::web::RequestProblem;

/// What a request about a session asks for.
#[derive(Clone)]
pub(super) struct SheetRequest {
    pub(super) session: String,
    pub(super) project: Option<String>,
    /// The agent whose conversation is asked for.
    pub(super) agent: Option<String>,
    /// The path; the active one if none.
    pub(super) path: Option<PathNumber>,
    pub(super) view: ViewKind,
    /// Whether links name the path: a page of the active path has links that lead to whichever is
    /// active.
    links: LinkedPath,
    /// The zone that days are counted in.
    pub(super) zone: TimeZone,
}

names! {
    /// Which path links lead to.
    #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
    enum LinkedPath {
        /// The one that is shown, by its number.
        #[default]
        Shown = "path",
        /// Whichever is active.
        Active = "active",
    }
}

impl SheetRequest {
    /// Reads a request.
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

    /// Opens the session that is asked for.
    pub(super) fn open(&self, call: &Call) -> Result<Arc<OpenSession>, RequestProblem> {
        call.state.session_in(&self.session, self.project.as_deref())
    }

    /// Returns the addresses of what is asked for.
    pub(super) fn ways(&self) -> SheetWays {
        SheetWays::new(&self.session, self.project.as_deref())
            .of_agent(self.agent.as_deref())
            .on_path(self.path.filter(|_| self.links == LinkedPath::Shown))
            .in_view(self.view)
    }

    /// Asks for another path of the same conversation.
    pub(super) fn on_path(&self, path: Option<PathNumber>) -> Self {
        Self { path, ..self.clone() }
    }

    /// Returns what a stream follows: the path that is asked for, or the active one.
    pub(super) fn target(&self) -> FeedTarget {
        FeedTarget { agent: self.agent.clone(), path: self.path }
    }

    /// Returns what is to be laid out.
    pub(super) fn layout(&self) -> TranscriptRequest {
        TranscriptRequest {
            view: self.view,
            path: self.path,
            agent: self.agent.clone(),
            ..TranscriptRequest::default()
        }
    }
}
