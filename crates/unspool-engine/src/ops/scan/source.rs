//! The files that are searched, in the order of their hits.

use std::cmp::Reverse;
use std::path::PathBuf;

use rayon::prelude::*;
use unspool_model::ids::{AgentId, ProjectId, SessionId};
use unspool_model::time::Time;

use crate::files;
use crate::home::{self, AgentFile, Discovery, SessionFile, SideKind};

/// A file to be searched, and whose it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The home it is in.
    pub home: Option<PathBuf>,
    /// The project it is in.
    pub project: Option<ProjectId>,
    /// The session it belongs to.
    pub session: SessionId,
    /// The agent whose log it is.
    pub agent: Option<AgentId>,
    /// The file.
    pub path: PathBuf,
    /// What it holds.
    pub content: Content,
    /// Its size when it was found.
    pub bytes: u64,
    /// When it was last written.
    pub modified: Time,
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Records, one on a line.
    Log,
    /// A tool's output that was too long for the log.
    Spilled,
}

/// Lists the files of all sessions: newest session first; in a session its log, the logs of
/// its agents and its spilled outputs, each by path.
pub fn sources(found: &[Discovery]) -> Vec<Source> {
    let mut groups: Vec<Vec<Source>> = found
        .par_iter()
        .flat_map(|home| home.projects.par_iter().map(move |project| (home, project)))
        .flat_map_iter(|(home, project)| {
            let place = Place {
                home: home.home.root.clone(),
                project: project.id.clone(),
            };
            let loose = project.loose_agents.iter().map(|agent| place.loose(agent));
            let sessions = project
                .sessions
                .iter()
                .map(|session| place.session(session));
            sessions.chain(loose).collect::<Vec<_>>()
        })
        .filter(|files| !files.is_empty())
        .collect();
    groups.sort_by_cached_key(|files| {
        let newest = files.iter().map(|file| file.modified).max();
        (Reverse(newest), files[0].path.clone())
    });
    groups.into_iter().flatten().collect()
}

struct Place {
    home: PathBuf,
    project: ProjectId,
}

impl Place {
    fn session(&self, session: &SessionFile) -> Vec<Source> {
        let log = session.class.has_transcript().then(|| {
            let modified = Time::from_millis(session.stamp.modified_ms());
            self.source(
                &session.id,
                session.path.clone(),
                session.stamp.bytes,
                modified,
            )
        });
        let agents = session
            .agents
            .iter()
            .map(|agent| self.agent(&session.id, agent));
        let mut files: Vec<Source> = log.into_iter().chain(agents).collect();
        let spilled = session.dir.as_ref().map(|dir| dir.join("tool-results"));
        if spilled.is_some_and(|folder| folder.is_dir()) {
            files.extend(self.spilled(session));
        }
        files
    }

    fn loose(&self, agent: &AgentFile) -> Vec<Source> {
        // Opened by itself, an agent's log is a conversation that goes by its file's name.
        let stem = agent.path.file_stem().unwrap_or_default().to_string_lossy();
        let session = agent.session.clone();
        let session = session.unwrap_or_else(|| SessionId::new(stem));
        vec![self.agent(&session, agent)]
    }

    fn agent(&self, session: &SessionId, agent: &AgentFile) -> Source {
        let modified = Time::from_millis(agent.stamp.modified_ms());
        Source {
            agent: Some(agent.id.clone()),
            ..self.source(session, agent.path.clone(), agent.stamp.bytes, modified)
        }
    }

    fn spilled(&self, session: &SessionFile) -> Vec<Source> {
        let Some(folder) = session.path.parent() else {
            return Vec::new();
        };
        home::side_files(None, folder, &session.id, &[])
            .into_iter()
            .filter(|file| file.kind == SideKind::ToolResults)
            .map(|file| {
                let stamp = files::stamp(&file.path);
                let modified = stamp.map_or(session.stamp.modified_ms(), |s| s.modified_ms());
                Source {
                    content: Content::Spilled,
                    ..self.source(
                        &session.id,
                        file.path,
                        file.bytes,
                        Time::from_millis(modified),
                    )
                }
            })
            .collect()
    }

    fn source(&self, session: &SessionId, path: PathBuf, bytes: u64, modified: Time) -> Source {
        Source {
            home: Some(self.home.clone()),
            project: Some(self.project.clone()),
            session: session.clone(),
            agent: None,
            path,
            content: Content::Log,
            bytes,
            modified,
        }
    }
}
