//! Requests and answers, and the way from one to the other.
//!
//! A route is a path, a function, and what the API's document says about it. The function takes a
//! [`Call`] and gives a [`Reply`] or a [`Problem`]; it runs on a pool of threads, since everything
//! that the library does is synchronous. What is wrong becomes a problem document for programs and
//! a page for people.

mod call;
mod etag;
mod pool;
mod problem;
mod reply;
mod route;

pub(crate) use self::call::{Call, Queries};
pub(crate) use self::etag::EntityTag;
pub(crate) use self::pool::WorkPool;
pub(crate) use self::problem::{Problem, ProblemKind};
pub(crate) use self::reply::{CachePolicy, Reply};
pub(crate) use self::route::{Audience, Endpoint, Route, StreamAnswer, router};
