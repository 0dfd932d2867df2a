//! Pages as an export makes them: what is in them, and what a browser makes of them.

mod browser;
mod paper;
mod sample;
mod site;
mod surface;
