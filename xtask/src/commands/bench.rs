//! `cargo xtask bench`: runs the benchmark program.

use anyhow::{Result, ensure};

use crate::paths;
use crate::step::ProgramStep;

/// Builds the program and the benchmarks, and runs them.
pub(super) fn run(args: &[String]) -> Result<()> {
    let package = paths::root().join("crates/unspool-bench");
    ensure!(
        package.join("Cargo.toml").is_file(),
        "there are no benchmarks here: {} contains no package",
        package.display()
    );
    ProgramStep::cargo("build --profile dist --package unspool").run()?;
    step(args).run()
}

/// Returns the step that runs the benchmarks: in the current folder, so that relative paths in
/// `args` are those of the user.
fn step(args: &[String]) -> ProgramStep {
    ProgramStep::cargo("run --profile dist --package unspool-bench --").args(args)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::commands::Xtask;

    #[test]
    fn arguments_go_through_untouched() {
        let words = ["xtask", "bench", "--help", "a b", "--only", "list"];
        let Ok(Xtask::Bench { args }) = Xtask::try_parse_from(words) else {
            unreachable!("the words of a bench");
        };
        assert_eq!(
            step(&args).to_string(),
            "cargo run --profile dist --package unspool-bench -- --help 'a b' --only list"
        );
    }
}
