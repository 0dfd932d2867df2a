//! What can be typed. Doc comments here are the help text.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use unspool_engine::library::SessionRequest;

use crate::commands::{
    archive, check, completions, config, export, list, man, recap, search, serve, show, stats,
    tree, watch,
};
#[cfg(unix)]
use crate::commands::{drive, pick, resume};

/// The heading over options that every command has.
const GLOBAL: &str = "Global options";

/// Find and read every Claude Code session you ever ran.
///
/// Sessions are read from `$CLAUDE_CONFIG_DIR`, else from the homes in the settings, else from
/// `~/.claude`, and never changed. Without a command, a full-screen program opens on a terminal, and
/// sessions are listed in a pipe; `unspool SESSION` is short for `unspool show SESSION`.
#[derive(Parser, Debug)]
#[command(name = "unspool", version, max_term_width = 100)]
#[command(after_help = "Examples:\n  \
unspool                        find, read and resume sessions in a full-screen program\n  \
unspool --demo                 look around in made-up sessions\n  \
unspool @                      show the newest session of this project\n  \
unspool search importer bug    find what was said about it\n  \
unspool stats --by day         what each day cost\n\n\
SESSION is an id, a unique beginning of one (4 characters or more), \
the name that you gave a session, @ (newest in this project), @2 (the one before), or the path \
of a .jsonl file.\n\n\
Exit codes: 0 done, 1 nothing or problems found, 2 wrong use, 3 could not read.")]
pub(crate) struct CliArgs {
    #[command(subcommand)]
    pub(crate) command: Option<CliCommand>,

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

    /// Read a made-up home that is built in, to look around
    #[arg(long, global = true, conflicts_with = "home", help_heading = GLOBAL)]
    pub(crate) demo: bool,
}

/// Where the index is kept, and whether it is brought up to date.
#[derive(ClapArgs, Clone, Debug)]
pub(crate) struct IndexArgs {
    /// Keep the index in this folder instead
    #[arg(long, value_name = "DIR", global = true, help_heading = GLOBAL)]
    pub(crate) index: Option<PathBuf>,

    /// Answer from the index as it is, without looking for what changed
    #[arg(long, global = true, overrides_with = "refresh", help_heading = GLOBAL)]
    pub(crate) no_refresh: bool,

    /// Look for what changed, even if the settings say not to
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
    /// The session: an id, the beginning of one, its name, @, @2 …, or a file
    #[arg(default_value = "@", value_name = "SESSION")]
    pub(crate) session: String,

    /// Look for it in this project: its name, its path, or a part of these
    // The names of folders under `projects/` begin with a hyphen.
    #[arg(long, value_name = "NAME|PATH", allow_hyphen_values = true)]
    pub(crate) project: Option<String>,
}

impl SessionArgs {
    /// Makes a request of what was typed.
    pub(crate) fn request(&self) -> SessionRequest<'_> {
        SessionRequest {
            name: &self.session,
            project: self.project.as_deref(),
        }
    }
}

/// How the active path is found.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum RuleArg {
    /// As the current client resumes
    #[default]
    Current,
    /// As clients up to 2.1.50 resumed: the leaf with the newest time
    NewestTime,
    /// As the vendor's SDK reads
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

#[derive(Subcommand, Debug)]
pub(crate) enum CliCommand {
    List(Box<list::ListArgs>),
    #[cfg(unix)]
    Pick(Box<pick::PickArgs>),
    Show(show::ShowArgs),
    Tree(tree::TreeArgs),
    Search(Box<search::SearchArgs>),
    Export(Box<export::ExportArgs>),
    Stats(Box<stats::StatsArgs>),
    Recap(Box<recap::RecapArgs>),
    Watch(watch::WatchArgs),
    #[cfg(unix)]
    Resume(resume::ResumeArgs),
    Serve(serve::ServeArgs),
    #[cfg(unix)]
    Drive(drive::DriveArgs),
    #[cfg(unix)]
    #[command(name = "__host", hide = true)]
    Host(drive::HostArgs),
    #[cfg(unix)]
    #[command(name = "__notify", hide = true)]
    Notify(drive::NotifyArgs),
    Check(check::CheckArgs),
    Archive(Box<archive::ArchiveArgs>),
    Config(config::ConfigArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    #[command(name = "__complete", hide = true)]
    Complete(completions::CompleteArgs),
}
