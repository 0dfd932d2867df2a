//! `--context` shows what the client sends: the ten steps of its rule, compared with sessions
//! that it resumed and with a second implementation.

mod cases;
mod law;
mod oracle;
mod real;
mod sent;
