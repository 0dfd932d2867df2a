//! What an operation of the API is: its route, and what the document says about it.

use crate::route::Route;
use crate::web::ProblemKind;

/// An operation of the API.
pub(crate) struct Operation {
    /// Its name, which programs that are generated from the document call it by.
    pub(crate) id: &'static str,
    /// The path, the function that answers, and the parameters.
    pub(crate) route: Route,
    /// What it does: a sentence that begins with a verb.
    pub(crate) summary: &'static str,
    /// The schema of the body that it takes.
    pub(crate) body: Option<&'static str>,
    /// What the answer is.
    pub(crate) answer: AnswerForm,
    /// What can be wrong besides what can be wrong with every request.
    pub(crate) problems: &'static [ProblemKind],
}

/// What an answer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AnswerForm {
    /// A JSON document of a schema.
    Json(&'static str),
    /// JSON of any form.
    AnyJson,
    /// Bytes of a log: JSON, or else what is there in its place.
    Record,
    /// A file of this type.
    File(&'static str),
    /// Events, by the schema that has one property for each.
    Events(&'static str),
}
