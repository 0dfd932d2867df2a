//! Reads one part of a home again, for programs that watch it.
//!
//! A walk ([`super::discover_all`]) lists everything. These functions list the names of the
//! projects, one project, or the folder of one session, with the same code, so that many small
//! reads find what a walk finds. They compare nothing and keep no state.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use unspool_model::ids::SessionId;

use super::discover::{KnownOwner, WalkSummary, list_unread, read_project, search_folder};
use super::layout::MEMORY;
use super::{AgentFile, Discovery, Home, Project};

/// The present content of a project's folder.
#[derive(Debug)]
pub struct ProjectListing {
    /// The project with its content.
    pub project: Project,
    /// When a name was last added to its folder or removed from it.
    pub modified: SystemTime,
}

/// The present content of a session's folder; empty if the session has none.
#[derive(Default, Debug)]
pub struct SessionListing {
    /// The agents in it.
    pub agents: Vec<AgentFile>,
    /// The folders that were listed, the session's own first.
    pub folders: Vec<PathBuf>,
    /// The folder of outputs that were too long for the log, which is not listed.
    pub outputs: Option<PathBuf>,
}

/// Lists the projects of homes without their content.
pub fn project_folders(homes: &[Home]) -> Vec<Discovery> {
    list_unread(homes)
}

/// Reads one project again. Its name and its folder are taken from `project`. `known` returns the
/// sessions of agents next to the logs whose files have not changed.
pub fn rescan_project(project: &Project, known: &KnownOwner<'_>) -> ProjectListing {
    let mut project = Project {
        id: project.id.clone(),
        aliases: project.aliases.clone(),
        dir: project.dir.clone(),
        sessions: Vec::new(),
        loose_agents: Vec::new(),
        foreign: Vec::new(),
    };
    let visit = read_project(&mut project, known);
    // The project's own folder is listed first.
    let modified = visit.folders.first().map(|(_, modified)| *modified);
    ProjectListing { project, modified: modified.unwrap_or(SystemTime::UNIX_EPOCH) }
}

/// Reads the folder of a session whose log is at `log`.
pub fn rescan_session(log: &Path, session: &SessionId) -> SessionListing {
    let folder = log.with_extension("");
    let is_memory = folder.file_name().is_some_and(|name| name == MEMORY);
    if is_memory || !folder.is_dir() {
        return SessionListing::default();
    }
    let mut visit = WalkSummary::default();
    let found = search_folder(&folder, folder.is_symlink(), session, &mut visit);
    SessionListing {
        agents: found.agents,
        folders: visit.folders.into_iter().map(|(path, _)| path).collect(),
        outputs: found.outputs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::discover;
    use crate::home::testing::HomeFixture;

    const ID: &str = "11111111-1111-4111-8111-111111111111";

    fn home() -> HomeFixture {
        let at = HomeFixture::new();
        at.log(&format!("projects/-p/{ID}.jsonl"), 0);
        at.log(&format!("projects/-p/{ID}/subagents/agent-aa.jsonl"), 1);
        let run = format!("projects/-p/{ID}/subagents/workflows/r1");
        at.log(&format!("{run}/agent-bb.jsonl"), 2);
        at.file(&format!("projects/-p/{ID}/tool-results/x.txt"), "long");
        let sibling = format!("{{\"sessionId\":\"{ID}\"}}\n");
        at.file("projects/-p/agent-cc.jsonl", &sibling);
        at.log("projects/-q/memory.jsonl", 3);
        at.log("projects/-q/memory/subagents/agent-dd.jsonl", 4);
        at
    }

    #[test]
    fn looks_at_all_projects_are_a_walk() {
        let at = home();
        let mut found = project_folders(&[at.home()]).remove(0);
        assert!(found.sessions().next().is_none());
        for project in &mut found.projects {
            *project = rescan_project(project, &|_, _| None).project;
        }
        assert_eq!(found.projects, discover(&at.home()).projects);
    }

    #[test]
    fn a_look_at_a_session_finds_the_agents_of_its_folder() {
        let at = home();
        let found = at.discover();
        for (_, session) in found.sessions() {
            let seen = rescan_session(&session.path, &session.id);
            let mut expected = session.agents.clone();
            expected.retain(|agent| agent.path.starts_with(session.path.with_extension("")));
            assert_eq!(seen.agents, expected);
            assert_eq!(seen.outputs, session.outputs);
        }
        let seen =
            rescan_session(&at.path(&format!("projects/-p/{ID}.jsonl")), &SessionId::new(ID));
        let names: Vec<String> =
            seen.folders.iter().map(|folder| folder.display().to_string()).collect();
        assert_eq!(names.len(), 4, "{names:?}");
        assert!(names[0].ends_with(ID), "{names:?}");
    }

    #[test]
    fn an_owner_that_is_known_is_not_looked_for() {
        let at = home();
        let projects = project_folders(&[at.home()]).remove(0).projects;
        let other = |_: &Path, _: &_| Some(SessionId::new("other"));
        let seen = rescan_project(&projects[0], &other).project;
        assert_eq!(seen.loose_agents.len(), 1);
    }
}
