//! `cargo xtask deny`: licences, advisories, bans and sources of dependencies.

use anyhow::Result;
use clap::Args;

use crate::step::ProgramStep;
use crate::{paths, tools};

/// Check the licences, advisories and sources of all dependencies.
///
/// Checks them against deny.toml with cargo-deny, which is installed if it is missing. Without
/// --offline, advisories are left unchecked only if their database cannot be fetched; the output
/// says so.
#[derive(Debug, Args)]
pub(crate) struct DenyCheckArgs {
    /// Use no network and leave advisories unchecked
    #[arg(long)]
    offline: bool,
}

/// The extent of a check.
#[derive(Debug, Clone, Copy)]
enum DenyScope {
    /// Everything.
    Full,
    /// All but advisories, whose database could not be fetched.
    NoDatabase,
    /// All but advisories, without any network.
    NoNetwork,
}

/// Runs all checks that are possible.
pub(super) fn run(args: &DenyCheckArgs) -> Result<()> {
    tools::ensure_subcommand("deny")?;
    let scope = match args.offline {
        true => DenyScope::NoNetwork,
        false if fetch_database().is_ok() => DenyScope::Full,
        false => DenyScope::NoDatabase,
    };
    check(scope).within(paths::root()).run()?;
    if let Some(note) = left_out(scope) {
        eprintln!("note: {note}");
    }
    Ok(())
}

fn fetch_database() -> Result<()> {
    ProgramStep::cargo("deny fetch db").within(paths::root()).run()
}

fn check(scope: DenyScope) -> ProgramStep {
    ProgramStep::cargo(match scope {
        DenyScope::Full => "deny --locked check",
        DenyScope::NoDatabase => "deny --locked check licenses bans sources",
        DenyScope::NoNetwork => "deny --locked --offline check licenses bans sources",
    })
}

/// Returns a note about an incomplete check.
fn left_out(scope: DenyScope) -> Option<&'static str> {
    match scope {
        DenyScope::Full => None,
        DenyScope::NoDatabase => {
            Some("advisories were NOT checked: their database could not be fetched")
        }
        DenyScope::NoNetwork => Some("advisories were NOT checked: --offline was given"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_without_advisories_says_so() {
        for scope in [DenyScope::Full, DenyScope::NoDatabase, DenyScope::NoNetwork] {
            let names_the_rest = check(scope).to_string().contains("licenses bans sources");
            assert_eq!(names_the_rest, left_out(scope).is_some(), "{scope:?}");
        }
    }
}
