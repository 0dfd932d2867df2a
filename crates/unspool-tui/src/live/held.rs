//! A prompt that was not sent, because messages came that its writer has not seen: what came, and what a
//! person can do about it.

use ratatui::layout::Rect;
use unspool_text::human;
use unspool_text::style::{Line, Role};

use crate::canvas::Canvas;
use crate::work::live::MissedMessages;

/// What becomes of a prompt that is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HeldChoice {
    /// It is sent as it is.
    Send,
    /// It goes on from what was seen, in a copy of the session.
    Fork,
    /// It is not sent, and forgotten.
    Discard,
}

impl HeldChoice {
    fn words(self) -> &'static str {
        match self {
            Self::Send => "go on anyway",
            Self::Fork => "go on from what was seen, in a copy of the session",
            Self::Discard => "discard the prompt",
        }
    }
}

/// A prompt that is held.
#[derive(Debug)]
pub(super) struct HeldPrompt {
    missed: MissedMessages,
    chosen: usize,
    scroll: usize,
}

impl HeldPrompt {
    pub(super) fn new(missed: MissedMessages) -> Self {
        Self {
            missed,
            chosen: 0,
            scroll: 0,
        }
    }

    pub(super) fn missed(&self) -> &MissedMessages {
        &self.missed
    }

    /// Returns what can be done. Without an entry to go on from there is no copy.
    pub(super) fn choices(&self) -> &'static [HeldChoice] {
        match self.missed.last_seen {
            Some(_) => &[HeldChoice::Send, HeldChoice::Fork, HeldChoice::Discard],
            None => &[HeldChoice::Send, HeldChoice::Discard],
        }
    }

    pub(super) fn chosen(&self) -> usize {
        self.chosen
    }

    pub(super) fn choose_by(&mut self, by: isize) {
        let last = self.choices().len() - 1;
        self.chosen = self.chosen.saturating_add_signed(by).min(last);
    }

    pub(super) fn scroll_by(&mut self, lines: isize) {
        let last = self.missed.lines.len().saturating_sub(1);
        self.scroll = self.scroll.saturating_add_signed(lines).min(last);
    }

    /// Paints what came, and the choices below it.
    pub(super) fn view(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let came = human::plural(self.missed.count, "message");
        let words = format!(" ◆ {came} came since you looked; the prompt was not sent");
        canvas.text(area, (0, 0), &words, Role::Warning);
        let choices = self.choices();
        let below = (choices.len() as u16 + 1).min(area.height.saturating_sub(1));
        let lines = Rect {
            x: area.x + 2,
            y: area.y + 1,
            width: area.width.saturating_sub(4),
            height: area.height.saturating_sub(1 + below),
        };
        canvas.lines(lines, self.missed.lines.iter().skip(self.scroll));
        let rest = self.missed.lines.len();
        let rest = rest.saturating_sub(self.scroll + usize::from(lines.height));
        let top = lines.bottom();
        if rest > 0 {
            let more = Rect {
                y: top,
                height: 1,
                ..area
            };
            let words = format!("─ {} more · Space ", human::plural(rest, "line"));
            canvas.text(more, (2, 0), &words, Role::Warning);
        }
        for (number, choice) in choices.iter().enumerate() {
            let row = Rect {
                y: top + 1 + number as u16,
                height: 1,
                ..area
            };
            if row.y >= area.bottom() {
                break;
            }
            let mut line = Line::of(format!("  {} ", number + 1), Role::Id);
            line.add(choice.words(), Role::Plain);
            canvas.line(row, 0, &line.truncated(usize::from(row.width)));
            if number == self.chosen {
                canvas.select(row);
            }
        }
    }
}
