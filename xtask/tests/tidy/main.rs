//! Rules for the texts and names of the project that a compiler does not know.

mod names;
mod source;
mod words;
