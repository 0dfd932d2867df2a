//! The full-screen program: a picker that finds sessions, a reader that shows them, and screens for running
//! sessions.
//!
//! The program is a pure state machine: it takes events and returns effects (`program`, `screen`). It
//! paints cells and reads neither the clock nor files; worker threads (`work`) query the [`Library`] for
//! it, and only `terminal` touches the terminal. Key bindings come from the table in
//! `unspool_render::keys`.
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
mod plan_rows;
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

pub use self::plan_rows::plan_rows;
pub use self::settings::{
    CatalogueRefresh, ExportKind, MissingClient, MouseUse, PageRefusal, PickerUse, ResumeOffer,
    ResumeRefusal, ResumeWay, ResumeWayOut, SessionSubject, StartScreen, TerminalKind, TuiCommand,
    TuiFault, TuiHost, TuiOutcome, TuiSettings,
};
pub use self::terminal::{TuiError, run};
pub use self::theme::{ColorDepth, TerminalBackground};
