//! `unspool show`

use std::io::Write as _;
use std::ops::Range;

use anyhow::Result;
use clap::ValueEnum;
use unspool_engine::home::{MIN_PREFIX, NameError, Resolved};
use unspool_engine::ops::anywhere::{FoundEntry, PastSession, find_entry, find_past};
use unspool_engine::ops::lineage::{self, Kin};
use unspool_engine::ops::locate::{self, EntryPlace};
use unspool_engine::ops::message::Unanswered;
use unspool_engine::ops::raw;
use unspool_engine::ops::search::WordFinder;
use unspool_engine::ops::summary::{self, Summary};
use unspool_engine::ops::transcript::{LeftOut, Request, Transcript, ViewKind};
use unspool_engine::render::human;
use unspool_engine::render::json::{self, SummaryJson};
use unspool_engine::render::sanitize;
use unspool_engine::render::terminal::{self, Agents, Detail, Options, PageLayout, Tools};
use unspool_engine::session::Session;
use unspool_model::query;

use crate::args::{RuleArg, SessionArgs};
use crate::errors::{Outcome, Usage};
use crate::filters;
use crate::indexed::prices;
use crate::sessions::{Homes, say_remarks};
use crate::settings::Settings;
use crate::ui::Ui;

/// The most columns that prose is spread over.
const PAGE: usize = 120;

/// Show a conversation
///
/// The active path is shown: what `claude --resume` would continue. Compactions and forks
/// are marked in place, agents stand under the call that started them, folded to a few lines.
///
/// The id of an entry, or the first 8 characters of one or more, opens its session there, as
/// `--at` does.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    #[command(flatten)]
    session: SessionArgs,

    /// Show another path, by the number that `tree` gives
    #[arg(long, value_name = "N")]
    path: Option<u32>,

    /// Show these turns only: 3, 2..5, 2.. or ..5
    #[arg(long, value_name = "A..B", value_parser = parse_turns)]
    turn: Option<TurnRange>,

    /// Show an agent's conversation instead
    #[arg(long, value_name = "ID")]
    agent: Option<String>,

    /// Show what the model would be sent now: from the last compaction on
    #[arg(long)]
    context: bool,

    /// Show it from the turn that holds this entry, by uuid or a unique beginning of one; the
    /// path or agent that it is on is found
    #[arg(long, value_name = "ENTRY", conflicts_with_all = ["path", "turn", "agent", "context"])]
    at: Option<String>,

    /// Mark these words in the entry that is named, and unfold it around them
    #[arg(long, value_name = "WORDS")]
    find: Option<String>,

    /// Sum it up instead: timeline, tools, changed files, models, branches, agents
    #[arg(long, conflicts_with_all = ["at", "turn", "context", "full", "thinking", "tools", "agents", "interrupted", "left_out"])]
    summary: bool,

    /// Unfold everything
    #[arg(long)]
    full: bool,

    /// Show all of the model's thinking
    #[arg(long)]
    thinking: bool,

    /// How much of tool calls to show
    #[arg(long, value_name = "HOW", default_value = "summary")]
    tools: ToolsArg,

    /// How much of agents to show under the calls that started them
    #[arg(long, value_name = "HOW", default_value = "fold")]
    agents: AgentsArg,

    /// What to do with calls that have no result
    #[arg(long, value_name = "HOW", default_value = "mark")]
    interrupted: InterruptedArg,

    /// What to do with messages that a resume would leave out though nobody went back
    #[arg(long, value_name = "HOW", default_value = "show")]
    left_out: LeftOutArg,

    /// How the active path is found
    #[arg(long, value_name = "RULE", default_value = "current")]
    rule: RuleArg,

    /// Print the untouched line of an entry, by uuid, a unique beginning of one, or line:N
    #[arg(long, value_name = "ENTRY", conflicts_with_all = ["json", "path", "turn", "context", "at", "summary"])]
    raw: Option<String>,

    /// Print one JSON object, see docs/json.md
    #[arg(long)]
    json: bool,
}

/// How much of tool calls is shown.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum ToolsArg {
    /// Everything
    Full,
    /// One line, and a fold of the output
    Summary,
    /// Nothing
    None,
}

/// How much of agents is shown.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum AgentsArg {
    /// What they are, and the beginning of what they answered
    Fold,
    /// All of what they said
    Inline,
    /// Nothing
    None,
}

/// What is done with calls that have no result.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum InterruptedArg {
    /// Mark them as interrupted
    Mark,
    /// Leave them out
    Hide,
    /// Make up a result that says so
    Synthesize,
}

/// What is done with messages that a resume would leave out though nobody went back.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum LeftOutArg {
    /// Show them in place, marked
    Show,
    /// Leave them out
    Hide,
}

/// A range of turns, counted from one, without its end.
#[derive(Clone, PartialEq, Eq, Debug)]
struct TurnRange(Range<u32>);

pub(crate) fn run(args: &Args, homes: &Homes, settings: &Settings, ui: &Ui) -> Result<Outcome> {
    let Opened {
        resolved,
        mut session,
        entry,
    } = match open(args, homes, ui)? {
        Named::Session(opened) => *opened,
        Named::Past(past) => return print_past(&past, homes, ui),
    };
    if let Some(entry) = &args.raw {
        return print_raw(&session, entry, ui);
    }
    homes.name(&mut session);
    let named = args.at.as_deref().or(entry.as_deref());
    if args.find.is_some() && named.is_none() {
        return Err(Usage("--find needs an entry, such as one with --at".to_owned()).into());
    }
    let at = named
        .map(|entry| locate::find(&session, entry))
        .transpose()?;
    let mut shown = Transcript::new(&session, &request(args, at.clone()))?;
    if args.summary {
        let summary = summary::summary(&shown, &prices(settings))?;
        print_summary(&summary, args, homes, ui)?;
    } else if let Some(place) = at.filter(|_| shown.at.is_none() && !args.json) {
        print_bytes(place.bytes(&session)?, ui)?;
    } else if args.json {
        shown.lineage = kin(&resolved, &session, homes);
        let mut out = ui.data();
        json::transcript(&shown, &mut out)?;
        out.write_all(b"\n")?;
        out.flush()?;
    } else {
        let mark = shown.at.as_ref().map(terminal::mark_of);
        let mut page = ui.page_from(mark.as_deref());
        terminal::transcript(&shown, &options(args, ui)?, &mut |line| page.line(&line))?;
        page.finish()?;
    }
    say_remarks(ui, &session, shown.file);
    if let Some(entry) = named.filter(|_| shown.at.is_none()) {
        let record = if args.json {
            "`--raw` prints its record"
        } else {
            "this is its record"
        };
        ui.note(&format!("`{entry}` is no part of a conversation; {record}"));
    }
    if shown.path.is_none() && (args.json || !terminal::only_agents_left(&shown)) {
        ui.note("there is no conversation in this file");
    }
    Ok(Outcome::Done)
}

/// What a name means.
enum Named {
    /// A session whose log is there.
    Session(Box<Opened>),
    /// A session of which only prompts are left.
    Past(PastSession),
}

/// A session that was opened.
struct Opened {
    resolved: Resolved,
    session: Session,
    /// The entry that it was found by.
    entry: Option<String>,
}

/// Opens what was named: a session, the session of an entry, or what is left of one.
fn open(args: &Args, homes: &Homes, ui: &Ui) -> Result<Named> {
    let opened = |(resolved, session), entry| {
        Named::Session(Box::new(Opened {
            resolved,
            session,
            entry,
        }))
    };
    let error = match homes.chosen(&args.session, ui) {
        Ok(found) => return Ok(opened(found, None)),
        Err(error) => error,
    };
    let is_unknown = matches!(error.downcast_ref(), Some(NameError::Unknown { .. }));
    if !is_unknown {
        return Err(error);
    }
    if let Some(past) = past(&args.session.session, homes).filter(|_| !args.json) {
        return Ok(Named::Past(past));
    }
    if args.at.is_some() || args.raw.is_some() {
        return Err(error);
    }
    let Some(FoundEntry { log, entry, others }) = find_entry(homes.found(), &args.session.session)?
    else {
        return Err(error);
    };
    if others > 0 {
        let others = human::plural(others, "other session");
        ui.note(&format!(
            "{others} have this entry too; this is the one written last"
        ));
    }
    let found = homes.session(&log.display().to_string(), ui)?;
    Ok(opened(found, Some(entry.as_str().to_owned())))
}

/// Finds the one session of the history that a name means.
fn past(name: &str, homes: &Homes) -> Option<PastSession> {
    let mut found = find_past(homes.roots(), name);
    let one = found.pop().filter(|_| name.len() >= MIN_PREFIX)?;
    found.is_empty().then_some(one)
}

/// Prints the prompts of a session whose log is gone.
fn print_past(past: &PastSession, homes: &Homes, ui: &Ui) -> Result<Outcome> {
    let layout = PageLayout {
        width: ui.width().min(PAGE),
        zone: ui.zone(),
        user_home: homes.user_home().map(|home| home.display().to_string()),
    };
    let mut page = ui.page();
    for line in terminal::past(past, &layout) {
        page.line(&line)?;
    }
    page.finish()?;
    ui.note("the log of this session is gone; these are its prompts, as the history has them");
    Ok(Outcome::Done)
}

fn print_summary(summary: &Summary, args: &Args, homes: &Homes, ui: &Ui) -> Result<()> {
    if args.json {
        let mut out = ui.data();
        json::write_line(&SummaryJson::from(summary), &mut out)?;
        return Ok(out.flush()?);
    }
    let layout = PageLayout {
        width: ui.width().min(PAGE),
        zone: ui.zone(),
        user_home: homes.user_home().map(|home| home.display().to_string()),
    };
    let mut page = ui.page();
    for line in terminal::summary(summary, &layout) {
        page.line(&line)?;
    }
    Ok(page.finish()?)
}

fn request(args: &Args, at: Option<EntryPlace>) -> Request {
    Request {
        at,
        rule: args.rule.into(),
        view: if args.context {
            ViewKind::Context
        } else {
            ViewKind::History
        },
        path: args.path,
        agent: args.agent.clone(),
        turns: args.turn.as_ref().map(|TurnRange(turns)| turns.clone()),
        unanswered: match args.interrupted {
            InterruptedArg::Mark => Unanswered::Mark,
            InterruptedArg::Hide => Unanswered::Hide,
            InterruptedArg::Synthesize => Unanswered::Synthesize,
        },
        left_out: match args.left_out {
            LeftOutArg::Show => LeftOut::Show,
            LeftOutArg::Hide => LeftOut::Hide,
        },
    }
}

fn options(args: &Args, ui: &Ui) -> Result<Options> {
    let thinking = if args.thinking || args.full {
        Detail::Full
    } else {
        Detail::Folded
    };
    let tools = match args.tools {
        ToolsArg::None => Tools::None,
        ToolsArg::Summary if !args.full => Tools::Summary,
        ToolsArg::Summary | ToolsArg::Full => Tools::Full,
    };
    let agents = match args.agents {
        AgentsArg::None => Agents::None,
        AgentsArg::Fold if !args.full => Agents::Folded,
        AgentsArg::Fold | AgentsArg::Inline => Agents::Inline,
    };
    let words = args
        .find
        .as_deref()
        .filter(|words| !words.trim().is_empty());
    let find = words.map(|words| -> Result<WordFinder> {
        // Taken as words, whatever signs they have: what was found is looked for again.
        let plain: String = words
            .chars()
            .map(|c| if is_sign(c) { ' ' } else { c })
            .collect();
        let query =
            query::parse(&plain, &filters::clock(ui)).map_err(|error| Usage(error.to_string()))?;
        Ok(WordFinder::of(&query))
    });
    Ok(Options {
        width: ui.width().min(PAGE),
        thinking,
        tools,
        agents,
        zone: ui.zone(),
        find: find.transpose()?,
    })
}

/// Tells whether a character means something in a query.
fn is_sign(c: char) -> bool {
    matches!(c, '"' | '+' | '-' | '*' | ':' | '(' | ')')
}

fn kin(resolved: &Resolved, session: &Session, homes: &Homes) -> Vec<Kin> {
    let project = resolved.project.as_ref();
    let others = homes
        .found()
        .iter()
        .flat_map(|home| &home.projects)
        .filter(|found| Some(&found.id) == project)
        .flat_map(|found| found.sessions.iter().cloned());
    lineage::lineage(session, &others.collect::<Vec<_>>())
}

fn print_raw(session: &Session, entry: &str, ui: &Ui) -> Result<Outcome> {
    print_bytes(raw::raw(session, entry)?, ui)?;
    Ok(Outcome::Done)
}

fn print_bytes(mut bytes: Vec<u8>, ui: &Ui) -> Result<()> {
    if ui.is_interactive() {
        // Untouched bytes may hold escape sequences; a pipe gets them, a terminal does not.
        let mut text = sanitize::clean(&String::from_utf8_lossy(&bytes)).into_owned();
        text.truncate(text.trim_end().len());
        text.push('\n');
        bytes = text.into_bytes();
    }
    let mut out = ui.data();
    out.write_all(&bytes)?;
    Ok(out.flush()?)
}

fn parse_turns(text: &str) -> Result<TurnRange, Usage> {
    let wrong = || {
        Usage(format!(
            "{text:?} is no range of turns; write 3, 2..5, 2.. or ..5"
        ))
    };
    let number = |text: &str| {
        text.parse::<u32>()
            .ok()
            .filter(|&number| number > 0)
            .ok_or_else(wrong)
    };
    let range = match text.split_once("..") {
        None => number(text).map(|turn| turn..turn.saturating_add(1))?,
        Some((first, last)) => {
            let first = if first.is_empty() { 1 } else { number(first)? };
            let last = if last.is_empty() {
                u32::MAX - 1
            } else {
                number(last)?
            };
            first..last.saturating_add(1)
        }
    };
    if range.is_empty() {
        Err(wrong())
    } else {
        Ok(TurnRange(range))
    }
}
