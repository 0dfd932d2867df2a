//! Routes: a path, a way of asking, and the function that answers.
//!
//! The function takes a [`Call`] and gives a [`WebReply`] or a [`RequestProblem`]; it runs on a pool of
//! threads, since everything that the library does is synchronous. Only streams are asynchronous.

mod call;

use std::future::Future;
use std::pin::Pin;

use axum::http::Method;
use axum::response::Response;

pub(crate) use self::call::{Call, RequestNames, cookie};
use crate::web::{ParameterGroups, RequestProblem, WebReply};

/// An answer that is not complete when it begins.
pub(crate) type StreamAnswer =
    Pin<Box<dyn Future<Output = Result<Response, RequestProblem>> + Send>>;

/// What answers a request.
#[derive(Clone, Copy)]
pub(crate) enum Endpoint {
    /// A function that gives the whole answer.
    Whole(fn(&Call) -> Result<WebReply, RequestProblem>),
    /// A function that gives a stream.
    Stream(fn(Call) -> StreamAnswer),
}

/// A path, a way of asking, and what answers.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    /// The path, with names in braces.
    pub(crate) path: &'static str,
    /// How it is asked.
    pub(crate) method: &'static Method,
    /// What answers.
    pub(crate) endpoint: Endpoint,
    /// What it can be asked with; whatever the function reads if none.
    pub(crate) parameters: Option<ParameterGroups>,
    /// What the request must be allowed to do.
    pub(crate) access: RouteAccess,
}

/// What a request must be allowed to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RouteAccess {
    /// To read.
    Read,
    /// To drive; its body has at most so many bytes.
    Drive {
        /// The most bytes of a body.
        body: usize,
    },
}

impl Route {
    /// Has requests checked before they are answered: other parameters than these are a problem.
    pub(crate) const fn taking(self, parameters: ParameterGroups) -> Self {
        Self { parameters: Some(parameters), ..self }
    }

    /// Makes a route that is read.
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

    /// Makes a route that drives, with a body of at most so many bytes.
    pub(crate) const fn drive(
        method: &'static Method,
        path: &'static str,
        body: usize,
        answer: fn(&Call) -> Result<WebReply, RequestProblem>,
    ) -> Self {
        Self { method, access: RouteAccess::Drive { body }, ..Self::get(path, answer) }
    }

    /// Makes a route that changes something of the server's own.
    pub(crate) const fn post(
        path: &'static str,
        answer: fn(&Call) -> Result<WebReply, RequestProblem>,
    ) -> Self {
        Self { method: &Method::POST, ..Self::get(path, answer) }
    }

    /// Makes a route whose answer goes on.
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
