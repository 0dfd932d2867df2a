//! Differences of texts as hunks, and hunks as styled lines.

mod words;

use std::ops::Range;

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

use self::words::changed_words;
use super::sanitize;
use super::style::{Line, Marks, Role, Span, Style};

/// Unchanged lines around a change.
const CONTEXT: usize = 3;
/// Lines of both texts together, without what is equal at their ends, above
/// which no search is made: the whole block counts as replaced.
const MAX_LINES: usize = 100_000;
/// Pairs of changed lines that are compared word by word.
const MAX_PAIRS: usize = 2_000;
/// Stands in a hunk behind a line that no line break ends.
const NO_NEWLINE: &str = "\\ No newline at end of file";

/// A run of changed lines with the unchanged ones around them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Number of the first line in the old text, from 1.
    pub old_start: usize,
    /// How many lines of the old text it covers.
    pub old_lines: usize,
    /// Number of the first line in the new text, from 1.
    pub new_start: usize,
    /// How many lines of the new text it covers.
    pub new_lines: usize,
    /// The lines, each behind a space, a `+`, a `-`, or a backslash for a
    /// remark.
    pub lines: Vec<String>,
}

/// How many lines a change adds and removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    /// Added lines.
    pub added: usize,
    /// Removed lines.
    pub removed: usize,
}

/// A change of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    hunks: Vec<Hunk>,
}

impl Diff {
    /// Takes hunks that someone else computed.
    pub fn from_hunks(hunks: Vec<Hunk>) -> Self {
        Self { hunks }
    }

    /// Compares two texts line by line.
    ///
    /// A missing line break at the end is no difference unless it is the only
    /// one, since old and new are often snippets.
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

    /// The hunks in order.
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// Tells whether nothing changed.
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

    /// Draws the hunks, with old and new line numbers in front of each line.
    /// Lines are not wrapped.
    pub fn lines(&self) -> Vec<Line> {
        let mut painter = Painter {
            digits: self.number_width(),
            pairs_left: MAX_PAIRS,
            old: 0,
            new: 0,
            out: Vec::new(),
        };
        for hunk in &self.hunks {
            painter.hunk(hunk);
        }
        painter.out
    }

    /// Digits of the highest line number.
    fn number_width(&self) -> usize {
        let ends = self.hunks.iter().map(|hunk| {
            let start = hunk.old_start.max(hunk.new_start);
            start.saturating_add(hunk.lines.len())
        });
        ends.max().unwrap_or(0).to_string().len()
    }
}

/// Splits a text at its line breaks; the one at the end begins no line.
fn split(text: &str) -> Vec<&str> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    if text.is_empty() {
        Vec::new()
    } else {
        body.split('\n').collect()
    }
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
    let equal_at = |old_index, new_index, len| DiffOp::Equal {
        old_index,
        new_index,
        len,
    };
    vec![
        equal_at(0, 0, prefix),
        DiffOp::Replace {
            old_index: prefix,
            old_len,
            new_index: prefix,
            new_len,
        },
        equal_at(prefix + old_len, prefix + new_len, suffix),
    ]
}

fn hunk(ops: &[DiffOp], old: &[&str], new: &[&str]) -> Hunk {
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
    Hunk {
        old_start: first_number(&old_range),
        old_lines: old_range.len(),
        new_start: first_number(&new_range),
        new_lines: new_range.len(),
        lines,
    }
}

/// The number of the first line, or of the one before if there is none.
fn first_number(range: &Range<usize>) -> usize {
    range.start + usize::from(!range.is_empty())
}

/// Makes the hunk of two texts that differ only in the break at their end.
fn line_break_at_end(lines: &[&str], added: bool) -> Hunk {
    let last = lines.last().copied().unwrap_or_default();
    let mut shown = vec![format!("-{last}"), format!("+{last}")];
    shown.insert(if added { 1 } else { 2 }, NO_NEWLINE.to_owned());
    Hunk {
        old_start: lines.len(),
        old_lines: 1,
        new_start: lines.len(),
        new_lines: 1,
        lines: shown,
    }
}

/// A changed line as it is shown.
struct Shown {
    text: String,
    /// The parts to stress, in bytes.
    changed: Vec<Range<usize>>,
}

impl Shown {
    fn new(text: &str) -> Self {
        Self {
            text: sanitize::inline(text).into_owned(),
            changed: Vec::new(),
        }
    }
}

struct Painter {
    digits: usize,
    pairs_left: usize,
    /// Numbers of the next lines.
    old: usize,
    new: usize,
    out: Vec<Line>,
}

impl Painter {
    fn hunk(&mut self, hunk: &Hunk) {
        let header = format!(
            "@@ -{},{} +{},{} @@",
            hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines
        );
        self.out.push(Line::of(header, Role::DiffHunk));
        self.old = hunk.old_start;
        self.new = hunk.new_start;
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
            let mut remark = self.gutter(None, None);
            remark.add(line, Role::Muted);
            self.out.push(remark);
            return;
        }
        let text = line.strip_prefix(' ').unwrap_or(line);
        let gutter = self.gutter(Some(self.old), Some(self.new));
        self.old = self.old.saturating_add(1);
        self.new = self.new.saturating_add(1);
        self.put(gutter, ' ', &Shown::new(text), Role::DiffContext);
    }

    /// Draws removed lines and the lines added in their place.
    fn change(&mut self, removed: &[String], added: &[String]) {
        let show = |lines: &[String]| -> Vec<Shown> {
            lines.iter().map(|line| Shown::new(&line[1..])).collect()
        };
        let (mut before, mut after) = (show(removed), show(added));
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
        for shown in &before {
            let gutter = self.gutter(Some(self.old), None);
            self.old = self.old.saturating_add(1);
            self.put(gutter, '-', shown, Role::DiffRemoved);
        }
        for shown in &after {
            let gutter = self.gutter(None, Some(self.new));
            self.new = self.new.saturating_add(1);
            self.put(gutter, '+', shown, Role::DiffAdded);
        }
    }

    fn gutter(&self, old: Option<usize>, new: Option<usize>) -> Line {
        let digits = self.digits;
        let number = |number: Option<usize>| number.map_or(String::new(), |n| n.to_string());
        let text = format!("{:>digits$} {:>digits$} ", number(old), number(new));
        Line::of(text, Role::Muted)
    }

    fn put(&mut self, mut line: Line, sign: char, shown: &Shown, role: Role) {
        let style = Style::from(role);
        line.add(sign, style);
        let mut at = 0;
        for range in &shown.changed {
            let changed = style.with(Marks::CHANGED);
            line.add(&shown.text[at..range.start], style);
            line.push(Span::new(&shown.text[range.clone()], changed));
            at = range.end;
        }
        line.add(&shown.text[at..], style);
        self.out.push(line);
    }
}

/// The lines at the front that carry this sign.
fn run_of(lines: &[String], sign: char) -> &[String] {
    let end = lines.iter().position(|line| !line.starts_with(sign));
    &lines[..end.unwrap_or(lines.len())]
}

/// Makes a carriage return visible if it is what tells two lines apart.
fn show_carriage_return(removed: &str, added: &str, old: &mut Shown, new: &mut Shown) {
    match (removed.ends_with('\r'), added.ends_with('\r')) {
        (true, false) => old.text.push('␍'),
        (false, true) => new.text.push('␍'),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
