//! `unspool search`

mod early;

use std::ffi::OsString;
use std::io::Write as _;
use std::thread;

use anyhow::Result;
use clap::builder::TypedValueParser;
use unspool_engine::index::text::TextIndex;
use unspool_engine::ops::filter::{self, Field, Filter, SessionSet, Unmatched};
use unspool_engine::ops::list::{Agents, Row};
use unspool_engine::ops::scan::{self, Case, Further, Kind, Scan};
use unspool_engine::ops::search::group::group;
use unspool_engine::ops::search::hit::{Extent, Hit};
use unspool_engine::ops::search::{self, Asked, MissingWord};
use unspool_engine::render::human;
use unspool_engine::render::json::{self, HitJson};
use unspool_engine::render::terminal::{HitLayout, PageLayout, hits_by_session, hits_in_order};
use unspool_model::query::{self, Bound, Clock, Is, Need, Query, Role, TimeRange, Values};
use unspool_model::time::Time;

use crate::errors::{Outcome, Usage};
use crate::filters::{self, FilterArgs, one_of, set_in};
use crate::indexed::{Asking, Indexed};
use crate::sessions::Homes;
use crate::settings::Settings;
use crate::typed::first_word;
use crate::ui::Ui;

/// How many hits are shown unless more are asked for.
const LIMIT: usize = 20;

/// How many hits of one session are shown, unless they are shown one after another.
const HITS: usize = 3;

/// How many hits of a scan are counted behind those that are shown. A scan that has found more
/// has answered the question.
const COUNTED: u64 = 1000;

/// The characters of a snippet.
const SNIPPET: usize = 200;

/// Search everything that was said, thought, called and answered
///
/// Words are looked for in prompts, answers, thinking, tool inputs and results, agents and
/// abandoned branches; what fits best comes first. No word must be there unless it is quoted or
/// marked with a plus.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "In a query:
  \"a phrase\"  +required  -excluded  begin*  this OR that
  project:app branch:main tool:Bash role:user model:opus file:main.rs
  since:3d until:yesterday is:active is:agent has:error
  --           what follows is no option: unspool search -- --no-verify
Filters are about the session, but for role:, tool:, since:, until: and has:error, which are about
the hit itself.")]
pub(crate) struct Args {
    /// What to look for
    #[arg(required = true, value_name = "QUERY", num_args = 1..)]
    query: Vec<String>,

    /// Take the query as a regular expression and scan the logs
    #[arg(long, conflicts_with = "exact")]
    regex: bool,

    /// Take the query as an exact text and scan the logs
    #[arg(long)]
    exact: bool,

    /// Let upper and lower case be the same in a scan; ranked search always does
    #[arg(long, short = 'i')]
    ignore_case: bool,

    /// Show hits one after another instead of by session
    #[arg(long)]
    flat: bool,

    /// Show at most this many hits
    #[arg(long, short = 'n', value_name = "N", default_value_t = LIMIT)]
    limit: usize,

    /// Show this many lines of the text around a hit
    #[arg(long, short = 'C', value_name = "LINES", default_value_t = 0)]
    context: usize,

    /// Only what is from these (repeatable)
    #[arg(long, value_name = "ROLE", value_parser = roles())]
    role: Vec<Role>,

    /// Only what is on the active path
    #[arg(long)]
    active: bool,

    /// Print one JSON object per line, see docs/json.md
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    filter: FilterArgs,
}

/// Puts the excluded words of a search behind a `--`, where they are no options: `-test` is a
/// word, `-n5` is not.
pub(crate) fn set_apart(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let Some(first) = behind_name(&args) else {
        return args;
    };
    let end = args[first..].iter().position(|arg| arg == "--");
    let end = end.map_or(args.len(), |at| first + at);
    let (words, others): (Vec<_>, Vec<_>) = args.drain(first..end).partition(is_excluded_word);
    args.splice(first..first, others);
    if !words.is_empty() {
        if end == args.len() + words.len() {
            args.push("--".into());
        }
        args.extend(words);
    }
    args
}

/// Returns where the arguments of a search begin; none if something else was typed.
fn behind_name(args: &[OsString]) -> Option<usize> {
    let at = first_word(args)?;
    (args[at] == "search").then_some(at + 1)
}

fn is_excluded_word(arg: &OsString) -> bool {
    let Some(word) = arg.to_str().and_then(|arg| arg.strip_prefix('-')) else {
        return false;
    };
    if word.starts_with('-') || word.len() < 2 {
        return false;
    }
    let switches = word.trim_start_matches(['i', 'h']);
    let valued = switches.strip_prefix(['n', 'C']);
    let is_number = |value: &str| {
        value
            .trim_start_matches('=')
            .bytes()
            .all(|b| b.is_ascii_digit())
    };
    !switches.is_empty() && !valued.is_some_and(is_number)
}

fn roles() -> impl TypedValueParser<Value = Role> {
    one_of(Role::ALL, Role::name)
}

impl Args {
    fn text(&self) -> String {
        self.query.join(" ")
    }

    /// Adds to a query what options say.
    fn narrow(&self, query: &mut Query, time: TimeRange) {
        let filters = &mut query.filters;
        filters.role.any.extend(&self.role);
        if self.active {
            filters.is.any.push(Is::Active);
        }
        let bound = |at: Time| Bound {
            text: at.to_string(),
            at,
        };
        if filters.since.any.is_empty() {
            filters.since.any.extend(time.from.map(bound));
        }
        if filters.until.any.is_empty() {
            filters.until.any.extend(time.until.map(bound));
        }
    }

    fn extent(&self) -> Extent {
        Extent {
            width: SNIPPET,
            context: self.context,
        }
    }
}

/// What a search found.
struct Found {
    hits: Vec<Hit>,
    rest: Rest,
    /// The sessions of the hits, and maybe others.
    rows: Vec<Row>,
    /// Whether some of the logs could not be searched.
    is_partial: bool,
    /// What opens a hit at the place where something was found.
    words: String,
    /// Words that no text holds.
    missing: Vec<MissingWord>,
}

/// What is not shown.
enum Rest {
    /// Hits that were counted.
    Counted(Further),
    /// Perhaps some; nobody counted.
    Perhaps,
}

impl Rest {
    fn say(&self, ui: &Ui) {
        let more = match *self {
            Self::Counted(Further::Exactly(0)) => return,
            Self::Counted(Further::Exactly(further)) => human::plural(further as usize, "more hit"),
            Self::Counted(Further::AtLeast(_)) => format!("more than {COUNTED} more hits"),
            Self::Perhaps => "there may be more hits".to_owned(),
        };
        ui.note(&format!("{more}; --limit shows more"));
    }
}

/// What is searched.
struct Chosen {
    /// The sessions that filters leave; nothing if there are none.
    only: Option<SessionSet>,
    /// Names of filters that fit no session.
    unmatched: Vec<Unmatched>,
}

impl Chosen {
    fn of(args: &Args, filter: &Filter, indexed: &mut Indexed<'_>, ui: &Ui) -> Result<Self> {
        if args.filter.is_about_time() {
            indexed.freshen(ui)?;
            return Ok(Self {
                only: None,
                unmatched: Vec::new(),
            });
        }
        let rows = indexed.listing(Agents::Folded, ui)?.rows;
        let selection = filter::select(rows, filter);
        let key = |row: Row| (row.home, row.id);
        let only = SessionSet {
            there: selection.rows.into_iter().map(key).collect(),
            folders: selection.folders,
        };
        Ok(Self {
            only: Some(only),
            unmatched: selection.unmatched,
        })
    }

    /// Says which names fit nothing. A project may be that of sessions that are gone.
    fn say_unmatched(&self, hits: &[Hit], ui: &Ui) {
        let is_past = hits.iter().any(|hit| hit.gone);
        for unmatched in &self.unmatched {
            if !is_past || unmatched.field != Field::Project {
                ui.note(&unmatched.to_string());
            }
        }
    }
}

pub(crate) fn run(args: &Args, homes: &Homes, settings: &Settings, ui: &Ui) -> Result<Outcome> {
    let clock = filters::clock(ui);
    let mut filter = args.filter.resolve(&clock, homes)?;
    // A text is in a time or not; a session only touches it.
    let time = std::mem::take(&mut filter.time);
    let is_scan = args.regex || args.exact;
    let question = (!is_scan).then(|| Question::of(args, time, &clock, ui));
    let question = question.transpose()?;
    thread::scope(|scope| {
        let of_all = question.as_ref().filter(|_| args.filter.is_about_time());
        let early = of_all.and_then(|question| early::begin(scope, question, homes, settings));
        let mut indexed = Indexed::open(homes, settings)?;
        let chosen = Chosen::of(args, &filter, &mut indexed, ui)?;
        let walked = indexed.say_problems(ui);
        let early = early.and_then(|early| early.found(&indexed));
        let found = match (early, &question) {
            (Some(found), _) => found,
            (None, Some(question)) => ranked(question, &chosen, &indexed, ui)?,
            (None, None) => scan(args, time, homes, &chosen, &indexed, ui)?,
        };
        chosen.say_unmatched(&found.hits, ui);
        print(args, &found, homes, settings, ui)?;
        for missing in &found.missing {
            say_missing(missing, ui);
        }
        if found.hits.is_empty() && found.is_partial {
            ui.note("nothing was found in what can be searched so far; `--exact` searches all");
            return Ok(Outcome::Io);
        }
        if found.hits.is_empty() {
            ui.note("nothing was found");
            return Ok(walked.max(Outcome::Problems));
        }
        found.rest.say(ui);
        Ok(walked)
    })
}

fn say_missing(missing: &MissingWord, ui: &Ui) {
    let MissingWord { word, near } = missing;
    match near {
        Some(near) => ui.note(&format!("`{word}` is nowhere; did you mean `{near}`?")),
        None => ui.note(&format!("`{word}` is nowhere")),
    }
}

/// What the full text is asked.
struct Question {
    query: Query,
    now: Time,
    limit: usize,
    flat: bool,
    extent: Extent,
}

impl Question {
    fn of(args: &Args, time: TimeRange, clock: &Clock, ui: &Ui) -> Result<Self> {
        let typed = args.text();
        let mut query = query::parse(&typed, clock)
            .map_err(|error| Usage(format!("{error}\n{}", set_in(&error.point(&typed)))))?;
        for hint in &query.hints {
            ui.note(&hint.to_string());
        }
        args.narrow(&mut query, time);
        if query.is_empty() {
            return Err(Usage("there is nothing to look for".to_owned()).into());
        }
        Ok(Self {
            query,
            now: clock.now,
            limit: args.limit,
            flat: args.flat,
            extent: args.extent(),
        })
    }

    /// Returns the words that are looked for, without filters and signs.
    fn words(&self) -> String {
        let terms = self.query.terms.iter();
        let asked = terms.filter(|term| term.need != Need::Excluded);
        asked
            .map(|term| term.text.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn ask(
        &self,
        text: &TextIndex,
        asking: Asking<'_>,
        only: Option<&SessionSet>,
    ) -> Result<Found> {
        let request = search::Request {
            query: &self.query,
            now: self.now,
            limit: self.limit,
            of_session: (!self.flat).then_some(HITS),
            extent: self.extent,
        };
        let places = asking.known_places(only);
        let answer = search::search(text, &places, &request)?;
        places.check()?;
        let rest = if answer.more {
            Rest::Perhaps
        } else {
            Rest::Counted(Further::Exactly(0))
        };
        let mut hits: Vec<Hit> = answer
            .sessions
            .into_iter()
            .flat_map(|session| session.hits)
            .collect();
        if self.flat {
            hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        }
        Ok(Found {
            rows: asking.rows_of(&hits)?,
            hits,
            rest,
            is_partial: false,
            words: self.words(),
            missing: answer.missing,
        })
    }
}

/// Asks the full text.
fn ranked(question: &Question, chosen: &Chosen, indexed: &Indexed<'_>, ui: &Ui) -> Result<Found> {
    let (text, coverage) = indexed.text(ui)?;
    let found = question.ask(&text, indexed.asking(), chosen.only.as_ref());
    let_go(text);
    let is_partial = !coverage.is_whole();
    found.map(|found| Found {
        is_partial,
        ..found
    })
}

/// Lets go of a full text that is no longer asked. The process ends soon; giving the mapped files
/// back one by one would only take time.
fn let_go(text: TextIndex) {
    std::mem::forget(text);
}

/// Scans the logs.
fn scan(
    args: &Args,
    time: TimeRange,
    homes: &Homes,
    chosen: &Chosen,
    indexed: &Indexed<'_>,
    ui: &Ui,
) -> Result<Found> {
    let mut sources = scan::sources(homes.found());
    if let Some(only) = &chosen.only {
        sources = scan::only(sources, only);
    }
    let total = sources.iter().map(|source| source.bytes).sum();
    let request = scan::Request {
        case: if args.ignore_case {
            Case::Ignore
        } else {
            Case::Sensitive
        },
        roles: Values {
            any: args.role.clone(),
            none: Vec::new(),
        },
        time,
        // What is not on the active path is left out afterwards.
        limit: if args.active { usize::MAX } else { args.limit },
        rest: scan::Rest::CountTo(COUNTED),
        extent: args.extent(),
        ..scan::Request::new(
            args.text(),
            if args.regex { Kind::Regex } else { Kind::Exact },
        )
    };
    let Scan {
        mut hits,
        further,
        troubles,
    } = ui.with_progress(total, |read| scan::scan(&sources, &request, read))?;
    for trouble in troubles {
        ui.warning(&trouble.to_string());
    }
    let asking = indexed.asking();
    asking.mark_active(&mut hits)?;
    let mut further = further;
    if args.active {
        hits.retain(|hit| hit.active != Some(false));
        further = Further::Exactly(hits.len().saturating_sub(args.limit) as u64);
        hits.truncate(args.limit);
    }
    Ok(Found {
        rows: asking.rows_of(&hits)?,
        hits,
        rest: Rest::Counted(further),
        is_partial: false,
        words: if args.regex {
            String::new()
        } else {
            args.text()
        },
        missing: Vec::new(),
    })
}

fn print(args: &Args, found: &Found, homes: &Homes, settings: &Settings, ui: &Ui) -> Result<()> {
    if args.json {
        let mut out = ui.data();
        for hit in &found.hits {
            json::write_line(&HitJson::from(hit), &mut out)?;
        }
        return Ok(out.flush()?);
    }
    let layout = HitLayout {
        page: PageLayout {
            width: ui.width(),
            zone: ui.zone(),
            user_home: homes.user_home().map(|home| home.display().to_string()),
        },
        asked: Asked {
            words: found.words.clone(),
            options: settings.home_options(),
        },
    };
    let mut page = ui.page();
    if args.flat {
        for line in hits_in_order(found.hits.iter(), &layout) {
            page.line(&line)?;
        }
    } else {
        let groups = group(found.hits.clone(), &found.rows);
        for line in hits_by_session(&groups, &layout) {
            page.line(&line)?;
        }
    }
    Ok(page.finish()?)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use unspool_engine::index::text::OWN_COMMANDS;

    use super::*;

    #[test]
    fn the_output_of_every_command_ranks_behind() {
        let command = crate::args::Args::command();
        let mut names: Vec<&str> = command
            .get_subcommands()
            .map(clap::Command::get_name)
            .collect();
        names.sort_unstable();
        let mut known = OWN_COMMANDS;
        known.sort_unstable();
        assert_eq!(names, known);
    }

    #[test]
    fn excluded_words_are_no_options() {
        let moved = |typed: &str| {
            let args = set_apart(typed.split(' ').map(OsString::from));
            let args: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
            args.join(" ")
        };
        for (typed, expected) in [
            (
                "u search parse -test role:user",
                "u search parse role:user -- -test",
            ),
            (
                "u --home search search -notthere x",
                "u --home search search x -- -notthere",
            ),
            (
                "u search x -n5 -n 7 -C=2 -i -in3 --json",
                "u search x -n5 -n 7 -C=2 -i -in3 --json",
            ),
            (
                "u search x -project:app -- --no-verify",
                "u search x -- --no-verify -project:app",
            ),
            ("u search -- -test", "u search -- -test"),
            ("u list -test", "u list -test"),
            ("u", "u"),
        ] {
            assert_eq!(moved(typed), expected);
        }
    }
}
