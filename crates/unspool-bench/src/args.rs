//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum as _};

use crate::benches::Bench;
use crate::probe::ProbeTask;

/// Measure the project's budgets on generated logs
///
/// Exits with 1 if a budget is broken.
#[derive(Parser, Clone, Debug)]
#[command(bin_name = "cargo xtask bench", args_conflicts_with_subcommands = true)]
pub(crate) struct BenchArgs {
    /// The size of the generated logs, such as 250MB
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "1GB")]
    bytes: u64,

    /// Measure a tenth of everything: enough for a look, not for a verdict
    #[arg(long, conflicts_with = "bytes")]
    pub(crate) quick: bool,

    /// What the logs are generated from; equal seeds give equal logs
    #[arg(long, default_value_t = 7)]
    pub(crate) seed: u64,

    /// Keep the logs in this folder, and use those that a run before left there
    #[arg(long)]
    pub(crate) dir: Option<PathBuf>,

    /// Measure only this; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<Bench>,

    /// Print one JSON object instead of the table
    #[arg(long)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) inner: Option<Inner>,
}

/// What the program calls itself for.
#[derive(Subcommand, Clone, Debug)]
pub(crate) enum Inner {
    /// Perform one task and print what it took.
    #[command(hide = true)]
    Probe {
        #[arg(value_parser = read_task)]
        task: ProbeTask,
    },
}

impl BenchArgs {
    /// Returns the size of the logs to generate.
    pub(crate) fn bytes(&self) -> u64 {
        if self.quick { 100_000_000 } else { self.bytes }
    }

    /// Returns the benches to run, in the order of the table.
    pub(crate) fn benches(&self) -> Vec<Bench> {
        let all = Bench::value_variants().iter().copied();
        all.filter(|bench| self.only.is_empty() || self.only.contains(bench)).collect()
    }
}

fn read_task(json: &str) -> serde_json::Result<ProbeTask> {
    serde_json::from_str(json)
}

/// Reads a size in bytes, with or without a decimal unit.
fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit: u64 = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        other => return Err(format!("unknown unit `{other}`; use KB, MB or GB")),
    };
    let number: u64 = digits.trim().parse().map_err(|_| "not a number")?;
    number
        .checked_mul(unit)
        .filter(|&bytes| bytes >= 1_000_000)
        .ok_or_else(|| "must be between 1MB and what fits on a disk".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_decimal_units() {
        for (text, expected) in [
            ("1GB", Some(1_000_000_000)),
            ("250 mb", Some(250_000_000)),
            ("5000000", Some(5_000_000)),
            ("20KB", None),
            ("1GiB", None),
            ("GB", None),
            ("99999999999GB", None),
        ] {
            assert_eq!(parse_size(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn the_order_of_the_table_does_not_depend_on_the_arguments() {
        let args =
            |line: &str| BenchArgs::try_parse_from(line.split(' ')).map(|args| args.benches());
        let some = args("bench --only list --only memory").expect("valid");
        assert_eq!(some, [Bench::Memory, Bench::List]);
        assert_eq!(args("bench").expect("valid").len(), Bench::value_variants().len());
        assert!(args("bench --quick --bytes 1GB").is_err());
    }
}
