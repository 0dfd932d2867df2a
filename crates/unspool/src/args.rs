//! Arguments that several commands share. Doc comments here are the help text.
//!
//! [`crate::cli`] defines the whole command line; each command defines its own arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use unspool_engine::library::SessionRequest;

/// The heading of options that every command has.
const GLOBAL: &str = "Global options";

/// What every command takes.
#[derive(ClapArgs, Clone, Debug)]
pub(crate) struct GlobalArgs {
    #[command(flatten)]
    pub(crate) homes: HomeArgs,

    #[command(flatten)]
    pub(crate) index: IndexArgs,

    #[command(flatten)]
    pub(crate) display: DisplayArgs,
}

/// Where sessions are read from.
#[derive(ClapArgs, Clone, Debug)]
pub(crate) struct HomeArgs {
    /// Read this Claude Code configuration folder instead (repeatable)
    #[arg(long, value_name = "DIR", global = true, help_heading = GLOBAL)]
    pub(crate) home: Vec<PathBuf>,

    /// Read the built-in demo sessions instead
    #[arg(long, global = true, conflicts_with = "home", help_heading = GLOBAL)]
    pub(crate) demo: bool,
}

/// Where the index is kept, and whether it is brought up to date.
#[derive(ClapArgs, Clone, Debug)]
pub(crate) struct IndexArgs {
    /// Keep the index in this folder instead
    #[arg(long, value_name = "DIR", global = true, help_heading = GLOBAL)]
    pub(crate) index: Option<PathBuf>,

    /// Answer from the index as it is, without looking for changes
    #[arg(long, global = true, overrides_with = "refresh", help_heading = GLOBAL)]
    pub(crate) no_refresh: bool,

    /// Look for changes, even if the settings say not to
    #[arg(long, global = true, overrides_with = "no_refresh", help_heading = GLOBAL)]
    pub(crate) refresh: bool,
}

/// How output looks.
#[derive(ClapArgs, Clone, Debug)]
pub(crate) struct DisplayArgs {
    /// When to use colours
    #[arg(long, value_name = "WHEN", global = true, help_heading = GLOBAL)]
    pub(crate) color: Option<ColorChoice>,

    /// Do not use a pager on a terminal
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) no_pager: bool,
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Which session is meant.
#[derive(ClapArgs, Clone, Debug)]
pub(crate) struct SessionArgs {
    /// The session: an id or a unique prefix, a name, @, @2 …, or a file
    #[arg(default_value = "@", value_name = "SESSION")]
    pub(crate) session: String,

    /// Look for the session in this project: its name, its path, or a part of either
    // The names of folders under `projects/` begin with a hyphen.
    #[arg(long, value_name = "NAME|PATH", allow_hyphen_values = true)]
    pub(crate) project: Option<String>,
}

impl SessionArgs {
    /// Builds a request from the arguments.
    pub(crate) fn request(&self) -> SessionRequest<'_> {
        SessionRequest { name: &self.session, project: self.project.as_deref() }
    }
}

/// Find the active path by this rule.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum RuleArg {
    /// What the current client resumes
    #[default]
    Current,
    /// What clients up to 2.1.50 resumed: the leaf with the newest time
    NewestTime,
    /// What the vendor's SDK reads
    Sdk,
}

impl From<RuleArg> for unspool_model::graph::Rule {
    fn from(rule: RuleArg) -> Self {
        match rule {
            RuleArg::Current => Self::Current,
            RuleArg::NewestTime => Self::NewestTime,
            RuleArg::Sdk => Self::Sdk,
        }
    }
}

/// Returns the position of the first word that is not an option or an option's value.
pub(crate) fn first_word(args: &[OsString]) -> Option<usize> {
    let mut at = 1;
    loop {
        let arg = args.get(at)?.to_str()?;
        at += match arg {
            "--home" | "--index" | "--color" => 2,
            option if option.starts_with('-') => 1,
            _ => return Some(at),
        };
    }
}
