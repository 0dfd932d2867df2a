//! Work that may wait for the disk, done by threads.
//!
//! A screen asks with a [`WorkRequest`] and goes on; the answer comes as an event. Requests of one kind go
//! down one [`WorkLane`], each with a thread of its own. A lane keeps the newest request and forgets the
//! one before that it had not begun with, so a key that is held down never builds a queue; only some
//! ([`WorkLane::keeps_all`]) do everything that they are asked. An answer carries the [`WorkTicket`] of its
//! request, and a screen drops those that it does not wait for any more.
//!
//! [`WorkState`] answers in the thread that calls it, so tests need no threads.

mod act;
mod lanes;
pub(crate) mod live;
pub(crate) mod picker;
pub(crate) mod reader;

use std::sync::Arc;

use unspool_engine::library::OpenSessions;

use self::live::{LiveReply, LiveRequest, LiveWork};
use self::picker::{PickerReply, PickerRequest, PickerWork};
use self::reader::{ReaderReply, ReaderRequest, ReaderWork};
use crate::settings::TuiSettings;

pub(crate) use self::act::{ActReply, ActRequest, ResumeUse};
pub(crate) use self::lanes::Workers;

/// Tells one request from another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct WorkTicket(pub(crate) u64);

/// Tells one open screen from another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ScreenNumber(pub(crate) u64);

impl ScreenNumber {
    /// The program itself, which asks for what all screens show.
    pub(crate) const PROGRAM: Self = Self(0);
}

/// What a worker is asked.
#[derive(Clone, Debug)]
pub(crate) enum WorkRequest {
    Picker(PickerRequest),
    Reader(ReaderRequest),
    Live(LiveRequest),
    Act(ActRequest),
}

/// What a worker answers.
#[derive(Debug)]
pub(crate) enum WorkReply {
    Picker(PickerReply),
    Reader(ReaderReply),
    Live(LiveReply),
    Act(ActReply),
}

/// A request, and who asks.
#[derive(Clone, Debug)]
pub(crate) struct WorkQuestion {
    pub(crate) screen: ScreenNumber,
    pub(crate) ticket: WorkTicket,
    pub(crate) request: WorkRequest,
}

/// An answer, and whose it is.
#[derive(Debug)]
pub(crate) struct WorkAnswer {
    pub(crate) screen: ScreenNumber,
    pub(crate) ticket: WorkTicket,
    pub(crate) reply: WorkReply,
}

/// A thread of its own for work of one kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum WorkLane {
    /// The catalogue is brought up to date.
    Rows,
    /// Rows as the catalogue has them, also while it is brought up to date.
    Stored,
    /// Titles that fit what is typed.
    Fuzzy,
    /// The full text.
    Text,
    /// The preview of a row.
    Preview,
    /// Lines of the session that is read.
    Reader,
    /// What is next to those lines: panes, matches.
    Aside,
    /// The sessions that run.
    Live,
    /// The ends of conversations that are followed.
    Tail,
    /// What a word of a prompt can become.
    Completion,
    /// What was begun to be written; nothing of it is forgotten.
    Drafts,
    /// What a person asked to be done; nothing of it is forgotten.
    Act,
}

impl WorkLane {
    /// Tells whether it does everything that it is asked, in order.
    pub(crate) fn keeps_all(self) -> bool {
        matches!(self, Self::Act | Self::Drafts)
    }
}

impl WorkRequest {
    /// Returns the lane that it goes down.
    pub(crate) fn lane(&self) -> WorkLane {
        match self {
            Self::Picker(request) => request.lane(),
            Self::Reader(request) => request.lane(),
            Self::Live(request) => request.lane(),
            Self::Act(_) => WorkLane::Act,
        }
    }
}

/// What all workers share.
#[derive(Clone)]
pub(crate) struct WorkContext {
    pub(crate) settings: Arc<TuiSettings>,
    /// The sessions that were read last stay open.
    pub(crate) sessions: Arc<OpenSessions>,
}

/// Takes answers, from any thread.
pub(crate) type WorkTeller<'a> = &'a (dyn Fn(WorkReply) + Sync);

/// A request that is being answered: what is told, and whether a newer one has come.
pub(crate) struct WorkCall<'a> {
    tell: WorkTeller<'a>,
    is_stale: &'a dyn Fn() -> bool,
}

impl<'a> WorkCall<'a> {
    pub(crate) fn new(tell: WorkTeller<'a>, is_stale: &'a dyn Fn() -> bool) -> Self {
        Self { tell, is_stale }
    }

    /// Gives an answer, or a part of one.
    pub(crate) fn tell(&mut self, reply: WorkReply) {
        (self.tell)(reply);
    }

    /// Returns what takes answers, for a thread that says how far the work is.
    pub(crate) fn teller(&self) -> WorkTeller<'a> {
        self.tell
    }

    /// Tells whether a newer request waits, so that this one can be given up.
    pub(crate) fn is_stale(&self) -> bool {
        (self.is_stale)()
    }
}

/// What a lane knows from one request to the next.
pub(crate) struct WorkState {
    context: WorkContext,
    picker: PickerWork,
    reader: ReaderWork,
    live: LiveWork,
}

impl WorkState {
    pub(crate) fn new(context: WorkContext) -> Self {
        Self {
            picker: PickerWork::new(context.clone()),
            reader: ReaderWork::new(context.clone()),
            live: LiveWork::new(context.clone()),
            context,
        }
    }

    /// Answers a request.
    pub(crate) fn answer(&mut self, request: WorkRequest, call: &mut WorkCall<'_>) {
        match request {
            WorkRequest::Picker(request) => self.picker.answer(request, call),
            WorkRequest::Reader(request) => self.reader.answer(request, call),
            WorkRequest::Live(request) => self.live.answer(request, call),
            WorkRequest::Act(request) => act::answer(&self.context, request, call),
        }
    }
}
