//! Lists the files that are searched, in the order of their hits.
//!
//! They are the files of the full text: logs, the side files in their projects, and the tasks,
//! plans and prompts of a home. No file is opened here.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use unspool_model::ids::{AgentId, ProjectId, SessionId};
use unspool_model::time::Time;
use unspool_store::filter::FolderSet;

use crate::text::side_files::{HomeSide, home_sides, journal_session};
use unspool_store::files::{self, FileStamp};
use unspool_store::home::{
    self, AgentFile, Discovery, Project, SessionFile, SideFileKind, SideKind,
};

/// A file to search, with its home, project and session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScanSource {
    /// The home of the file.
    pub home: Option<PathBuf>,
    /// The project of the file.
    pub project: Option<ProjectId>,
    /// The session of the file; empty if unknown.
    pub session: SessionId,
    /// Whether that session's files are gone.
    pub gone: bool,
    /// The agent, if the file is an agent's log.
    pub agent: Option<AgentId>,
    /// The file.
    pub path: PathBuf,
    /// The kind of content.
    pub content: Content,
    /// The size of the file when it was listed.
    pub bytes: u64,
    /// The modification time of the file.
    pub modified: Time,
}

impl ScanSource {
    /// Tells whether the file has one record on each line.
    pub(super) fn has_records(&self) -> bool {
        matches!(self.content, Content::Log | Content::Journal)
    }
}

/// The content of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// Records, one on a line.
    Log,
    /// A workflow's records about its agents, one on a line.
    Journal,
    /// A tool's output that was too long for the log.
    Spilled,
    /// A plan. Only logs name its session.
    Plan,
    /// A task, or a list of an older to-do tool.
    Task,
    /// An agent's sidecar; the path is that of the agent's log.
    Sidecar,
    /// The prompts of all sessions.
    History(PastPrompts),
}

/// Which prompts of a history are searched.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PastPrompts {
    /// The sessions that still exist: their prompts are found in their logs.
    pub(super) there: Arc<HashSet<SessionId>>,
    /// The allowed working folders of prompts; none if all are allowed.
    pub folders: Option<FolderSet>,
}

/// Lists the files of all sessions, the newest session first. Each session has its log, the logs of
/// its agents, its spilled outputs, and its files elsewhere in the home. The histories of prompts
/// come last.
pub fn sources(found: &[Discovery]) -> Vec<ScanSource> {
    let mut groups: Vec<Vec<ScanSource>> = found
        .par_iter()
        .flat_map(|home| home.projects.par_iter().map(move |project| (home, project)))
        .flat_map_iter(|(home, project)| {
            let place = SourcePlace { home: home.home.root.clone(), project: project.id.clone() };
            let loose = project.loose_agents.iter().map(|agent| place.loose(agent));
            let sessions = project.sessions.iter().map(|session| place.session(session));
            sessions.chain(loose).collect::<Vec<_>>()
        })
        .filter(|files| !files.is_empty())
        .collect();
    let mut side_sources = SideSources::new(&mut groups);
    for home in found {
        side_sources.home(home);
    }
    let histories = side_sources.histories;
    groups.sort_by_cached_key(|files| {
        let newest = files.iter().map(|file| file.modified).max();
        (Reverse(newest), files[0].path.clone())
    });
    groups.into_iter().flatten().chain(histories).collect()
}

/// Adds files outside of projects to the files of sessions.
struct SideSources<'g> {
    groups: &'g mut Vec<Vec<ScanSource>>,
    /// The index of each session's group, built on first use.
    places: Option<HashMap<(PathBuf, SessionId), usize>>,
    histories: Vec<ScanSource>,
}

impl<'g> SideSources<'g> {
    fn new(groups: &'g mut Vec<Vec<ScanSource>>) -> Self {
        Self { groups, places: None, histories: Vec::new() }
    }

    fn home(&mut self, home: &Discovery) {
        let root = &home.home.root;
        for project in &home.projects {
            self.journals(root, project);
        }
        for side in home_sides(root) {
            let content = match side.kind {
                SideFileKind::Plan => Content::Plan,
                SideFileKind::History => {
                    let there = home.sessions().map(|(_, session)| session.id.clone());
                    let content = Content::History(PastPrompts {
                        there: Arc::new(there.collect()),
                        folders: None,
                    });
                    self.histories.push(unowned(root, &side, content));
                    continue;
                }
                _ => Content::Task,
            };
            self.add(unowned(root, &side, content));
        }
    }

    fn journals(&mut self, root: &Path, project: &Project) {
        for file in &project.foreign {
            let side = HomeSide {
                kind: SideFileKind::Journal,
                path: file.path.clone(),
                session: journal_session(&file.path).unwrap_or_default(),
                stamp: file.stamp,
            };
            self.add(ScanSource {
                project: Some(project.id.clone()),
                ..unowned(root, &side, Content::Journal)
            });
        }
    }

    /// Adds a file to the files of its session, or as a group of its own.
    fn add(&mut self, source: ScanSource) {
        let groups = &mut *self.groups;
        let places = self.places.get_or_insert_with(|| {
            let numbered = groups.iter().enumerate().rev();
            let key = |source: &ScanSource| Some((source.home.clone()?, source.session.clone()));
            numbered.filter_map(|(number, files)| Some((key(&files[0])?, number))).collect()
        });
        let home = source.home.clone().unwrap_or_default();
        let place = places.get(&(home, source.session.clone()));
        match place.filter(|_| !source.session.as_str().is_empty()) {
            Some(&number) => {
                let group = &mut groups[number];
                let project = group[0].project.clone();
                group.push(ScanSource {
                    project: source.project.clone().or(project),
                    gone: false,
                    ..source
                });
            }
            None => groups.push(vec![source]),
        }
    }
}

/// Describes a file whose session was not found.
fn unowned(root: &Path, side: &HomeSide, content: Content) -> ScanSource {
    ScanSource {
        home: Some(root.to_owned()),
        project: None,
        session: SessionId::new(side.session.as_str()),
        gone: true,
        agent: None,
        path: side.path.clone(),
        content,
        bytes: side.stamp.bytes,
        modified: time(&side.stamp),
    }
}

fn time(stamp: &FileStamp) -> Time {
    Time::from_millis(stamp.modified_ms())
}

struct SourcePlace {
    home: PathBuf,
    project: ProjectId,
}

impl SourcePlace {
    fn session(&self, session: &SessionFile) -> Vec<ScanSource> {
        let log = session.class.has_transcript().then(|| {
            let stamp = &session.stamp;
            self.source(&session.id, session.path.clone(), stamp.bytes, time(stamp))
        });
        let agents = session.agents.iter().flat_map(|agent| self.agent(&session.id, agent));
        let mut files: Vec<ScanSource> = log.into_iter().chain(agents).collect();
        if session.outputs.is_some() {
            files.extend(self.spilled(session));
        }
        files
    }

    fn loose(&self, agent: &AgentFile) -> Vec<ScanSource> {
        // Opened by itself, the log of an agent is a session with the name of the file.
        let stem = agent.path.file_stem().unwrap_or_default().to_string_lossy();
        let session = agent.session.clone();
        let session = session.unwrap_or_else(|| SessionId::new(stem));
        self.agent(&session, agent).collect()
    }

    /// Returns the log of an agent, and its sidecar.
    fn agent(&self, session: &SessionId, agent: &AgentFile) -> impl Iterator<Item = ScanSource> {
        let stamp = &agent.stamp;
        let log = ScanSource {
            agent: Some(agent.id.clone()),
            ..self.source(session, agent.path.clone(), stamp.bytes, time(stamp))
        };
        let sidecar = agent.sidecar.is_some().then(|| ScanSource {
            content: Content::Sidecar,
            bytes: 0,
            ..log.clone()
        });
        std::iter::once(log).chain(sidecar)
    }

    fn spilled(&self, session: &SessionFile) -> Vec<ScanSource> {
        let Some(folder) = session.path.parent() else {
            return Vec::new();
        };
        home::side_files(None, folder, &session.id, &[])
            .into_iter()
            .filter(|file| file.kind == SideKind::ToolResults)
            .map(|file| {
                let stamp = files::stamp(&file.path);
                let modified = stamp.map_or(session.stamp.modified_ms(), |s| s.modified_ms());
                ScanSource {
                    content: Content::Spilled,
                    ..self.source(&session.id, file.path, file.bytes, Time::from_millis(modified))
                }
            })
            .collect()
    }

    fn source(&self, session: &SessionId, path: PathBuf, bytes: u64, modified: Time) -> ScanSource {
        ScanSource {
            home: Some(self.home.clone()),
            project: Some(self.project.clone()),
            session: session.clone(),
            gone: false,
            agent: None,
            path,
            content: Content::Log,
            bytes,
            modified,
        }
    }
}
