//! `cargo xtask deny`: licences, advisories, bans and sources of dependencies.

use anyhow::{Result, bail};

use crate::args::{XtaskCommand, is_help};
use crate::step::ProgramStep;
use crate::{paths, tools};

/// The entry in the list of commands.
pub(crate) const COMMAND: XtaskCommand = XtaskCommand {
    name: "deny",
    about: "Check the licences, advisories and sources of all dependencies.",
    run,
};

const HELP: &str = "\
Usage: cargo xtask deny [--offline]

Checks all dependencies against deny.toml with cargo-deny, which is installed if
it is missing.

Options:
  --offline  Use no network and leave advisories unchecked

Without --offline, advisories are left unchecked only if their database cannot
be fetched; the output says so.
";

/// What the command line asked for.
#[derive(Debug, PartialEq, Eq)]
enum DenyRequest {
    Help,
    Online,
    Offline,
}

/// How much can be checked.
#[derive(Debug, Clone, Copy)]
enum DenyScope {
    /// Everything.
    Full,
    /// All but advisories, whose database could not be fetched.
    NoDatabase,
    /// All but advisories, without any network.
    NoNetwork,
}

fn run(args: &[String]) -> Result<()> {
    let args = parse(args)?;
    if args == DenyRequest::Help {
        print!("{HELP}");
        return Ok(());
    }
    tools::ensure_subcommand("deny")?;
    let scope = match args {
        DenyRequest::Offline => DenyScope::NoNetwork,
        _ if fetch_database().is_ok() => DenyScope::Full,
        _ => DenyScope::NoDatabase,
    };
    check(scope).within(paths::root()).run()?;
    if let Some(note) = left_out(scope) {
        eprintln!("note: {note}");
    }
    Ok(())
}

fn parse(args: &[String]) -> Result<DenyRequest> {
    match args {
        [] => Ok(DenyRequest::Online),
        [word] if is_help(word) => Ok(DenyRequest::Help),
        [word] if word == "--offline" => Ok(DenyRequest::Offline),
        _ => bail!(
            "`cargo xtask deny` takes only --offline, got `{}`",
            args.join(" ")
        ),
    }
}

fn fetch_database() -> Result<()> {
    ProgramStep::cargo("deny fetch db")
        .within(paths::root())
        .run()
}

fn check(scope: DenyScope) -> ProgramStep {
    ProgramStep::cargo(match scope {
        DenyScope::Full => "deny --locked check",
        DenyScope::NoDatabase => "deny --locked check licenses bans sources",
        DenyScope::NoNetwork => "deny --locked --offline check licenses bans sources",
    })
}

/// What a reader must know about a check that was not full.
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

    fn parsed(line: &str) -> Result<DenyRequest> {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        parse(&words)
    }

    #[test]
    fn only_offline_is_accepted() {
        assert_eq!(parsed("").ok(), Some(DenyRequest::Online));
        assert_eq!(parsed("--offline").ok(), Some(DenyRequest::Offline));
        assert_eq!(parsed("--help").ok(), Some(DenyRequest::Help));
        assert_eq!(
            parsed("--offline now").expect_err("must fail").to_string(),
            "`cargo xtask deny` takes only --offline, got `--offline now`"
        );
    }

    #[test]
    fn a_check_without_advisories_says_so() {
        for scope in [DenyScope::Full, DenyScope::NoDatabase, DenyScope::NoNetwork] {
            let names_the_rest = check(scope).to_string().contains("licenses bans sources");
            assert_eq!(names_the_rest, left_out(scope).is_some(), "{scope:?}");
        }
    }
}
