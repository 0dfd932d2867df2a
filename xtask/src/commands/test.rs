//! `cargo xtask test`: every check a change must pass.

use anyhow::{Result, bail};

use crate::args::{XtaskCommand, is_help};
use crate::hermetic::EmptyHome;
use crate::step::{EnvChange, ProgramStep};
use crate::{packages, paths, tools};

/// The entry in the list of commands.
pub(crate) const COMMAND: XtaskCommand = XtaskCommand {
    name: "test",
    about: "Check formatting, lints and documentation, and run every test.",
    run,
};

const HELP: &str = "\
Usage: cargo xtask test

Checks formatting, lints and documentation, then runs the documentation tests
and all other tests, and stops at the first failure.

Missing system packages are installed with apt-get when this runs as root on a
Debian-like system or with CI=true; otherwise they are listed. Missing rustfmt
and clippy are added with rustup. cargo-nextest runs the tests if it is
installed.

Tests see an empty home folder, no CLAUDE_CONFIG_DIR and no XDG_* variables.
";

/// What runs the tests that are not documentation tests.
#[derive(Debug, Clone, Copy)]
enum Runner {
    Nextest,
    Cargo,
}

fn run(args: &[String]) -> Result<()> {
    match args {
        [] => check_everything(),
        [word] if is_help(word) => {
            print!("{HELP}");
            Ok(())
        }
        [word, ..] => bail!("`cargo xtask test` takes no argument, got `{word}`"),
    }
}

fn check_everything() -> Result<()> {
    packages::ensure(packages::FOR_TESTS)?;
    tools::ensure_components()?;
    let runner = if tools::has_subcommand("nextest") {
        Runner::Nextest
    } else {
        Runner::Cargo
    };
    let home = EmptyHome::create()?;
    steps(runner, &home.surroundings())
        .into_iter()
        .try_for_each(|step| step.within(paths::root()).run())
}

/// The checks, cheapest first. The runner comes last because its summary is
/// what a reader looks for at the end of the output.
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

    #[test]
    fn arguments_are_refused() {
        let error = run(&["--fast".to_owned()]).expect_err("must fail");
        assert_eq!(
            error.to_string(),
            "`cargo xtask test` takes no argument, got `--fast`"
        );
    }
}
