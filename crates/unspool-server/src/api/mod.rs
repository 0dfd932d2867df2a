//! The API: what programs may ask.
//!
//! An operation is a row of one table: its route, its parameters, what it answers and what can be
//! wrong. The router is made of the table, and so is the document that describes the API. The
//! function of an operation takes a [`Call`](crate::route::Call) whose parameters were checked, and
//! gives a [`WebReply`](crate::web::WebReply). Objects are those of the command line's JSON
//! (`unspool_render::json`).

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
