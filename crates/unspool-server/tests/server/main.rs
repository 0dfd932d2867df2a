//! The server, as programs and browsers use it: over real connections to loopback.

mod api;
mod guard;
mod harness;
mod limits;
mod pages;
mod replay;
mod session;
mod streams;
