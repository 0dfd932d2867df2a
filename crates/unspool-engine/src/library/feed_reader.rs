//! One reader of a feed: what it was told, and what comes next.
//!
//! A [`FeedReader`] is a cursor. It has no queue of messages: each step looks at the session as it
//! is now and returns the next few events, however many there are to come, so a slow reader costs
//! no more memory than a fast one. It knows the position of its reader, and a few facts of the
//! session when it last looked. Those facts only save work: a reader that was made from a
//! position gets to the same messages.

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
    /// What the reader has when it has taken all events that are due.
    at: FeedPosition,
    seen: Option<SeenStrand>,
    told: ToldState,
    /// Events that do not belong to messages.
    due: VecDeque<FeedEvent>,
    /// The messages that the reader has and that are other ones now.
    changes: BTreeSet<u32>,
}

/// Messages that a reader at a position does not have: what a person has not seen who writes a prompt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnseenMessages {
    /// How many there are.
    pub count: usize,
    /// The ordinals of the first of them.
    pub ordinals: Vec<u32>,
    /// The last entry that the reader has; none if it has nothing.
    pub last_seen: Option<EntryId>,
}

/// What a strand was when a reader last looked at it.
struct SeenStrand {
    generation: u64,
    /// How many messages the reader has, by rank.
    known: u32,
    /// The end of the lines whose changes were noted.
    end: u64,
    /// The last place of the log that changed a message.
    changed_at: Option<u64>,
    live: Liveness,
    links: Arc<LinkedCalls>,
}

/// State that a reader was told, so that it is told again only when it differs.
#[derive(Default)]
struct ToldState {
    hello: bool,
    status: Option<FeedStatus>,
    path: Option<PathNumber>,
    gone: bool,
}

impl FeedReader {
    /// Begins to read.
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

    /// Returns which conversation it is about.
    pub fn target(&self) -> &FeedTarget {
        &self.target
    }

    /// Returns the next events, at most so many. An error says that there is no such agent or path.
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
        let is_told = self.due.is_empty() && !self.told.gone;
        if let Some(seen) = self.seen.as_ref().filter(|_| is_told && self.changes.is_empty()) {
            self.at = strand.position(seen.known);
        }
        let is_last = items.len() < most;
        Ok(FeedStep { items, is_last })
    }

    /// Measures what is still to come.
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

    /// Gives up on everything that is still to come: the reader is told to reset, and goes on with
    /// what comes after now.
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

    /// Looks at what has changed since the last step.
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

    /// Finds out what the reader has of a strand whose messages may be other ones than before.
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

    /// Notes which messages of the reader have changed.
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
        // The id comes with the last event that one line causes.
        let next = index.begin(seen.known).zip(cause);
        let goes_on = next.is_some_and(|(next, cause)| strand.is_one_line(next, cause));
        let has_id = self.changes.is_empty() && !goes_on;
        Some(FeedItem { event, id: has_id.then(|| strand.position(seen.known)) })
    }
}

impl OpenState {
    /// Returns what came after a position, with the ordinals of so many messages at most; none if
    /// nothing came.
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
