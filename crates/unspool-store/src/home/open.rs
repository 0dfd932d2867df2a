//! Describes one log by its path, wherever it is.

use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

use unspool_model::ids::SessionId;

use super::discover::{WalkSummary, class, layout, search_folder, siblings};
use super::layout::{SUBAGENTS, agent_of_log, session_of_log, sidecar_of};
use super::{AgentFile, Layout, Problem, Reason, SessionFile, Target, peek};
use crate::files;

/// Describes a log that need not be in any home, with the agents that are next to it.
pub fn describe_log(path: &Path) -> Result<Target, Problem> {
    let look = files::look(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if path.is_symlink() => Problem::new(path, Reason::DanglingLink),
        io::ErrorKind::NotFound => Problem::new(path, Reason::Missing),
        _ => Problem::io(path, &error),
    })?;
    if !look.is_file() {
        return Err(Problem::new(path, Reason::NotAFile));
    }
    let stamp = look.stamp;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if let Some(id) = agent_of_log(&name) {
        let (layout, session) = place(path);
        let sidecar = Some(sidecar_of(path)).filter(|path| files::is_file(path));
        let path = path.to_path_buf();
        return Ok(Target::Agent(AgentFile { id, path, sidecar, layout, session, stamp }));
    }
    let id = SessionId::new(session_of_log(&name));
    // The reader reports a file that it cannot read, so these problems are dropped.
    let mut unheard = WalkSummary::default();
    let class = class(id.as_str(), path, &look, &mut unheard.problems);
    let around = FilesAround::find(path, &id, &mut unheard);
    Ok(Target::Session(SessionFile {
        id,
        path: path.to_path_buf(),
        class,
        stamp,
        agents: around.agents,
        dir: folder_of(path),
        outputs: around.outputs,
    }))
}

/// The agents of one log, and the folders that were listed to find them.
#[derive(Clone, Default, Debug)]
pub(crate) struct AgentListing {
    /// The agents' files, sorted by path.
    pub(crate) agents: Vec<AgentFile>,
    folders: Vec<(PathBuf, SystemTime)>,
}

impl AgentListing {
    /// Finds the agents of a session's log.
    pub(crate) fn of(log: &Path) -> Self {
        let mut visit = WalkSummary::default();
        let name = log.file_name().unwrap_or_default().to_string_lossy();
        let id = SessionId::new(session_of_log(&name));
        let around = FilesAround::find(log, &id, &mut visit);
        Self {
            agents: around.agents,
            // A log that names no session yet will do so without a change of its folder.
            folders: if around.has_nameless { Vec::new() } else { visit.folders() },
        }
    }

    /// Returns whether the folders have the same names as before: their times have not changed, and
    /// are older by more than a tick than a file that was written at `since`.
    pub(crate) fn is_current(&self, since: SystemTime) -> bool {
        let is_same = |(folder, time): &(PathBuf, SystemTime)| {
            let now = fs::metadata(folder).and_then(|folder| folder.modified());
            now.is_ok_and(|now| now == *time) && files::is_settled(*time, since)
        };
        !self.folders.is_empty() && self.folders.iter().all(is_same)
    }
}

/// The files around a session's log.
struct FilesAround {
    /// Its agents, sorted by path.
    agents: Vec<AgentFile>,
    /// The folder of outputs that were too long for the log.
    outputs: Option<PathBuf>,
    /// Set if an agent's log next to it names no session.
    has_nameless: bool,
}

impl FilesAround {
    fn find(path: &Path, id: &SessionId, visit: &mut WalkSummary) -> Self {
        // Listed first, so that creating the session's folder later changes a recorded time.
        let mut agents = siblings_of(path, visit);
        let has_nameless = agents.iter().any(|agent| agent.session.is_none());
        if !agents.is_empty() {
            // The agents of a renamed copy name the session id inside the log.
            let inner = peek::session_id(path);
            agents.retain(|agent| {
                agent.session.is_some()
                    && (agent.session.as_ref() == Some(id) || agent.session == inner)
            });
        }
        let found = folder_of(path).map(|dir| search_folder(&dir, dir.is_symlink(), id, visit));
        let found = found.unwrap_or_default();
        agents.extend(found.agents);
        agents.sort_by(|a, b| a.path.cmp(&b.path));
        Self { agents, outputs: found.outputs, has_nameless }
    }
}

/// Returns the folder that has the log's name without its suffix.
fn folder_of(path: &Path) -> Option<PathBuf> {
    let bare = path.with_extension("");
    (bare != path && bare.is_dir()).then_some(bare)
}

/// Lists the agents next to a log, with the session that each names.
fn siblings_of(path: &Path, visit: &mut WalkSummary) -> Vec<AgentFile> {
    let folder = match path.parent() {
        Some(parent) if parent == Path::new("") => Path::new("."),
        Some(parent) => parent,
        None => return Vec::new(),
    };
    let items = visit.list(folder);
    siblings(&items, &|_, _| None, &mut visit.problems)
}

/// Finds an agent's layout and session from the folders above it.
fn place(path: &Path) -> (Layout, Option<SessionId>) {
    let mut below = Vec::new();
    for folder in path.ancestors().skip(1).take(4) {
        let Some(name) = folder.file_name() else {
            break;
        };
        below.insert(0, name.to_string_lossy().into_owned());
        if name == SUBAGENTS {
            let session = folder.parent().and_then(Path::file_name);
            let session = session.map(|name| SessionId::new(name.to_string_lossy()));
            return (layout(&below), session);
        }
    }
    (Layout::Sibling, peek::session_id(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::FileClass;
    use crate::home::testing::HomeFixture;

    const ID: &str = "11111111-1111-4111-8111-111111111111";

    fn session(path: &Path) -> SessionFile {
        match describe_log(path).expect("a file") {
            Target::Session(session) => session,
            Target::Agent(agent) => panic!("{agent:?}"),
        }
    }

    fn agent(path: &Path) -> AgentFile {
        match describe_log(path).expect("a file") {
            Target::Agent(agent) => agent,
            Target::Session(session) => panic!("{session:?}"),
        }
    }

    #[test]
    fn a_file_outside_any_home_has_the_agents_next_to_it() {
        let at = HomeFixture::new();
        let path = at.log(&format!("{ID}.jsonl"), 0);
        at.file("agent-aa.jsonl", &format!("{{\"sessionId\":\"{ID}\"}}\n"));
        at.file("agent-bb.jsonl", "{\"sessionId\":\"other\"}\n");
        at.log(&format!("{ID}/subagents/agent-cc.jsonl"), 0);
        let session = session(&path);
        assert_eq!(session.id.as_str(), ID);
        assert_eq!(session.class, FileClass::Session);
        assert_eq!(session.dir, Some(at.path(ID)));
        let ids: Vec<&str> = session.agents.iter().map(|agent| agent.id.as_str()).collect();
        assert_eq!(ids, ["cc", "aa"]);
    }

    #[test]
    fn folders_are_listed_again_when_a_name_comes() {
        let at = HomeFixture::new();
        let path = at.log(&format!("{ID}.jsonl"), 0);
        at.log(&format!("{ID}/subagents/agent-cc.jsonl"), 0);
        let old = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000);
        let age = || {
            for name in ["", ID, &format!("{ID}/subagents")] {
                let folder = fs::File::open(at.path(name)).expect("a folder");
                folder.set_modified(old).expect("its time");
            }
        };
        age();
        let listing = AgentListing::of(&path);
        assert_eq!(listing.agents.len(), 1);
        let later = old + 2 * files::COARSEST_TICK;
        assert!(listing.is_current(later));
        assert!(!listing.is_current(old), "a name may come within the same tick");
        assert!(!AgentListing::default().is_current(later));
        for name in [
            "agent-aa.jsonl".to_owned(),
            format!("{ID}/subagents/agent-cc.meta.json"),
            format!("{ID}/subagents/workflows/run/agent-dd.jsonl"),
        ] {
            age();
            assert!(listing.is_current(later));
            at.file(&name, "{}");
            assert!(!listing.is_current(later), "{name}");
        }
        // `agent-aa` does not name its session.
        age();
        assert!(!AgentListing::of(&path).is_current(later));
    }

    #[test]
    fn a_renamed_copy_keeps_its_agents() {
        let at = HomeFixture::new();
        let path = at.file("copy.jsonl", "{\"sessionId\":\"old\"}\n");
        at.file("agent-aa.jsonl", "{\"sessionId\":\"old\"}\n");
        at.file("agent-bb.jsonl", "");
        let session = session(&path);
        assert_eq!((session.id.as_str(), session.class), ("copy", FileClass::Named));
        assert_eq!(session.agents.len(), 1);
    }

    #[test]
    fn an_agent_file_is_a_conversation_of_its_own() {
        let at = HomeFixture::new();
        let deep = at.log("s/subagents/workflows/run1/agent-aa.jsonl", 0);
        at.file("s/subagents/workflows/run1/agent-aa.meta.json", "{}");
        let found = agent(&deep);
        assert_eq!(found.layout, Layout::Workflow { run: "run1".into() });
        assert_eq!(found.session, Some(SessionId::new("s")));
        assert!(found.sidecar.is_some());

        let flat = agent(&at.file("agent-bb.jsonl", "{\"sessionId\":\"t\"}\n"));
        assert_eq!(flat.layout, Layout::Sibling);
        assert_eq!(flat.session, Some(SessionId::new("t")));
        assert!(flat.sidecar.is_none());
    }

    #[test]
    fn what_is_no_file_is_refused() {
        let at = HomeFixture::new();
        at.folder("x.jsonl");
        for (name, reason) in [("x.jsonl", Reason::NotAFile), ("y.jsonl", Reason::Missing)] {
            let problem = describe_log(&at.path(name)).expect_err("no file");
            assert_eq!(problem, Problem::new(at.path(name), reason));
        }
    }
}
