//! The links from calls to the agents that they started, with a print of them.
//!
//! The agent of a call is shown in its message, but may be known from another file than the log of
//! the message. So a position has a print of all links.

use std::collections::HashMap;
use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;

use super::mixing::mix;
use super::position::short_print;

/// The agents that calls of a session started, by call id.
#[derive(Default)]
pub(crate) struct LinkedCalls {
    by_call: HashMap<String, String>,
    print: u32,
}

impl LinkedCalls {
    /// Hashes and stores the links.
    pub(crate) fn new(by_call: HashMap<String, String>) -> Self {
        let hash = |text: &String| FixedState::default().hash_one(text);
        // The map has no order, so the hashes are summed up.
        let links = by_call.iter();
        let mixed = links.map(|(call, agent)| mix([hash(call), hash(agent)]));
        Self { print: short_print(mixed.fold(0, u64::wrapping_add)), by_call }
    }

    /// Returns the agent of each call.
    pub(crate) fn by_call(&self) -> &HashMap<String, String> {
        &self.by_call
    }

    /// Returns the print of all links.
    pub(crate) fn print(&self) -> u32 {
        self.print
    }

    /// Returns the calls whose agent differs from `before`, including calls that one of the two lacks.
    pub(crate) fn changed_since<'a>(&'a self, before: &'a Self) -> impl Iterator<Item = &'a str> {
        let new = self.by_call.iter();
        let new = new.filter(|(call, agent)| before.by_call.get(*call) != Some(*agent));
        let gone = before.by_call.keys();
        let gone = gone.filter(|call| !self.by_call.contains_key(*call));
        new.map(|(call, _)| call).chain(gone).map(String::as_str)
    }
}
