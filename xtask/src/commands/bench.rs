//! `cargo xtask bench`: runs the benchmark program.

use anyhow::{Result, ensure};

use crate::args::XtaskCommand;
use crate::paths;
use crate::step::ProgramStep;

/// The entry in the list of commands.
pub(crate) const COMMAND: XtaskCommand = XtaskCommand {
    name: "bench",
    about: "Run the benchmarks; every argument goes to the benchmark program.",
    run,
};

fn run(args: &[String]) -> Result<()> {
    let package = paths::root().join("crates/unspool-bench");
    ensure!(
        package.join("Cargo.toml").is_file(),
        "there are no benchmarks here: {} contains no package",
        package.display()
    );
    ProgramStep::cargo("build --profile dist --package unspool").run()?;
    step(args).run()
}

/// Runs in the current folder, so that relative paths in `args` mean what the
/// user typed.
fn step(args: &[String]) -> ProgramStep {
    ProgramStep::cargo("run --profile dist --package unspool-bench --").args(args)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_go_through_untouched() {
        let args = ["--help".to_owned(), "a b".to_owned()];
        assert_eq!(
            step(&args).to_string(),
            "cargo run --profile dist --package unspool-bench -- --help 'a b'"
        );
    }
}
