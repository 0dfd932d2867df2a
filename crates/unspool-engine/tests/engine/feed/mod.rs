//! Streams of messages: in spite of all changes of the log, the server and the connection, a reader
//! ends with the messages of the log.

mod agents;
mod cases;
pub(crate) mod lab;
mod laws;
mod work;
