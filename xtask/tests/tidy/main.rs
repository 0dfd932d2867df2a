//! Rules for the texts and names of the project that the compiler does not check.

mod names;
mod source;
mod words;
