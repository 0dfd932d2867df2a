//! A column layout for lists: fits rows of styled cells into a width.

use std::iter;

use super::style::Line;

/// The columns between two cells.
const GAP: usize = 2;
/// The widest layout, whatever width is asked for.
const MAX_WIDTH: usize = 4096;

/// The side of its column to which a cell is aligned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// At the left.
    #[default]
    Left,
    /// At the right, for numbers.
    Right,
}

/// How one column adapts to the available width.
#[derive(Clone, Debug)]
pub struct Column {
    align: Align,
    /// Its minimum width; that of its widest cell if `None`.
    min: Option<usize>,
    max: usize,
    priority: u8,
    flexible: bool,
}

impl Column {
    /// Makes a column that is as wide as its widest cell.
    pub fn new(align: Align) -> Self {
        Self { align, min: None, max: usize::MAX, priority: u8::MAX, flexible: false }
    }

    /// Allows the column to shrink to `min` columns.
    #[must_use]
    pub fn min(mut self, min: usize) -> Self {
        self.min = Some(min);
        self
    }

    /// Cuts cells that are wider than `max` columns.
    #[must_use]
    pub fn max(mut self, max: usize) -> Self {
        self.max = max;
        self
    }

    /// Sets the priority. Columns of low priority shrink first and are dropped first; those of the
    /// highest priority are never dropped.
    #[must_use]
    pub fn priority(mut self, priority: u8) -> Self {
        self.priority = priority;
        self
    }

    /// Makes this the column that shrinks before all others and takes the remaining width.
    #[must_use]
    pub fn flexible(mut self) -> Self {
        self.flexible = true;
        self
    }
}

/// Rows of cells in a set of columns.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Line>>,
}

impl Table {
    /// Makes a table without rows.
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Appends a row, one cell for each column. A head is a row like any other.
    pub fn row(&mut self, cells: Vec<Line>) {
        self.rows.push(cells);
    }

    /// Draws the rows, none wider than `width` columns.
    pub fn lines(&self, width: usize) -> Vec<Line> {
        let mut fitting = ColumnMeasurer::new(self.columns.clone());
        for row in &self.rows {
            fitting.measure(row);
        }
        let fitted = fitting.fit(width);
        self.rows.iter().map(|row| fitted.draw(row.clone())).collect()
    }
}

/// Measures the cells of columns, for tables with too many rows to be kept in memory.
#[derive(Clone, Debug)]
pub struct ColumnMeasurer {
    columns: Vec<Column>,
    /// The widest cell of each column so far.
    widest: Vec<usize>,
}

impl ColumnMeasurer {
    /// Begins to measure the cells of columns.
    pub fn new(columns: Vec<Column>) -> Self {
        let widest = vec![0; columns.len()];
        Self { columns, widest }
    }

    /// Measures the cells of a row.
    pub fn measure(&mut self, row: &[Line]) {
        for (width, cell) in self.widest.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }

    /// Adds the measurements of another `ColumnMeasurer`.
    #[must_use]
    pub fn with(mut self, other: &Self) -> Self {
        for (width, other) in self.widest.iter_mut().zip(&other.widest) {
            *width = (*other).max(*width);
        }
        self
    }

    /// Removes the columns that are not marked.
    #[must_use]
    pub fn only(mut self, marked: &[bool]) -> Self {
        let mut marks = marked.iter();
        self.columns.retain(|_| marks.next() == Some(&true));
        let mut marks = marked.iter();
        self.widest.retain(|_| marks.next() == Some(&true));
        self
    }

    /// Assigns widths to the columns, so that no row is wider than `width` columns.
    pub fn fit(self, width: usize) -> ColumnLayout {
        ColumnLayout { widths: self.widths(width.min(MAX_WIDTH)), columns: self.columns, width }
    }

    fn widths(&self, total: usize) -> Vec<Option<usize>> {
        let natural = self.natural();
        let min = |index: usize| {
            let natural = natural[index];
            self.columns[index].min.map_or(natural, |m| m.min(natural))
        };
        // Columns are dropped until the minimum widths of the others fit.
        let mut kept: Vec<usize> = (0..self.columns.len()).collect();
        while needed(kept.iter().map(|index| min(*index))) > total {
            match self.least(&kept) {
                Some(at) => kept.remove(at),
                None => break,
            };
        }
        let mut widths = vec![None; self.columns.len()];
        for index in &kept {
            widths[*index] = Some(natural[*index]);
        }
        let wanted = needed(widths.iter().flatten().copied());
        if wanted > total {
            self.shrink(&mut widths, wanted - total, min);
        } else {
            self.stretch(&mut widths, total - wanted);
        }
        widths
    }

    /// Returns the widths that the columns would have with enough room.
    fn natural(&self) -> Vec<usize> {
        let widest = self.widest.iter().zip(&self.columns);
        widest.map(|(&width, column)| column.max.min(width)).collect()
    }

    /// Returns the position of the column to drop next: the last one of the lowest priority, unless
    /// that is the highest priority of all.
    fn least(&self, kept: &[usize]) -> Option<usize> {
        let priority = |index: &usize| self.columns[*index].priority;
        let highest = self.columns.iter().map(|column| column.priority).max()?;
        let lowest = kept.iter().map(priority).min()?;
        let at = kept.iter().rposition(|index| priority(index) == lowest)?;
        (lowest < highest).then_some(at)
    }

    /// Removes `excess` from the widths: first from the flexible column, then from those of low
    /// priority.
    fn shrink(&self, widths: &mut [Option<usize>], excess: usize, min: impl Fn(usize) -> usize) {
        let mut excess = excess;
        let mut order: Vec<usize> = (0..widths.len()).collect();
        order.sort_by_key(|index| {
            let column = &self.columns[*index];
            (!column.flexible, column.priority)
        });
        for index in order {
            if let Some(width) = &mut widths[index] {
                let taken = excess.min(width.saturating_sub(min(index)));
                *width -= taken;
                excess -= taken;
            }
        }
    }

    fn stretch(&self, widths: &mut [Option<usize>], slack: usize) {
        let flexible = self.columns.iter().position(|column| column.flexible);
        if let Some(width) = flexible.and_then(|index| widths[index].as_mut()) {
            *width += slack;
        }
    }
}

/// Columns with their widths, which draw any number of rows.
#[derive(Clone, Debug)]
pub struct ColumnLayout {
    columns: Vec<Column>,
    /// The width of each column; `None` for a dropped column.
    widths: Vec<Option<usize>>,
    width: usize,
}

impl ColumnLayout {
    /// Draws one row.
    pub fn draw(&self, row: impl IntoIterator<Item = Line>) -> Line {
        // Each cell is followed by a gap.
        let mut line = Line::with_capacity(2 * self.columns.len());
        let mut first = true;
        let cells = row.into_iter().chain(iter::repeat_with(Line::new));
        for ((column, width), cell) in self.columns.iter().zip(&self.widths).zip(cells) {
            let Some(width) = *width else {
                continue;
            };
            if !std::mem::take(&mut first) {
                line.pad(GAP);
            }
            let cell = cell.truncated(width);
            let free = width.saturating_sub(cell.width());
            match column.align {
                Align::Left => line.append(cell).pad(free),
                Align::Right => line.pad(free).append(cell),
            };
        }
        line.trimmed_end().truncated(self.width)
    }
}

/// Returns the total width of cells with the gaps between them.
fn needed(widths: impl Iterator<Item = usize>) -> usize {
    let (count, sum) =
        widths.fold((0usize, 0usize), |(n, s), width| (n + 1, s.saturating_add(width)));
    sum.saturating_add(GAP * count.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Makes a table of id, title (flexible), branch (dropped first), tokens.
    fn sample() -> Table {
        let mut table = Table::new(vec![
            Column::new(Align::Left),
            Column::new(Align::Left).min(6).flexible(),
            Column::new(Align::Left).min(3).priority(1),
            Column::new(Align::Right).priority(2),
        ]);
        for row in [
            ["id", "title", "branch", "tokens"],
            ["a1", "Fix the parser", "main", "12.4k"],
            ["b2", "漢字漢字漢字", "feature/x", "9"],
        ] {
            table.row(row.map(Line::from).to_vec());
        }
        table
    }

    #[test]
    fn rows_fit_at_every_width() {
        let cases = [
            (
                44,
                [
                    "id  title                  branch     tokens",
                    "a1  Fix the parser         main        12.4k",
                    "b2  漢字漢字漢字           feature/x       9",
                ],
            ),
            (
                32,
                [
                    "id  title      branch     tokens",
                    "a1  Fix the …  main        12.4k",
                    "b2  漢字漢字…  feature/x       9",
                ],
            ),
            (
                25,
                [
                    "id  title   bran…  tokens",
                    "a1  Fix t…  main    12.4k",
                    "b2  漢字…   feat…       9",
                ],
            ),
            (22, ["id  title       tokens", "a1  Fix the p…   12.4k", "b2  漢字漢字…        9"]),
            (10, ["id  title", "a1  Fix t…", "b2  漢字…"]),
            (3, ["id…", "a1…", "b2…"]),
            (0, ["", "", ""]),
        ];
        for (width, expected) in cases {
            let lines: Vec<_> = sample().lines(width).iter().map(Line::plain).collect();
            assert_eq!(lines, expected, "at {width}");
        }
    }

    #[test]
    fn a_flexible_column_takes_what_is_left() {
        for width in [44, 60, 100] {
            assert_eq!(sample().lines(width)[0].width(), width);
        }
        assert_eq!(sample().lines(usize::MAX)[0].width(), MAX_WIDTH);
    }

    proptest! {
        #[test]
        fn lines_never_exceed_the_width(
            rows in proptest::collection::vec(proptest::collection::vec(any::<String>(), 0..5), 0..5),
            columns in proptest::collection::vec((any::<bool>(), 0usize..8, 0u8..4, any::<bool>()), 0..5),
            width in 0usize..60,
        ) {
            let columns = columns.into_iter().map(|(right, min, priority, flexible)| {
                let align = if right { Align::Right } else { Align::Left };
                let column = Column::new(align).min(min).priority(priority);
                if flexible { column.flexible() } else { column }
            });
            let mut table = Table::new(columns.collect());
            for row in rows {
                table.row(row.into_iter().map(|text| Line::from(text.as_str())).collect());
            }
            for line in table.lines(width) {
                prop_assert!(line.width() <= width);
            }
        }
    }
}
