//! One row for each session: what it was about, how long, how much.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use unspool_model::conversation::{Conversation, Liveness, Outcome};
use unspool_model::entry::{BlockKind, Verdict};
use unspool_model::graph::{Rule, Scope};
use unspool_model::ids::{ProjectId, SessionId};
use unspool_model::symbols::Symbol;
use unspool_model::time::Time;
use unspool_model::usage::Tokens;

use super::transcript;
use crate::home::{AgentFile, Discovery, FileClass, LiveSessions, SessionFile};
use crate::session::{Session, Trouble};
use crate::tail::LogFile;

/// What to list.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Request {
    /// How the active path is found.
    pub rule: Rule,
    /// Whether agents get rows of their own.
    pub agents: Agents,
}

/// Whether agents get rows of their own.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Agents {
    /// They are counted with their session.
    #[default]
    Folded,
    /// They are listed too.
    Listed,
}

/// One session of a list.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its id.
    pub id: SessionId,
    /// The home it is in.
    pub home: Option<PathBuf>,
    /// The project it is in.
    pub project: Option<ProjectId>,
    /// The folder it began in.
    pub cwd: Option<String>,
    /// Its file.
    pub file: PathBuf,
    /// Its title.
    pub title: Option<String>,
    /// Its first prompt.
    pub first_prompt: Option<String>,
    /// Its earliest entry.
    pub started: Option<Time>,
    /// Its latest entry.
    pub ended: Option<Time>,
    /// How many turns its active path has.
    pub turns: usize,
    /// How many messages its active path has.
    pub messages: usize,
    /// How many calls its active path has.
    pub calls: usize,
    /// The tools it called, with how often.
    pub tools: BTreeMap<String, usize>,
    /// The models that answered.
    pub models: Vec<String>,
    /// The git branch that was named last.
    pub git_branch: Option<String>,
    /// The client's version that was named last.
    pub version: Option<String>,
    /// What it and its agents used.
    pub tokens: Tokens,
    /// How many files it changed.
    pub files_changed: usize,
    /// How many agents it has.
    pub agents: usize,
    /// How many paths there are beside the active one.
    pub branches: usize,
    /// How many compactions it has.
    pub compactions: usize,
    /// How long its file is.
    pub bytes: u64,
    /// When its file was last written, in milliseconds since the epoch.
    pub modified: i64,
    /// How it ended.
    pub status: Status,
    /// What kind of session it is.
    pub kind: Kind,
    /// Whether a process owns it.
    pub live: bool,
    /// How many oddities its bytes have.
    pub oddities: usize,
}

/// How a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// With an answer.
    Complete,
    /// Interrupted, by a person or because the process died.
    Interrupted,
    /// With an error.
    Error,
    /// It is still going on.
    Open,
    /// There is no conversation.
    Empty,
}

impl Status {
    /// Returns the name that scripts see.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Interrupted => "interrupted",
            Self::Error => "error",
            Self::Open => "open",
            Self::Empty => "empty",
        }
    }
}

/// What kind of session a row is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A person's session.
    Main,
    /// A program's session.
    Headless,
    /// An agent's conversation.
    Agent,
    /// A file without a conversation.
    Empty,
}

impl Kind {
    /// Returns the name that scripts see.
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Headless => "headless",
            Self::Agent => "agent",
            Self::Empty => "empty",
        }
    }
}

/// Rows, newest first, and what could not be read.
pub struct Listing {
    /// The rows.
    pub rows: Vec<Row>,
    /// Files that could not be read.
    pub troubles: Vec<Trouble>,
}

/// Reads all sessions of some homes; `read` counts the bytes that are done.
pub fn list(
    found: &[Discovery],
    live: &[LiveSessions],
    request: &Request,
    read: &AtomicU64,
) -> Listing {
    let mut jobs: Vec<Job<'_>> = found
        .iter()
        .zip(live)
        .flat_map(|(home, live)| {
            // What cannot be read was said by the walk.
            let readable = |(_, file): &(_, &SessionFile)| file.class != FileClass::Unreadable;
            let sessions = home
                .sessions()
                .filter(readable)
                .map(move |(project, file)| Job {
                    home,
                    live,
                    project: &project.id,
                    file: JobFile::Session(file),
                });
            let agents = home
                .agents()
                .filter(|_| request.agents == Agents::Listed)
                .map(move |(project, file)| Job {
                    home,
                    live,
                    project: &project.id,
                    file: JobFile::Agent(file),
                });
            sessions.chain(agents)
        })
        .collect();
    // The largest first, so that no thread is left alone with it at the end.
    jobs.sort_by_key(|job| std::cmp::Reverse(job.bytes()));
    let results: Vec<_> = jobs
        .par_iter()
        .map(|job| {
            let result = job.run(request.rule);
            read.fetch_add(job.bytes(), Ordering::Relaxed);
            result
        })
        .collect();
    let mut listing = Listing {
        rows: Vec::new(),
        troubles: Vec::new(),
    };
    for result in results {
        match result {
            Ok((row, troubles)) => {
                listing.rows.push(row);
                listing.troubles.extend(troubles);
            }
            Err(trouble) => listing.troubles.push(trouble),
        }
    }
    listing.rows.sort_by(|a, b| {
        let newest = |row: &Row| row.ended.map_or(row.modified, Time::as_millis);
        newest(b)
            .cmp(&newest(a))
            .then_with(|| a.id.cmp(&b.id))
            .then_with(|| a.file.cmp(&b.file))
    });
    listing.troubles.sort_by(|a, b| a.path.cmp(&b.path));
    listing
}

struct Job<'a> {
    home: &'a Discovery,
    live: &'a LiveSessions,
    project: &'a ProjectId,
    file: JobFile<'a>,
}

enum JobFile<'a> {
    Session(&'a SessionFile),
    Agent(&'a AgentFile),
}

impl Job<'_> {
    fn bytes(&self) -> u64 {
        match self.file {
            JobFile::Session(file) => file.stamp.bytes,
            JobFile::Agent(file) => file.stamp.bytes,
        }
    }

    fn run(&self, rule: Rule) -> Result<(Row, Vec<Trouble>), Trouble> {
        let home = Some(self.home.home.root.clone());
        let project = Some(self.project.clone());
        match self.file {
            JobFile::Session(file) => {
                let mut session = Session::open_session(file, home, project, Some(self.live))?;
                let troubles = std::mem::take(&mut session.troubles);
                Ok((row(&session, rule, file.stamp.modified_ms()), troubles))
            }
            JobFile::Agent(file) => {
                let log = LogFile::open(&file.path).map_err(|error| Trouble {
                    path: file.path.clone(),
                    error,
                })?;
                let session = Session::of_agent(file, log, home, project);
                let mut row = row(&session, rule, file.stamp.modified_ms());
                row.kind = Kind::Agent;
                Ok((row, Vec::new()))
            }
        }
    }
}

/// Sums up one session.
pub fn row(session: &Session, rule: Rule, modified: i64) -> Row {
    let log = session.log();
    let facts = &log.facts;
    let conversation = session.conversation(rule);
    let active = Active::of(&conversation, session.live);
    let text = |symbol: Option<_>| symbol.map(|symbol| log.text(symbol).to_owned());
    let first_prompt = match rule {
        Rule::Sdk => facts.first_prompt_sdk.as_ref(),
        Rule::Current | Rule::NewestTime => facts.first_prompt.as_ref(),
    };
    Row {
        id: session.id.clone(),
        home: session.home.clone(),
        project: session.project.clone(),
        cwd: text(facts.cwd),
        file: session.main.path().to_owned(),
        title: transcript::title(session),
        first_prompt: first_prompt
            .or(facts.first_command.as_ref())
            .map(ToString::to_string),
        started: facts.started,
        ended: facts.ended,
        turns: active.turns,
        messages: active.messages,
        calls: active.tools.values().sum(),
        status: active.status,
        files_changed: active.files.len(),
        tools: active.tools,
        models: models(session),
        git_branch: text(facts.branch),
        version: text(facts.version),
        tokens: transcript::tokens(session),
        agents: session.agents.len() + inline_agents(&conversation),
        branches: conversation.paths.paths.len().saturating_sub(1),
        compactions: log.compactions.len(),
        bytes: log.bytes(),
        modified,
        kind: kind(session, active.messages),
        live: session.live == Liveness::Live,
        oddities: log.diagnostics.len(),
    }
}

fn inline_agents(conversation: &Conversation<'_>) -> usize {
    let any = conversation.graph.nodes.iter().any(|node| node.sidechain);
    if any {
        conversation.inline_agents().agents.len()
    } else {
        0
    }
}

/// What the active path of a session holds.
struct Active {
    turns: usize,
    messages: usize,
    tools: BTreeMap<String, usize>,
    files: BTreeSet<Symbol>,
    status: Status,
}

impl Active {
    fn of(conversation: &Conversation<'_>, live: Liveness) -> Self {
        let mut active = Self {
            turns: 0,
            messages: 0,
            tools: BTreeMap::new(),
            files: BTreeSet::new(),
            status: Status::Empty,
        };
        let Some(path) = conversation.paths.active() else {
            return active;
        };
        let view = conversation.history(path);
        let turns = conversation.turns(&view, live);
        active.turns = turns.len();
        active.messages = view.messages.len();
        let log = conversation.log;
        for &node in view.messages.iter().flat_map(|message| view.nodes(message)) {
            for block in log.blocks_of(conversation.graph.entry(log, node)) {
                if block.kind != BlockKind::Call {
                    continue;
                }
                let name = block.name.map_or("unknown", |name| log.text(name));
                *active.tools.entry(name.to_owned()).or_default() += 1;
                let result = block
                    .call
                    .and_then(|call| conversation.result_of(node, call));
                let done = result.is_some_and(|result| result.verdict == Verdict::Done);
                let edits = matches!(name, "Edit" | "MultiEdit" | "Write" | "NotebookEdit");
                active.files.extend(block.file.filter(|_| edits && done));
            }
        }
        active.status = match turns.last().map(|turn| turn.outcome) {
            _ if view.messages.is_empty() => Status::Empty,
            Some(Outcome::Interrupted | Outcome::Killed) => Status::Interrupted,
            Some(Outcome::Error) => Status::Error,
            Some(Outcome::Open) => Status::Open,
            Some(Outcome::Done) | None => Status::Complete,
        };
        active
    }
}

fn models(session: &Session) -> Vec<String> {
    let mut known = HashSet::new();
    let logs = std::iter::once(session.log()).chain(session.agents.iter().map(|a| a.file.log()));
    logs.flat_map(|log| log.usage.iter().map(|row| log.text(row.model)))
        .filter(|model| !model.is_empty() && known.insert(*model))
        .map(str::to_owned)
        .collect()
}

fn kind(session: &Session, messages: usize) -> Kind {
    let log = session.log();
    let named = |symbol: Option<_>| symbol.map(|symbol| log.text(symbol)).unwrap_or_default();
    if messages == 0 {
        Kind::Empty
    } else if session.scope == Scope::Agent {
        Kind::Agent
    } else if named(log.facts.entrypoint).starts_with("sdk")
        || named(log.facts.prompt_source) == "sdk"
    {
        Kind::Headless
    } else {
        Kind::Main
    }
}
