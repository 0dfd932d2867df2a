//! Inputs and results as real logs have them, and damaged in every way.

mod calls;
mod damage;
mod results;
