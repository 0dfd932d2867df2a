//! The server: pages, an API and live streams, for the person who owns the sessions.
//!
//! It queries the engine's [`Library`] and paints with the renderer; it decides nothing about sessions by
//! itself. A request comes in through `connection`, passes the `guard`, is matched by the `router`, and is
//! answered by a function of `api` or `pages` that takes a `Call` and returns a `WebReply`. Those functions
//! are synchronous and run on a small pool of threads. Only streams are asynchronous.
//!
//! It knows no flags, no environment variables and no terminal; [`ServerSettings`] define what to serve,
//! where, and who may read. It writes only its tokens (`access`) and the note of its address (`notice`).
//!
//! [`Library`]: unspool_engine::library::Library

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod access;
mod api;
mod assets;
mod connection;
mod driving;
mod filters;
mod follow;
mod frame;
mod guard;
mod limits;
mod notice;
mod pages;
mod qr;
mod refresher;
mod route;
mod router;
mod settings;
mod state;
mod stream;
mod web;

pub use self::access::{Access, AccessError, AccessKey, OneTimeLink};
pub use self::connection::{RunningServer, ServerError, run, start, stop_signal};
pub use self::frame::session_page;
pub use self::limits::ConnectionLimits;
pub use self::notice::ServerNotice;
pub use self::qr::qr_lines;
pub use self::settings::{ClientLocation, DriveSetup, ServerSettings, TokenPolicy};
