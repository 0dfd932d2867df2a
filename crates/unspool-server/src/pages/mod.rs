//! The pages for people.
//!
//! Each page is a function that gathers data from the library and a function that paints it with
//! [`Html`](unspool_text::html::Html), which escapes all text from logs. The [`frame`](crate::frame) is
//! around all of them. Pages work without a script; scripts add live updates and interaction.

mod asset;
mod check;
mod compare;
mod context;
mod drive;
mod files;
mod home;
mod list;
mod live;
mod one_time_link;
mod parts;
mod raw;
mod search;
mod session;
mod stats;
mod time;
mod tree;
mod zone;

use crate::route::Route;

/// Returns the routes of all pages, of their assets, and of one-time links.
pub(crate) fn routes() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().chain(session::ROUTES)
}

/// The routes that are not in `session`.
const ROUTES: &[Route] = &[
    Route::get("/", home::home),
    Route::get("/live", live::wall),
    Route::stream("/live/list", live::list),
    Route::post("/inbox/seen", home::seen),
    Route::get("/p/{project}", list::project),
    Route::get("/sessions", list::sessions),
    Route::get("/search", search::page),
    Route::get("/stats", stats::page),
    Route::get("/check", check::page),
    Route::get("/runs", drive::page),
    Route::get("/s/{id}/tree", tree::page),
    Route::get("/s/{id}/time", time::page),
    Route::get("/s/{id}/context", context::page),
    Route::get("/s/{id}/compare", compare::page),
    Route::get("/s/{id}/files", files::page),
    Route::get("/s/{id}/raw", raw::entries),
    Route::get("/s/{id}/raw/{entry}", raw::entry),
    Route::get("/in", one_time_link::welcome),
    Route::get("/in/{code}", one_time_link::enter),
    Route::get("/assets/{print}/{name}", asset::asset),
];
