//! `cargo xtask soak`: tests that search for rare faults, for any time.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::{Args, value_parser};

use super::Limits;
use crate::step::{EnvChange, ProgramStep};
use crate::{hermetic, packages, paths};

/// Kill, change and compare at random for a while.
///
/// Runs the tests that `cargo xtask test` leaves out because they can go on for ever: programs
/// killed at hundreds of writes, homes changed step by step. Each round prints its seed, and a
/// round that failed happens again with `--seed ITS_SEED --runs 1`.
///
/// Driven sessions are killed by count, not by time: supervisors and servers at 100 moments, hosts
/// at 50 (`UNSPOOL_MOMENTS` sets another number), drawn by the first seed. The test
/// `killed_` selects these alone.
#[derive(Debug, Args)]
pub(crate) struct SoakArgs {
    /// Only tests whose names contain this
    test: Option<String>,
    /// Begin with this seed [default: a new one]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    seed: Option<u64>,
    #[command(flatten)]
    limits: Limits,
}

/// Runs the tests in an empty home.
pub(super) fn run(args: &SoakArgs) -> Result<()> {
    packages::ensure(packages::FOR_TESTS)?;
    let home = hermetic::empty_home()?;
    let seed = args.seed.unwrap_or_else(new_seed);
    eprintln!("seed {seed}");
    // The tests of driving kill a program that is an example.
    ProgramStep::cargo("build --workspace --examples --locked").within(paths::root()).run()?;
    step(args, seed, hermetic::surroundings(home.path())).within(paths::root()).run()
}

/// Returns a seed that differs from that of the last run; small, so that it is easy to type.
fn new_seed() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
    since_epoch.map_or(1, |time| 1 + time.as_secs() % 100_000_000)
}

/// Returns the step that runs all ignored tests, one after the other.
/// `crates/unspool-testkit/src/soak.rs` reads the variables.
fn step(args: &SoakArgs, seed: u64, surroundings: Vec<EnvChange>) -> ProgramStep {
    let mut variables = surroundings;
    let mut set = |name: &str, value: Option<u64>| {
        let value = value.map(|value| value.to_string().into());
        variables.push((name.into(), value));
    };
    set("UNSPOOL_SOAK_SEED", Some(seed));
    set("UNSPOOL_SOAK_SECONDS", args.limits.seconds());
    set("UNSPOOL_SOAK_RUNS", args.limits.runs);
    ProgramStep::cargo("test --workspace --tests --locked --")
        .args(["--ignored", "--nocapture", "--test-threads=1"])
        .args(args.test.as_deref())
        .surrounded_by(variables)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::Xtask;
    use crate::commands::tests::parsed;

    #[test]
    fn one_test_or_all_of_them_one_by_one() {
        let line = |words: &str| match parsed(words) {
            Xtask::Soak(args) => step(&args, 1, Vec::new()).to_string(),
            other => unreachable!("{other:?}"),
        };
        let all =
            "cargo test --workspace --tests --locked -- --ignored --nocapture --test-threads=1";
        assert_eq!(line("soak --seconds 5"), all);
        assert_eq!(line("soak --seed 7 kills --runs=3"), format!("{all} kills"));
    }
}
