//! Tables with borders, fitted to a width.

use pulldown_cmark::Alignment;

use super::super::style::{Line, Role};
use super::super::wrap::{wrap, wrap_with};

/// The fewest columns of text that a table's column needs.
const MIN_COLUMN: usize = 4;
/// The most columns of a table, whatever the page has.
const MAX_WIDTH: usize = 400;
/// The most columns of a name when a table is drawn as records.
const MAX_NAME: usize = 24;

/// An open table: its rows of cells, the head first.
pub(super) struct Grid {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Line>>,
    row: Vec<Line>,
}

impl Grid {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new(), row: Vec::new() }
    }

    pub(super) fn push_cell(&mut self, cell: Line) {
        self.row.push(cell);
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// Draws the table in `room` columns: with borders if they fit, otherwise as a list of records.
    pub(super) fn lines(&self, room: usize) -> Vec<Line> {
        match self.column_widths(room.min(MAX_WIDTH)) {
            Some(widths) => self.with_borders(&widths),
            None => self.as_records(room),
        }
    }

    fn column_widths(&self, room: usize) -> Option<Vec<usize>> {
        let count = self.alignments.len();
        let mut widths = vec![1; count];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.width().max(*width);
            }
        }
        let budget = room.checked_sub(3 * count + 1)?;
        if widths.iter().sum::<usize>() <= budget {
            return Some(widths);
        }
        if budget < count * MIN_COLUMN {
            return None;
        }
        level(&mut widths, budget);
        Some(widths)
    }

    fn with_borders(&self, widths: &[usize]) -> Vec<Line> {
        let mut out = Vec::new();
        let wraps = |row: &Vec<Line>| row.iter().zip(widths).any(|(c, w)| c.width() > *w);
        let ruled = self.rows.iter().skip(1).any(wraps);
        for (index, row) in self.rows.iter().enumerate() {
            if index == 1 || (index > 1 && ruled) {
                out.push(border(widths));
            }
            self.draw_row(row, widths, &mut out);
        }
        if self.rows.len() == 1 {
            out.push(border(widths));
        }
        out
    }

    fn draw_row(&self, row: &[Line], widths: &[usize], out: &mut Vec<Line>) {
        let mut cells: Vec<_> =
            row.iter().zip(widths).map(|(cell, width)| wrap(cell, *width).into_iter()).collect();
        let height = cells.iter().map(ExactSizeIterator::len).max().unwrap_or(1);
        for _ in 0..height {
            let mut line = Line::of("│", Role::Rule);
            for (index, width) in widths.iter().enumerate() {
                let cell = cells.get_mut(index).and_then(Iterator::next);
                let cell = cell.unwrap_or_default();
                let free = width.saturating_sub(cell.width());
                let left = match self.alignments.get(index) {
                    Some(Alignment::Right) => free,
                    Some(Alignment::Center) => free / 2,
                    _ => 0,
                };
                line.pad(1 + left).append(cell).pad(free - left + 1);
                line.add("│", Role::Rule);
            }
            out.push(line);
        }
    }

    fn as_records(&self, room: usize) -> Vec<Line> {
        let Some((head, body)) = self.rows.split_first() else {
            return Vec::new();
        };
        let names: Vec<_> = head.iter().map(|cell| cell.clone().truncated(MAX_NAME)).collect();
        let mut out = Vec::new();
        if body.is_empty() {
            out.extend(head.iter().flat_map(|cell| wrap(cell, room)));
        }
        for (index, row) in body.iter().enumerate() {
            if index > 0 {
                out.push(Line::new());
            }
            for (cell, name) in row.iter().zip(&names) {
                if cell.is_blank() {
                    continue;
                }
                let mut line = name.clone();
                line.add(": ", Role::Muted).append(cell.clone());
                out.extend(wrap_with(&line, room, &Line::new(), &"  ".into()));
            }
        }
        out
    }
}

/// Cuts the widest columns to one common width, so that all fit the budget.
fn level(widths: &mut [usize], budget: usize) {
    let total = |level: usize| widths.iter().map(|w| *w.min(&level)).sum::<usize>();
    // Binary search for the largest common width that fits.
    let (mut fits, mut exceeds) = (0, budget + 1);
    while fits + 1 < exceeds {
        let middle = usize::midpoint(fits, exceeds);
        if total(middle) <= budget {
            fits = middle;
        } else {
            exceeds = middle;
        }
    }
    let mut left = budget - total(fits);
    for width in widths {
        if *width > fits {
            let extra = usize::from(left > 0);
            left -= extra;
            *width = fits + extra;
        }
    }
}

fn border(widths: &[usize]) -> Line {
    let bars: Vec<_> = widths.iter().map(|width| "─".repeat(width + 2)).collect();
    Line::of(format!("├{}┤", bars.join("┼")), Role::Rule)
}
