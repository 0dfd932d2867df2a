//! The API, as programs use it.

mod contract;
mod described;
mod driving;
mod operations;
mod paging;
mod sessions;
mod world;
