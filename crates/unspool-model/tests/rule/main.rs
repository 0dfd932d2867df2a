//! What `--context` shows is what the client sends: the ten steps of its rule, held against
//! sessions that it resumed and against a second implementation.

mod cases;
mod law;
mod oracle;
mod real;
mod sent;
