//! Worker threads for everything that may wait for the disk.
//!
//! A screen sends a [`WorkRequest`] and continues; the answer arrives as an event. All requests of one kind
//! go to one [`WorkLane`], which has its own thread. A lane keeps only the newest request that it has not
//! begun, so a key that is held down never builds a queue; the lanes of [`WorkLane::keeps_all`] answer
//! every request. An answer carries the [`WorkTicket`] of its request, and a screen drops answers that it
//! no longer waits for.
//!
//! [`WorkState`] answers on the calling thread, so tests need no threads.

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

/// The id of a request.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct WorkTicket(pub(crate) u64);

/// The id of an open screen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ScreenNumber(pub(crate) u64);

impl ScreenNumber {
    /// The program itself, which asks for data that all screens show.
    pub(crate) const PROGRAM: Self = Self(0);
}

/// A request to a worker.
#[derive(Clone, Debug)]
pub(crate) enum WorkRequest {
    Picker(PickerRequest),
    Reader(ReaderRequest),
    Live(LiveRequest),
    Act(ActRequest),
}

/// An answer of a worker.
#[derive(Debug)]
pub(crate) enum WorkReply {
    Picker(PickerReply),
    Reader(ReaderReply),
    Live(LiveReply),
    Act(ActReply),
}

/// A request, its ticket, and the screen that asks.
#[derive(Clone, Debug)]
pub(crate) struct WorkQuestion {
    pub(crate) screen: ScreenNumber,
    pub(crate) ticket: WorkTicket,
    pub(crate) request: WorkRequest,
}

/// An answer, and the screen that it is for.
#[derive(Debug)]
pub(crate) struct WorkAnswer {
    pub(crate) screen: ScreenNumber,
    pub(crate) ticket: WorkTicket,
    pub(crate) reply: WorkReply,
}

/// A kind of work with a thread of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum WorkLane {
    /// Refreshes the catalogue.
    Rows,
    /// Reads the catalogue as it is, also during a refresh.
    Stored,
    /// Finds titles that match the query.
    Fuzzy,
    /// Searches the full text.
    Text,
    /// Reads the preview of a row.
    Preview,
    /// Reads lines of the open session.
    Reader,
    /// Reads what is next to those lines: panes, matches.
    Aside,
    /// Reads the state of running sessions.
    Live,
    /// Reads the ends of followed conversations.
    Tail,
    /// Completes a word of a prompt.
    Completion,
    /// Saves drafts; drops no request.
    Drafts,
    /// Carries out actions of the user; drops no request.
    Act,
}

impl WorkLane {
    /// Tells whether the lane answers every request, in order.
    pub(crate) fn keeps_all(self) -> bool {
        matches!(self, Self::Act | Self::Drafts)
    }
}

impl WorkRequest {
    /// Returns the lane of the request.
    pub(crate) fn lane(&self) -> WorkLane {
        match self {
            Self::Picker(request) => request.lane(),
            Self::Reader(request) => request.lane(),
            Self::Live(request) => request.lane(),
            Self::Act(_) => WorkLane::Act,
        }
    }
}

/// Data that all workers share.
#[derive(Clone)]
pub(crate) struct WorkContext {
    pub(crate) settings: Arc<TuiSettings>,
    /// The sessions that were read last, kept open.
    pub(crate) sessions: Arc<OpenSessions>,
}

/// A callback for answers, callable from any thread.
pub(crate) type ReplySender<'a> = &'a (dyn Fn(WorkReply) + Sync);

/// A request that is being answered: where answers go, and whether a newer request waits.
pub(crate) struct WorkCall<'a> {
    send: ReplySender<'a>,
    is_stale: &'a dyn Fn() -> bool,
}

impl<'a> WorkCall<'a> {
    pub(crate) fn new(send: ReplySender<'a>, is_stale: &'a dyn Fn() -> bool) -> Self {
        Self { send, is_stale }
    }

    /// Sends an answer, or a part of one.
    pub(crate) fn reply(&mut self, reply: WorkReply) {
        (self.send)(reply);
    }

    /// Returns the callback for answers, for a thread that reports progress.
    pub(crate) fn reply_sender(&self) -> ReplySender<'a> {
        self.send
    }

    /// Tells whether a newer request waits, so that this one can be abandoned.
    pub(crate) fn is_stale(&self) -> bool {
        (self.is_stale)()
    }
}

/// The state that a lane keeps between requests.
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
