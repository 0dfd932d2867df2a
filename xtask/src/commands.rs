//! The command line, with one module for each command.

mod bench;
mod deny;
mod fuzz;
mod real_client;
mod soak;
mod test;

use anyhow::Result;
use clap::{Args, Parser, value_parser};

/// How long a test or a fuzz target runs by default, in seconds.
const DEFAULT_SECONDS: u64 = 60;

/// Tasks of the project.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
pub(crate) enum Xtask {
    /// Check formatting, lints and documentation, and run every test.
    ///
    /// The documentation tests run before the other tests; the first failure ends the run.
    ///
    /// Missing system packages are installed with apt-get when this runs as root on a
    /// Debian-like system or with CI=true; otherwise they are listed. Missing rustfmt and clippy
    /// are added with rustup. cargo-nextest runs the tests if it is installed.
    ///
    /// Tests see an empty home folder, no `CLAUDE_CONFIG_DIR` and no `XDG_*` variables.
    Test,
    Soak(soak::SoakArgs),
    Deny(deny::DenyCheckArgs),
    Fuzz(fuzz::FuzzArgs),
    RealClient(real_client::RealClientArgs),
    /// Run the benchmarks; every argument goes to the benchmark program.
    #[command(disable_help_flag = true)]
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
}

impl Xtask {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<()> {
        match self {
            Self::Test => test::run(),
            Self::Soak(args) => soak::run(&args),
            Self::Deny(args) => deny::run(&args),
            Self::Fuzz(args) => fuzz::run(args),
            Self::RealClient(args) => real_client::run(args),
            Self::Bench { args } => bench::run(&args),
        }
    }
}

/// When a test or a fuzz target stops; whichever comes first.
#[derive(Debug, Clone, Copy, Args)]
struct Limits {
    /// Stop each one after N seconds [default: 60, unless --runs]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    seconds: Option<u64>,
    /// Stop each one after N runs
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    runs: Option<u64>,
}

impl Limits {
    /// Returns the limit in seconds, which has a default if there is no limit on runs.
    fn seconds(self) -> Option<u64> {
        self.seconds.or_else(|| self.runs.is_none().then_some(DEFAULT_SECONDS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a command line.
    pub(super) fn parsed(line: &str) -> Xtask {
        let words = line.split_whitespace();
        Xtask::try_parse_from(["xtask"].into_iter().chain(words)).expect(line)
    }

    #[test]
    fn the_command_line_is_consistent() {
        <Xtask as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn numbers_are_above_zero_and_targets_single() {
        for line in ["fuzz --seconds 0", "soak --runs many", "fuzz a b", "test x"] {
            let words = ["xtask"].into_iter().chain(line.split_whitespace());
            assert!(Xtask::try_parse_from(words).is_err(), "{line}");
        }
    }
}
