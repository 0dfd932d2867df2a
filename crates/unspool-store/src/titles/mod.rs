//! The titles of sessions.
//!
//! The rule is the same for every surface, with or without an index. A title is the first of:
//!
//! 1. the title that a person gave;
//! 2. the title that the client generated;
//! 3. the last summary in the session's own log whose leaf is in that log;
//! 4. of the summaries in other logs of the same project folder of the same home whose leaf is in
//!    this log, the one whose leaf comes last in it; of different texts for that leaf, the greatest
//!    in byte order, so that the order of files does not matter;
//! 5. the first prompt of more than three characters, including a slash command that the model
//!    answered, as `/name args`;
//! 6. the first prompt;
//! 7. the first command, which only acted on the client.
//!
//! A summary describes in a few words the conversation up to one entry, its leaf. Old clients wrote
//! it when they next started, into whatever log they were then writing. So it is a title for every
//! log that contains the leaf, both sides of a fork for example, and not for the log that merely
//! contains the summary.
//!
//! Agents' conversations get no titles from other logs, and their logs give none. For a log that is
//! opened outside any home no other log is read.
//!
//! A log with a summary in step 3 never comes to step 4. So the summaries of a project can be one
//! table by leaf, including those of the session itself. With an index it is built from stored
//! summaries; without one, [`ProjectSummaries`] searches the logs.

mod project_summaries;

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};
use unspool_model::graph::Scope;
use unspool_model::log::Log;
use unspool_model::symbols::Symbol;

pub use self::project_summaries::ProjectSummaries;

/// A session's title.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionTitle {
    /// The text; `None` if no text of the log can be a title.
    pub text: Option<String>,
    /// Its origin.
    pub origin: TitleOrigin,
}

/// The origin of a session's title, which determines what can replace it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum TitleOrigin {
    /// Its own log, whatever other logs contain: the title was given, generated or summarised, or
    /// the conversation is an agent's.
    Log,
    /// A summary in another log.
    OtherLog,
    /// Its opening; a summary in another log would replace it.
    FirstTexts,
}

/// Returns the title of a session; `called` is the title that other logs give it.
pub fn title(log: &Log, scope: Scope, called: Option<&str>) -> SessionTitle {
    let (text, origin) = match (own(log), called) {
        (Some(own), _) => (Some(own), TitleOrigin::Log),
        (None, _) if scope == Scope::Agent => (log.openings().best(), TitleOrigin::Log),
        (None, Some(called)) => (Some(called), TitleOrigin::OtherLog),
        (None, None) => (log.openings().best(), TitleOrigin::FirstTexts),
    };
    SessionTitle { text: text.map(ToOwned::to_owned), origin }
}

/// Returns whether the title of a session depends on other logs.
fn needs_naming(log: &Log, scope: Scope) -> bool {
    scope == Scope::Session && own(log).is_none() && !log.entries.is_empty()
}

/// Returns the title that a log itself gives its session, apart from its opening.
fn own(log: &Log) -> Option<&str> {
    let facts = &log.facts;
    let given = facts.custom_title.as_deref().or(facts.ai_title.as_deref());
    given.or_else(|| sorted_summaries(log).0.first().copied())
}

/// Returns the summaries of a log whose leaves it contains, and the other summaries, both from the
/// last one on.
pub fn sorted_summaries(log: &Log) -> (Vec<&str>, Vec<&str>) {
    let summaries = &log.facts.summaries;
    let mut missing: HashSet<Symbol> = summaries.iter().map(|(leaf, _)| *leaf).collect();
    if !missing.is_empty() {
        for uuid in log.entries.iter().filter_map(|entry| entry.uuid) {
            missing.remove(&uuid);
        }
    }
    let (mut own, mut foreign) = (Vec::new(), Vec::new());
    for (leaf, text) in summaries.iter().rev() {
        let list = if missing.contains(leaf) { &mut foreign } else { &mut own };
        list.push(&**text);
    }
    (own, foreign)
}

/// The leaf of a summary, as a hash of the entry's uuid.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct SummaryLeaf(pub(crate) u64);

impl SummaryLeaf {
    fn of(log: &Log, uuid: Symbol) -> Self {
        Self(FixedState::default().hash_one(log.text(uuid)))
    }
}

/// Lists the summaries of a log, each once, in a fixed order.
pub(crate) fn summaries_of(log: &Log) -> Vec<(SummaryLeaf, String)> {
    let summaries = log.facts.summaries.iter();
    let mut all: Vec<_> =
        summaries.map(|(leaf, text)| (SummaryLeaf::of(log, *leaf), text.to_string())).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Lists the leaves after the stored snapshot of a log, which ends at `end`, from the last one on.
pub(crate) fn tail_leaves(log: &Log, end: u64) -> Vec<SummaryLeaf> {
    let tail = log.entries.iter().rev();
    let tail = tail.take_while(|entry| entry.span.start >= end);
    tail.filter_map(|entry| Some(SummaryLeaf::of(log, entry.uuid?))).collect()
}

/// The summaries of a project, by leaf.
#[derive(Clone, Default, Debug)]
pub(crate) struct Summaries(HashMap<SummaryLeaf, String, FixedState>);

impl Summaries {
    /// Returns whether there are no summaries.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the title that the summaries give a session; `None` if its title depends on no other
    /// log.
    pub(crate) fn naming(&self, log: &Log, scope: Scope) -> Option<&str> {
        if self.is_empty() || !needs_naming(log, scope) {
            return None;
        }
        self.last_held(log, &[])
    }

    /// Returns the summary whose leaf comes last in a log; `tail` has the leaves after the log,
    /// from the last one on.
    pub(crate) fn last_held(&self, log: &Log, tail: &[SummaryLeaf]) -> Option<&str> {
        let entries = log.entries.iter().rev();
        let held = entries.filter_map(|entry| Some(SummaryLeaf::of(log, entry.uuid?)));
        let mut leaves = tail.iter().copied().chain(held);
        leaves.find_map(|leaf| self.0.get(&leaf)).map(String::as_str)
    }
}

impl FromIterator<(SummaryLeaf, String)> for Summaries {
    fn from_iter<I: IntoIterator<Item = (SummaryLeaf, String)>>(all: I) -> Self {
        let mut summaries = Self::default();
        summaries.extend(all);
        summaries
    }
}

/// Of several texts for one leaf the greatest stays.
impl Extend<(SummaryLeaf, String)> for Summaries {
    fn extend<I: IntoIterator<Item = (SummaryLeaf, String)>>(&mut self, more: I) {
        for (leaf, text) in more {
            let known = self.0.entry(leaf).or_default();
            if *known < text {
                *known = text;
            }
        }
    }
}
