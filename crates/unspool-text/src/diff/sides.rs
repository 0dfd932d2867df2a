//! A diff in two columns: the old text on the left, the new one on the right.

use super::rows::{DiffRow, DiffRowKind};
use super::{Diff, DiffPainter};
use crate::style::{Line, Role};

/// What is between the columns.
const BETWEEN: &str = " │ ";
/// The fewest columns of a side.
const NARROWEST: usize = 10;

impl Diff {
    /// Draws the hunks in two columns that fill a width together: what was removed is next to what was
    /// added in its place. Lines are cut at the end of their column.
    pub fn side_lines(&self, width: usize) -> Vec<Line> {
        let mut painter = DiffPainter {
            digits: self.number_width(),
            out: Vec::new(),
        };
        let column = (width.saturating_sub(BETWEEN.chars().count()) / 2).max(NARROWEST);
        let mut lines = Vec::new();
        for (hunk, rows) in self.rows() {
            painter.header(hunk);
            lines.append(&mut painter.out);
            for (old, new) in pairs(&rows) {
                let digits = painter.digits;
                let mut line = side(old, digits, |row| row.old).truncated(column);
                line.pad(column.saturating_sub(line.width()));
                line.add(BETWEEN, Role::Rule);
                line.append(side(new, digits, |row| row.new).truncated(column));
                lines.push(line.trimmed_end());
            }
        }
        lines
    }
}

/// Puts the rows of a hunk next to each other.
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

fn side(row: Option<&DiffRow>, digits: usize, number: impl Fn(&DiffRow) -> Option<usize>) -> Line {
    let Some(row) = row else {
        return Line::new();
    };
    let number = number(row).map_or(String::new(), |number| number.to_string());
    let mut line = Line::of(format!("{number:>digits$} "), Role::Muted);
    super::text_of(row, &mut line);
    line
}
