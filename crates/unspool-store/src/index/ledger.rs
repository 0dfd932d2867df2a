//! What totals are made of, file by file.
//!
//! A copy, a fork or a resume repeats what another file says, so nothing is summed up
//! when a file is read. Each thing that counts is kept with a key that its copies share,
//! and a caller that wants totals takes all files together and counts each key once. The
//! keys are hashes of ids: they are compared, never shown.

use serde::{Deserialize, Serialize};
use unspool_model::conversation::TurnLength;
use unspool_model::entry::Verdict;
use unspool_model::maybe::MaybeIndex;
use unspool_model::time::Time;
use unspool_model::usage::Tokens;

use crate::rows::{AgentFacts, TouchedFile};

/// Everything in one file that counts, abandoned branches and agents inside the file included.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct FileLedger {
    /// Names of models, as rows number them.
    pub models: Vec<String>,
    /// Names of tools, as rows number them.
    pub tools: Vec<String>,
    /// Names of git branches, as rows number them.
    pub branches: Vec<String>,
    /// What answers claim to have used: one row for each line that says so, in file order.
    pub usage: Vec<UsageLine>,
    /// Messages, each once.
    pub messages: Vec<MessageLine>,
    /// Calls, each once.
    pub calls: Vec<CallLine>,
    /// Turns, each once; an agent's file has none.
    pub turns: Vec<TurnLine>,
    /// Entries that say what they are copies of, where a row may go by their uuids.
    pub copies: Vec<CopyLine>,
    /// The files that calls name.
    pub files: Vec<TouchedFile>,
    /// What an agent's file says of the agent; none for the session's own.
    pub agent: Option<Box<AgentFacts>>,
}

impl FileLedger {
    /// Returns the model of something that counts.
    pub fn model(&self, place: &Place) -> Option<&str> {
        let model = self.models.get(place.model.get()? as usize)?;
        Some(model.as_str())
    }
}

/// Where and when something stands that counts.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The line of the file, counted from one.
    pub line: u32,
    /// When it was written.
    pub time: Option<Time>,
    /// The model, as a number of [`FileLedger::models`]; for a turn, the first that answered.
    pub model: MaybeIndex,
    /// The git branch, as a number of [`FileLedger::branches`].
    pub branch: MaybeIndex,
    /// Whether the entry says that it was copied from another session.
    pub copied: bool,
}

/// What one line claims that an answer used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UsageLine {
    /// The key of the answer.
    pub message: u64,
    /// The key of the request; separates two rows only where both have one and they differ.
    pub request: Option<u64>,
    /// What it used.
    pub tokens: Tokens,
    /// Where it stands.
    pub place: Place,
}

/// One message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MessageLine {
    /// Its key.
    pub key: u64,
    /// Where it begins.
    pub place: Place,
}

/// One call of a tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CallLine {
    /// Its key.
    pub key: u64,
    /// The tool, as a number of [`FileLedger::tools`].
    pub tool: u32,
    /// How it came out; none without a result.
    pub verdict: Option<Verdict>,
    /// Lines that it added to files.
    pub added: u64,
    /// Lines that it removed from files.
    pub removed: u64,
    /// Where it stands.
    pub place: Place,
}

/// One turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TurnLine {
    /// The key of its prompt.
    pub key: u64,
    /// How long it was worked on.
    pub length: TurnLength,
    /// Where its prompt stands.
    pub place: Place,
}

/// An entry that was copied from another session under a new uuid.
///
/// Its own rows go by the original's key already. Copies of the copy name only the copy, and
/// this is how they are known to be the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CopyLine {
    /// The key of the entry's own uuid.
    pub copy: u64,
    /// The key of the uuid that it names.
    pub original: u64,
}
