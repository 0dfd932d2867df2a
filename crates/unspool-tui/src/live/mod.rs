//! The sessions that run: what they do, what they wait for, and answers to those that unspool drives.

mod ask;
mod board;
mod cards;
mod choices;
mod prompt;
mod screen;
#[cfg(test)]
mod tests;
mod work;

pub(crate) use self::ask::AskScreen;
pub(crate) use self::board::{LiveBoard, LiveCard};
pub(crate) use self::prompt::PromptScreen;
pub(crate) use self::screen::LiveScreen;
pub(crate) use self::work::{LiveReply, LiveRequest, LiveWork};
