//! Searching: building the full text, querying it, and scanning the logs instead.

use anyhow::Result;

use super::list::size_of;
use super::{BenchContext, ROUNDS};
use crate::logs::remove;
use crate::probe::ProbeTask;
use crate::program::Program;
use crate::quantity::Quantity;
use crate::reference::grep;
use crate::report::{Budget, ReportLine};
use crate::stopwatch::{Lap, middle};

/// How often the full text is built. The median counts: with few runs that take seconds, on a
/// shared machine, the best one is luck.
const BUILDS: usize = 5;

/// Questions, from one rare word to a sentence of common ones.
const QUESTIONS: [&[&str]; 4] = [
    &["the error in the test of the parser"],
    &["how do I make the build of this project work again after the update"],
    &["+config", "tool:Bash"],
    &["parse_config"],
];

/// The patterns of scans: a rare word, a common one, an expression, and a word that logs may
/// write in several ways.
const PATTERNS: [(&str, &str); 4] = [
    ("rare", "zyxwvut"),
    ("common", "config"),
    ("expression", r"error\[E\d+\]"),
    ("not ASCII", "déjà"),
];

pub(super) fn run(context: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let mut lines = build(context)?;
    lines.extend(ask(context)?);
    lines.extend(scan(context)?);
    Ok(lines)
}

/// Builds the full text and its references, alternately.
fn build(context: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let home = context.logs.home().to_owned();
    let index = context.index_folder();
    let bare = index.with_file_name("bare");
    let catalogue = ProbeTask::Catalogue { home: home.clone(), index: index.clone() };
    let full_text = ProbeTask::Text { home: home.clone(), index: index.clone() };
    let fed_writer = ProbeTask::BareText { home: home.clone(), index: bare.clone() };
    let reading_writer = ProbeTask::BareLogs { home, index: bare.clone() };
    let (mut text, mut fed, mut reads) = (Builds::default(), Builds::default(), Builds::default());
    let mut peak = None;
    for _ in 0..BUILDS {
        for (task, builds) in [(&fed_writer, &mut fed), (&reading_writer, &mut reads)] {
            remove(&bare)?;
            builds.add(task.run()?.laps[0]);
        }
        remove(&bare)?;
        remove(&index)?;
        catalogue.run()?;
        let reading = full_text.run()?;
        text.add(reading.laps[0]);
        peak = peak.max(reading.peak_bytes);
    }
    let time = ReportLine::new("full text, cold", text.middle())
        .against("bare", fed.middle())
        .allowed(Budget::times(1.5));
    let best =
        ReportLine::new("full text, best", text.best()).against("best bare", fed.best()).info();
    let with_reading = ReportLine::new("full text, with reading", text.middle())
        .against("bare and reading", reads.middle())
        .info();
    let memory = ReportLine::new("full text, memory", peak.map(Quantity::bytes))
        .against("logs", Quantity::bytes(context.logs.bytes))
        .allowed(Budget::at_most(Quantity::bytes(400_000_000)));
    let size = ReportLine::new("index, size", Quantity::bytes(size_of(&index)?))
        .against("logs", Quantity::bytes(context.logs.bytes))
        .allowed(Budget::times(0.25));
    Ok(vec![time, best, with_reading, memory, size])
}

/// The wall times of some builds.
#[derive(Default)]
struct Builds(Vec<f64>);

impl Builds {
    fn add(&mut self, lap: Lap) {
        self.0.push(lap.wall);
    }

    fn best(&self) -> Quantity {
        Quantity::seconds(self.0.iter().copied().fold(f64::INFINITY, f64::min))
    }

    fn middle(&self) -> Quantity {
        Quantity::seconds(middle(self.0.clone()))
    }
}

fn ask(context: &mut BenchContext) -> Result<Vec<ReportLine>> {
    let home = context.logs.home().to_owned();
    let index = context.index_folder();
    let program = Program::new(&home, &index)?;
    let mut lines = Vec::new();
    for question in QUESTIONS {
        let args = [&["search"], question].concat();
        program.run(&args)?;
        let mut best = f64::INFINITY;
        for _ in 0..2 * ROUNDS {
            context.references.grep_again(&context.logs);
            best = best.min(program.run(&args)?);
        }
        let line =
            ReportLine::new(format!("search: {}", question.join(" ")), Quantity::seconds(best));
        lines.push(match context.references.grep {
            Some(grep) => line.against("G", Quantity::seconds(grep)).allowed(Budget::times(0.2)),
            None => line.info(),
        });
    }
    let peak = ProbeTask::Search { home, index }.run()?.peak_bytes;
    let memory = ReportLine::new("search, memory", peak.map(Quantity::bytes))
        .against("logs", Quantity::bytes(context.logs.bytes))
        .allowed(Budget::at_most(Quantity::bytes(100_000_000)));
    lines.push(memory);
    Ok(lines)
}

fn scan(context: &BenchContext) -> Result<Vec<ReportLine>> {
    let program = Program::new(context.logs.home(), &context.index_folder())?;
    let mut lines = Vec::new();
    for (name, pattern) in PATTERNS {
        let (mut ours, mut theirs) = (f64::INFINITY, None);
        for _ in 0..ROUNDS {
            ours = ours.min(program.run(&["search", "--regex", pattern])?);
            if let Some(seconds) = grep(pattern, &context.logs.home().join("projects")) {
                theirs = Some(theirs.unwrap_or(f64::INFINITY).min(seconds));
            }
        }
        let line = ReportLine::new(format!("scan: {name}"), Quantity::seconds(ours));
        lines.push(match theirs {
            Some(theirs) => {
                line.against("rg", Quantity::seconds(theirs)).allowed(Budget::times(1.5))
            }
            None => line.info(),
        });
    }
    Ok(lines)
}
