//! One row for each session: its title, its length, its cost.
//!
//! Lists, filters and totals by session all work on [`SessionRow`]s; [`crate::filter`] selects and
//! sorts them. [`row`] builds the row of a session that was read; the index builds rows from
//! [`RowSource`]s and stores them.

mod active;
mod agents;
mod bill;
mod files;
mod value;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use unspool_model::conversation::{Conversation, Liveness};
use unspool_model::facts::Facts;
use unspool_model::graph::{Rule, Scope};
use unspool_model::ids::{ProjectId, SessionId, short};
use unspool_model::log::Log;
use unspool_model::named::Named as _;
use unspool_model::names;
use unspool_model::symbols::Symbol;
use unspool_model::time::Time;
use unspool_model::usage::Tokens;

use self::active::Active;
pub use self::agents::first_task;
pub use self::agents::{AgentFacts, FactsFromAgents};
pub use self::bill::Bill;
pub use self::files::FilePaths;
use self::files::touched;
pub use self::value::{RowGetter, RowValue};
use crate::home::layout::agent_in;
use crate::prices::PriceTable;
use crate::session::Session;
use crate::titles::{self, TitleOrigin};

/// Whether agents get rows of their own.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum AgentRows {
    /// Agents are counted with their session.
    #[default]
    Folded,
    /// Agents are listed too.
    Listed,
}

/// One session of a list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SessionRow {
    /// The session's id.
    pub id: SessionId,
    /// The home it is in.
    #[serde(skip)]
    pub home: Option<PathBuf>,
    /// The project it is in.
    pub project: Option<ProjectId>,
    /// The folder it began in.
    pub cwd: Option<String>,
    /// The other folders it was in, in order of appearance.
    pub other_cwds: Vec<String>,
    /// The path of its log.
    #[serde(skip)]
    pub file: PathBuf,
    /// Its title.
    pub title: Option<String>,
    /// Where the title is from.
    pub title_origin: TitleOrigin,
    /// The name that a person gave it, or else its agent name.
    pub name: Option<String>,
    /// Its first prompt.
    pub first_prompt: Option<String>,
    /// The text that names it if it has no title; `None` if that is its first prompt.
    pub opening_title: Option<String>,
    /// The time of its earliest entry.
    pub started: Option<Time>,
    /// The time of its latest entry.
    pub ended: Option<Time>,
    /// How many turns its active path has.
    pub turns: usize,
    /// How many messages its active path has.
    pub messages: usize,
    /// How many calls its active path has.
    pub calls: usize,
    /// How many of those calls failed.
    pub failed_calls: usize,
    /// The total duration of the turns on its active path, in milliseconds.
    pub active_ms: u64,
    /// The tools that its active path called, with the number of calls.
    pub tools: BTreeMap<String, usize>,
    /// The models that answered.
    pub models: Vec<String>,
    /// The git branch that its log named last.
    pub git_branch: Option<String>,
    /// The other git branches that its log named, in order of appearance.
    pub other_git_branches: Vec<String>,
    /// The client version that its log named last.
    pub version: Option<String>,
    /// The tokens that it and its agents used.
    pub tokens: Tokens,
    /// The cost of these tokens in US dollars; `None` unless a caller with prices sets it.
    pub cost_usd: Option<f64>,
    /// How many files it changed.
    pub files_changed: usize,
    /// The files that calls name, on all paths and in its agents.
    pub files: FilePaths,
    /// How many agents it has.
    pub agents: usize,
    /// How many paths it has apart from the active one.
    pub branches: usize,
    /// How many compactions it has.
    pub compactions: usize,
    /// The size of its log in bytes.
    pub bytes: u64,
    /// When its log was last written, in milliseconds since the epoch.
    pub modified: i64,
    /// How it ended.
    pub status: Status,
    /// Set if its last turn is not finished: its status then depends on whether a process owns it.
    pub unfinished: bool,
    /// What kind of session it is.
    pub kind: SessionKind,
    /// Whether a process owns it.
    #[serde(skip)]
    pub live: bool,
    /// How many diagnostics its log has.
    pub diagnostic_kinds: usize,
}

impl SessionRow {
    /// Returns all its git branches, the last one first.
    pub fn git_branches(&self) -> impl Iterator<Item = &str> {
        let others = self.other_git_branches.iter();
        self.git_branch.iter().chain(others).map(String::as_str)
    }

    /// Returns all folders it was in, the one it began in first.
    pub fn cwds(&self) -> impl Iterator<Item = &str> {
        self.cwd.iter().chain(&self.other_cwds).map(String::as_str)
    }

    /// Returns the text that names the session if it has no title.
    pub fn opening(&self) -> Option<&str> {
        let opening = self.opening_title.as_ref().or(self.first_prompt.as_ref());
        opening.map(String::as_str)
    }

    /// Sets whether a process owns the session. An unfinished session is open if a process owns it,
    /// and otherwise interrupted.
    pub fn set_live(&mut self, live: Liveness) {
        self.live = live == Liveness::Live;
        if self.unfinished {
            self.status = if self.live { Status::Open } else { Status::Interrupted };
        }
    }

    /// Returns a prefix of its id that is long enough to name it; for an agent, without `agent-`.
    pub fn short_id(&self) -> String {
        let id = self.id.as_str();
        let id = match self.kind {
            SessionKind::Agent => agent_in(id),
            _ => id,
        };
        short(id).to_owned()
    }

    /// Returns the time from its earliest to its latest entry, in milliseconds.
    pub fn duration_ms(&self) -> Option<u64> {
        Some(self.ended?.since(self.started?))
    }

    /// Returns the time of its last activity: that of its latest entry, or else of its log's last
    /// write.
    pub fn last_active(&self) -> Time {
        self.ended.unwrap_or_else(|| Time::from_millis(self.modified))
    }

    /// Returns the display name of its project.
    pub fn project_name(&self) -> &str {
        project_name(self.cwd.as_deref(), self.project.as_ref())
    }
}

/// Returns the display name of a project: the last part of a folder that its sessions began in, or
/// else the project's name in its home.
pub fn project_name<'n>(folder: Option<&'n str>, project: Option<&'n ProjectId>) -> &'n str {
    let name = folder.map(last_part).filter(|name| !name.is_empty());
    name.or(project.map(ProjectId::as_str)).unwrap_or_default()
}

/// Returns the last part of a Unix or Windows path.
pub fn last_part(path: &str) -> &str {
    let path = path.trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

names! {
    /// How a session ended.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
    pub enum Status {
        /// The last turn ended with an answer.
        Complete = "complete",
        /// A person interrupted it, or its process died.
        Interrupted = "interrupted",
        /// The last turn ended with an error.
        Error = "error",
        /// The last turn is still running.
        Open = "open",
        /// There is no conversation.
        Empty = "empty",
    }
}

names! {
    /// What kind of session a row describes.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
    pub enum SessionKind {
        /// A session of a person.
        Main = "main",
        /// A session of a program that uses the SDK.
        Headless = "headless",
        /// An agent's conversation.
        Agent = "agent",
        /// Neither a conversation nor agents.
        Empty = "empty",
    }
}

impl SessionKind {
    /// Returns the number that the catalogue stores.
    pub(crate) fn number(self) -> i64 {
        self as i64
    }

    /// Returns the kind with a number.
    pub(crate) fn of_number(number: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.number() == number)
    }
}

/// What a row is built from: one log, and what its location says about it.
pub struct RowSource<'a> {
    /// The session's id.
    pub id: &'a SessionId,
    /// The home it is in.
    pub home: Option<&'a Path>,
    /// The project it is in.
    pub project: Option<&'a ProjectId>,
    /// The path of the log.
    pub path: &'a Path,
    /// The log.
    pub log: &'a Log,
    /// Whether the whole log is one conversation, or inline agents are separate from it.
    pub scope: Scope,
    /// When the log was last written, in milliseconds since the epoch.
    pub modified: i64,
    /// The title that other logs of the project give the session.
    pub called: Option<&'a str>,
    /// How many of its agents have their own files.
    pub agents: usize,
}

/// Builds the row of a session.
pub fn row(session: &Session, rule: Rule, modified: i64, prices: &PriceTable) -> SessionRow {
    row_of(session, &session.conversation(rule), modified, prices)
}

/// Builds the row of a session from its conversation.
pub fn row_of(
    session: &Session,
    conversation: &Conversation<'_>,
    modified: i64,
    prices: &PriceTable,
) -> SessionRow {
    let subject = RowSource {
        id: &session.id,
        home: session.home.as_deref(),
        project: session.project.as_ref(),
        path: session.main.path(),
        log: session.log(),
        scope: session.scope,
        modified,
        called: session.called.as_deref(),
        agents: session.agents.len(),
    };
    let mut row = subject.row(conversation);
    let bill = Bill::of(session, prices);
    row.tokens = bill.tokens;
    row.models = bill.models;
    row.cost_usd = bill.cost_usd;
    for agent in &session.agents {
        row.files.add(&touched(agent.file.log()));
    }
    row.take_from_session(session);
    row.set_live(session.live);
    row
}

impl RowSource<'_> {
    /// Builds the row from the log alone; agents with their own files are only counted.
    pub fn row(&self, conversation: &Conversation<'_>) -> SessionRow {
        let facts = &self.log.facts;
        let active = Active::of(conversation);
        let agents = inline_agents(conversation) + self.agents;
        let text = |symbol: Option<_>| symbol.map(|symbol| self.log.text(symbol).to_owned());
        let openings = self.log.openings();
        let first_prompt = match conversation.rule {
            Rule::Sdk => first_prompt_sdk(facts),
            Rule::Current | Rule::NewestTime => openings.first_prompt(),
        };
        let opening_title = openings.best().filter(|&by| first_prompt != Some(by));
        let mut cwds = facts.cwds.iter().map(|&cwd| self.log.text(cwd).to_owned());
        let title = titles::title(self.log, self.scope, self.called);
        let mut row = SessionRow {
            id: self.id.clone(),
            home: self.home.map(Into::into),
            project: self.project.cloned(),
            cwd: cwds.next(),
            other_cwds: cwds.collect(),
            file: self.path.into(),
            title: title.text,
            title_origin: title.origin,
            name: facts
                .custom_title
                .as_ref()
                .or(facts.agent_name.as_ref())
                .map(ToString::to_string),
            first_prompt: first_prompt.map(ToOwned::to_owned),
            opening_title: opening_title.map(ToOwned::to_owned),
            started: facts.started,
            ended: facts.ended,
            turns: active.turns,
            messages: active.messages,
            calls: active.tools.values().sum(),
            failed_calls: active.failed_calls,
            active_ms: active.millis,
            status: active.status,
            unfinished: active.unfinished,
            files_changed: active.files.len(),
            files: touched(self.log),
            tools: active.tools,
            models: Vec::new(),
            git_branch: text(facts.branch),
            other_git_branches: self.other_git_branches(),
            version: text(facts.version),
            tokens: Tokens::default(),
            cost_usd: None,
            agents,
            branches: conversation.paths.paths.len().saturating_sub(1),
            compactions: self.log.compactions.len(),
            bytes: self.log.bytes(),
            modified: self.modified,
            kind: self.kind(active.messages + agents),
            live: false,
            diagnostic_kinds: self.log.diagnostics.len(),
        };
        row.set_live(Liveness::Idle);
        row
    }

    fn other_git_branches(&self) -> Vec<String> {
        let last = self.log.facts.branch;
        let mut others: Vec<Symbol> = Vec::new();
        for branch in self.log.branches.iter().filter_map(|(_, branch)| *branch) {
            if Some(branch) != last && !others.contains(&branch) {
                others.push(branch);
            }
        }
        let text = |branch| self.log.text(branch).to_owned();
        others.into_iter().map(text).collect()
    }

    /// Returns the kind of the session; `content` is the number of its messages and agents.
    fn kind(&self, content: usize) -> SessionKind {
        let named = |symbol: Option<_>| symbol.map(|symbol| self.log.text(symbol));
        let facts = &self.log.facts;
        if content == 0 {
            SessionKind::Empty
        } else if self.scope == Scope::Agent {
            SessionKind::Agent
        } else if named(facts.entrypoint).is_some_and(|name| name.starts_with("sdk"))
            || named(facts.prompt_source) == Some("sdk")
        {
            SessionKind::Headless
        } else {
            SessionKind::Main
        }
    }
}

/// Returns the first prompt as the vendor's SDK reports it: of a command, only the name.
fn first_prompt_sdk(facts: &Facts) -> Option<&str> {
    let prompt = facts.first_prompt_sdk.as_deref();
    prompt.or(facts.first_command_sdk.as_deref())
}

fn inline_agents(conversation: &Conversation<'_>) -> usize {
    let any = conversation.graph.nodes.iter().any(|node| node.sidechain);
    if any { conversation.inline_agents().agents.len() } else { 0 }
}

/// Returns the models that answered in a session and its agents, each once.
fn models(session: &Session) -> Vec<String> {
    let mut known = HashSet::new();
    let logs = session.logs();
    logs.flat_map(|log| log.usage.iter().map(|row| log.text(row.model)))
        .filter(|model| !model.is_empty() && known.insert(*model))
        .map(str::to_owned)
        .collect()
}
