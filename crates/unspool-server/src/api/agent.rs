//! `GET /api/projects/{project}/agent-sessions/{agentId}`: the conversation of an agent.

use unspool_engine::ops::transcript::TranscriptRequest;
use unspool_model::ids::ProjectId;
use unspool_store::home::layout::{agent_in, agent_name};

use super::opened::document;
use crate::route::Call;
use crate::web::{Parameter, ParameterForm, RequestProblem, WebReply};

/// The parameters that select an agent.
pub(super) const AGENT_PARAMETERS: &[Parameter] = &[
    Parameter::path("agentId", "The agent, with or without `agent-`"),
    Parameter::one(
        "session",
        ParameterForm::Text,
        "The session of the agent: for one inside the session's own log, or one that several \
         sessions have",
    ),
];

/// `GET /api/projects/{project}/agent-sessions/{agentId}`
pub(super) fn agent(call: &Call) -> Result<WebReply, RequestProblem> {
    let project = call.name("project");
    let id = agent_in(call.name("agentId"));
    let (name, agent) = match call.query.get("session") {
        Some(session) => (session.to_owned(), Some(id.to_owned())),
        None => (agent_name(id), None),
    };
    let opened = call.state.session_in(&name, Some(project))?;
    if opened.found().project.as_ref() != Some(&ProjectId::new(project)) {
        return Err(RequestProblem::not_found("no project has this name"));
    }
    let request = TranscriptRequest { agent, ..TranscriptRequest::default() };
    document(call, &opened, &request)
}
