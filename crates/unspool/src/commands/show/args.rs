//! The arguments of `unspool show`.

use std::ops::Range;
use unspool_model::positions::{PathNumber, TurnNumber};

use unspool_engine::ops::locate::EntryPlace;
use unspool_engine::ops::message::Unanswered;
use unspool_engine::ops::transcript::{LeftOutMessages, TranscriptRequest, ViewKind};

use super::choices::{InterruptedArg, LeftOutArg, ShowAgentsArg, ToolsArg};
use super::instead::{INSTEAD, InsteadArgs};
use crate::args::{RuleArg, SessionArgs};
use crate::errors::UsageError;

/// Show a conversation
///
/// Shows the active path: what `claude --resume` would continue. Compactions and forks are marked
/// in place; agents appear under the call that started them, folded to a few lines.
///
/// An entry's id, or its first 8 characters or more, opens the session at that entry, like `--at`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool show @                      the newest session of this project\n  \
unspool show 4ba6 --summary         what was asked, done and changed\n  \
unspool show 4ba6 --path 1 --full   another path, unfolded\n  \
unspool show 4ba6 --changes         all changes of files\n  \
unspool show 4ba6 --json            one object, for a script")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(super) session: SessionArgs,

    /// Show another path, by the number that `tree` gives
    #[arg(long, value_name = "N")]
    pub(super) path: Option<PathNumber>,

    /// Show these turns only: 3, 2..5, 2.. or ..5
    #[arg(long, value_name = "A..B", value_parser = parse_turns, conflicts_with = INSTEAD)]
    pub(super) turn: Option<TurnRange>,

    /// Show an agent's conversation instead
    #[arg(long, value_name = "ID")]
    pub(super) agent: Option<String>,

    /// Show what the model would be sent now: from the last compaction on
    #[arg(long, conflicts_with = INSTEAD)]
    pub(super) context: bool,

    /// Show the conversation from the turn that contains this entry (a uuid or a unique prefix), on
    /// whatever path or agent it is
    #[arg(long, value_name = "ENTRY", conflicts_with_all = ["path", "turn", "agent", "context", INSTEAD])]
    pub(super) at: Option<String>,

    /// Highlight these words in that entry, and unfold the text around them
    #[arg(long, value_name = "WORDS")]
    pub(super) find: Option<String>,

    #[command(flatten)]
    pub(super) instead: InsteadArgs,

    /// Unfold everything
    #[arg(long, conflicts_with = INSTEAD)]
    pub(super) full: bool,

    /// Show all of the model's thinking
    #[arg(long, conflicts_with = INSTEAD)]
    pub(super) thinking: bool,

    /// How much of each tool call to show
    #[arg(long, value_name = "HOW", default_value = "summary", conflicts_with = INSTEAD)]
    pub(super) tools: ToolsArg,

    /// How much of agents to show under the calls that started them
    #[arg(long, value_name = "HOW", default_value = "fold", conflicts_with = INSTEAD)]
    pub(super) agents: ShowAgentsArg,

    /// What to do with calls that have no result
    #[arg(long, value_name = "HOW", default_value = "mark", conflicts_with = INSTEAD)]
    pub(super) interrupted: InterruptedArg,

    /// What to do with messages that a resume would leave out without a rewind
    #[arg(long, value_name = "HOW", default_value = "show", conflicts_with = INSTEAD)]
    pub(super) left_out: LeftOutArg,

    /// Find the active path by this rule
    #[arg(long, value_name = "RULE", default_value = "current")]
    pub(super) rule: RuleArg,

    /// Print an entry's original line, by uuid, unique prefix, or line:N
    #[arg(long, value_name = "ENTRY", conflicts_with_all = ["json", "path", "turn", "context", "at", INSTEAD])]
    pub(super) raw: Option<String>,

    /// Print one JSON object, see docs/json.md
    #[arg(long)]
    pub(super) json: bool,
}

/// A half-open range of turns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TurnRange(Range<TurnNumber>);

impl ShowArgs {
    /// Builds a request from the arguments; `at` is the entry to show.
    pub(super) fn request(&self, at: Option<EntryPlace>) -> TranscriptRequest {
        TranscriptRequest {
            at,
            rule: self.rule.into(),
            view: if self.context { ViewKind::Context } else { ViewKind::History },
            path: self.path,
            agent: self.agent.clone(),
            turns: self.turn.as_ref().map(|TurnRange(turns)| turns.clone()),
            unanswered: match self.interrupted {
                InterruptedArg::Mark => Unanswered::Mark,
                InterruptedArg::Hide => Unanswered::Hide,
                InterruptedArg::Synthesize => Unanswered::Synthesize,
            },
            left_out: match self.left_out {
                LeftOutArg::Show => LeftOutMessages::Show,
                LeftOutArg::Hide => LeftOutMessages::Hide,
            },
        }
    }
}

fn parse_turns(text: &str) -> Result<TurnRange, UsageError> {
    let wrong =
        || UsageError(format!("{text:?} is not a range of turns; write 3, 2..5, 2.. or ..5"));
    let number = |text: &str| text.parse::<TurnNumber>().map_err(|_| wrong());
    let after = |turn: TurnNumber| TurnNumber::at(turn.index() + 1);
    let range = match text.split_once("..") {
        None => number(text).map(|turn| turn..after(turn))?,
        Some((first, last)) => {
            let first = if first.is_empty() { "1" } else { first };
            let end = if last.is_empty() {
                TurnNumber::at(u32::MAX as usize - 1)
            } else {
                after(number(last)?)
            };
            number(first)?..end
        }
    };
    if range.is_empty() { Err(wrong()) } else { Ok(TurnRange(range)) }
}
