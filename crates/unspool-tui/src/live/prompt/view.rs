//! Paints the prompt screen: the state of the session, its end or the form of the run, the input, and
//! completions.

use ratatui::layout::Rect;
use unspool_text::human;
use unspool_text::sanitize;
use unspool_text::style::{Line, Role};
use unspool_text::width::width;

use super::{PromptScreen, PromptStage, PromptTarget};
use crate::canvas::Canvas;
use crate::screen::ViewContext;
use crate::work::live::NextRunKind;

/// The largest width of the session's title.
const MOST_TITLE: usize = 60;

/// The areas of the screen.
pub(super) struct PromptLayout {
    pub(super) conversation: Rect,
    rule: Rect,
    typed: Rect,
    completion: Rect,
}

/// Returns the width of the input.
fn typed_room(columns: u16) -> usize {
    usize::from(columns).saturating_sub(5).max(10)
}

impl PromptScreen {
    pub(super) fn layout(&self, area: Rect) -> PromptLayout {
        let (rows, _) = self.text.rows(typed_room(area.width));
        let most = (area.height.saturating_sub(5) / 2).max(1);
        let typed = match self.stage {
            // The text that has to be read needs the room.
            PromptStage::Held(_) => 1,
            _ => (rows.len() as u16).min(most),
        };
        let end = area.bottom().saturating_sub(1);
        let free = end.saturating_sub(area.y + 3 + typed);
        let listed = self.completion.height().min(free);
        let completion = Rect { y: end.saturating_sub(listed), height: listed, ..area };
        let typed = Rect { y: completion.y.saturating_sub(typed), height: typed, ..area };
        let above = typed.y.saturating_sub(area.y + 3);
        PromptLayout {
            conversation: Rect { y: area.y + 2, height: above, ..area },
            rule: Rect { y: typed.y.saturating_sub(1), height: 1, ..area },
            typed,
            completion,
        }
    }

    pub(super) fn paint(&self, canvas: &mut Canvas<'_>, cx: &ViewContext<'_>) {
        let area = canvas.area();
        let columns = usize::from(area.width);
        canvas.line(area, 0, &self.title().truncated(columns));
        canvas.line(area, 1, &self.state_line(cx).truncated(columns));
        let layout = self.layout(area);
        let form = self.form.as_ref();
        match (&self.stage, &self.target) {
            (PromptStage::Held(held), _) => held.view(canvas, layout.conversation),
            (_, PromptTarget::NewSession(_)) => {
                if let Some(form) = form.filter(|form| form.is_known()) {
                    form.view(canvas, layout.conversation);
                }
            }
            _ => self.view_tail(canvas, layout.conversation),
        }
        self.view_rule(canvas, layout.rule);
        if !matches!(self.target, PromptTarget::NextRun(..)) {
            self.view_typed(canvas, layout.typed);
        }
        self.completion.view(canvas, layout.completion);
    }

    fn title(&self) -> Line {
        if matches!(self.target, PromptTarget::NewSession(_)) {
            return Line::of(" New session", Role::Title);
        }
        let mut title = Line::of(" Prompt  ", Role::Title);
        if let Some(subject) = &self.subject {
            title.add(sanitize::one_line(&subject.title, MOST_TITLE), Role::Muted);
        }
        title
    }

    /// Describes the state of the session, above the conversation.
    fn state_line(&self, cx: &ViewContext<'_>) -> Line {
        let words = match (self.run(cx.board), &self.target) {
            (_, PromptTarget::NextRun(_, NextRunKind::GoOn)) => {
                "   Its run is over; another one goes on with the session.".to_owned()
            }
            (_, PromptTarget::NextRun(_, NextRunKind::Again)) => {
                "   Its last prompt runs again: tools may run twice.".to_owned()
            }
            (Some(run), _) => {
                let queued = run.prompts.iter().filter(|prompt| prompt.state.is_open());
                let queued = match queued.count() {
                    0 => "nothing".to_owned(),
                    count => human::plural(count, "prompt"),
                };
                format!("   {} · {queued} in the queue", run.run.state.stage())
            }
            (None, PromptTarget::NewRun) => {
                "   It does not run. A new run goes on with it in its folder.".to_owned()
            }
            (None, PromptTarget::NewSession(_)) => {
                "   Write its first prompt; how it starts is shown first.".to_owned()
            }
            (None, PromptTarget::Queue) => "   The run is over.".to_owned(),
        };
        Line::of(words, Role::Muted)
    }

    fn view_tail(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let Some(tail) = &self.tail else {
            return;
        };
        let height = usize::from(area.height);
        let first = tail.lines.len().saturating_sub(height + self.scroll);
        let rows = tail.lines.iter().skip(first).take(height);
        let rows: Vec<Line> =
            rows.map(|line| line.clone().indented(&Line::of("  ", Role::Plain))).collect();
        // The end of the conversation is directly above the input.
        let top = area.height.saturating_sub(rows.len() as u16);
        let area = Rect { y: area.y + top, height: area.height - top, ..area };
        canvas.lines(area, &rows);
    }

    /// Paints the rule above the input, with the options of a run that continues the session.
    fn view_rule(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let form = self.form.as_ref().filter(|form| form.is_known());
        let is_of_session = self.target == PromptTarget::NewRun;
        let words = match (&self.stage, form) {
            (PromptStage::Sending, _) => "─ sending … ".to_owned(),
            (PromptStage::Typing, Some(form)) if is_of_session => {
                let room = usize::from(area.width).saturating_sub(6);
                let summary = form.summary();
                format!("─ {} ", sanitize::truncate_width(&summary, room))
            }
            _ => String::new(),
        };
        let rest = usize::from(area.width).saturating_sub(width(&words));
        let rule = format!("{words}{}", "─".repeat(rest));
        canvas.text(area, (0, 0), &rule, Role::Rule);
    }

    fn view_typed(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let (rows, (row, column)) = self.text.rows(typed_room(area.width));
        let height = usize::from(area.height);
        let first = (row + 1).saturating_sub(height);
        canvas.lines(area, rows.iter().skip(first).take(height));
        if matches!(self.stage, PromptStage::Typing) {
            let column = (3 + column as u16).min(area.width.saturating_sub(1));
            canvas.set_cursor(area.x + column, area.y + (row - first) as u16);
        }
    }
}
