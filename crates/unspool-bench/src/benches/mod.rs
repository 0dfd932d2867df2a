//! The benches: one file for each line, or few lines, of the table.

mod conversation;
#[cfg(unix)]
mod drive;
mod export;
mod grow;
mod harmless;
mod linear;
mod list;
mod memory;
mod search;
mod serve;
mod show;
#[cfg(unix)]
mod terminal;

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;

use crate::args::BenchArgs;
use crate::counter::Counter;
use crate::logs::{Logs, RunFolder};
use crate::machine::{self, MachineInfo};
use crate::reference::References;
use crate::report::ReportLine;
use crate::shapes::Shapes;

/// How often a time is measured; the best counts.
const ROUNDS: usize = 5;

/// The minimal size of the logs for which the budgets are stated.
const ENOUGH_BYTES: u64 = 1_000_000_000;
const ENOUGH_FILES: u64 = 4_000;

/// The load up to which a machine counts as quiet.
const QUIET: f64 = 0.5;

/// Something to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Bench {
    Conversation,
    Memory,
    Linear,
    Grow,
    Harmless,
    List,
    Search,
    Show,
    Export,
    Serve,
    #[cfg(unix)]
    Terminal,
    /// Needs a Unix system, as driving does.
    Drive,
}

impl Bench {
    /// Returns the name that `--only` takes.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Runs the bench.
    pub(crate) fn run(self, context: &mut BenchContext) -> Result<Vec<ReportLine>> {
        match self {
            Self::Conversation => conversation::run(context),
            Self::Memory => memory::run(context),
            Self::Linear => linear::run(context),
            Self::Grow => grow::run(context),
            Self::Harmless => harmless::run(context),
            Self::List => list::run(context),
            Self::Search => search::run(context),
            Self::Show => show::run(context),
            Self::Export => export::run(context),
            Self::Serve => serve::run(context),
            #[cfg(unix)]
            Self::Terminal => terminal::run(context),
            #[cfg(unix)]
            Self::Drive => drive::run(context),
            #[cfg(not(unix))]
            Self::Drive => Ok(Vec::new()),
        }
    }
}

/// The inputs that benches share.
pub(crate) struct BenchContext {
    pub(crate) machine: MachineInfo,
    pub(crate) logs: Logs,
    pub(crate) references: References,
    pub(crate) shapes: Shapes,
    pub(crate) counter: Counter,
    /// The divisor of the sizes of extreme shapes.
    pub(crate) divisor: u64,
    /// Caveats about the results.
    pub(crate) notes: Vec<String>,
    place: RunFolder,
}

impl BenchContext {
    /// Returns the folder of the index that benches share.
    pub(crate) fn index_folder(&self) -> PathBuf {
        self.place.folder().join("index")
    }

    /// Generates the logs and measures the references.
    pub(crate) fn prepare(args: &BenchArgs) -> Result<Self> {
        let machine = MachineInfo::current();
        let load = machine::load();
        let place = RunFolder::choose(args)?;
        let logs = Logs::prepare(&place, args.seed, args.bytes())?;
        let mut notes = Vec::new();
        if let Some(load) = load.filter(|&load| load > QUIET) {
            notes.push(format!(
                "load {load} at the start: R, W, G and list go by the clock on the wall, \
                 which needs a quiet machine"
            ));
        }
        if logs.bytes < ENOUGH_BYTES || logs.files < ENOUGH_FILES {
            notes.push("a small home: the budgets are meant for 1 GB in 4,000 files".to_owned());
        }
        Ok(Self {
            machine,
            references: References::measure(&logs, machine.cores)?,
            logs,
            shapes: Shapes::in_folder(place.folder()),
            counter: Counter::detect(),
            divisor: if args.quick { 10 } else { 1 },
            notes,
            place,
        })
    }
}
