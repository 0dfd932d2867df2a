//! Screens for running sessions: their activity, what they wait for, and answers to those that unspool
//! drives.

mod ask;
mod cards;
mod choices;
mod complete;
mod deadline;
mod follow;
mod held;
mod prompt;
mod run_menu;
mod screen;
mod start_form;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use self::ask::AskScreen;
pub(crate) use self::prompt::PromptScreen;
pub(crate) use self::screen::LiveScreen;
