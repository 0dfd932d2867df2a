//! The mouse in the reader.

use ratatui::layout::{Position, Rect};

use super::document::SearchDirection;
use super::screen::{ReadFocus, ReaderScreen};
use super::strand::{Goal, JumpKind};
use crate::event::MouseInput;
use crate::screen::ScreenContext;

impl ReaderScreen {
    pub(super) fn click(&mut self, mouse: MouseInput, cx: &mut ScreenContext<'_>) {
        let layout = self.layout();
        let position = Position::new(mouse.column, mouse.row);
        let inside = layout.transcript;
        if let Some(area) = layout.pane.filter(|area| area.contains(position)) {
            self.focus = ReadFocus::Pane;
            self.click_pane(mouse.row - area.y, cx);
            return;
        }
        if let Some(area) = layout.outline.filter(|area| area.contains(position)) {
            let first = self.outline.first(usize::from(area.height));
            let row = first + usize::from(mouse.row - area.y);
            self.go_to_turn(row, cx);
            return;
        }
        if !inside.contains(position) {
            return;
        }
        let row = usize::from(mouse.row - inside.y);
        if mouse.column >= layout.bar() {
            self.drags_bar = true;
            self.strand_mut().go_to_share(row, usize::from(inside.height));
        } else {
            self.focus = ReadFocus::Text;
            self.strand_mut().click(row);
        }
    }

    pub(super) fn click_pane(&mut self, row: u16, cx: &mut ScreenContext<'_>) {
        let height = self.layout().pane.map_or(0, |area| usize::from(area.height));
        let Some(pane) = &mut self.pane else {
            return;
        };
        // The first row shows the title.
        let Some(row) = usize::from(row).checked_sub(1) else {
            return;
        };
        let first = pane.list.first(height.saturating_sub(2));
        let turns = self.strands.last().map_or(0, |strand| strand.outline.len());
        let count = pane.count(turns);
        if first + row < count {
            let was = pane.list.chosen;
            pane.list.choose(first + row, count);
            if was == first + row {
                self.follow_pane(cx);
            }
        }
    }

    /// Goes to the turn of a row in the outline.
    pub(super) fn go_to_turn(&mut self, row: usize, cx: &mut ScreenContext<'_>) {
        let strand = self.strand_mut();
        let turns = strand.facts.as_ref().map(|facts| &facts.turns);
        let Some(&message) = turns.and_then(|turns| turns.get(row)) else {
            return;
        };
        strand.follows = false;
        strand.go(Goal::Block(message, JumpKind::Turn, SearchDirection::Down), 1);
        self.request_layout(cx);
    }

    /// Scrolls the pane under the mouse, else the text.
    pub(super) fn wheel(&mut self, mouse: MouseInput, rows: isize) {
        let layout = self.layout();
        let position = Position::new(mouse.column, mouse.row);
        let is_over = |area: Option<Rect>| area.is_some_and(|area| area.contains(position));
        if is_over(layout.pane) {
            let turns = self.strand().turn().1;
            if let Some(pane) = &mut self.pane {
                let count = pane.count(turns);
                pane.list.move_by(rows, count);
            }
        } else {
            self.strand_mut().wheel(rows);
        }
    }
}
