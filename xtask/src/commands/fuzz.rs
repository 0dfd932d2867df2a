//! `cargo xtask fuzz`: runs the fuzz targets and sums up what they found.

mod args;
mod report;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use self::args::{FuzzRequest, Limits};
use self::report::FuzzReport;
use crate::args::XtaskCommand;
use crate::step::ProgramStep;
use crate::{packages, paths, tools};

/// The entry in the list of commands.
pub(crate) const COMMAND: XtaskCommand = XtaskCommand {
    name: "fuzz",
    about: "Run the fuzz targets, or one of them, for a while.",
    run,
};

const HELP: &str = "\
Usage: cargo xtask fuzz [TARGET] [--seconds N] [--runs N]

Runs one target of fuzz/fuzz_targets, or all of them, with cargo-fuzz on the
stable toolchain, and prints executions and findings of each. cargo-fuzz is
installed if it is missing.

Options:
  --seconds N  Stop each target after N seconds [default: 60, unless --runs]
  --runs N     Stop each target after N executions
";

fn run(args: &[String]) -> Result<()> {
    match args::parse(args)? {
        FuzzRequest::Help => {
            print!("{HELP}");
            Ok(())
        }
        FuzzRequest::Run { target, limits } => {
            let known = targets(&paths::root().join("fuzz/fuzz_targets"))?;
            fuzz(&choose(known, target)?, limits)
        }
    }
}

/// Names the targets in a folder: one per Rust file.
fn targets(folder: &Path) -> Result<Vec<String>> {
    ensure!(
        folder.is_dir(),
        "there are no fuzz targets here: {} does not exist",
        folder.display()
    );
    let mut names = Vec::new();
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "rs") {
            names.extend(file.file_stem().map(|stem| stem.to_string_lossy().into()));
        }
    }
    ensure!(!names.is_empty(), "no fuzz target in {}", folder.display());
    names.sort();
    Ok(names)
}

/// The wanted target if there is such a one, or all of them.
fn choose(known: Vec<String>, wanted: Option<String>) -> Result<Vec<String>> {
    match wanted {
        None => Ok(known),
        Some(name) if known.contains(&name) => Ok(vec![name]),
        Some(name) => bail!("no fuzz target `{name}`; there are: {}", known.join(", ")),
    }
}

/// Runs every target, also after one of them found something.
fn fuzz(targets: &[String], limits: Limits) -> Result<()> {
    packages::ensure(packages::FOR_FUZZING)?;
    tools::ensure_subcommand("fuzz")?;
    // Built first, so that a compile error is not taken for a finding.
    for target in targets {
        cargo_fuzz("build").args([target]).run()?;
    }
    let reports = targets
        .iter()
        .map(|target| fuzz_one(target, limits))
        .collect::<Result<Vec<_>>>()?;
    print!("{}", report::table(&reports));
    let bad = reports.iter().filter(|report| !report.is_clean()).count();
    ensure!(bad == 0, "{bad} of {} fuzz targets failed", reports.len());
    Ok(())
}

fn fuzz_one(target: &str, limits: Limits) -> Result<FuzzReport> {
    let mut report = FuzzReport::new(target);
    let step = cargo_fuzz("run")
        .args([target, "--"])
        .args(limits.to_flags());
    let status = step.watch(|line| report.read(line))?;
    report.finish(status);
    Ok(report)
}

/// libFuzzer needs unstable compiler flags, which the stable toolchain accepts
/// with this variable.
fn cargo_fuzz(subcommand: &str) -> ProgramStep {
    ProgramStep::cargo("fuzz")
        .args([subcommand, "--fuzz-dir", "fuzz"])
        .env("RUSTC_BOOTSTRAP", "1")
        .within(paths::root())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<String> {
        vec!["dag".to_owned(), "line".to_owned()]
    }

    #[test]
    fn one_target_or_all_of_them() {
        assert_eq!(choose(known(), None).ok(), Some(known()));
        let one = choose(known(), Some("line".to_owned()));
        assert_eq!(one.ok(), Some(vec!["line".to_owned()]));
        let none = choose(known(), Some("lime".to_owned()));
        assert_eq!(
            none.expect_err("must fail").to_string(),
            "no fuzz target `lime`; there are: dag, line"
        );
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = targets(Path::new("/nowhere/fuzz_targets")).expect_err("must fail");
        assert_eq!(
            error.to_string(),
            "there are no fuzz targets here: /nowhere/fuzz_targets does not exist"
        );
    }

    #[test]
    fn targets_are_the_rust_files_of_a_folder() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/commands/fuzz");
        assert_eq!(
            targets(&sources).expect("folder exists"),
            ["args", "report"]
        );
    }

    #[test]
    fn the_lock_file_of_the_targets_is_not_stale() {
        let read = |file: &str| fs::read_to_string(paths::root().join(file)).expect(file);
        let lock = read("fuzz/Cargo.lock");
        for package in ["unspool-model", "unspool-testkit"] {
            let manifest = read(&format!("crates/{package}/Cargo.toml"));
            let (_, wanted) = manifest.split_once("[dependencies]").expect("a section");
            let wanted = wanted.split("\n[").next().unwrap_or_default();
            let name = format!("name = \"{package}\"");
            let mut entries = lock.split("[[package]]");
            let entry = entries.find(|entry| entry.contains(&name)).expect(package);
            for line in wanted.lines().filter(|line| line.contains('=')) {
                let needed = line.split(['.', ' ']).next().unwrap_or_default();
                let is_locked = entry.contains(&format!(" \"{needed}"));
                assert!(is_locked, "fuzz/Cargo.lock: {package} needs {needed}");
            }
        }
    }
}
