//! Hunks as rows, with line numbers and changed words.
//!
//! Every surface that draws a diff uses these rows, so all of them number the same lines and mark
//! the same words.

use std::ops::Range;

use super::words::changed_words;
use super::{Diff, DiffHunk, MAX_PAIRS};
use crate::sanitize;

/// A line of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffRow {
    /// What happened to the line.
    pub kind: DiffRowKind,
    /// Its number in the old text.
    pub old: Option<usize>,
    /// Its number in the new text.
    pub new: Option<usize>,
    /// The cleaned line without its sign.
    pub text: String,
    /// The changed parts, as byte ranges of `text`.
    pub changed: Vec<Range<usize>>,
}

/// What happened to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffRowKind {
    /// It is unchanged.
    Context,
    /// It was removed.
    Removed,
    /// It was added.
    Added,
    /// It is not a line but a remark about one.
    Remark,
}

impl Diff {
    /// Returns the rows of each hunk, in order.
    pub fn rows(&self) -> impl Iterator<Item = (&DiffHunk, Vec<DiffRow>)> {
        let mut pairs_left = MAX_PAIRS;
        self.hunks.iter().map(move |hunk| {
            let mut reading = DiffReading {
                pairs_left,
                old: hunk.old_start,
                new: hunk.new_start,
                rows: Vec::with_capacity(hunk.lines.len()),
            };
            reading.hunk(hunk);
            pairs_left = reading.pairs_left;
            (hunk, reading.rows)
        })
    }
}

struct DiffReading {
    /// How many more pairs of lines may be compared word by word.
    pairs_left: usize,
    /// The numbers of the next lines.
    old: usize,
    new: usize,
    rows: Vec<DiffRow>,
}

impl DiffReading {
    fn hunk(&mut self, hunk: &DiffHunk) {
        let mut rest = hunk.lines.as_slice();
        while let Some(line) = rest.first() {
            if line.starts_with(['-', '+']) {
                let removed = run_of(rest, '-');
                let added = run_of(&rest[removed.len()..], '+');
                self.change(removed, added);
                rest = &rest[removed.len() + added.len()..];
                continue;
            }
            self.unchanged(line);
            rest = &rest[1..];
        }
    }

    fn unchanged(&mut self, line: &str) {
        if line.starts_with('\\') {
            self.rows.push(DiffRow::new(DiffRowKind::Remark, line));
            return;
        }
        let text = line.strip_prefix(' ').unwrap_or(line);
        let mut row = DiffRow::new(DiffRowKind::Context, text);
        row.old = Some(next(&mut self.old));
        row.new = Some(next(&mut self.new));
        self.rows.push(row);
    }

    /// Reads removed lines and the lines that replace them.
    fn change(&mut self, removed: &[String], added: &[String]) {
        let rows = |kind, lines: &[String]| -> Vec<DiffRow> {
            lines.iter().map(|line| DiffRow::new(kind, &line[1..])).collect()
        };
        let mut before = rows(DiffRowKind::Removed, removed);
        let mut after = rows(DiffRowKind::Added, added);
        // Lines are paired by position, which needs as many removed as added lines.
        if before.len() == after.len() && before.len() <= self.pairs_left {
            self.pairs_left -= before.len();
            for (index, (old, new)) in before.iter_mut().zip(&mut after).enumerate() {
                show_carriage_return(&removed[index], &added[index], old, new);
                if let Some((in_old, in_new)) = changed_words(&old.text, &new.text) {
                    old.changed = in_old;
                    new.changed = in_new;
                }
            }
        }
        for row in &mut before {
            row.old = Some(next(&mut self.old));
        }
        for row in &mut after {
            row.new = Some(next(&mut self.new));
        }
        self.rows.append(&mut before);
        self.rows.append(&mut after);
    }
}

impl DiffRow {
    fn new(kind: DiffRowKind, text: &str) -> Self {
        Self {
            kind,
            old: None,
            new: None,
            text: sanitize::inline(text).into_owned(),
            changed: Vec::new(),
        }
    }
}

/// Returns a line number and increments it.
fn next(number: &mut usize) -> usize {
    let this = *number;
    *number = number.saturating_add(1);
    this
}

/// Returns the lines at the front that begin with this sign.
fn run_of(lines: &[String], sign: char) -> &[String] {
    let end = lines.iter().position(|line| !line.starts_with(sign));
    &lines[..end.unwrap_or(lines.len())]
}

/// Makes a carriage return visible if only one of two lines ends with it.
fn show_carriage_return(removed: &str, added: &str, old: &mut DiffRow, new: &mut DiffRow) {
    match (removed.ends_with('\r'), added.ends_with('\r')) {
        (true, false) => old.text.push('␍'),
        (false, true) => new.text.push('␍'),
        _ => {}
    }
}
