//! The end of a conversation as lines, for following it and for the prompt screen.
//!
//! Each tail has the position of its messages ([`FeedPosition`]), so a prompt written next to it can be
//! held when newer messages exist.

use std::ops::Range;

use unspool_engine::library::{FeedPosition, FeedTarget, LibraryError, OpenState, UnseenMessages};
use unspool_model::ids::EntryId;
use unspool_render::terminal::TranscriptLines;
use unspool_store::home::{LiveSessions, SystemProcesses};
use unspool_text::style::{Line, Role};

use crate::settings::SessionSubject;
use crate::work::WorkContext;
use crate::work::picker::preview::{folded, opened, unreadable};

/// The number of messages that are painted, and of their lines that are kept: more than a screen has rows.
const LAST_MESSAGES: u32 = 24;
const LAST_LINES: usize = 200;
/// The largest number of missed messages that are shown.
const MOST_UNSEEN: usize = 20;

/// The session and the width of a tail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TailRequest {
    pub(crate) subject: SessionSubject,
    /// The size of the log, which distinguishes its states.
    pub(crate) bytes: u64,
    pub(crate) width: u16,
}

/// The end of a conversation.
#[derive(Debug)]
pub(crate) struct SessionTail {
    pub(crate) request: TailRequest,
    pub(crate) lines: Vec<Line>,
    /// The position of the messages; `None` until the client has written a log.
    pub(crate) position: Option<FeedPosition>,
}

/// The messages after those that a person saw.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct MissedMessages {
    pub(crate) count: usize,
    pub(crate) lines: Vec<Line>,
    /// The last entry that the person saw, after which a fork can start.
    pub(crate) last_seen: Option<EntryId>,
}

/// Paints the end of a conversation.
pub(super) fn tail(context: &WorkContext, request: TailRequest) -> SessionTail {
    let painted = read(context, &request.subject, |view| {
        let target = FeedTarget::default();
        let position = view.feed_position(&target)?;
        let lines = paint(context, view, request.width, |all| {
            all.end.saturating_sub(LAST_MESSAGES).max(all.start)..all.end
        })?;
        Ok((lines, position))
    });
    let (lines, position) = match painted {
        Ok((lines, position)) => (lines, Some(position)),
        Err(_) => (vec![Line::of("nothing is written yet", Role::Muted)], None),
    };
    SessionTail { request, lines, position }
}

/// Returns the messages after a position; `None` if there are none, or without a log.
pub(super) fn missed(
    context: &WorkContext,
    subject: &SessionSubject,
    seen: &FeedPosition,
    width: u16,
) -> Option<MissedMessages> {
    let found = read(context, subject, |view| {
        let target = FeedTarget::default();
        let Some(unseen) = view.feed_unseen(&target, seen, MOST_UNSEEN)? else {
            return Ok(None);
        };
        let lines = paint(context, view, width, |all| unseen_range(&unseen, &all))?;
        Ok(Some(MissedMessages { count: unseen.count, lines, last_seen: unseen.last_seen }))
    });
    found.ok().flatten()
}

/// Returns the range from the first to the last unseen message.
fn unseen_range(unseen: &UnseenMessages, all: &Range<u32>) -> Range<u32> {
    let first = unseen.ordinals.iter().min().copied();
    let last = unseen.ordinals.iter().max().copied();
    let first = first.unwrap_or(all.end).clamp(all.start, all.end);
    let end = last.map_or(first, |last| last + 1).clamp(first, all.end);
    // Messages that changed may be far above the new ones.
    end.saturating_sub(LAST_MESSAGES).max(first)..end
}

fn read<T>(
    context: &WorkContext,
    subject: &SessionSubject,
    look: impl FnOnce(&OpenState) -> Result<T, LibraryError>,
) -> Result<T, LibraryError> {
    let open = opened(context, &context.settings.library, subject)?;
    // The state of calls without a result depends on whether a process owns the session.
    let home = open.found().home.as_ref();
    let live = home.map(|home| LiveSessions::read(home, &SystemProcesses));
    open.refresh(live.as_ref())?;
    let view = open.view();
    look(&view)
}

fn paint(
    context: &WorkContext,
    view: &OpenState,
    width: u16,
    choose: impl FnOnce(Range<u32>) -> Range<u32>,
) -> Result<Vec<Line>, LibraryError> {
    let shown = view.feed_transcript(&FeedTarget::default())?;
    let options = folded(context, width);
    let painter = TranscriptLines::new(&shown, &options);
    let chosen = choose(painter.messages());
    let mut lines = painter.lines(chosen).map_err(|error| unreadable(view, error))?;
    lines.drain(..lines.len().saturating_sub(LAST_LINES));
    while lines.last().is_some_and(|line| line.width() == 0) {
        lines.pop();
    }
    Ok(lines)
}
