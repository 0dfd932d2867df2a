//! Routes: a path, a method, and the function that answers.
//!
//! The function takes a [`Call`] and returns a [`WebReply`] or a [`RequestProblem`]; it runs on a
//! pool of threads, since the library is synchronous. Only streams are asynchronous.

mod call;

use std::future::Future;
use std::pin::Pin;

use axum::http::Method;
use axum::response::Response;

pub(crate) use self::call::{Call, RequestNames, cookie};
use crate::web::{ParameterGroups, RequestProblem, WebReply};

/// An answer that continues after it has begun.
pub(crate) type StreamAnswer =
    Pin<Box<dyn Future<Output = Result<Response, RequestProblem>> + Send>>;

/// The function that answers a request.
#[derive(Clone, Copy)]
pub(crate) enum Endpoint {
    /// A function that returns the whole answer.
    Whole(fn(&Call) -> Result<WebReply, RequestProblem>),
    /// A function that returns a stream.
    Stream(fn(Call) -> StreamAnswer),
}

/// A path, a method, and the function that answers.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    /// The path, with names in braces.
    pub(crate) path: &'static str,
    /// The HTTP method.
    pub(crate) method: &'static Method,
    /// The function that answers.
    pub(crate) endpoint: Endpoint,
    /// The allowed parameters; none if parameters are not checked.
    pub(crate) parameters: Option<ParameterGroups>,
    /// The permission that a request needs.
    pub(crate) access: RouteAccess,
}

/// The permission that a request needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RouteAccess {
    /// Permission to read.
    Read,
    /// Permission to drive.
    Drive {
        /// The maximum size of a body, in bytes.
        body: usize,
    },
}

impl Route {
    /// Sets the allowed parameters; a request with any other one is refused.
    pub(crate) const fn taking(self, parameters: ParameterGroups) -> Self {
        Self { parameters: Some(parameters), ..self }
    }

    /// Creates a route that reads.
    pub(crate) const fn get(
        path: &'static str,
        answer: fn(&Call) -> Result<WebReply, RequestProblem>,
    ) -> Self {
        Self {
            path,
            method: &Method::GET,
            endpoint: Endpoint::Whole(answer),
            parameters: None,
            access: RouteAccess::Read,
        }
    }

    /// Creates a route that drives, with the maximum size of its body in bytes.
    pub(crate) const fn drive(
        method: &'static Method,
        path: &'static str,
        body: usize,
        answer: fn(&Call) -> Result<WebReply, RequestProblem>,
    ) -> Self {
        Self { method, access: RouteAccess::Drive { body }, ..Self::get(path, answer) }
    }

    /// Creates a route that changes the server's own data.
    pub(crate) const fn post(
        path: &'static str,
        answer: fn(&Call) -> Result<WebReply, RequestProblem>,
    ) -> Self {
        Self { method: &Method::POST, ..Self::get(path, answer) }
    }

    /// Creates a route whose answer is a stream.
    pub(crate) const fn stream(path: &'static str, answer: fn(Call) -> StreamAnswer) -> Self {
        Self {
            path,
            method: &Method::GET,
            endpoint: Endpoint::Stream(answer),
            parameters: None,
            access: RouteAccess::Read,
        }
    }
}
