//! `cargo xtask soak`: tests that look for rare faults, for as long as one likes.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail, ensure};

use crate::args::{XtaskCommand, is_help, number};
use crate::hermetic::EmptyHome;
use crate::step::{EnvChange, ProgramStep};
use crate::{packages, paths};

/// The entry in the list of commands.
pub(crate) const COMMAND: XtaskCommand = XtaskCommand {
    name: "soak",
    about: "Kill, change and compare at random for a while.",
    run,
};

const HELP: &str = "\
Usage: cargo xtask soak [TEST] [--seed N] [--seconds N] [--runs N]

Runs the tests that `cargo xtask test` leaves out because they can go on for
ever: programs killed at hundreds of writes, homes changed step by step. With
TEST, only those whose name contains it. Each round prints its seed.

Driven sessions are killed by count, not by time: supervisors and servers at
100 moments, hosts at 50 (UNSPOOL_MOMENTS sets another number), drawn by the
first seed.
`cargo xtask soak killed_` runs these alone.

Options:
  --seed N     Begin with this seed [default: a new one]
  --seconds N  Begin no round after N seconds of a test [default: 60, unless --runs]
  --runs N     Stop each test after N rounds

A round that failed happens again with `--seed ITS_SEED --runs 1`.
";

/// How long a test goes on if nothing is said.
const DEFAULT_SECONDS: u64 = 60;

/// What the command line asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct SoakPlan {
    /// A part of the names of the tests.
    test: Option<String>,
    seed: Option<u64>,
    seconds: Option<u64>,
    runs: Option<u64>,
}

fn run(words: &[String]) -> Result<()> {
    if words.iter().any(|word| is_help(word)) {
        print!("{HELP}");
        return Ok(());
    }
    let plan = parse(words)?;
    packages::ensure(packages::FOR_TESTS)?;
    let home = EmptyHome::create()?;
    let seed = plan.seed.unwrap_or_else(new_seed);
    eprintln!("seed {seed}");
    // Tests of driving kill a program that is an example.
    ProgramStep::cargo("build --workspace --examples --locked")
        .within(paths::root())
        .run()?;
    step(&plan, seed, home.surroundings())
        .within(paths::root())
        .run()
}

/// Reads `[TEST] [--seed N] [--seconds N] [--runs N]` in any order.
fn parse(words: &[String]) -> Result<SoakPlan> {
    let mut plan = SoakPlan::default();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let (flag, attached) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (word, None),
        };
        let option = match flag {
            "--seed" => &mut plan.seed,
            "--seconds" => &mut plan.seconds,
            "--runs" => &mut plan.runs,
            _ if word.starts_with('-') => bail!("`cargo xtask soak` has no option `{word}`"),
            _ => {
                ensure!(plan.test.is_none(), "more than one test: `{word}`");
                plan.test = Some(word.to_owned());
                continue;
            }
        };
        *option = Some(number(flag, attached.or_else(|| words.next()))?);
    }
    Ok(plan)
}

/// A seed that is unlike the one of the last run. Small, so that it is easily typed.
fn new_seed() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH);
    since_epoch.map_or(1, |time| 1 + time.as_secs() % 100_000_000)
}

/// All ignored tests, one after the other. `crates/unspool-testkit/src/soak.rs` reads the
/// variables.
fn step(plan: &SoakPlan, seed: u64, surroundings: Vec<EnvChange>) -> ProgramStep {
    let seconds = match plan {
        SoakPlan {
            seconds: None,
            runs: None,
            ..
        } => Some(DEFAULT_SECONDS),
        _ => plan.seconds,
    };
    let mut variables = surroundings;
    let mut set = |name: &str, value: Option<u64>| {
        let value = value.map(|value| value.to_string().into());
        variables.push((name.into(), value));
    };
    set("UNSPOOL_SOAK_SEED", Some(seed));
    set("UNSPOOL_SOAK_SECONDS", seconds);
    set("UNSPOOL_SOAK_RUNS", plan.runs);
    ProgramStep::cargo("test --workspace --tests --locked --")
        .args(["--ignored", "--nocapture", "--test-threads=1"])
        .args(plan.test.as_deref())
        .surrounded_by(variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(line: &str) -> Result<SoakPlan> {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        parse(&words)
    }

    #[test]
    fn words_may_be_in_any_order() {
        let plan = planned("--seed 7 kills --runs=3").expect("a plan");
        let expected = SoakPlan {
            test: Some("kills".to_owned()),
            seed: Some(7),
            seconds: None,
            runs: Some(3),
        };
        assert_eq!(plan, expected);
        let error = planned("--fast").expect_err("must fail");
        assert_eq!(
            error.to_string(),
            "`cargo xtask soak` has no option `--fast`"
        );
        let error = planned("a b").expect_err("must fail");
        assert_eq!(error.to_string(), "more than one test: `b`");
    }

    #[test]
    fn one_test_or_all_of_them_one_by_one() {
        let line = |plan: &str| step(&planned(plan).expect("a plan"), 1, Vec::new()).to_string();
        let all =
            "cargo test --workspace --tests --locked -- --ignored --nocapture --test-threads=1";
        assert_eq!(line("--seconds 5"), all);
        assert_eq!(line("kills"), format!("{all} kills"));
    }
}
