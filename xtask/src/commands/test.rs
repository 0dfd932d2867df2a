//! `cargo xtask test`: every check a change must pass.

use anyhow::Result;

use crate::step::{EnvChange, ProgramStep};
use crate::{hermetic, packages, paths, tools};

/// The program that runs all tests but the documentation tests.
#[derive(Debug, Clone, Copy)]
enum Runner {
    Nextest,
    Cargo,
}

/// Runs all checks.
pub(super) fn run() -> Result<()> {
    packages::ensure(packages::FOR_TESTS)?;
    tools::ensure_components()?;
    let runner = if tools::has_subcommand("nextest") { Runner::Nextest } else { Runner::Cargo };
    let home = hermetic::empty_home()?;
    steps(runner, &hermetic::surroundings(home.path()))
        .into_iter()
        .try_for_each(|step| step.within(paths::root()).run())
}

/// Returns the checks, cheapest first. The test runner comes last because readers look for its
/// summary at the end of the output.
fn steps(runner: Runner, surroundings: &[EnvChange]) -> Vec<ProgramStep> {
    let tests = match runner {
        Runner::Nextest => "nextest run --workspace --locked",
        Runner::Cargo => "test --workspace --all-targets --locked",
    };
    vec![
        ProgramStep::cargo("fmt --all --check"),
        ProgramStep::cargo("clippy --workspace --all-targets --locked -- -D warnings"),
        ProgramStep::cargo("doc --workspace --no-deps --document-private-items --locked")
            .env("RUSTDOCFLAGS", "-D warnings"),
        ProgramStep::cargo("test --workspace --doc --locked").surrounded_by(surroundings.to_vec()),
        ProgramStep::cargo(tests).surrounded_by(surroundings.to_vec()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runner_is_the_last_step() {
        let last = |runner| steps(runner, &[]).pop().map(|step| step.to_string());
        assert_eq!(
            last(Runner::Nextest).as_deref(),
            Some("cargo nextest run --workspace --locked")
        );
        assert_eq!(
            last(Runner::Cargo).as_deref(),
            Some("cargo test --workspace --all-targets --locked")
        );
    }

    #[test]
    fn every_step_but_formatting_respects_the_lock_file() {
        for step in &steps(Runner::Nextest, &[])[1..] {
            assert!(step.to_string().contains(" --locked"), "{step}");
        }
    }
}
