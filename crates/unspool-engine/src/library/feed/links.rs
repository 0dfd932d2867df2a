//! Which call started which agent, with a print of it.
//!
//! A call's agent is a part of its message, and may be known from a file other than the message's
//! log. So a position has a print of all of these.

use std::collections::HashMap;
use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;

use super::mixing::mix;
use super::position::short_print;

/// The agent of each call of a session that started one.
#[derive(Default)]
pub(crate) struct LinkedCalls {
    by_call: HashMap<String, String>,
    print: u32,
}

impl LinkedCalls {
    /// Takes the agents of calls.
    pub(crate) fn new(by_call: HashMap<String, String>) -> Self {
        let hash = |text: &String| FixedState::default().hash_one(text);
        // Their order means nothing, so the numbers are summed up.
        let links = by_call.iter();
        let mixed = links.map(|(call, agent)| mix([hash(call), hash(agent)]));
        Self { print: short_print(mixed.fold(0, u64::wrapping_add)), by_call }
    }

    /// Returns the agent of each call.
    pub(crate) fn by_call(&self) -> &HashMap<String, String> {
        &self.by_call
    }

    /// Returns the print of all of them.
    pub(crate) fn print(&self) -> u32 {
        self.print
    }

    /// Returns the calls that have another agent than before, or one of the two does not have.
    pub(crate) fn changed_since<'a>(&'a self, before: &'a Self) -> impl Iterator<Item = &'a str> {
        let new = self.by_call.iter();
        let new = new.filter(|(call, agent)| before.by_call.get(*call) != Some(*agent));
        let gone = before.by_call.keys();
        let gone = gone.filter(|call| !self.by_call.contains_key(*call));
        new.map(|(call, _)| call).chain(gone).map(String::as_str)
    }
}
