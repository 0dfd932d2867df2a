//! The arguments of `unspool pick`.

use std::ffi::OsString;
use std::path::PathBuf;

use unspool_render::template::Template;

use crate::commands::list::template;
use crate::filters::FilterArgs;

/// Choose sessions on the terminal, for scripts
///
/// Opens the picker and prints only the choice: the id of the session. The picker draws on the
/// terminal itself, so the output can go into a pipe or a variable.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool pick --here --query importer         begin with sessions of this folder\n  \
unspool pick --multi --path -0 | xargs -0 du -ch\n  \
unspool pick --format '{id}\\t{title}'        a line of your own making\n  \
unspool pick --exec unspool export {} --format html\n  \
unspool pick --editor prompt.md              put a part of a session into a prompt\n\n\
VISUAL='unspool pick --editor' makes it the editor that Claude Code opens with Ctrl-G.\n\n\
Exit codes: 0 chosen, 1 nothing chosen, 130 Ctrl-C. With --editor, 0 also if nothing was chosen:\n\
the file is as it was.")]
pub(crate) struct PickArgs {
    /// Start with this query
    #[arg(long, short = 'q', value_name = "TEXT", default_value = "")]
    pub(super) query: String,

    /// Choose several sessions; Tab marks them
    #[arg(long, short = 'm')]
    pub(super) multi: bool,

    /// Print the path of the log instead of the id
    #[arg(long, conflicts_with_all = ["json", "format"])]
    pub(super) path: bool,

    /// Print the choice with this template, like `unspool list --format`
    #[arg(long, value_name = "TEMPLATE", value_parser = template, conflicts_with = "json")]
    pub(super) format: Option<Template>,

    /// Print one JSON object per line, like `unspool list --json`
    #[arg(long)]
    pub(super) json: bool,

    /// End each line with a zero byte instead of a line break
    #[arg(long, short = '0', conflicts_with = "json")]
    pub(super) null: bool,

    /// Run this command on the choice instead of printing it: {} is the id, {path} the log
    // Everything after it is the command's.
    #[arg(long, value_name = "CMD", num_args = 1.., allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["path", "format", "json", "null"])]
    pub(super) exec: Vec<OsString>,

    /// Append a part of the session to this file, as Claude Code's editor for a prompt
    #[arg(long, value_name = "FILE", conflicts_with_all = ["query", "multi", "path", "format", "json", "null", "exec"])]
    pub(super) editor: Option<PathBuf>,

    #[command(flatten)]
    pub(super) filter: FilterArgs,
}
