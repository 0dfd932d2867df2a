//! The full-screen program: a picker that finds sessions, a reader that shows them, and the ones that run.
//!
//! The program is a state that takes events and gives effects (`program`, `screen`). It paints cells and
//! reads neither clock nor files; threads (`work`) ask the [`Library`] for it, and `terminal` is the only
//! module that touches the terminal. Keys come from the one table of `unspool_render::keys`.
//!
//! [`Library`]: unspool_engine::library::Library

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod canvas;
mod edit_line;
mod effect;
mod event;
mod live;
mod menu;
mod picker;
mod plan_words;
mod press;
mod program;
mod reader;
mod screen;
mod settings;
mod terminal;
#[cfg(test)]
mod testing;
mod theme;
mod work;

pub use self::plan_words::plan_rows;
pub use self::settings::{
    CatalogueRefresh, ExportKind, MissingClient, MouseUse, PageRefusal, PickerUse, ResumeOffer,
    ResumeRefusal, ResumeWay, ResumeWayOut, SessionSubject, StartScreen, TerminalKind, TuiCommand,
    TuiFault, TuiHost, TuiOutcome, TuiSettings,
};
pub use self::terminal::{TuiError, run};
pub use self::theme::{ColorDepth, TerminalBackground};
