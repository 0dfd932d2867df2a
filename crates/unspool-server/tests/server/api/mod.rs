//! The API, as programs ask it.

mod contract;
mod described;
mod driving;
mod operations;
mod paging;
mod sessions;
mod world;
