//! The API for programs.
//!
//! An operation is a row of one table: its route, its parameters, its answer and its problems. The router is
//! built from the table, and so is the document that describes the API. The function of an operation takes a
//! [`Call`](crate::route::Call) with checked parameters and returns a [`WebReply`](crate::web::WebReply).
//! Answers are the objects of the command line's JSON (`unspool_render::json`).

mod agent;
mod checks;
mod document;
mod drive;
mod entries;
mod graph;
mod inbox;
mod messages;
mod opened;
mod operation;
mod parameters;
mod schemas;
mod search;
mod sessions;
mod status;
mod streams;
mod table;
mod totals;
mod transcripts;

use crate::route::Route;

/// Returns the routes of the API.
pub(crate) fn routes() -> impl Iterator<Item = &'static Route> {
    table::OPERATIONS.iter().map(|operation| &operation.route)
}
