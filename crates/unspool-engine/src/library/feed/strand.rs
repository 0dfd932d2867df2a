//! The current state of the conversation that a feed is about.
//!
//! A [`FeedTarget`] selects it: the session's own conversation or an agent's, on the active path or
//! another one. A [`FeedStrand`] is that conversation with everything that a reader needs of it. It
//! consists of whole lines; an incomplete last line is not part of it.

use std::io;
use std::sync::Arc;

use unspool_model::conversation::{Conversation, Liveness, RecordCounts, View};
use unspool_model::ids::EntryId;
use unspool_model::positions::{NodeId, PathNumber};
use unspool_store::session::SessionFileError;
use unspool_store::tail::LogFile;

use super::followed::{FollowedLog, LaidOutPath, StrandPath};
use super::index::FeedIndex;
use super::links::LinkedCalls;
use super::position::{FeedPosition, prefix_lengths, short_print};
use crate::ops::message::{BlockText, MessageReader, MessageText, Unanswered};
use crate::ops::transcript::RequestError;

/// In how many messages at the end an answer that was just written is searched. It is the last
/// message, or results and prompts of the same moment follow it.
const NEWEST: usize = 16;

/// Selects the conversation of a session that a feed is about.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct FeedTarget {
    /// The agent whose conversation it is; `None` is the session's own.
    pub agent: Option<String>,
    /// The path; `None` is the active one.
    pub path: Option<PathNumber>,
}

impl FeedTarget {
    /// Selects the session's own conversation on its active path.
    pub fn active() -> Self {
        Self::default()
    }

    /// Selects one path of the session's own conversation.
    pub fn path(number: PathNumber) -> Self {
        Self { agent: None, path: Some(number) }
    }

    /// Selects the conversation of an agent on its active path.
    pub fn agent(id: &str) -> Self {
        Self { agent: Some(id.to_owned()), path: None }
    }
}

/// The parts of a session that a strand uses.
#[derive(Clone, Copy)]
pub(crate) struct StrandSource<'a> {
    pub(crate) file: &'a LogFile,
    pub(crate) followed: &'a FollowedLog,
    pub(crate) links: &'a Arc<LinkedCalls>,
    pub(crate) live: Liveness,
}

/// The current state of a conversation that a feed is about.
pub(crate) struct FeedStrand<'a> {
    source: StrandSource<'a>,
    /// The laid out path, if it is not the active one of the log.
    other: Option<Arc<LaidOutPath>>,
}

impl<'a> FeedStrand<'a> {
    /// Selects a path of the log's conversation; the active one if `number` is `None`.
    pub(crate) fn of_path(
        source: StrandSource<'a>,
        number: Option<PathNumber>,
    ) -> Result<Self, RequestError> {
        let conversation = source.followed.lines().conversation(source.file.log());
        let paths = &conversation.paths;
        let active = paths.active().map(|path| path.index);
        let Some(asked) = number.filter(|&number| Some(number) != active) else {
            return Ok(Self { source, other: None });
        };
        let none = || RequestError::NoPath { asked, count: paths.paths.len() };
        Self::of_other(source, &StrandPath::Numbered(asked)).ok_or_else(none)
    }

    /// Selects a path of an inline agent by the position of the agent.
    pub(crate) fn of_inline_agent(
        source: StrandSource<'a>,
        agent: usize,
        number: Option<PathNumber>,
    ) -> Result<Self, RequestError> {
        let asked = number.unwrap_or(PathNumber::at(0));
        let none = || {
            let conversation = source.followed.lines().conversation(source.file.log());
            let inline = conversation.inline_agents();
            let listed = inline.agents.get(agent).map(|agent| inline.paths_of(agent).len());
            RequestError::NoPath { asked, count: listed.unwrap_or(0) }
        };
        Self::of_other(source, &StrandPath::Inside(agent, number)).ok_or_else(none)
    }

    fn of_other(source: StrandSource<'a>, path: &StrandPath) -> Option<Self> {
        let other = source.followed.other(source.file.log(), path)?;
        Some(Self { source, other: Some(other) })
    }

    fn conversation(&self) -> Conversation<'a> {
        let StrandSource { followed, file, .. } = self.source;
        followed.lines().conversation(file.log())
    }

    /// Returns the messages of the path.
    pub(crate) fn history(&self) -> &View {
        match &self.other {
            Some(other) => &other.view,
            None => self.source.followed.lines().history(),
        }
    }

    /// Returns the index of the path.
    pub(crate) fn index(&self) -> &FeedIndex {
        match &self.other {
            Some(other) => &other.index,
            None => self.source.followed.index(),
        }
    }

    /// Returns the generation of the path's messages.
    pub(crate) fn generation(&self) -> u64 {
        match &self.other {
            Some(other) => other.generation,
            None => self.source.followed.generation(),
        }
    }

    /// Returns the number of the path; `None` without a conversation.
    pub(crate) fn number(&self) -> Option<PathNumber> {
        match &self.other {
            Some(other) => other.number,
            None => self.conversation().paths.active().map(|path| path.index),
        }
    }

    /// Returns how many records of the log are in which place of the conversation.
    pub(crate) fn counts(&self) -> RecordCounts {
        self.source.followed.lines().counts()
    }

    /// Returns the end of the whole lines.
    pub(crate) fn end(&self) -> u64 {
        self.source.followed.end()
    }

    /// Returns the links from calls to agents.
    pub(crate) fn links(&self) -> &'a Arc<LinkedCalls> {
        self.source.links
    }

    /// Returns whether a process owns the session.
    pub(crate) fn live(&self) -> Liveness {
        self.source.live
    }

    /// Returns the ordinals of messages with calls that may start an agent.
    pub(crate) fn launching(&self) -> impl Iterator<Item = u32> {
        let (log, links) = (self.source.file.log(), self.source.links);
        let is_linked = move |call| links.by_call().contains_key(log.text(call));
        self.index().launching(is_linked)
    }

    /// Returns the ordinals of the messages that make a call.
    pub(crate) fn making(&self, call: &str) -> impl Iterator<Item = u32> {
        let symbol = self.source.file.log().symbols.find(call);
        let made = symbol.map(|symbol| self.index().making(symbol));
        made.into_iter().flatten()
    }

    /// Reports whether two offsets of the log are on one line.
    pub(crate) fn is_one_line(&self, one: u64, other: u64) -> bool {
        let entries = &self.source.file.log().entries;
        let line = |place: u64| {
            let at = entries.partition_point(|entry| entry.span.start < place);
            entries.get(at).map(|entry| entry.line)
        };
        line(one) == line(other)
    }

    /// Returns the position of a reader that has the first `known` messages by rank in their current state.
    pub(crate) fn position(&self, known: u32) -> FeedPosition {
        let StrandSource { file, followed, .. } = self.source;
        if self.end() == 0 {
            return FeedPosition::start();
        }
        let index = self.index();
        let print = |count| short_print(index.sum(count));
        FeedPosition {
            head: followed.head().unwrap_or_default(),
            end: self.end(),
            tail: short_print(file.mark().prints.tail),
            known,
            print: print(known),
            lower: prefix_lengths(known).map(print),
            live: self.source.live,
            links: self.source.links.print(),
        }
    }

    /// Returns the position of a reader that keeps only the first `known` messages by rank.
    pub(crate) fn shortened(&self, position: &FeedPosition, known: u32) -> FeedPosition {
        let index = self.index();
        let print = |count| short_print(index.sum_at(count, position.end));
        FeedPosition {
            known,
            print: print(known),
            lower: prefix_lengths(known).map(print),
            ..*position
        }
    }

    /// Reports whether a position is in this log.
    pub(crate) fn fits(&self, position: &FeedPosition) -> bool {
        position.fits(self.source.file, self.source.followed.head())
    }

    /// Returns how many messages of a reader at a position are still the first ones of the path:
    /// all of its messages, or those of a shorter list.
    pub(crate) fn still_known(&self, position: &FeedPosition) -> u32 {
        let index = self.index();
        let is_same = |(count, print): &(u32, u32)| {
            *count <= index.len() && short_print(index.sum_at(*count, position.end)) == *print
        };
        let whole = (position.known, position.print);
        if is_same(&whole) {
            return position.known;
        }
        let shorter = position.prefixes().find(is_same);
        index.in_order(shorter.map_or(0, |(count, _)| count))
    }

    /// Returns the last entry that a reader at a position has, if it has any message.
    pub(crate) fn last_seen(
        &self,
        position: &FeedPosition,
    ) -> Result<Option<EntryId>, SessionFileError> {
        let Some(rank) = self.still_known(position).checked_sub(1) else {
            return Ok(None);
        };
        let messages = self.read(&[self.index().ordinal(rank)])?;
        Ok(messages.into_iter().next_back().and_then(|mut message| message.entries.pop()))
    }

    /// Returns the texts of an answer in the log, given the id that the model gave the answer;
    /// `None` if the answer is not among the newest messages.
    pub(crate) fn said(&self, answer: &str) -> Result<Option<String>, SessionFileError> {
        let (conversation, history) = (self.conversation(), self.history());
        let log = conversation.log;
        let is_of_it = |node: &NodeId| {
            let entry = conversation.graph.entry(log, *node);
            entry.message.is_some_and(|id| log.text(id) == answer)
        };
        let count = history.messages.len();
        let newest = count.saturating_sub(NEWEST)..count;
        let found: Vec<u32> = newest
            .filter(|&at| history.nodes(&history.messages[at]).iter().any(is_of_it))
            .filter_map(|at| u32::try_from(at).ok())
            .collect();
        if found.is_empty() {
            return Ok(None);
        }
        let messages = self.read(&found)?;
        let blocks = messages.iter().flat_map(|message| &message.blocks);
        let texts = blocks.filter_map(|block| match block {
            BlockText::Text(text) => Some(text.as_str()),
            _ => None,
        });
        Ok(Some(texts.collect()))
    }

    /// Reads messages by their ordinals, skipping ordinals without a message.
    pub(crate) fn read(&self, ordinals: &[u32]) -> Result<Vec<MessageText>, SessionFileError> {
        let StrandSource { file, links, .. } = self.source;
        let (conversation, history) = (self.conversation(), self.history());
        let agents = links.by_call();
        let mut reader =
            MessageReader::new(&conversation, file, agents, self.live(), Unanswered::Mark);
        let messages = ordinals.iter();
        let messages = messages.filter_map(|&ordinal| history.messages.get(ordinal as usize));
        let texts = messages.map(|message| reader.read(history, message));
        texts
            .collect::<io::Result<_>>()
            .map_err(|error| SessionFileError { path: file.path().to_owned(), error })
    }
}
