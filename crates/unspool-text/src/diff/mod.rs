//! Compares texts line by line, and draws the hunks as styled lines.

mod rows;
mod sides;
mod words;

use std::ops::Range;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

pub use self::rows::{DiffRow, DiffRowKind};
use super::sanitize;
use super::style::{Emphasis, Line, Role, Style, TextSpan};
use super::wrap::wrap_with;

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 3;
/// The most lines of both texts that are compared, without those that are equal at their ends.
/// Above it the whole block counts as replaced.
const MAX_LINES: usize = 100_000;
/// The most pairs of changed lines that are compared word by word. Chosen by judgement: more than a
/// reader compares by eye.
const MAX_PAIRS: usize = 2_000;
/// The remark after a line of a hunk that no line break ends.
const NO_NEWLINE: &str = "\\ No newline at end of file";

/// A run of changed lines with the unchanged ones around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffHunk {
    /// The number of the first line in the old text, from 1.
    pub old_start: usize,
    /// How many lines of the old text it covers.
    pub old_lines: usize,
    /// The number of the first line in the new text, from 1.
    pub new_start: usize,
    /// How many lines of the new text it covers.
    pub new_lines: usize,
    /// The lines, each after a space, a `+`, a `-`, or a backslash for a remark.
    pub lines: Vec<String>,
}

impl DiffHunk {
    /// Returns the header of the hunk, as `diff -u` writes it.
    pub(crate) fn head(&self) -> String {
        let Self { old_start, old_lines, new_start, new_lines, .. } = self;
        format!("@@ -{old_start},{old_lines} +{new_start},{new_lines} @@")
    }

    fn head_line(&self, width: usize) -> Line {
        Line::of(self.head(), Role::DiffHunk).truncated(width)
    }
}

/// How many lines a diff adds and removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// Added lines.
    pub added: usize,
    /// Removed lines.
    pub removed: usize,
}

/// The diff of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    hunks: Vec<DiffHunk>,
}

/// What happens to lines that are too wide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WideLines {
    /// They are cut.
    Cut,
    /// They continue on the next line.
    Broken,
}

impl Diff {
    /// Makes a diff of hunks that were computed elsewhere.
    pub fn from_hunks(hunks: Vec<DiffHunk>) -> Self {
        Self { hunks }
    }

    /// Compares two texts line by line.
    ///
    /// A missing line break at the end is not a difference unless it is the only one, since old and
    /// new are often snippets.
    pub fn between(old: &str, new: &str) -> Self {
        if old == new {
            return Self::default();
        }
        let (old_lines, new_lines) = (split(old), split(new));
        if old_lines == new_lines {
            return Self::from_hunks(vec![line_break_at_end(&old_lines, new.ends_with('\n'))]);
        }
        let ops = compare(&old_lines, &new_lines);
        let groups = group_diff_ops(ops, CONTEXT);
        let hunk = |ops: &Vec<DiffOp>| hunk(ops, &old_lines, &new_lines);
        Self::from_hunks(groups.iter().map(hunk).collect())
    }

    /// Returns the hunks in order.
    pub fn hunks(&self) -> &[DiffHunk] {
        &self.hunks
    }

    /// Returns whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.hunks.is_empty()
    }

    /// Counts the changed lines.
    pub fn stat(&self) -> Stat {
        let mut stat = Stat::default();
        for line in self.hunks.iter().flat_map(|hunk| &hunk.lines) {
            match line.as_bytes().first() {
                Some(b'+') => stat.added += 1,
                Some(b'-') => stat.removed += 1,
                _ => {}
            }
        }
        stat
    }

    /// Formats the hunks as `diff -u` does, safe to show: one line of a file stays one line.
    pub fn patch(&self) -> String {
        let mut out = String::new();
        for hunk in &self.hunks {
            out.push_str(&hunk.head());
            out.push('\n');
            for line in &hunk.lines {
                out.push_str(&sanitize::clean(line).replace('\n', " "));
                out.push('\n');
            }
        }
        out
    }

    /// Draws the hunks, with old and new line numbers before each line.
    pub fn lines(&self, width: usize, wide: WideLines) -> Vec<Line> {
        let painter = DiffPainter { digits: self.number_width() };
        let mut out = Vec::new();
        for (hunk, rows) in self.rows() {
            out.push(hunk.head_line(width));
            let rows = rows.iter();
            out.extend(rows.flat_map(|row| fitted(row, &painter.numbers(row), width, wide)));
        }
        out
    }

    /// Returns how many digits the highest line number has.
    fn number_width(&self) -> usize {
        let ends = self.hunks.iter().map(|hunk| {
            let start = hunk.old_start.max(hunk.new_start);
            start.saturating_add(hunk.lines.len())
        });
        ends.max().unwrap_or(0).to_string().len()
    }
}

/// Splits a text at its line breaks; one at the end does not begin another line.
fn split(text: &str) -> Vec<&str> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    if text.is_empty() { Vec::new() } else { body.split('\n').collect() }
}

fn compare(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let shorter = old.len().min(new.len());
    let equal = |(a, b): &(&&str, &&str)| a == b;
    let prefix = old.iter().zip(new).take_while(equal).count();
    let suffix = old.iter().rev().zip(new.iter().rev());
    let suffix = suffix.take(shorter - prefix).take_while(equal).count();
    let (old_len, new_len) = (old.len() - prefix - suffix, new.len() - prefix - suffix);
    if old_len + new_len <= MAX_LINES {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let equal_at = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
    vec![
        equal_at(0, 0, prefix),
        DiffOp::Replace { old_index: prefix, old_len, new_index: prefix, new_len },
        equal_at(prefix + old_len, prefix + new_len, suffix),
    ]
}

fn hunk(ops: &[DiffOp], old: &[&str], new: &[&str]) -> DiffHunk {
    let mut lines = Vec::new();
    let mut put = |sign: char, texts: &[&str]| {
        lines.extend(texts.iter().map(|text| format!("{sign}{text}")));
    };
    for op in ops {
        match op.tag() {
            DiffTag::Equal => put(' ', &old[op.old_range()]),
            DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                put('-', &old[op.old_range()]);
                put('+', &new[op.new_range()]);
            }
        }
    }
    let cover = |range: fn(&DiffOp) -> Range<usize>| {
        let start = ops.first().map_or(0, |op| range(op).start);
        start..ops.last().map_or(0, |op| range(op).end)
    };
    let (old_range, new_range) = (cover(DiffOp::old_range), cover(DiffOp::new_range));
    DiffHunk {
        old_start: first_number(&old_range),
        old_lines: old_range.len(),
        new_start: first_number(&new_range),
        new_lines: new_range.len(),
        lines,
    }
}

/// Returns the number of the first line, or of the line before if there is none.
fn first_number(range: &Range<usize>) -> usize {
    range.start + usize::from(!range.is_empty())
}

/// Makes the hunk of two texts that differ only in the line break at their end.
fn line_break_at_end(lines: &[&str], added: bool) -> DiffHunk {
    let last = lines.last().copied().unwrap_or_default();
    let mut shown = vec![format!("-{last}"), format!("+{last}")];
    shown.insert(if added { 1 } else { 2 }, NO_NEWLINE.to_owned());
    DiffHunk {
        old_start: lines.len(),
        old_lines: 1,
        new_start: lines.len(),
        new_lines: 1,
        lines: shown,
    }
}

/// Paints line numbers.
struct DiffPainter {
    digits: usize,
}

impl DiffPainter {
    /// Paints the old and the new number of a row.
    fn numbers(&self, row: &DiffRow) -> Line {
        let mut line = self.number(row.old);
        line.append(self.number(row.new));
        line
    }

    fn number(&self, number: Option<usize>) -> Line {
        let digits = self.digits;
        let text = number.map_or(String::new(), |number| number.to_string());
        Line::of(format!("{text:>digits$} "), Role::Muted)
    }
}

/// Paints a row after its numbers, on as many lines as it needs.
fn fitted(row: &DiffRow, numbers: &Line, width: usize, wide: WideLines) -> Vec<Line> {
    let (sign, style) = sign_of(row);
    let mut first = numbers.clone();
    first.add(sign, style);
    let text = text_of(row, style);
    let fits = first.width() + text.width() <= width;
    if wide == WideLines::Cut || fits {
        first.append(text);
        return vec![first.truncated(width)];
    }
    let mut rest = Line::new();
    rest.pad(numbers.width());
    // The colour of the row continues below its sign.
    rest.add(" ".repeat(sign.len()), style);
    let lines = wrap_with(&text, width, &first, &rest);
    if lines.is_empty() { vec![first] } else { lines }
}

fn sign_of(row: &DiffRow) -> (&'static str, Style) {
    let (sign, role) = match row.kind {
        DiffRowKind::Context => (" ", Role::DiffContext),
        DiffRowKind::Removed => ("-", Role::DiffRemoved),
        DiffRowKind::Added => ("+", Role::DiffAdded),
        DiffRowKind::Remark => ("", Role::Muted),
    };
    (sign, Style::from(role))
}

/// Paints the text of a row, with its changed parts.
fn text_of(row: &DiffRow, style: Style) -> Line {
    let mut line = Line::new();
    let mut at = 0;
    for range in &row.changed {
        let changed = style.with(Emphasis::CHANGED);
        line.add(&row.text[at..range.start], style);
        line.push(TextSpan::new(&row.text[range.clone()], changed));
        at = range.end;
    }
    line.add(&row.text[at..], style);
    line
}

#[cfg(test)]
mod tests;
