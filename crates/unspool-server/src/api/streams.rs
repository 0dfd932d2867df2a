//! Streams of events for other programs.

use crate::route::{Call, StreamAnswer};
use crate::web::{Parameter, ParameterForm, Problem};

use super::parameters::PATH;

/// Where the stream of a session begins.
pub(super) const STREAM_PARAMETERS: &[Parameter] = &[
    PATH,
    Parameter::one(
        "since",
        ParameterForm::Text,
        "The id of an event, to go on after it; `start` for everything; what is new if none. \
         The header Last-Event-ID comes first",
    ),
];

/// `GET /api/events`
pub(super) fn events(_: Call) -> StreamAnswer {
    Box::pin(async { Err(Problem::not_found("there is no such stream yet")) })
}

/// `GET /api/sessions/{id}/stream`
pub(super) fn session_stream(_: Call) -> StreamAnswer {
    Box::pin(async { Err(Problem::not_found("there is no such stream yet")) })
}
