//! Homes, sessions and operations over them, without presentation.
