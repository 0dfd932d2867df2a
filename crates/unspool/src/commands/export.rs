//! `unspool export`

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use anyhow::Result;
use clap::ValueEnum;
use unspool_engine::home::{Discovery, Resolved, SessionFile, Target};
use unspool_engine::ops::export::{self, Format, PathChoice, Plan, Report, Request, Setting};
use unspool_engine::ops::filter;
use unspool_engine::ops::list::{Agents, Kind};
use unspool_engine::ops::titles::Shelf;
use unspool_engine::ops::transcript::ViewKind;
use unspool_engine::redact::{Redactor, Rules, Tally, Treatment};
use unspool_engine::render::document::AgentLayout;
use unspool_engine::render::html::Painting;
use unspool_engine::render::human;
use unspool_engine::render::json::{self, LeftOutJson, TranscriptJson};
use unspool_engine::session::{Session, Trouble};

use crate::errors::{Outcome, Usage};
use crate::filters::{self, FilterArgs};
use crate::indexed::{self, Indexed};
use crate::sessions::Homes;
use crate::settings::Settings;
use crate::ui::Ui;

/// How many paths that were left out are named.
const LEFT_OUT: usize = 20;

/// Write sessions to files that stand on their own
///
/// Each path through a session becomes a transcript of its own, abandoned ones too. A path
/// whose entries are all in a path of another session that is exported is left out and
/// listed. The names of the files that were written are printed.
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Files are called transcript_ID.md, or transcript_ID_path2.md and \
transcript_ID_path1_abandoned.md where a session has several paths. A file of that name is \
replaced, and only once the new one is complete."
)]
pub(crate) struct Args {
    /// The sessions: ids, beginnings of ids, @, @2 …, or files
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,

    /// Export every session there is
    #[arg(long, conflicts_with = "sessions")]
    all: bool,

    /// What the files are
    #[arg(
        long,
        short = 'f',
        value_name = "FORMAT",
        default_value = "md",
        default_value_if("site", "true", "html")
    )]
    format: FormatArg,

    /// Which paths through each session
    #[arg(long, value_name = "WHICH", default_value = "all")]
    paths: PathsArg,

    /// Where the conversations of agents go
    #[arg(long, value_name = "WHERE", default_value = "inline")]
    agents: AgentsArg,

    /// Export what the model would be sent now instead: the active path from its last compaction on
    #[arg(long)]
    context: bool,

    /// Write into this folder, made if it is not there, or to standard output if it is `-` and
    /// there is one transcript [default: the current folder]
    #[arg(long, short = 'o', value_name = "DIR")]
    out: Option<PathBuf>,

    /// Replace secrets, e-mail addresses, home folders and user names by `[redacted:kind]`
    #[arg(long)]
    redact: bool,

    /// Make a site of the chosen sessions: pages, lists and a search, to be opened at index.html
    #[arg(long)]
    site: bool,

    /// Show code on pages in one colour
    #[arg(long)]
    no_highlight: bool,

    /// Print what would be written, and write nothing
    #[arg(long, short = 'n')]
    dry_run: bool,

    /// Print one JSON object per line about each file and each path left out, see docs/export.md
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    filter: FilterArgs,
}

/// What the files are.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum FormatArg {
    /// Markdown, with images beside it
    Md,
    /// Pages that need nothing else
    Html,
    /// The object of `show --json`
    Json,
    /// The original lines of the path
    Jsonl,
    /// Plain text
    Text,
}

/// Which paths are exported.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum PathsArg {
    /// One for each ending
    All,
    /// The one that a resume would continue
    Active,
}

/// Where agents go.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum AgentsArg {
    /// Under the call that started them
    Inline,
    /// Into files of their own
    Separate,
    /// Nowhere: they are named
    None,
}

pub(crate) fn run(args: &Args, homes: &Homes, settings: &Settings, ui: &Ui) -> Result<Outcome> {
    let format = args.format()?;
    let (sources, walked) = sources(args, homes, settings, ui)?;
    if sources.is_empty() {
        ui.note("no session fits all of this; nothing was exported");
        return Ok(walked.max(Outcome::Problems));
    }
    let (roots, live, found) = (homes.roots(), homes.live(), homes.found());
    let shelf = Shelf::new(found);
    let open = |resolved: &Resolved| -> Result<Session, Trouble> {
        let home = resolved.home.as_ref();
        let at = home.and_then(|home| roots.iter().position(|known| known == home));
        let mut session = Session::open(resolved, at.and_then(|at| live.get(at)))?;
        // The lines of a log say nothing of titles.
        if format != Format::Jsonl {
            shelf.name(&mut session);
        }
        Ok(session)
    };
    let relatives = |resolved: &Resolved| relatives(resolved, found);
    let prices = indexed::prices(settings);
    let mut rules = rules(homes, settings);
    if args.redact {
        export::people(&sources).add_to(&mut rules);
    }
    let (redactor, treatment) = if args.redact {
        (Redactor::new(&rules), Treatment::Replace)
    } else {
        (Redactor::for_secrets(&rules), Treatment::Count)
    };
    let request = Request {
        sources: &sources,
        open: &open,
        relatives: &relatives,
        format,
        paths: match args.paths {
            PathsArg::All => PathChoice::All,
            PathsArg::Active => PathChoice::Active,
        },
        agents: match args.agents {
            AgentsArg::Inline => AgentLayout::Inline,
            AgentsArg::Separate => AgentLayout::Separate,
            AgentsArg::None => AgentLayout::None,
        },
        view: if args.context {
            ViewKind::Context
        } else {
            ViewKind::History
        },
        prices: &prices,
        setting: if args.site {
            Setting::Site
        } else {
            Setting::Folder
        },
        redaction: Some((&redactor, treatment)),
    };
    let job = Job {
        args,
        request: &request,
        folder: args.out.clone().unwrap_or_else(|| homes.here().to_owned()),
        ui,
    };
    Ok(job.run()?.max(walked))
}

impl Args {
    fn format(&self) -> Result<Format, Usage> {
        if self.site && self.format != FormatArg::Html {
            return Err(Usage(
                "a site is made of HTML; leave --format out".to_owned(),
            ));
        }
        if self.site && self.to_stdout() {
            return Err(Usage("a site is a folder; name one with --out".to_owned()));
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

    fn to_stdout(&self) -> bool {
        self.out.as_deref() == Some(Path::new("-"))
    }
}

/// Says what is to be found beside secrets that everybody has.
fn rules(homes: &Homes, settings: &Settings) -> Rules {
    let home = homes.user_home();
    let name = home.and_then(Path::file_name);
    let text = |text: &OsStr| text.to_string_lossy().into_owned();
    Rules {
        extra: settings
            .redact
            .iter()
            .map(|own| own.value.clone())
            .collect(),
        home_dirs: home.iter().map(|home| text(home.as_os_str())).collect(),
        user_names: name.map(text).into_iter().collect(),
        ..Rules::default()
    }
}

/// Finds the sessions to export, in the order of homes and files, and says what was odd.
fn sources(
    args: &Args,
    homes: &Homes,
    settings: &Settings,
    ui: &Ui,
) -> Result<(Vec<Resolved>, Outcome)> {
    match (args.sessions.is_empty(), args.filter.is_empty()) {
        (false, false) => {
            let words = "name sessions or filter them, not both";
            Err(Usage(words.to_owned()).into())
        }
        (true, true) if !args.all => {
            let words = "which sessions? Name some (@ is the newest here), filter them as \
                `unspool list` does, or export --all";
            Err(Usage(words.to_owned()).into())
        }
        (false, true) => Ok((named(args, homes, ui)?, Outcome::Done)),
        (true, _) => filtered(args, homes, settings, ui),
    }
}

/// Finds the sessions that were named, each once.
fn named(args: &Args, homes: &Homes, ui: &Ui) -> Result<Vec<Resolved>> {
    let mut sources = Vec::new();
    let mut met = HashSet::new();
    for name in &args.sessions {
        let resolved = homes.resolve(name, ui)?;
        if met.insert(file(&resolved).to_owned()) {
            sources.push(resolved);
        }
    }
    Ok(sources)
}

fn file(resolved: &Resolved) -> &Path {
    match &resolved.target {
        Target::Session(file) => &file.path,
        Target::Agent(file) => &file.path,
    }
}

/// Finds the sessions that fit the filters.
fn filtered(
    args: &Args,
    homes: &Homes,
    settings: &Settings,
    ui: &Ui,
) -> Result<(Vec<Resolved>, Outcome)> {
    let mut filter = args.filter.resolve(&filters::clock(ui), homes)?;
    let agents = if filter.kinds.contains(&Kind::Agent) {
        Agents::Listed
    } else {
        Agents::Folded
    };
    if filter.kinds.is_empty() {
        filter.kinds = Kind::ALL.to_vec();
    }
    let mut indexed = Indexed::open(homes, settings)?;
    let listing = indexed.listing(agents, ui)?;
    let mut outcome = indexed.say_problems(ui);
    for trouble in &listing.troubles {
        ui.warning(&trouble.to_string());
        outcome = Outcome::Io;
    }
    let selection = filter::select(listing.rows, &filter);
    for unmatched in &selection.unmatched {
        ui.note(&unmatched.to_string());
    }
    let rows = selection.rows.into_iter();
    let wanted: HashSet<PathBuf> = rows.map(|row| row.file).collect();
    let all = homes.found().iter().flat_map(everything);
    let sources = all.filter(|resolved| wanted.contains(file(resolved)));
    Ok((sources.collect(), outcome))
}

/// Lists all sessions and agents of a home.
fn everything(home: &Discovery) -> impl Iterator<Item = Resolved> + '_ {
    let sessions = home.sessions().map(|(project, file)| Resolved {
        home: Some(home.home.clone()),
        project: Some(project.id.clone()),
        target: Target::Session(file.clone()),
    });
    let agents = home.agents().map(|(project, file)| Resolved {
        home: Some(home.home.clone()),
        project: Some(project.id.clone()),
        target: Target::Agent(file.clone()),
    });
    sessions.chain(agents)
}

/// Lists the sessions of the same project, which a session may share entries with.
fn relatives(resolved: &Resolved, found: &[Discovery]) -> Vec<SessionFile> {
    let projects = found.iter().flat_map(|home| &home.projects);
    projects
        .filter(|project| Some(&project.id) == resolved.project.as_ref())
        .flat_map(|project| project.sessions.iter().cloned())
        .collect()
}

struct Job<'a> {
    args: &'a Args,
    request: &'a Request<'a>,
    folder: PathBuf,
    ui: &'a Ui,
}

impl Job<'_> {
    fn run(&self) -> Result<Outcome> {
        let bytes: u64 = self.request.sources.iter().map(size).sum();
        let write = |done: &AtomicU64| {
            let mut plan = export::plan(self.request, done);
            let report = if self.args.dry_run {
                Report::default()
            } else if self.args.to_stdout() {
                Report {
                    secrets: self.print(&mut plan)?,
                    ..Report::default()
                }
            } else {
                export::write(self.request, &mut plan, &self.folder, done)?
            };
            anyhow::Ok((plan, report))
        };
        // Each session is read twice: to plan, and to write.
        let (plan, report) = self.ui.with_progress(2 * bytes, write)?;
        for trouble in plan.troubles.iter().chain(&report.troubles) {
            self.ui.warning(&trouble.to_string());
        }
        self.list(&plan, &report)?;
        self.say(&plan, &report);
        let all_read = plan.troubles.is_empty() && report.troubles.is_empty();
        Ok(if all_read { Outcome::Done } else { Outcome::Io })
    }

    /// Prints the one transcript that there is.
    fn print(&self, plan: &mut Plan) -> Result<Tally> {
        let count = plan.transcripts();
        if count > 1 {
            let transcripts = human::plural(count, "transcript");
            let words = format!(
                "{transcripts} cannot go to standard output together; choose one session, and \
                 --paths active, or a folder with --out"
            );
            return Err(Usage(words).into());
        }
        let mut out = self.ui.data();
        let secrets = export::write_one(self.request, plan, &mut out)?;
        out.flush()?;
        Ok(secrets)
    }

    /// Prints the names of files, or what scripts want to know of them.
    fn list(&self, plan: &Plan, report: &Report) -> Result<()> {
        if self.args.to_stdout() && !self.args.dry_run {
            return Ok(());
        }
        let mut out = self.ui.data();
        if self.args.dry_run {
            self.list_plan(plan, &mut out)?;
        }
        for written in &report.written {
            if self.args.json {
                json::write_line(&TranscriptJson::from(written), &mut out)?;
            } else {
                writeln!(out, "{}", written.path.display())?;
            }
        }
        if self.args.json {
            for left in &plan.left_out {
                json::write_line(&LeftOutJson::from(left), &mut out)?;
            }
        }
        Ok(out.flush()?)
    }

    fn list_plan(&self, plan: &Plan, out: &mut impl std::io::Write) -> Result<()> {
        for session in &plan.sessions {
            let file = |name: &str| self.folder.join(name).display().to_string();
            for path in &session.paths {
                if self.args.json {
                    let line = TranscriptJson::planned(session, path, file(&path.name));
                    json::write_line(&line, &mut *out)?;
                } else {
                    writeln!(out, "{}", file(&path.name))?;
                }
            }
            for agent in &session.agents {
                if self.args.json {
                    let line = TranscriptJson::planned_agent(session, agent, file(&agent.name));
                    json::write_line(&line, &mut *out)?;
                } else {
                    writeln!(out, "{}", file(&agent.name))?;
                }
            }
        }
        Ok(())
    }

    /// Says how much was written, and what was not.
    fn say(&self, plan: &Plan, report: &Report) {
        let ui = self.ui;
        for left in plan.left_out.iter().take(LEFT_OUT) {
            ui.note(&format!(
                "left out: session {}, path {}: all of it is in session {}, path {} ({})",
                left.path.session,
                left.path.number,
                left.held_by.session,
                left.held_by.number,
                left.file,
            ));
        }
        let more = plan.left_out.len().saturating_sub(LEFT_OUT);
        if more > 0 {
            ui.note(&format!("{more} more were left out; --json lists all"));
        }
        if !plan.empty.is_empty() {
            let empty = human::plural(plan.empty.len(), "session");
            ui.note(&format!("{empty} without a conversation"));
        }
        if plan.only_agents > 0 {
            let sessions = human::plural(plan.only_agents, "session");
            ui.note(&format!(
                "of {sessions} only agents are left; --agents separate writes them"
            ));
        }
        self.say_secrets(&report.secrets);
        let sessions = human::plural(plan.sessions.len(), "session");
        if self.args.dry_run {
            let transcripts = human::plural(plan.transcripts(), "transcript");
            ui.note(&format!("{transcripts} of {sessions} would be written"));
        } else if !self.args.to_stdout() {
            let transcripts = human::plural(report.written.len(), "transcript");
            let bytes = report.written.iter().map(|written| written.bytes).sum();
            let size = human::bytes(bytes);
            let folder = self.folder.display();
            ui.note(&format!(
                "wrote {transcripts} of {sessions}, {size}, to {folder}"
            ));
        }
    }
}

impl Job<'_> {
    /// Says what was replaced, or what should have been.
    fn say_secrets(&self, secrets: &Tally) {
        match (self.args.redact, secrets.is_empty()) {
            (true, true) if !self.args.dry_run => self.ui.note("nothing had to be redacted"),
            (true, false) => self.ui.note(&format!("redacted {secrets}")),
            (false, false) => self.ui.warning(&format!(
                "what was exported holds what looks like secrets: {secrets}; --redact replaces them"
            )),
            (_, true) => {}
        }
    }
}

fn size(resolved: &Resolved) -> u64 {
    match &resolved.target {
        Target::Session(file) => file.stamp.bytes,
        Target::Agent(file) => file.stamp.bytes,
    }
}
