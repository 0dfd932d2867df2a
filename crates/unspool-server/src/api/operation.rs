//! The type of an operation: its route and its description in the API's document.

use crate::route::Route;
use crate::web::ProblemKind;

/// An operation of the API.
pub(crate) struct Operation {
    /// The `operationId`, from which generated programs take the name of their function.
    pub(crate) id: &'static str,
    /// The path, the function that answers, and the parameters.
    pub(crate) route: Route,
    /// What the operation does: a sentence that begins with a verb.
    pub(crate) summary: &'static str,
    /// The schema of the request body.
    pub(crate) body: Option<&'static str>,
    /// The form of the answer.
    pub(crate) answer: AnswerForm,
    /// Possible problems, except those that every request can have.
    pub(crate) problems: &'static [ProblemKind],
}

/// The form of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AnswerForm {
    /// A JSON document with this schema.
    Json(&'static str),
    /// JSON without a schema.
    AnyJson,
    /// Bytes of a log: JSON, or the raw bytes if they are not JSON.
    Record,
    /// A file of this media type.
    File(&'static str),
    /// Events; this schema has one property for each kind of event.
    Events(&'static str),
}
