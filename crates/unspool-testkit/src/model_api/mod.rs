//! A model that does what prompts say, reached through the Messages API.
//!
//! A small HTTP server on loopback that the real client takes for the vendor's. It obeys the
//! [directives](crate::script) of the last prompt of each request: the first message of its answer
//! to the first request, the second to the request that brings the results of the first, and so on.
//! What the client asks besides, such as titles, gets a short answer. Every request is kept.
//!
//! Paths of `[[wait-file]]` are relative to the folder that the server is started with.

mod answer;
mod http;
mod server;
mod stream;

pub use answer::{ModelRequest, RequestKind, brief_blocks};
pub use server::ModelApi;
