//! The pages that people read.
//!
//! Each page is a function that gathers data from the library and a function that paints it with
//! [`Html`](unspool_text::html::Html), which escapes everything from a log. The [`frame`] is
//! around all of them. Pages work without a script; scripts add what moves.

mod frame;
mod home;
mod parts;
mod problem;
mod zone;

use crate::assets;
use crate::guard;
use crate::web::Route;

pub(crate) use self::problem::problem_page;

/// The routes of pages, of what they load, and of the way in.
pub(crate) const ROUTES: &[Route] = &[
    Route::get("/", home::home),
    Route::get("/in/{code}", guard::enter),
    Route::get("/assets/{print}/{name}", assets::asset),
];
