//! The server as programs and browsers meet it: over real connections to loopback.

mod guard;
mod harness;
mod session;
