//! A model that follows directives in prompts, over the Messages API.
//!
//! A small HTTP server on loopback that the real client uses in place of the vendor's. It follows the
//! [directives](crate::script) of the last prompt in each request: the first message answers the first
//! request, the second answers the request with the results of the first, and so on. Other requests of the
//! client, such as titles, get a short answer. The server keeps every request.
//!
//! Paths of `[[wait-file]]` are relative to the folder that the server is started with.

mod answer;
mod http;
mod server;
mod stream;

pub use answer::{ModelRequest, RequestKind, brief_blocks};
pub use server::ModelApi;
