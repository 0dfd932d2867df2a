//! The API: what programs may ask.
//!
//! Each operation is a function from a [`Call`](crate::route::Call) to a [`Reply`](crate::web::Reply).
//! Objects are those of the command line's JSON (`unspool_render::json`).

mod status;

use crate::route::Route;

/// The routes of the API.
pub(crate) const ROUTES: &[Route] = &[Route::get("/api/status", status::status)];
