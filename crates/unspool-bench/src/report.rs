//! The table of results.

use std::fmt;

use serde::Serialize;

use crate::benches::BenchContext;
use crate::counter::Counter;
use crate::logs::Logs;
use crate::machine::MachineInfo;
use crate::quantity::Quantity;
use crate::reference::References;

/// The version of the JSON that `--json` prints.
const VERSION: u32 = 1;

/// One line of the table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ReportLine {
    pub(crate) what: String,
    /// None if it could not be measured on this machine.
    pub(crate) measured: Option<Quantity>,
    pub(crate) reference: Option<Reference>,
    pub(crate) ratio: Option<f64>,
    pub(crate) budget: Option<Budget>,
    pub(crate) within: Option<bool>,
    pub(crate) weight: BudgetWeight,
}

/// The value that a line is compared with.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Reference {
    pub(crate) name: String,
    #[serde(flatten)]
    pub(crate) quantity: Quantity,
}

/// The limit of a value: a multiple of the reference, plus a constant.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Budget {
    times: Option<f64>,
    plus: Option<Quantity>,
}

impl Budget {
    /// Allows a multiple of the reference.
    pub(crate) const fn times(times: f64) -> Self {
        Self { times: Some(times), plus: None }
    }

    /// Allows a constant, whatever the reference.
    pub(crate) const fn at_most(quantity: Quantity) -> Self {
        Self { times: None, plus: Some(quantity) }
    }

    /// Adds a constant.
    pub(crate) const fn plus(self, quantity: Quantity) -> Self {
        Self { plus: Some(quantity), ..self }
    }

    fn limit(self, reference: f64) -> f64 {
        let times = self.times.map_or(0.0, |times| times * reference);
        times + self.plus.map_or(0.0, |plus| plus.value)
    }
}

/// Whether a broken budget fails the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BudgetWeight {
    Binding,
    Info,
}

impl ReportLine {
    /// Creates a line with a result; none if it cannot be measured.
    pub(crate) fn new(what: impl Into<String>, measured: impl Into<Option<Quantity>>) -> Self {
        Self {
            what: what.into(),
            measured: measured.into(),
            reference: None,
            ratio: None,
            budget: None,
            within: None,
            weight: BudgetWeight::Binding,
        }
    }

    /// Compares the result with a reference that was measured in the same run.
    pub(crate) fn against(mut self, name: impl Into<String>, quantity: Quantity) -> Self {
        let name = name.into();
        self.ratio = self.measured.map(|measured| measured.value / quantity.value);
        self.reference = Some(Reference { name, quantity });
        self
    }

    /// Compares the result with a budget; the reference must be set before.
    pub(crate) fn allowed(mut self, budget: Budget) -> Self {
        let reference = self.reference.as_ref().map_or(0.0, |r| r.quantity.value);
        let limit = budget.limit(reference);
        self.within = self.measured.map(|measured| measured.value <= limit);
        self.budget = Some(budget);
        self
    }

    /// Makes a broken budget informational.
    pub(crate) fn info(mut self) -> Self {
        self.weight = BudgetWeight::Info;
        self
    }

    fn is_broken(&self) -> bool {
        self.weight == BudgetWeight::Binding && self.within == Some(false)
    }

    fn verdict(&self) -> &'static str {
        match (self.measured, self.weight, self.within) {
            (None, ..) => "skipped",
            (_, BudgetWeight::Binding, Some(true)) => "yes",
            (_, BudgetWeight::Binding, Some(false)) => "NO",
            (_, BudgetWeight::Info, Some(true)) => "info: yes",
            (_, BudgetWeight::Info, Some(false)) => "info: no",
            (_, _, None) => "info",
        }
    }

    fn cells(&self) -> [String; 6] {
        let text = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        let reference = self.reference.as_ref();
        [
            self.what.clone(),
            text(self.measured.map(|measured| measured.to_string())),
            text(reference.map(|r| format!("{} {}", r.name, r.quantity))),
            text(self.ratio.map(|ratio| format!("{ratio:.2}"))),
            text(self.budget.map(|budget| budget.to_string())),
            self.verdict().to_owned(),
        ]
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.times, self.plus) {
            (Some(times), Some(plus)) => write!(f, "{times} × + {plus}"),
            (Some(times), None) => write!(f, "{times} ×"),
            (None, Some(plus)) => write!(f, "{plus}"),
            (None, None) => f.write_str("-"),
        }
    }
}

/// All results of a run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct BenchReport {
    version: u32,
    /// Whether no budget is broken.
    pub(crate) ok: bool,
    machine: MachineInfo,
    logs: Logs,
    references: References,
    counter: Counter,
    lines: Vec<ReportLine>,
    /// Caveats about the results.
    notes: Vec<String>,
}

impl BenchReport {
    pub(crate) fn new(context: BenchContext, lines: Vec<ReportLine>) -> Self {
        Self {
            version: VERSION,
            ok: !lines.iter().any(ReportLine::is_broken),
            machine: context.machine,
            logs: context.logs,
            references: context.references,
            counter: context.counter,
            notes: context.notes,
            lines,
        }
    }

    fn write_head(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { logs, machine, .. } = self;
        let memory = machine.memory_bytes.map(Quantity::bytes);
        let memory = memory.map_or("unknown".to_owned(), |memory| memory.to_string());
        writeln!(f, "machine  {} cores, {memory} memory", machine.cores)?;
        writeln!(
            f,
            "logs     {} in {} files, {} sessions, {} agents, {} entries, seed {}",
            Quantity::bytes(logs.bytes),
            logs.files,
            logs.sessions,
            logs.agents,
            logs.entries,
            logs.seed
        )?;
        let References { read, json, lines, walk, grep } = self.references;
        let of = Quantity::seconds;
        writeln!(f, "R        {} to read all transcripts, a thread per core", of(read))?;
        writeln!(
            f,
            "J        {} to skip over their lines with serde_json, a thread per core",
            of(json)
        )?;
        writeln!(f, "L        {} of processor time to count their lines, one thread", of(lines))?;
        writeln!(f, "W        {} to walk and stat all files", of(walk))?;
        match grep {
            Some(grep) => writeln!(f, "G        {} for `rg -c` of a rare word", of(grep))?,
            None => writeln!(f, "G        - (no `rg` here)")?,
        }
        writeln!(f, "linear   {}", self.counter.describe())
    }
}

/// The titles of the columns.
const TITLES: [&str; 6] = ["what", "measured", "reference", "ratio", "budget", "within?"];

impl fmt::Display for BenchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_head(f)?;
        writeln!(f)?;
        let mut rows = vec![TITLES.map(str::to_owned)];
        rows.extend(self.lines.iter().map(ReportLine::cells));
        f.write_str(&table(&rows))?;
        for note in &self.notes {
            writeln!(f, "\nnote: {note}")?;
        }
        Ok(())
    }
}

/// Aligns the columns; numbers to the right.
fn table(rows: &[[String; 6]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..6).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let gap = " ".repeat(widths[column] - cell.chars().count());
            let (before, following) =
                if matches!(column, 1 | 3) { (gap.as_str(), "") } else { ("", gap.as_str()) };
            line.extend([before, cell, following, "  "]);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(measured: f64, reference: f64, budget: Budget) -> ReportLine {
        ReportLine::new("x", Quantity::seconds(measured))
            .against("L", Quantity::seconds(reference))
            .allowed(budget)
    }

    #[test]
    fn a_budget_is_broken_above_its_limit() {
        let plus = Budget::times(1.5).plus(Quantity::bytes(50));
        for (measured, reference, budget, verdict) in [
            (7.9, 1.0, Budget::times(8.0), "yes"),
            (8.1, 1.0, Budget::times(8.0), "NO"),
            (200.0, 100.0, plus, "yes"),
            (201.0, 100.0, plus, "NO"),
            (3.0, 1.0, Budget::at_most(Quantity::bytes(2)), "NO"),
        ] {
            let line = line(measured, reference, budget);
            assert_eq!(line.verdict(), verdict, "{line:?}");
            assert_eq!(line.is_broken(), verdict == "NO");
            assert!(!line.info().is_broken());
        }
        assert_eq!(ReportLine::new("x", None).verdict(), "skipped");
    }

    #[test]
    fn columns_are_lined_up() {
        let rows = [TITLES.map(str::to_owned), line(0.5, 0.25, Budget::times(8.0)).cells()];
        assert_eq!(
            table(&rows),
            "what  measured  reference  ratio  budget  within?\n\
             x      0.500 s  L 0.250 s   2.00  8 ×     yes\n"
        );
    }
}
