//! Cargo subcommands that may be missing.

use anyhow::{Context, Result, ensure};

use crate::step::ProgramStep;

/// Ensures that `cargo fmt` and `cargo clippy` run.
pub(crate) fn ensure_components() -> Result<()> {
    if components_run() {
        return Ok(());
    }
    eprintln!("rustfmt or clippy is missing; adding both to the toolchain");
    ProgramStep::new("rustup", "component add rustfmt clippy")
        .run()
        .context("rustfmt and clippy are needed and could not be added")?;
    ensure!(
        components_run(),
        "rustup added rustfmt and clippy, but `cargo fmt` or `cargo clippy` still does not run; \
         is this cargo the one rustup manages?"
    );
    Ok(())
}

/// Ensures that `cargo NAME` runs, installing `cargo-NAME` if it does not.
pub(crate) fn ensure_subcommand(name: &str) -> Result<()> {
    if has_subcommand(name) {
        return Ok(());
    }
    eprintln!("cargo-{name} is missing; installing it, which takes some minutes");
    ProgramStep::cargo(&format!("install --locked cargo-{name}"))
        .run()
        .with_context(|| format!("cargo-{name} is needed and could not be installed"))
}

/// Tells whether `cargo NAME` runs on this machine.
pub(crate) fn has_subcommand(name: &str) -> bool {
    ProgramStep::cargo(name).args(["--version"]).succeeds()
}

fn components_run() -> bool {
    has_subcommand("fmt") && has_subcommand("clippy")
}
