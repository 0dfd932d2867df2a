//! The preview of a session: its card, and its last turn as `unspool show` paints it.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use unspool_engine::library::{Library, LibraryError, OpenSession, OpenState, SessionPlace};
use unspool_engine::ops::transcript::TranscriptRequest;
use unspool_model::time::Time;
use unspool_render::terminal::{
    AgentDisplay, DetailLevel, Options, PageLayout, Tools, TranscriptLines, cards,
};
use unspool_store::home::{Home, Resolved, describe_log};
use unspool_store::session::SessionFileError;
use unspool_text::human;
use unspool_text::style::{Line, Role};

use super::rows::{PickerRow, PickerRows, RowKey};
use crate::settings::SessionSubject;
use crate::work::WorkContext;

/// The largest log that is read for a preview. Chosen by judgement, as the size that is read in a tenth of
/// a second: a row that is passed must not delay the next one.
const LARGEST: u64 = 64 << 20;
/// The number of messages shown of a long turn, at its end and after its first message.
const LAST_MESSAGES: u32 = 40;
/// The number of cached previews.
const KEPT: usize = 48;

/// The session and the width of a preview.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PreviewRequest {
    pub(crate) key: RowKey,
    pub(crate) subject: SessionSubject,
    /// The size and the last activity of the session, which distinguish its states.
    pub(crate) stamp: (u64, Time),
    pub(crate) width: u16,
    pub(crate) card: PreviewCard,
}

/// Whether the session's card is above the last turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PreviewCard {
    Shown,
    Hidden,
}

impl PreviewRequest {
    pub(crate) fn of(rows: &PickerRows, row: &PickerRow, width: u16, card: PreviewCard) -> Self {
        Self {
            key: row.key,
            subject: rows.subject(row),
            stamp: (row.bytes, row.active),
            width,
            card,
        }
    }
}

/// A preview.
#[derive(Debug)]
pub(crate) struct PreviewText {
    pub(crate) request: PreviewRequest,
    pub(crate) lines: Vec<Line>,
}

/// The preview that is shown, and a cache of earlier ones.
#[derive(Default)]
pub(crate) struct PreviewState {
    pub(crate) shown: Option<Arc<PreviewText>>,
    kept: VecDeque<Arc<PreviewText>>,
    pub(crate) scroll: usize,
}

impl PreviewState {
    /// Shows a cached preview; returns whether there is one.
    pub(crate) fn show_kept(&mut self, request: &PreviewRequest) -> bool {
        if self.shown.as_ref().is_some_and(|it| it.request == *request) {
            return true;
        }
        let kept = self.kept.iter().find(|it| it.request == *request);
        let Some(kept) = kept.cloned() else {
            return false;
        };
        self.set(kept);
        true
    }

    /// Shows a preview and caches it.
    pub(crate) fn show(&mut self, text: PreviewText) {
        let text = Arc::new(text);
        self.kept.push_back(Arc::clone(&text));
        if self.kept.len() > KEPT {
            self.kept.pop_front();
        }
        self.set(text);
    }

    fn set(&mut self, text: Arc<PreviewText>) {
        let is_same = |shown: &Arc<PreviewText>| shown.request.key == text.request.key;
        if !self.shown.as_ref().is_some_and(is_same) {
            self.scroll = 0;
        }
        self.shown = Some(text);
    }

    /// Clears the preview.
    pub(crate) fn clear(&mut self) {
        self.shown = None;
        self.scroll = 0;
    }

    /// Scrolls by lines, within the text.
    pub(crate) fn scroll_by(&mut self, lines: isize, height: usize) {
        let count = self.shown.as_ref().map_or(0, |shown| shown.lines.len());
        let most = count.saturating_sub(height);
        self.scroll = self.scroll.saturating_add_signed(lines).min(most);
    }
}

/// Builds a preview.
pub(crate) fn preview(context: &WorkContext, request: PreviewRequest) -> PreviewText {
    let mut lines = Vec::new();
    let library: &Library = &context.settings.library;
    let place = &request.subject.place;
    if request.card == PreviewCard::Shown {
        lines.extend(card(context, place, request.width));
    }
    let turn = if request.stamp.0 > LARGEST {
        let size = human::bytes(request.stamp.0);
        Ok(vec![Line::of(format!("The log has {size}; Enter opens it."), Role::Muted)])
    } else {
        opened(context, library, &request.subject)
            .and_then(|open| last_turn(context, &open, request.width))
            .map_err(|error| error.to_string())
    };
    let turn = turn.unwrap_or_else(|error| vec![Line::of(error, Role::Warning)]);
    if !lines.is_empty() && !turn.is_empty() {
        lines.push(Line::of("─".repeat(usize::from(request.width)), Role::Rule));
    }
    lines.extend(turn);
    PreviewText { request, lines }
}

fn card(context: &WorkContext, place: &SessionPlace, width: u16) -> Vec<Line> {
    let settings = &context.settings;
    let Ok(Some(row)) = settings.library.stored_row(place) else {
        return Vec::new();
    };
    let layout = PageLayout {
        width: usize::from(width),
        zone: settings.zone.clone(),
        user_home: settings.user_home.clone(),
    };
    cards(&[row], &layout).collect()
}

/// Opens a session by its log, without a scan of the homes.
pub(crate) fn opened(
    context: &WorkContext,
    library: &Library,
    subject: &SessionSubject,
) -> Result<Arc<OpenSession>, LibraryError> {
    let is_home = |home: &&Home| Some(&home.root) == subject.place.home.as_ref();
    let open = match describe_log(&subject.file) {
        Ok(target) => {
            let found = Resolved {
                home: library.homes().iter().find(is_home).cloned(),
                project: subject.place.project.clone(),
                target,
            };
            context.sessions.open_found(library, found)?
        }
        Err(_) => context.sessions.open(library, &subject.place)?,
    };
    open.refresh(None)?;
    Ok(open)
}

/// Returns options that paint a conversation next to something else: each call on one line.
pub(crate) fn folded(context: &WorkContext, width: u16) -> Options {
    Options {
        width: usize::from(width).max(20),
        thinking: DetailLevel::Folded,
        tools: Tools::Line,
        agents: AgentDisplay::Folded,
        zone: context.settings.zone.clone(),
        find: None,
    }
}

/// Builds the error of an unreadable log.
pub(crate) fn unreadable(state: &OpenState, error: io::Error) -> SessionFileError {
    SessionFileError { path: state.session().main.path().to_owned(), error }
}

fn last_turn(
    context: &WorkContext,
    open: &OpenSession,
    width: u16,
) -> Result<Vec<Line>, LibraryError> {
    let state = open.view();
    let shown = state.transcript(&TranscriptRequest::default())?;
    let options = folded(context, width);
    let painter = TranscriptLines::new(&shown, &options);
    let messages = painter.messages();
    let turn = shown.turns.last().map(|turn| turn.messages.clone());
    let turn = turn.unwrap_or(messages.end.saturating_sub(LAST_MESSAGES)..messages.end);
    let unreadable = |error| unreadable(&state, error);
    let count = turn.end.saturating_sub(turn.start);
    if count <= LAST_MESSAGES + 1 {
        return Ok(painter.lines(turn).map_err(unreadable)?);
    }
    let mut lines = painter.lines(turn.start..turn.start + 1).map_err(unreadable)?;
    let left = (count - 1 - LAST_MESSAGES) as usize;
    let words = format!("  … {} more", human::plural(left, "message"));
    lines.push(Line::of(words, Role::Muted));
    let end = painter.lines(turn.end - LAST_MESSAGES..turn.end);
    lines.extend(end.map_err(unreadable)?);
    Ok(lines)
}
