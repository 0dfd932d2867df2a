//! The arguments of `unspool export`.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use unspool_engine::ops::transcript::ViewKind;
use unspool_render::document::AgentLayout;
use unspool_render::export::{Format, OutputSetting, PathChoice};
use unspool_text::html::Painting;

use crate::errors::UsageError;
use crate::filters::FilterArgs;

/// Write sessions to self-contained files
///
/// Writes one transcript for each path through a session, abandoned paths included. A path that
/// another exported session contains in full is skipped and listed. Prints the names of the files
/// written.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool export @                                   the newest session here, as Markdown\n  \
unspool export 4ba6 418c --format html -o pages    two sessions, as pages\n  \
unspool export @ --open                            look at it in the browser\n  \
unspool export @ --redact -o -                     to standard output, without secrets\n  \
unspool export --since 7d --site -o week           a site of the last week\n\n\
Files are called transcript_ID.md, or transcript_ID_path2.md and \
transcript_ID_path1_abandoned.md where a session has several paths. A file of that name is \
replaced, and only once the new one is complete.")]
pub(crate) struct ExportArgs {
    /// The sessions: ids or unique prefixes, @, @2 …, or files
    #[arg(value_name = "SESSION")]
    pub(super) sessions: Vec<String>,

    /// Export every session
    #[arg(long, conflicts_with = "sessions")]
    pub(super) all: bool,

    /// File format
    #[arg(
        long,
        short = 'f',
        value_name = "FORMAT",
        default_value = "md",
        default_value_ifs([("site", "true", "html"), ("open", "true", "html")])
    )]
    pub(super) format: FormatArg,

    /// Which paths through each session
    #[arg(long, value_name = "WHICH", default_value = "all")]
    pub(super) paths: PathsArg,

    /// Where the conversations of agents go
    #[arg(long, value_name = "WHERE", default_value = "inline")]
    pub(super) agents: ExportAgentsArg,

    /// Export what the model would be sent now instead: the active path from its last compaction on
    #[arg(long)]
    pub(super) context: bool,

    /// Output folder (created if missing), or `-` for standard output (single transcript only)
    /// [default: the current folder]
    #[arg(long, short = 'o', value_name = "DIR")]
    pub(super) out: Option<PathBuf>,

    /// Replace secrets, e-mail addresses, home folders and user names by `[redacted:kind]`
    #[arg(long)]
    pub(super) redact: bool,

    /// Write a site: pages, lists and a search; open its index.html
    #[arg(long)]
    pub(super) site: bool,

    /// Open the page of one session, or a site of several, in a browser; written into a temporary
    /// folder without --out
    #[arg(long, conflicts_with_all = ["dry_run", "json"])]
    pub(super) open: bool,

    /// Do not highlight code on pages
    #[arg(long)]
    pub(super) no_highlight: bool,

    /// Print what would be written, and write nothing
    #[arg(long, short = 'n')]
    pub(super) dry_run: bool,

    /// Print one JSON object per line about each file and each path left out, see docs/export.md
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) filter: FilterArgs,
}

/// File format.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FormatArg {
    /// Markdown, with images as files next to it
    Md,
    /// Self-contained pages
    Html,
    /// The object of `show --json`
    Json,
    /// The original lines of the path
    Jsonl,
    /// Plain text
    #[value(alias = "txt")]
    Text,
}

/// Which paths are exported.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PathsArg {
    /// One for each ending
    All,
    /// The one that a resume would continue
    Active,
}

/// Where agents go.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ExportAgentsArg {
    /// Under the call that started them
    Inline,
    /// Into files of their own
    Separate,
    /// Not included; only mentioned
    None,
}

impl ExportArgs {
    /// Returns the format of the files.
    pub(super) fn format(&self) -> Result<Format, UsageError> {
        if self.site && self.format != FormatArg::Html {
            return Err(UsageError("a site is made of HTML; leave --format out".to_owned()));
        }
        if self.site && self.to_stdout() {
            return Err(UsageError("a site is a folder; name one with --out".to_owned()));
        }
        if self.open && self.to_stdout() {
            return Err(UsageError(
                "what goes to standard output cannot be opened; leave --open or --out out"
                    .to_owned(),
            ));
        }
        Ok(match self.format {
            FormatArg::Md => Format::Markdown,
            FormatArg::Html if self.no_highlight => Format::Html(Painting::Plain),
            FormatArg::Html => Format::Html(Painting::Highlighted),
            FormatArg::Json => Format::Json,
            FormatArg::Jsonl => Format::Jsonl,
            FormatArg::Text => Format::Text,
        })
    }

    /// Tells whether the transcript goes to standard output.
    pub(super) fn to_stdout(&self) -> bool {
        self.out.as_deref() == Some(Path::new("-"))
    }

    /// Returns the paths to export.
    pub(super) fn path_choice(&self) -> PathChoice {
        match self.paths {
            PathsArg::All => PathChoice::All,
            PathsArg::Active => PathChoice::Active,
        }
    }

    /// Returns the place of agents.
    pub(super) fn agent_layout(&self) -> AgentLayout {
        match self.agents {
            ExportAgentsArg::Inline => AgentLayout::Inline,
            ExportAgentsArg::Separate => AgentLayout::Separate,
            ExportAgentsArg::None => AgentLayout::None,
        }
    }

    /// Returns whether to export histories or the model's context.
    pub(super) fn view(&self) -> ViewKind {
        if self.context { ViewKind::Context } else { ViewKind::History }
    }

    /// Returns the kind of output. Several pages that are opened get an index page.
    pub(super) fn setting(&self, sessions: usize) -> OutputSetting {
        let is_page = self.format == FormatArg::Html;
        if self.site || (self.open && is_page && sessions > 1) {
            OutputSetting::Site
        } else {
            OutputSetting::Folder
        }
    }
}
