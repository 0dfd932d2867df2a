//! `cargo xtask fuzz`: runs the fuzz targets and summarises their findings.

mod report;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use self::report::FuzzReport;
use super::Limits;
use crate::step::ProgramStep;
use crate::{packages, paths, tools};

/// Run the fuzz targets, or one of them, for a while.
///
/// Runs the targets of `fuzz/fuzz_targets` with cargo-fuzz on the stable toolchain, and prints
/// executions and findings of each. cargo-fuzz is installed if it is missing.
#[derive(Debug, Args)]
pub(crate) struct FuzzArgs {
    /// The one target to run
    target: Option<String>,
    #[command(flatten)]
    limits: Limits,
}

/// Runs one target, or all of them.
pub(super) fn run(args: FuzzArgs) -> Result<()> {
    let known = targets(&paths::root().join("fuzz/fuzz_targets"))?;
    fuzz(&choose(known, args.target)?, args.limits)
}

/// Returns the names of the targets in a folder: one for each Rust file.
fn targets(folder: &Path) -> Result<Vec<String>> {
    ensure!(folder.is_dir(), "there are no fuzz targets here: {} does not exist", folder.display());
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

/// Returns the wanted target if it exists, or all of them.
fn choose(known: Vec<String>, wanted: Option<String>) -> Result<Vec<String>> {
    match wanted {
        None => Ok(known),
        Some(name) if known.contains(&name) => Ok(vec![name]),
        Some(name) => bail!("no fuzz target `{name}`; there are: {}", known.join(", ")),
    }
}

/// Runs every target, even after a finding.
fn fuzz(targets: &[String], limits: Limits) -> Result<()> {
    packages::ensure(packages::FOR_FUZZING)?;
    tools::ensure_subcommand("fuzz")?;
    // Built first, so that a compile error is not taken for a finding.
    for target in targets {
        cargo_fuzz("build").args([target]).run()?;
    }
    let reports =
        targets.iter().map(|target| fuzz_one(target, limits)).collect::<Result<Vec<_>>>()?;
    print!("{}", report::table(&reports));
    let bad = reports.iter().filter(|report| !report.is_clean()).count();
    ensure!(bad == 0, "{bad} of {} fuzz targets failed", reports.len());
    Ok(())
}

fn fuzz_one(target: &str, limits: Limits) -> Result<FuzzReport> {
    let mut report = FuzzReport::new(target);
    let step = cargo_fuzz("run").args([target, "--"]).args(to_flags(limits));
    let status = step.watch(|line| report.read(line))?;
    report.finish(status);
    Ok(report)
}

/// Returns the flags for libFuzzer, which always include a limit.
fn to_flags(limits: Limits) -> Vec<String> {
    let mut flags = vec!["-print_final_stats=1".to_owned(), "-dict=fuzz/log.dict".to_owned()];
    flags.extend(limits.seconds().map(|n| format!("-max_total_time={n}")));
    flags.extend(limits.runs.map(|n| format!("-runs={n}")));
    flags
}

/// Returns a step that runs cargo-fuzz. libFuzzer needs unstable compiler flags, which the stable
/// toolchain accepts with this variable.
fn cargo_fuzz(subcommand: &str) -> ProgramStep {
    ProgramStep::cargo("fuzz")
        .args([subcommand, "--fuzz-dir", "fuzz"])
        .env("RUSTC_BOOTSTRAP", "1")
        .within(paths::root())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::Xtask;
    use crate::commands::tests::parsed;

    fn known() -> Vec<String> {
        vec!["dag".to_owned(), "line".to_owned()]
    }

    #[test]
    fn target_and_limits_in_any_order() {
        let check = |line: &str, expected: &str| {
            let Xtask::Fuzz(args) = parsed(line) else {
                unreachable!("{line}");
            };
            let target = args.target.as_deref().unwrap_or("all");
            let flags = to_flags(args.limits)[2..].join(" ");
            assert_eq!(format!("{target} {flags}"), expected, "{line}");
        };
        check("fuzz", "all -max_total_time=60");
        check("fuzz line", "line -max_total_time=60");
        check("fuzz line --seconds=5", "line -max_total_time=5");
        check("fuzz --runs 1000", "all -runs=1000");
        check("fuzz --runs=10 line --seconds 2", "line -max_total_time=2 -runs=10");
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
        assert_eq!(targets(&sources).expect("folder exists"), ["report"]);
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
