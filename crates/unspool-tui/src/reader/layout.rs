//! The layout of the reader for each size of the screen.

use ratatui::layout::Rect;

use crate::event::ScreenSize;

/// The least width for an outline next to the transcript.
const OUTLINE_FROM: u16 = 120;
/// The least width for a pane next to the transcript; below it, the pane covers the transcript.
const PANE_FROM: u16 = 100;
/// The least width for both the outline and a pane.
const BOTH_FROM: u16 = 200;
/// The largest width of a pane next to the transcript.
const PANE: u16 = 54;
/// The largest width of the transcript.
const TRANSCRIPT: u16 = 110;
/// The largest width of its text.
const TEXT: u16 = 100;
/// The columns before the text, which show the bar along the block.
pub(super) const MARGIN: u16 = 3;
/// The columns after the text: a space, and the scroll bar.
const AFTER: u16 = 2;

/// The areas of the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ReadLayout {
    pub(super) header: Rect,
    pub(super) outline: Option<Rect>,
    /// The transcript including its scroll bar.
    pub(super) transcript: Rect,
    pub(super) pane: Option<Rect>,
    /// Set if the pane covers the transcript.
    pub(super) is_over: bool,
    /// The rule below the transcript, with messages.
    pub(super) rule: Rect,
}

impl ReadLayout {
    /// Computes the layout; `has_outline` and `has_pane` are the user's choice.
    pub(super) fn of(size: ScreenSize, has_outline: bool, has_pane: bool) -> Self {
        let ScreenSize { columns, rows } = size;
        let row = |y: u16| Rect::new(0, y, columns, u16::from(y < rows));
        let body = Rect::new(0, 1, columns, rows.saturating_sub(3));
        let is_over = has_pane && columns < PANE_FROM;
        let is_next = has_pane && !is_over;
        let shows_outline =
            has_outline && columns >= OUTLINE_FROM && (!is_next || columns >= BOTH_FROM);
        let outline_width = match columns {
            _ if !shows_outline => 0,
            BOTH_FROM.. => 34,
            _ => 30,
        };
        let pane_width = if is_next { PANE.min(columns / 2 - 4) } else { 0 };
        let room = columns - outline_width - pane_width;
        let transcript_width = match (shows_outline, is_next) {
            // The scroll bar stays at the edge of the screen.
            (_, false) if room <= TRANSCRIPT + 10 => room,
            _ => room.min(TRANSCRIPT),
        };
        let part = |x: u16, width: u16| Rect { x, width, ..body };
        let transcript = part(outline_width, transcript_width);
        let pane = if is_over {
            Some(body)
        } else {
            is_next.then(|| part(transcript.right(), columns - transcript.right()))
        };
        Self {
            header: row(0),
            outline: shows_outline.then(|| part(0, outline_width)),
            transcript,
            pane,
            is_over,
            rule: row(rows.saturating_sub(2)),
        }
    }

    /// Returns the width of the text.
    pub(super) fn text_width(&self) -> usize {
        let room = self.transcript.width.saturating_sub(MARGIN + AFTER);
        usize::from(room.clamp(20, TEXT))
    }

    /// Returns the height of the text.
    pub(super) fn text_height(&self) -> usize {
        usize::from(self.transcript.height).max(1)
    }

    /// Returns the column of the scroll bar.
    pub(super) fn bar(&self) -> u16 {
        self.transcript.right().saturating_sub(1)
    }
}
