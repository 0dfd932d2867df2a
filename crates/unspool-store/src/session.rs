//! An open session: its log, its agents' logs, and which call started which agent.
//!
//! It connects files and operations: a place that [`crate::home`] found is read once and then
//! queried in memory. An agent's file that cannot be read becomes a [`SessionFileError`] of the
//! session.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use unspool_model::agent::{self, AgentCandidate, Linker};
use unspool_model::conversation::{Conversation, Liveness};
use unspool_model::entry::{BlockKind, EntryKind, Flags};
use unspool_model::graph::{Rule, Scope};
use unspool_model::ids::{AgentId, ProjectId, SessionId};
use unspool_model::log::{AgentLink, Log, is_agent_tool};
use unspool_model::positions::EntryIndex;
use unspool_model::record::{Record, RecordPart};
use unspool_model::sidecar::Sidecar;
use unspool_model::symbols::Symbol;
use unspool_model::tool::{self, Tool};
use unspool_model::usage::{Ledger, ModelAt};

use crate::home::{
    AgentFile, AgentListing, FileClass, Layout, LiveSessions, Resolved, SessionFile, Target,
};
use crate::tail::{LogFile, LogFileChange, SpanReader};

/// A file that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {error}", path.display())]
pub struct SessionFileError {
    /// The path of the file.
    pub path: PathBuf,
    /// What went wrong.
    pub error: io::Error,
}

/// An open session.
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// The home it is in, if any.
    pub home: Option<PathBuf>,
    /// The project it is in, if any.
    pub project: Option<ProjectId>,
    /// Its folder, with spilled outputs and agents.
    pub dir: Option<PathBuf>,
    /// Its own log.
    pub main: LogFile,
    /// Whether the whole log is one conversation, or inline agents are separate from it.
    pub scope: Scope,
    /// Its agents with files of their own, sorted by path; those found by a refresh come last.
    pub agents: Vec<Agent>,
    /// Whether a process owns it.
    pub live: Liveness,
    /// The title that other logs of its project give it; set by
    /// [`ProjectSummaries::name`](crate::titles::ProjectSummaries::name).
    pub called: Option<String>,
    /// Its files that could not be read.
    pub file_errors: Vec<SessionFileError>,
    /// Set if the log is an agent's own file, whatever it contains.
    is_agent_file: bool,
    /// The last listing of its agents' files.
    listing: AgentListing,
}

/// How the files of a session changed since they were last read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionGrowth {
    /// How the session's own log changed.
    pub main: LogFileChange,
    /// The agents whose logs grew or were replaced, and new agents.
    pub agents: Vec<AgentGrowth>,
    /// Set if the agents were linked to calls again, because of new links.
    pub relinked: bool,
}

/// How the log of one agent changed since it was last read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentGrowth {
    /// The agent's id.
    pub id: AgentId,
    /// Its position in [`Session::agents`].
    pub index: usize,
    /// How its log changed; a new log counts as replaced.
    pub change: LogFileChange,
}

/// An agent with its own file.
pub struct Agent {
    /// Its id.
    pub id: AgentId,
    /// Its log.
    pub file: LogFile,
    /// The content of its sidecar file.
    pub sidecar: Sidecar,
    /// The call that started it.
    pub call: Option<Box<str>>,
    /// The position of the agent that made the call; `None` for the session itself.
    pub parent: Option<usize>,
    /// Its nesting depth; one for an agent that the session started.
    pub depth: u32,
    /// What kind of agent it is.
    pub kind: Option<String>,
    /// A short description of its task.
    pub description: Option<String>,
}

impl Session {
    /// Opens the session or agent that a name led to.
    pub fn open(found: &Resolved, live: Option<&LiveSessions>) -> Result<Self, SessionFileError> {
        let home = found.home.as_ref().map(|home| home.root.clone());
        match &found.target {
            Target::Session(file) => Self::open_session(file, home, found.project.clone(), live),
            Target::Agent(file) => Self::open_agent(file, home, found.project.clone()),
        }
    }

    /// Opens a session that a walk found.
    pub fn open_session(
        file: &SessionFile,
        home: Option<PathBuf>,
        project: Option<ProjectId>,
        live: Option<&LiveSessions>,
    ) -> Result<Self, SessionFileError> {
        let main = match file.class {
            FileClass::AgentsOnly => LogFile::absent(&file.path),
            _ => open(&file.path)?,
        };
        let is_live = live.is_some_and(|live| live.is_live(&file.id));
        let mut session = Self {
            id: file.id.clone(),
            home,
            project,
            dir: file.dir.clone(),
            scope: scope_of(main.log()),
            main,
            agents: Vec::new(),
            live: if is_live { Liveness::Live } else { Liveness::Idle },
            called: None,
            file_errors: Vec::new(),
            is_agent_file: false,
            listing: AgentListing::default(),
        };
        session.open_agents(&file.agents);
        Ok(session)
    }

    fn open_agent(
        file: &AgentFile,
        home: Option<PathBuf>,
        project: Option<ProjectId>,
    ) -> Result<Self, SessionFileError> {
        Ok(Self::of_agent(file, open(&file.path)?, home, project))
    }

    /// Makes a session of an agent's log, as a conversation of its own.
    pub fn of_agent(
        file: &AgentFile,
        log: LogFile,
        home: Option<PathBuf>,
        project: Option<ProjectId>,
    ) -> Self {
        Self {
            id: SessionId::new(stem(&file.path)),
            home,
            project,
            dir: None,
            main: log,
            scope: Scope::Agent,
            agents: Vec::new(),
            live: Liveness::Idle,
            called: None,
            file_errors: Vec::new(),
            is_agent_file: true,
            listing: AgentListing::default(),
        }
    }

    /// Returns the session's own log.
    pub fn log(&self) -> &Log {
        self.main.log()
    }

    /// Returns the session's own log, and then those of its agents.
    pub fn logs(&self) -> impl Iterator<Item = &Log> {
        std::iter::once(self.log()).chain(self.agents.iter().map(|agent| agent.file.log()))
    }

    /// Returns the usage that the session and its agents state.
    pub fn usage(&self) -> Ledger<&str, ModelAt<'_>> {
        let mut ledger = Ledger::default();
        self.logs().for_each(|log| log.claim_usage(&mut ledger));
        ledger
    }

    /// Returns whether the session's own log has no messages.
    pub fn is_empty(&self) -> bool {
        !self.log().entries.iter().any(|entry| entry.uuid.is_some() && entry.says.is_some())
    }

    /// Builds the conversation of the session's own log.
    pub fn conversation(&self, rule: Rule) -> Conversation<'_> {
        Conversation::new(self.log(), rule, self.scope)
    }

    /// Reads what was appended to the files of the session, and opens new agents.
    ///
    /// An agent's file that cannot be read stays as it was. Agents are linked to calls again only if
    /// there are new agents, or if a file names a call or an agent that it did not name before.
    pub fn refresh(&mut self) -> Result<SessionGrowth, SessionFileError> {
        let links = self.link_count();
        let main = match self.main.refresh() {
            Err(error) if self.main.is_absent() && error.kind() == io::ErrorKind::NotFound => {
                LogFileChange::Same
            }
            refreshed => refreshed
                .map_err(|error| SessionFileError { path: self.main.path().to_owned(), error })?,
        };
        if !self.is_agent_file {
            self.scope = scope_of(self.main.log());
        }
        let mut agents = Vec::new();
        for (index, agent) in self.agents.iter_mut().enumerate() {
            if let Ok(change @ (LogFileChange::Grew(_) | LogFileChange::Replaced)) =
                agent.file.refresh()
            {
                let id = agent.id.clone();
                agents.push(AgentGrowth { id, index, change });
            }
        }
        let files = self.agent_files();
        let known = |file: &AgentFile| {
            let mut agents = self.agents.iter();
            agents.any(|agent| agent.file.path() == file.path)
        };
        let new: Vec<AgentFile> = files.iter().filter(|file| !known(file)).cloned().collect();
        let before = self.agents.len();
        self.add_agents(&new);
        let added = self.agents.iter().enumerate().skip(before);
        agents.extend(added.map(|(index, agent)| AgentGrowth {
            id: agent.id.clone(),
            index,
            change: LogFileChange::Replaced,
        }));
        let described = self.read_new_sidecars(&files);
        let relinked = described || !new.is_empty() || links != self.link_count();
        if relinked && !self.agents.is_empty() {
            self.link_agents(&files);
        }
        Ok(SessionGrowth { main, agents, relinked })
    }

    /// Reads sidecars that were missing or empty before: a client may write the log first. Returns
    /// whether it found one.
    fn read_new_sidecars(&mut self, files: &[AgentFile]) -> bool {
        let mut found = false;
        let silent = Sidecar::default();
        for agent in self.agents.iter_mut().filter(|it| it.sidecar == silent) {
            let file = files.iter().find(|file| file.path == agent.file.path());
            let Some(path) = file.and_then(|file| file.sidecar.as_deref()) else {
                continue;
            };
            agent.sidecar = read_sidecar(path);
            agent.kind = agent.sidecar.kind.clone().or(agent.kind.take());
            let description = agent.sidecar.description.clone();
            agent.description = description.or(agent.description.take());
            found |= agent.sidecar != silent;
        }
        found
    }

    /// Lists the agents' files of the session. Folders that have not changed are not listed again:
    /// a project's folder may have thousands of files.
    fn agent_files(&mut self) -> Vec<AgentFile> {
        if self.scope != Scope::Session || self.main.is_absent() || self.is_agent_file {
            return Vec::new();
        }
        let logs = self.agents.iter().map(|agent| &agent.file);
        let times = logs.chain([&self.main]).map(|log| log.stamp().modified);
        let newest = times.max().unwrap_or(SystemTime::UNIX_EPOCH);
        if !self.listing.is_current(newest) {
            self.listing = AgentListing::of(self.main.path());
        }
        self.listing.agents.clone()
    }

    /// Counts the links to calls and agents in the files of the session.
    fn link_count(&self) -> usize {
        self.logs().map(|log| log.links.len()).sum()
    }

    fn open_agents(&mut self, files: &[AgentFile]) {
        self.add_agents(files);
        self.link_agents(files);
    }

    fn add_agents(&mut self, files: &[AgentFile]) {
        for found in files {
            let file = match open(&found.path) {
                Ok(file) => file,
                Err(file_error) => {
                    self.file_errors.push(file_error);
                    continue;
                }
            };
            let sidecar = found.sidecar.as_deref().map(read_sidecar).unwrap_or_default();
            self.agents.push(Agent {
                id: found.id.clone(),
                file,
                kind: sidecar.kind.clone(),
                description: sidecar.description.clone(),
                sidecar,
                call: None,
                parent: None,
                depth: 1,
            });
        }
    }

    fn link_agents(&mut self, files: &[AgentFile]) {
        let mut linker = Linker::default();
        self.logs().for_each(|log| linker.add(log));
        let run_of = |agent: &Agent| {
            files.iter().find(|file| file.path == agent.file.path()).and_then(|file| {
                match &file.layout {
                    Layout::Workflow { run } => Some(run.as_str()),
                    Layout::Sibling | Layout::Subagents => None,
                }
            })
        };
        let candidates: Vec<_> = self
            .agents
            .iter()
            .map(|agent| AgentCandidate {
                id: agent.id.as_str(),
                sidecar_call: agent.sidecar.call.as_deref(),
                run: run_of(agent),
                prompt: agent::opening(agent.file.log()),
            })
            .collect();
        let calls = linker.link(&candidates);
        let owners = self.call_owners();
        for (index, call) in calls.into_iter().enumerate() {
            let owner = call.as_ref().and_then(|call| owners.get(call)).copied();
            let named = self.agents[index].sidecar.parent.clone();
            let parent = match owner {
                Some(owner) => owner,
                None => named.and_then(|id| self.agents.iter().position(|a| a.id.as_str() == id)),
            };
            self.agents[index].parent = parent.filter(|&parent| parent != index);
            self.agents[index].call = call;
        }
        self.measure_depths();
        self.describe_agents();
    }

    /// Returns the maker of each call that starts agents: an agent, or `None` for the session
    /// itself.
    fn call_owners(&self) -> HashMap<Box<str>, Option<usize>> {
        let mut owners = HashMap::new();
        let owned = std::iter::once(None).chain((0..self.agents.len()).map(Some));
        for (owner, log) in owned.zip(self.logs()) {
            for link in &log.links {
                if let AgentLink::Launch { call, .. } = link {
                    owners.entry(log.text(*call).into()).or_insert(owner);
                }
            }
        }
        owners
    }

    fn measure_depths(&mut self) {
        for index in 0..self.agents.len() {
            let mut depth = 1;
            let mut at = self.agents[index].parent;
            // The bound ends the walk if the parents form a cycle.
            while let Some(parent) = at.filter(|_| depth <= self.agents.len() as u32) {
                depth += 1;
                at = self.agents[parent].parent;
            }
            let said = self.agents[index].sidecar.depth;
            self.agents[index].depth = said.filter(|_| depth == 1).unwrap_or(depth).max(1);
        }
    }

    /// Takes kind and description from the call, for agents that lack one of them.
    fn describe_agents(&mut self) {
        let mut found = Vec::new();
        let mut launches: HashMap<Option<usize>, Launches<'_>> = HashMap::new();
        for (index, agent) in self.agents.iter().enumerate() {
            let is_known = agent.kind.is_some() && agent.description.is_some();
            let Some(call) = agent.call.as_deref().filter(|_| !is_known) else {
                continue;
            };
            let file = agent.parent.map_or(&self.main, |parent| &self.agents[parent].file);
            let launches = launches.entry(agent.parent).or_insert_with(|| Launches::of(file));
            found.extend(launches.describe(call).map(|said| (index, said)));
        }
        drop(launches);
        for (index, (kind, description)) in found {
            let agent = &mut self.agents[index];
            agent.kind = agent.kind.take().or(kind);
            agent.description = agent.description.take().or(description);
        }
    }
}

/// The calls of a log that start agents.
pub struct Launches<'f> {
    file: &'f LogFile,
    reader: SpanReader<'f>,
    calls: HashMap<Symbol, (EntryIndex, usize)>,
}

impl<'f> Launches<'f> {
    /// Finds these calls in a log.
    pub fn of(file: &'f LogFile) -> Self {
        let log = file.log();
        let mut calls = HashMap::new();
        for (index, entry) in EntryIndex::enumerate(&log.entries) {
            for (position, block) in log.blocks_of(entry).iter().enumerate() {
                let name = block.name.map(|name| log.text(name).as_bytes());
                if block.kind == BlockKind::Call && name.is_some_and(is_agent_tool) {
                    calls.extend(block.call.map(|call| (call, (index, position))));
                }
            }
        }
        Self { file, reader: file.reader(), calls }
    }

    /// Returns the entry that contains a call.
    pub fn entry(&self, call: &str) -> Option<EntryIndex> {
        let symbol = self.file.log().symbols.find(call)?;
        self.calls.get(&symbol).map(|(entry, _)| *entry)
    }

    /// Reads the kind and the description of the agent that a call starts.
    pub fn describe(&mut self, call: &str) -> Option<(Option<String>, Option<String>)> {
        let log = self.file.log();
        let &(entry, position) = self.calls.get(&log.symbols.find(call)?)?;
        let bytes = self.reader.bytes(log.entries[entry].span).ok()?;
        let record = Record::read(bytes);
        let RecordPart::Call { name, input } = record.parts.get(position)? else {
            return None;
        };
        match tool::parse(name, input) {
            Tool::Agent { kind, description, .. } => {
                let description = Some(description.into_owned()).filter(|text| !text.is_empty());
                Some((kind.map(Into::into), description))
            }
            _ => None,
        }
    }
}

/// Reads the sidecar of an agent's log; a missing one is empty.
pub(crate) fn read_sidecar(path: &Path) -> Sidecar {
    let bytes = crate::files::read(path).unwrap_or_default();
    Sidecar::read(&bytes)
}

/// Returns the scope of a log by its content: an agent's if all its messages are on the sidechain.
pub fn scope_of(log: &Log) -> Scope {
    let mut said = log
        .entries
        .iter()
        .filter(|entry| matches!(entry.kind, EntryKind::User | EntryKind::Assistant))
        .filter(|entry| entry.uuid.is_some())
        .peekable();
    let is_agent = said.peek().is_some()
        && said.all(|entry| entry.flags.has(Flags::SIDECHAIN) && entry.agent.is_some());
    if is_agent { Scope::Agent } else { Scope::Session }
}

/// Returns the file name of a log without its suffix.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn open(path: &Path) -> Result<LogFile, SessionFileError> {
    LogFile::open(path).map_err(|error| SessionFileError { path: path.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use unspool_testkit::home::AgentFilePlace;
    use unspool_testkit::{TestHome, session, uuid};

    use super::*;
    use crate::home::describe_log;

    #[test]
    fn a_sidecar_without_a_kind_or_a_description_is_completed_from_the_call() {
        for (said, kind, description) in [
            (r#""agentType":"x","#, "x", "look"),
            (r#""description":"y","#, "Explore", "y"),
            ("", "Explore", "look"),
        ] {
            let home = TestHome::new();
            let id = uuid("s");
            let log = r#"
                u1 user "go"
                a1 assistant call Agent:t1 {"description":"look","prompt":"p","subagent_type":"Explore"}
            "#;
            let log = home.add_session("/srv/demo", &id, session(&format!("%session s\n{log}")));
            let agent = session("%session s\n%agent a7\nx1 user sidechain \"p\"");
            let place = AgentFilePlace::Subagents;
            home.add_agent("/srv/demo", &id, &place, "a7", agent);
            let meta = format!("{{{said}\"toolUseId\":\"t1\"}}");
            home.add_agent_meta("/srv/demo", &id, &place, "a7", meta);
            let target = describe_log(&log).expect("a log");
            let found = Resolved { home: None, project: None, target };
            let opened = Session::open(&found, None).expect("a session");
            let agent = &opened.agents[0];
            assert_eq!(agent.kind.as_deref(), Some(kind), "{said}");
            assert_eq!(agent.description.as_deref(), Some(description), "{said}");
        }
    }
}
