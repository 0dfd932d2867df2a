//! One reader of a feed: what it has received, and what comes next.
//!
//! A [`FeedReader`] is a cursor. It has no queue of messages: each step compares its position with
//! the current session and returns the next few events, however many there are to come, so a slow
//! reader costs no more memory than a fast one. It has the position of its reader and a few facts
//! about the session at the last step. Those facts only save work: a new reader at the same
//! position receives the same messages.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use unspool_model::conversation::Liveness;
use unspool_model::ids::EntryId;
use unspool_model::positions::PathNumber;

use super::error::LibraryError;
use super::feed::{
    FeedBacklog, FeedEvent, FeedHello, FeedItem, FeedPosition, FeedStart, FeedStatus, FeedStep,
    FeedStrand, FeedTarget, LinkedCalls,
};
use super::open::OpenState;

/// A reader of a conversation that may grow.
pub struct FeedReader {
    target: FeedTarget,
    start: FeedStart,
    /// The position of the reader once it has received all events in `due`.
    at: FeedPosition,
    seen: Option<SeenStrand>,
    told: ToldState,
    /// Pending events that are not about messages.
    due: VecDeque<FeedEvent>,
    /// The ordinals of messages that the reader has and that have changed.
    changes: BTreeSet<u32>,
}

/// The messages after a reader's position: those that the author of a prompt has not seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnseenMessages {
    /// The number of messages.
    pub count: usize,
    /// The ordinals of the first of them.
    pub ordinals: Vec<u32>,
    /// The last entry that the reader has; `None` if it has no message.
    pub last_seen: Option<EntryId>,
}

/// The state of a strand at the last step of a reader.
struct SeenStrand {
    generation: u64,
    /// The number of messages that the reader has, by rank.
    known: u32,
    /// The end of the lines whose changes were noted.
    end: u64,
    /// The offset of the last entry that changed a message.
    changed_at: Option<u64>,
    live: Liveness,
    links: Arc<LinkedCalls>,
}

/// State that was sent to the reader; it is sent again only when it changes.
#[derive(Default)]
struct ToldState {
    hello: bool,
    status: Option<FeedStatus>,
    path: Option<PathNumber>,
    gone: bool,
}

impl FeedReader {
    /// Returns a reader that begins at `start`.
    pub fn new(target: FeedTarget, start: FeedStart) -> Self {
        let at = match start {
            FeedStart::Now => FeedPosition::start(),
            FeedStart::After(position) => position,
        };
        Self {
            target,
            start,
            at,
            seen: None,
            told: ToldState::default(),
            due: VecDeque::new(),
            changes: BTreeSet::new(),
        }
    }

    /// Returns the conversation that this reader follows.
    pub fn target(&self) -> &FeedTarget {
        &self.target
    }

    /// Returns at most `most` next events, or an error if the agent or path does not exist.
    pub fn step(&mut self, session: &OpenState, most: usize) -> Result<FeedStep, LibraryError> {
        let strand = session.strand(&self.target)?;
        self.look(session, &strand);
        let mut items = Vec::new();
        while items.len() < most {
            let Some(item) = self.next(&strand) else {
                break;
            };
            items.push(item);
        }
        // The position stays before changes that were not sent yet.
        let is_told = self.due.is_empty() && !self.told.gone;
        if let Some(seen) = self.seen.as_ref().filter(|_| is_told && self.changes.is_empty()) {
            self.at = strand.position(seen.known);
        }
        let is_last = items.len() < most;
        Ok(FeedStep { items, is_last })
    }

    /// Returns how much is left to send.
    pub fn backlog(&mut self, session: &OpenState) -> Result<FeedBacklog, LibraryError> {
        let strand = session.strand(&self.target)?;
        self.look(session, &strand);
        let known = self.seen.as_ref().map_or(0, |seen| seen.known);
        let index = strand.index();
        let begin = index.begin(known).unwrap_or(u64::MAX);
        Ok(FeedBacklog {
            messages: self.changes.len() + index.len().saturating_sub(known) as usize,
            bytes: strand.end().saturating_sub(begin.min(self.at.end)),
        })
    }

    /// Skips everything that is left to send: the reader receives a reset, and then only later
    /// changes.
    pub fn reset_to_now(&mut self, session: &OpenState) -> Result<(), LibraryError> {
        let strand = session.strand(&self.target)?;
        self.look(session, &strand);
        let is_state =
            |event: &FeedEvent| matches!(event, FeedEvent::Hello(_) | FeedEvent::Status(_));
        self.due.retain(is_state);
        self.changes.clear();
        let all = strand.index().len();
        if let Some(seen) = &mut self.seen {
            seen.known = all;
        }
        self.at = strand.position(all);
        let position = self.at;
        self.due.push_back(FeedEvent::Reset { position });
        Ok(())
    }

    /// Compares the session with the last step.
    fn look(&mut self, session: &OpenState, strand: &FeedStrand<'_>) {
        if !self.told.hello {
            self.begin(strand);
        }
        let status = session.feed_status();
        if self.told.status.as_ref() != Some(&status) {
            self.due.push_back(FeedEvent::Status(status.clone()));
            self.told.status = Some(status);
        }
        if session.is_gone() {
            if !self.told.gone {
                self.due.push_back(FeedEvent::Gone);
            }
            self.told.gone = true;
            return;
        }
        self.told.gone = false;
        let is_other = |seen: &SeenStrand| seen.generation != strand.generation();
        if self.seen.as_ref().is_none_or(is_other) {
            self.find_place(strand);
        }
        if self.told.path != strand.number() {
            self.tell_path(strand.number(), strand.index().len());
        }
        self.note_changes(strand);
    }

    fn begin(&mut self, strand: &FeedStrand<'_>) {
        let messages = strand.index().len();
        if self.start == FeedStart::Now {
            self.at = strand.position(messages);
        }
        self.told.hello = true;
        self.told.path = strand.number();
        self.due.push_back(FeedEvent::Hello(FeedHello {
            counts: strand.counts(),
            path: strand.number(),
            messages,
            position: self.at,
        }));
    }

    /// Finds out which messages of the reader a strand still has, after the strand changed its generation.
    fn find_place(&mut self, strand: &FeedStrand<'_>) {
        self.changes.clear();
        if !strand.fits(&self.at) {
            self.at = FeedPosition::start();
            let position = self.at;
            self.due.push_back(FeedEvent::Reset { position });
        }
        let known = strand.still_known(&self.at);
        if known < self.at.known {
            self.at = strand.shortened(&self.at, known);
            self.tell_path(strand.number(), known);
        }
        let links = strand.links();
        if links.print() != self.at.links {
            let index = strand.index();
            let launching = strand.launching();
            let known = launching.filter(|&ordinal| index.rank(ordinal) < known);
            self.changes.extend(known);
        }
        self.seen = Some(SeenStrand {
            generation: strand.generation(),
            known,
            end: self.at.end,
            changed_at: None,
            live: self.at.live,
            links: Arc::clone(links),
        });
    }

    fn tell_path(&mut self, path: Option<PathNumber>, keeps: u32) {
        self.told.path = path;
        self.due.push_back(FeedEvent::Path { path, keeps, position: self.at });
    }

    /// Collects the messages of the reader that have changed.
    fn note_changes(&mut self, strand: &FeedStrand<'_>) {
        let Some(seen) = &mut self.seen else { return };
        let index = strand.index();
        let is_known = |ordinal: &u32| index.rank(*ordinal) < seen.known;
        let touches = index.touches_from(seen.end);
        unspool_work::add(1 + touches.len());
        for touch in touches.iter().filter(|touch| is_known(&touch.ordinal)) {
            self.changes.insert(touch.ordinal);
            seen.changed_at = Some(touch.at);
        }
        if seen.live != strand.live() {
            self.changes.extend(index.waiting().filter(is_known));
        }
        if !Arc::ptr_eq(&seen.links, strand.links()) {
            for call in strand.links().changed_since(&seen.links) {
                self.changes.extend(strand.making(call).filter(is_known));
            }
        }
        seen.end = strand.end();
        seen.live = strand.live();
        seen.links = Arc::clone(strand.links());
    }

    /// Takes the next event.
    fn next(&mut self, strand: &FeedStrand<'_>) -> Option<FeedItem> {
        unspool_work::add(1);
        if let Some(event) = self.due.pop_front() {
            return Some(FeedItem { event, id: None });
        }
        let seen = self.seen.as_mut().filter(|_| !self.told.gone)?;
        let index = strand.index();
        let (event, cause) = if let Some(ordinal) = self.changes.pop_first() {
            (FeedEvent::Change { ordinal }, seen.changed_at)
        } else {
            let begin = index.begin(seen.known)?;
            let ordinal = index.ordinal(seen.known);
            seen.known += 1;
            (FeedEvent::Message { ordinal }, Some(begin))
        };
        // Only the last event of a line has an id: a reader that resumes there has the whole line.
        let next = index.begin(seen.known).zip(cause);
        let goes_on = next.is_some_and(|(next, cause)| strand.is_one_line(next, cause));
        let has_id = self.changes.is_empty() && !goes_on;
        Some(FeedItem { event, id: has_id.then(|| strand.position(seen.known)) })
    }
}

impl OpenState {
    /// Returns the messages after a position, with the ordinals of at most `most` of them; `None`
    /// if there are none.
    pub fn feed_unseen(
        &self,
        target: &FeedTarget,
        position: &FeedPosition,
        most: usize,
    ) -> Result<Option<UnseenMessages>, LibraryError> {
        let mut reader = FeedReader::new(target.clone(), FeedStart::After(*position));
        let count = reader.backlog(self)?.messages;
        if count == 0 {
            return Ok(None);
        }
        Ok(Some(UnseenMessages {
            count,
            ordinals: reader.step(self, most)?.ordinals(),
            last_seen: self.feed_last_seen(target, position)?,
        }))
    }
}
