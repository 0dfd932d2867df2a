//! Paints styled lines on the cells of a screen.
//!
//! A [`Canvas`] cuts lines at its edges and knows widths: it paints a character of two columns whole or not
//! at all, and drops variation selectors, because terminals disagree on the width of a character with one.
//! It knows neither sessions nor the terminal.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style as CellStyle};
use unspool_text::style::{Line, Role, Style};
use unspool_text::width::units;

use crate::theme::{ColorDepth, TerminalBackground, cells, rest_of_row};

/// Variation selector 16, which some terminals draw two columns wide and others one.
const WIDE_SELECTOR: char = '\u{fe0f}';

/// The cells of a screen.
pub(crate) struct Canvas<'a> {
    buffer: &'a mut Buffer,
    depth: ColorDepth,
    background: Option<TerminalBackground>,
    cursor: Option<Position>,
}

impl<'a> Canvas<'a> {
    /// Creates a canvas that paints on these cells.
    pub(crate) fn new(buffer: &'a mut Buffer, depth: ColorDepth) -> Self {
        Self { buffer, depth, background: None, cursor: None }
    }

    /// Sets the background of the terminal, if it is known.
    pub(crate) fn set_background(&mut self, background: Option<TerminalBackground>) {
        self.background = background;
    }

    /// Returns the whole area.
    pub(crate) fn area(&self) -> Rect {
        self.buffer.area
    }

    /// Returns the position of the terminal's cursor, if it is shown.
    pub(crate) fn cursor(&self) -> Option<Position> {
        self.cursor
    }

    /// Shows the terminal's cursor at a cell.
    pub(crate) fn set_cursor(&mut self, column: u16, row: u16) {
        self.cursor = Some(Position::new(column, row));
    }

    /// Paints a line from the left edge of a row of an area.
    pub(crate) fn line(&mut self, area: Rect, row: u16, line: &Line) {
        if row >= area.height {
            return;
        }
        let mut column = area.x;
        for span in line.spans() {
            column = self.span(column, area, row, span.text(), span.style());
        }
        let last = line.spans().last().map(|span| span.style().role);
        let rest = last.and_then(|role| rest_of_row(role, self.depth, self.background));
        if let Some(style) = rest {
            for column in column..area.right() {
                self.put(column, area.y + row, " ", style);
            }
        }
    }

    /// Paints a line right-aligned in a row of an area.
    pub(crate) fn line_at_end(&mut self, area: Rect, row: u16, line: &Line) {
        let width = u16::try_from(line.width()).unwrap_or(u16::MAX);
        let taken = width.min(area.width);
        let part = Rect { x: area.x + area.width - taken, width: taken, ..area };
        self.line(part, row, line);
    }

    /// Paints a text from a column of an area, in the style of a role.
    pub(crate) fn text(&mut self, area: Rect, (column, row): (u16, u16), text: &str, role: Role) {
        if row < area.height && column < area.width {
            self.span(area.x + column, area, row, text, role.into());
        }
    }

    /// Paints lines below each other, as many as the area has rows.
    pub(crate) fn lines<'l>(&mut self, area: Rect, lines: impl IntoIterator<Item = &'l Line>) {
        for (row, line) in (0..area.height).zip(lines) {
            self.line(area, row, line);
        }
    }

    fn span(&mut self, from: u16, area: Rect, row: u16, text: &str, style: Style) -> u16 {
        let cells = cells(style, self.depth, self.background);
        let (end, y) = (area.right(), area.y + row);
        let mut column = from;
        let clean;
        let text = if text.contains(WIDE_SELECTOR) {
            clean = text.replace(WIDE_SELECTOR, "");
            clean.as_str()
        } else {
            text
        };
        self.free(column, y);
        for unit in units(text) {
            let width = unit.width as u16;
            if width == 0 {
                continue;
            }
            if column + width > end {
                return end;
            }
            self.put(column, y, unit.text, cells);
            for covered in column + 1..column + width {
                self.put(covered, y, " ", cells);
            }
            column += width;
        }
        column
    }

    /// Blanks the cell to the left if a wide character there reaches into this column, whose right half
    /// would otherwise be lost.
    fn free(&mut self, column: u16, row: u16) {
        let Some(before) = column.checked_sub(1) else {
            return;
        };
        if let Some(cell) = self.buffer.cell_mut((before, row))
            && unspool_text::width::width(cell.symbol()) > 1
        {
            cell.set_symbol(" ");
        }
    }

    fn put(&mut self, column: u16, row: u16, symbol: &str, style: CellStyle) {
        if let Some(cell) = self.buffer.cell_mut((column, row)) {
            cell.reset();
            cell.set_symbol(symbol).set_style(style);
        }
    }

    /// Empties an area.
    pub(crate) fn clear(&mut self, area: Rect) {
        for row in area.rows() {
            self.free(row.x, row.y);
            for cell in row.columns() {
                self.put(cell.x, cell.y, " ", CellStyle::new());
            }
        }
    }

    /// Highlights an area as selected, over its whole width.
    pub(crate) fn select(&mut self, area: Rect) {
        let area = area.intersection(self.buffer.area);
        let selected = CellStyle::new().add_modifier(Modifier::REVERSED);
        self.buffer.set_style(area, selected.remove_modifier(Modifier::DIM));
    }

    /// Draws a frame with a title on its upper edge and a label on its lower one, clears its inside and
    /// returns it.
    pub(crate) fn frame(&mut self, area: Rect, title: &Line, below: &Line) -> Rect {
        self.clear(area);
        if area.width < 2 || area.height < 2 {
            return area;
        }
        let middle = usize::from(area.width) - 2;
        let edge = |left: &str, right: &str| {
            let text = format!("{left}{}{right}", "─".repeat(middle));
            Line::of(text, Role::Rule)
        };
        self.line(area, 0, &edge("┌", "┐"));
        self.line(area, area.height - 1, &edge("└", "┘"));
        for row in 1..area.height - 1 {
            self.text(area, (0, row), "│", Role::Rule);
            self.text(area, (area.width - 1, row), "│", Role::Rule);
        }
        let labels = Rect { x: area.x + 2, width: area.width.saturating_sub(4), ..area };
        self.label(labels, 0, title);
        self.label(labels, area.height - 1, below);
        Rect { x: area.x + 1, y: area.y + 1, width: area.width - 2, height: area.height - 2 }
    }

    fn label(&mut self, area: Rect, row: u16, words: &Line) {
        if words.is_blank() {
            return;
        }
        let mut label = Line::of(" ", Role::Plain);
        label.append(words.clone()).add(" ", Role::Plain);
        self.line(area, row, &label.truncated(usize::from(area.width)));
    }
}

/// Returns an area of at most this size, centred in another.
pub(crate) fn centered(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(text: &str, width: u16) -> String {
        let area = Rect::new(0, 0, width, 1);
        let mut buffer = Buffer::empty(area);
        Canvas::new(&mut buffer, ColorDepth::Sixteen).line(area, 0, &Line::of(text, Role::Plain));
        let cells = buffer.content.iter().map(ratatui::buffer::Cell::symbol);
        cells.collect()
    }

    #[test]
    fn wide_characters_are_painted_whole_or_not_at_all() {
        assert_eq!(painted("漢字", 4), "漢 字 ");
        assert_eq!(painted("漢字", 3), "漢  ");
        assert_eq!(painted("a☺\u{fe0f}b", 3), "a☺b");
    }

    #[test]
    fn half_of_a_wide_character_is_never_left() {
        let area = Rect::new(0, 0, 4, 1);
        let mut buffer = Buffer::empty(area);
        let mut canvas = Canvas::new(&mut buffer, ColorDepth::Sixteen);
        canvas.line(area, 0, &Line::of("漢字", Role::Plain));
        canvas.text(area, (1, 0), "|", Role::Plain);
        canvas.clear(Rect::new(3, 0, 1, 1));
        let cells = buffer.content.iter().map(ratatui::buffer::Cell::symbol);
        assert_eq!(cells.collect::<String>(), " |  ");
    }

    #[test]
    fn text_ends_at_the_edge() {
        assert_eq!(painted("abcdef", 3), "abc");
    }
}
