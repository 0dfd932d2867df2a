//! Answers, problems and parameters. This module knows no sessions.
//!
//! A [`WebReply`] is an answer before it is HTTP. A [`RequestProblem`] says why a request fails, and becomes
//! a problem document. [`Queries`] are the parameters of a request, a [`Parameter`] describes one of them, an
//! [`EntityTag`] names the state of an answer, and a [`WorkPool`] runs synchronous work.

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
