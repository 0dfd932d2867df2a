//! Homes, sessions and operations over them, without presentation.
//!
//! Files and databases live here; the model below knows neither. Home, time
//! and settings are passed in. Every feature is a function of [`ops`] first; [`render`]
//! turns the data of an operation into text for one kind of reader.

pub mod archive;
pub(crate) mod base64;
pub mod files;
pub mod home;
pub mod index;
pub mod library;
pub mod ops;
pub mod prices;
pub mod redact;
pub mod render;
pub mod session;
pub mod tail;
