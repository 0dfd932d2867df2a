//! Answers and what they are made of. Knows nothing of sessions.
//!
//! A [`WebReply`] is an answer before it is HTTP; a [`RequestProblem`] says what is wrong with a request, and
//! becomes a problem document. [`Queries`] are the parameters of a request, a [`Parameter`] says what
//! one of them may be, an [`EntityTag`] names the state of an answer, and a [`WorkPool`] is where synchronous work is done.

mod etag;
mod parameter;
mod pool;
mod problem;
mod queries;
mod reply;

pub(crate) use self::etag::EntityTag;
pub(crate) use self::parameter::{
    Parameter, ParameterForm, ParameterGroups, ParameterPresence, check_parameters,
};
pub(crate) use self::pool::WorkPool;
pub(crate) use self::problem::{ProblemKind, RequestProblem};
pub(crate) use self::queries::Queries;
pub(crate) use self::reply::{CachePolicy, WebReply};
