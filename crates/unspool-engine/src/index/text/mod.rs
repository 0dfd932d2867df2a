//! The full text: which words stand where.

pub(crate) mod words;
