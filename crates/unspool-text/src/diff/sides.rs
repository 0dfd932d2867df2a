//! A diff in two columns: the old text on the left, the new one on the right.

use super::rows::{DiffRow, DiffRowKind};
use super::{Diff, DiffPainter, WideLines, fitted};
use crate::style::{Line, Role};

/// The text between the columns.
const BETWEEN: &str = " │ ";
/// The minimum width of a column.
const NARROWEST: usize = 10;

impl Diff {
    /// Draws the hunks in two columns that together fill a width: removed lines are next to the
    /// lines that replace them.
    pub fn side_lines(&self, width: usize, wide: WideLines) -> Vec<Line> {
        let painter = DiffPainter { digits: self.number_width() };
        let column = (width.saturating_sub(BETWEEN.chars().count()) / 2).max(NARROWEST);
        let mut lines = Vec::new();
        for (hunk, rows) in self.rows() {
            lines.push(hunk.head_line(width));
            for (old, new) in pairs(&rows) {
                let side = |row: &DiffRow, number: Option<usize>| {
                    fitted(row, &painter.number(number), column, wide)
                };
                let old = old.map_or_else(Vec::new, |row| side(row, row.old));
                let new = new.map_or_else(Vec::new, |row| side(row, row.new));
                lines.extend(next_to(old, new, column));
            }
        }
        lines
    }
}

/// Pairs the rows of a hunk for the two columns.
fn pairs(rows: &[DiffRow]) -> Vec<(Option<&DiffRow>, Option<&DiffRow>)> {
    let mut pairs = Vec::with_capacity(rows.len());
    let (mut old, mut new) = (Vec::new(), Vec::new());
    let flush = |old: &mut Vec<_>, new: &mut Vec<_>, pairs: &mut Vec<_>| {
        let count = old.len().max(new.len());
        let (mut left, mut right) = (old.drain(..), new.drain(..));
        pairs.extend((0..count).map(|_| (left.next(), right.next())));
    };
    for row in rows {
        match row.kind {
            DiffRowKind::Removed => {
                if !new.is_empty() {
                    flush(&mut old, &mut new, &mut pairs);
                }
                old.push(row);
            }
            // A remark belongs to the line above it.
            DiffRowKind::Remark if new.is_empty() && !old.is_empty() => old.push(row),
            DiffRowKind::Added | DiffRowKind::Remark => new.push(row),
            DiffRowKind::Context => {
                flush(&mut old, &mut new, &mut pairs);
                pairs.push((Some(row), Some(row)));
            }
        }
    }
    flush(&mut old, &mut new, &mut pairs);
    pairs
}

/// Joins the lines of two columns.
fn next_to(old: Vec<Line>, new: Vec<Line>, column: usize) -> impl Iterator<Item = Line> {
    let count = old.len().max(new.len());
    let (mut left, mut right) = (old.into_iter(), new.into_iter());
    (0..count).map(move |_| {
        let mut line = left.next().unwrap_or_default();
        line.pad(column.saturating_sub(line.width()));
        line.add(BETWEEN, Role::Rule);
        line.append(right.next().unwrap_or_default());
        line.trimmed_end()
    })
}
