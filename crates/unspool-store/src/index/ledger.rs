//! Ledgers: the rows of each file that totals are made of.
//!
//! A copy, a fork or a resume repeats entries of another file, so nothing is summed up when a file
//! is read. Each row has a key that its copies share, and a caller that wants totals takes the
//! ledgers of all files and counts each key once. The keys are hashes of ids: they are compared,
//! never shown.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use unspool_model::conversation::TurnLength;
use unspool_model::entry::Verdict;
use unspool_model::maybe::MaybeIndex;
use unspool_model::time::Time;
use unspool_model::usage::Tokens;

use super::sealed::{self, Damaged};
use crate::rows::{AgentFacts, FilePaths};

/// The rows of one file, abandoned branches and agents inside the file included.
///
/// It is stored as a [`SealedLedger`]; fields that are skipped here are in its [`LedgerHead`].
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct FileLedger {
    /// Names of models, by the numbers that rows use.
    #[serde(skip)]
    pub models: Vec<String>,
    /// Names of tools, by the numbers that rows use.
    #[serde(skip)]
    pub tools: Vec<String>,
    /// Names of git branches, by the numbers that rows use.
    #[serde(skip)]
    pub branches: Vec<String>,
    /// Copied entries that name their original, if a row may be keyed by their uuids.
    #[serde(skip)]
    pub copies: Vec<CopyLine>,
    /// Usage of answers: one row for each line that states it, in file order.
    pub usage: Vec<UsageLine>,
    /// Messages, each once.
    pub messages: Vec<MessageLine>,
    /// Calls, each once.
    pub calls: Vec<CallLine>,
    /// Turns, each once; an agent's file has none.
    pub turns: Vec<TurnLine>,
    /// The files that calls name.
    pub files: FilePaths,
    /// Facts about the agent of an agent's file; `None` for a session's own log.
    pub agent: Option<Box<AgentFacts>>,
}

impl FileLedger {
    /// Returns the model of a row.
    pub fn model(&self, place: &LedgerPlace) -> Option<&str> {
        let model = self.models.get(place.model.get()? as usize)?;
        Some(model.as_str())
    }

    /// Returns the runs of consecutive rows that belong to one answer. Other rows of an answer may
    /// come later.
    pub fn answers(&self) -> impl Iterator<Item = &[UsageLine]> {
        let same = |a: &UsageLine, b: &UsageLine| (a.message, a.request) == (b.message, b.request);
        self.usage.chunk_by(same)
    }

    fn head(&self) -> LedgerHead<'_> {
        LedgerHead {
            models: self.models.iter().map(String::as_str).collect(),
            tools: self.tools.iter().map(String::as_str).collect(),
            branches: self.branches.iter().map(String::as_str).collect(),
            copies: self.copies.clone(),
            answers: KeyHalves::of(self.answers().map(|lines| lines[0].message)),
            messages: KeyHalves::of(self.messages.iter().map(|line| line.key)),
            calls: KeyHalves::of(self.calls.iter().map(|line| line.key)),
            turns: KeyHalves::of(self.turns.iter().map(|line| line.key)),
        }
    }
}

/// An encoded ledger with a checksum. Its head can be read without the rest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SealedLedger(Vec<u8>);

impl SealedLedger {
    /// Encodes a ledger.
    pub fn new(ledger: &FileLedger) -> Self {
        Self(sealed::seal(&(ledger.head(), ledger)))
    }

    pub(super) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Decodes the head, after checking the checksum.
    pub fn head(&self) -> Result<LedgerHead<'_>, Damaged> {
        let (head, _) = take(sealed::open_bytes(&self.0)?)?;
        Ok(head)
    }

    /// Decodes the whole ledger.
    pub fn open(&self) -> Result<FileLedger, Damaged> {
        let (head, rest): (LedgerHead<'_>, _) = take(sealed::open_bytes(&self.0)?)?;
        let (ledger, _): (FileLedger, _) = take(rest)?;
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Ok(FileLedger {
            models: owned(&head.models),
            tools: owned(&head.tools),
            branches: owned(&head.branches),
            copies: head.copies,
            ..ledger
        })
    }
}

/// Decodes a value at the start of some bytes, and returns the bytes after it.
fn take<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Result<(T, &'b [u8]), Damaged> {
    postcard::take_from_bytes(bytes).map_err(|_| Damaged)
}

/// The part of a ledger that totals need of all files before they sum up the first one.
#[derive(PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LedgerHead<'a> {
    /// Names of models, by the numbers that rows use.
    #[serde(borrow)]
    pub models: Vec<&'a str>,
    /// Names of tools, by the numbers that rows use.
    #[serde(borrow)]
    pub tools: Vec<&'a str>,
    /// Names of git branches, by the numbers that rows use.
    #[serde(borrow)]
    pub branches: Vec<&'a str>,
    /// Copied entries that name their original.
    pub copies: Vec<CopyLine>,
    /// The keys of [`FileLedger::answers`].
    #[serde(borrow)]
    pub answers: KeyHalves<'a>,
    /// The keys of messages.
    #[serde(borrow)]
    pub messages: KeyHalves<'a>,
    /// The keys of calls.
    #[serde(borrow)]
    pub calls: KeyHalves<'a>,
    /// The keys of turns.
    #[serde(borrow)]
    pub turns: KeyHalves<'a>,
}

/// The lower half of each of some keys, which is enough to tell that two keys differ.
#[derive(PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KeyHalves<'a>(#[serde(borrow)] Cow<'a, [u8]>);

impl KeyHalves<'_> {
    fn of(keys: impl Iterator<Item = u64>) -> Self {
        Self(keys.flat_map(|key| (key as u32).to_le_bytes()).collect())
    }

    /// Returns the halves, in the order of the rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> {
        let (halves, _) = self.0.as_chunks();
        halves.iter().map(|half| u32::from_le_bytes(*half))
    }
}

/// Where and when the entry of a row was written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct LedgerPlace {
    /// The line of the file, counted from one.
    pub line: u32,
    /// When it was written.
    pub time: Option<Time>,
    /// The model, as a number of [`FileLedger::models`]; for a turn, the first that answered.
    pub model: MaybeIndex,
    /// The git branch, as a number of [`FileLedger::branches`].
    pub branch: MaybeIndex,
    /// Set if the entry was copied from another session.
    pub copied: bool,
}

/// The usage of an answer that one line states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UsageLine {
    /// The key of the answer.
    pub message: u64,
    /// The key of the request; separates two rows only if both have one and they differ.
    pub request: Option<u64>,
    /// The tokens that the answer used.
    pub tokens: Tokens,
    /// Where the line is.
    pub place: LedgerPlace,
}

/// One message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MessageLine {
    /// Its key.
    pub key: u64,
    /// Where it begins.
    pub place: LedgerPlace,
}

/// One call of a tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CallLine {
    /// Its key.
    pub key: u64,
    /// The tool, as a number of [`FileLedger::tools`].
    pub tool: u32,
    /// Its outcome; `None` without a result.
    pub verdict: Option<Verdict>,
    /// Lines that it added to files.
    pub added: u64,
    /// Lines that it removed from files.
    pub removed: u64,
    /// Where it is.
    pub place: LedgerPlace,
}

/// One turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TurnLine {
    /// The key of its prompt.
    pub key: u64,
    /// How long it took.
    pub length: TurnLength,
    /// Where its prompt is.
    pub place: LedgerPlace,
}

/// An entry that was copied from another session under a new uuid.
///
/// Its own rows already have the original's key. Copies of the copy name only the copy; this row
/// connects them to the original.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CopyLine {
    /// The key of the entry's own uuid.
    pub copy: u64,
    /// The key of the uuid that it is a copy of.
    pub original: u64,
}
