//! Walks `projects/` and finds every session and every agent.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use foldhash::fast::FixedState;
use rayon::prelude::*;
use unspool_model::ids::{AgentId, ProjectId, SessionId, is_uuid};

use super::layout::{
    MEMORY, SUBAGENTS, TOOL_RESULTS, agent_of_log, is_sidecar, log_of_folder, session_of_log,
    sidecar_of, workflow_run,
};
use super::list::{FolderItem, ItemKind, list};
use super::remembered::RememberedProject;
use super::{
    AgentFile, Discovery, FileClass, ForeignFile, Home, Layout, Problem, Project, Reason,
    SessionFile, peek,
};
use crate::files::{self, FileStamp, PathInfo};

/// How many levels of a session's folder are searched; the known layouts need three.
const MAX_DEPTH: usize = 6;
/// How many names of one session's folder are examined; more than anyone has agents.
const MAX_NAMES: usize = 1_000_000;

/// Returns the session of an agent's file that was read before, if the stamp shows that the file
/// has not changed.
pub type KnownOwner<'a> = dyn Fn(&Path, &FileStamp) -> Option<SessionId> + Sync + 'a;

/// Returns the content of a project at the last walk.
pub type MemoryLookup<'a> = dyn Fn(&Home, &ProjectId) -> Option<RememberedProject> + Sync + 'a;

/// Lists the content of a home.
pub fn discover(home: &Home) -> Discovery {
    FolderWalk::default().home(home, &|_, _| None).found
}

/// Lists the content of several homes. A folder that two of them share is read once.
pub fn discover_all(homes: &[Home]) -> Vec<Discovery> {
    let walked = discover_remembered(homes, &|_, _| None);
    walked.into_iter().map(|walked| walked.found).collect()
}

/// Lists the content of several homes, without walking projects that have not changed.
pub fn discover_remembered(homes: &[Home], recall: &MemoryLookup<'_>) -> Vec<Walked> {
    let mut walk = FolderWalk::default();
    homes.iter().map(|home| walk.home(home, recall)).collect()
}

/// Lists the content of several homes without opening a file. Agents next to the logs are loose
/// then, since only their content names their session.
pub fn discover_unopened(homes: &[Home]) -> Vec<Discovery> {
    let mut walk = FolderWalk { owners: AgentOwners::Unasked, ..FolderWalk::default() };
    let walked = homes.iter().map(|home| walk.home(home, &|_, _| None));
    walked.map(|walked| walked.found).collect()
}

/// Lists the projects of several homes without reading their folders.
pub(super) fn list_unread(homes: &[Home]) -> Vec<Discovery> {
    let mut walk = FolderWalk::default();
    homes.iter().map(|home| walk.unread(home)).collect()
}

/// Whether agents next to the logs are opened to find their sessions.
#[derive(Clone, Copy, Default)]
enum AgentOwners {
    #[default]
    Asked,
    Unasked,
}

/// The result of a walk over a home.
pub struct Walked {
    /// The content of the home.
    pub found: Discovery,
    /// How each project was read, in the order of the projects.
    pub scans: Vec<ProjectScan>,
}

/// How a project was read.
pub enum ProjectScan {
    /// The project has not changed. Its sessions are not filled in; the memory has them.
    Unchanged(RememberedProject),
    /// The project was walked.
    Scanned(WalkSummary),
}

/// The folders and the problems of a walk.
#[derive(Default)]
pub struct WalkSummary {
    /// What could not be read, or was skipped on purpose.
    pub(crate) problems: Vec<Problem>,
    /// The listed folders, with their modification times before they were listed.
    pub(super) folders: Vec<(PathBuf, SystemTime)>,
}

impl WalkSummary {
    /// Lists a folder and records its modification time.
    pub(crate) fn list(&mut self, folder: &Path) -> Vec<FolderItem> {
        // A folder without a time never counts as unchanged.
        let modified = fs::metadata(folder).and_then(|metadata| metadata.modified());
        let modified = modified.unwrap_or(SystemTime::UNIX_EPOCH);
        self.folders.push((folder.to_owned(), modified));
        list(folder, &mut self.problems)
    }

    /// Returns the listed folders, with their modification times before they were listed.
    pub(crate) fn folders(self) -> Vec<(PathBuf, SystemTime)> {
        self.folders
    }

    /// Makes a memory of the walked project; `None` if a name in it cannot be stored.
    pub fn memory(&self, project: &Project, now: SystemTime) -> Option<RememberedProject> {
        let with_problems = !self.problems.is_empty();
        RememberedProject::of(project, &self.folders, now, with_problems)
    }
}

/// A walk over homes, with the canonical paths of the folders that were read.
#[derive(Default)]
struct FolderWalk {
    seen: HashSet<PathBuf>,
    owners: AgentOwners,
}

impl FolderWalk {
    fn home(&mut self, home: &Home, recall: &MemoryLookup<'_>) -> Walked {
        let mut found = self.unread(home);
        let scans: Vec<ProjectScan> = found
            .projects
            .par_iter_mut()
            // Projects differ in size: a thread that has finished takes over single projects.
            .with_max_len(1)
            .map(|project| match self.owners {
                AgentOwners::Asked => project_again(project, recall(home, &project.id)),
                AgentOwners::Unasked => {
                    ProjectScan::Scanned(read_project(project, &belongs_to_none))
                }
            })
            .collect();
        for scan in &scans {
            if let ProjectScan::Scanned(visit) = scan {
                found.problems.extend(visit.problems.iter().cloned());
            }
        }
        Walked { found, scans }
    }

    /// Lists the projects of a home without reading their folders. A home whose projects were read
    /// under another name has none.
    fn unread(&mut self, home: &Home) -> Discovery {
        let mut found = Discovery {
            home: home.clone(),
            projects: Vec::new(),
            foreign: Vec::new(),
            problems: Vec::new(),
        };
        let root = home.projects_dir();
        let canonical = fs::canonicalize(&root).unwrap_or_else(|_| root.clone());
        if !self.seen.insert(canonical.clone()) {
            found.problems.push(Problem::new(root, Reason::AlreadyRead));
            return found;
        }
        let mut places = HashMap::new();
        let (links, own): (Vec<FolderItem>, Vec<FolderItem>) =
            list(&root, &mut found.problems).into_iter().partition(|item| item.linked);
        // A folder is listed under its own name; links to it become aliases.
        for item in own.into_iter().chain(links) {
            match item.kind {
                ItemKind::Folder => self.project(&item, &canonical, &mut places, &mut found),
                ItemKind::File if item.is_log() => {
                    let file = foreign(&item.path, &mut found.problems);
                    found.foreign.extend(file);
                }
                ItemKind::File | ItemKind::Other => {}
            }
        }
        found.projects.sort_by(|a, b| a.id.cmp(&b.id));
        found.foreign.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }

    /// Adds a project that is not read yet, or an alias of a known one.
    fn project(
        &mut self,
        item: &FolderItem,
        root: &Path,
        places: &mut HashMap<PathBuf, usize>,
        found: &mut Discovery,
    ) {
        let id = ProjectId::new(item.text(&mut found.problems));
        let canonical = match item.linked.then(|| fs::canonicalize(&item.path)) {
            None => root.join(&item.name),
            Some(Ok(canonical)) => canonical,
            Some(Err(error)) => return found.problems.push(Problem::io(&item.path, &error)),
        };
        if root.starts_with(&canonical) {
            let problem = Problem::new(&item.path, Reason::Loop);
            found.problems.push(problem);
        } else if let Some(&place) = places.get(&canonical) {
            found.projects[place].aliases.push(id);
        } else if self.seen.insert(canonical.clone()) {
            places.insert(canonical, found.projects.len());
            found.projects.push(Project {
                id,
                aliases: Vec::new(),
                dir: item.path.clone(),
                sessions: Vec::new(),
                loose_agents: Vec::new(),
                foreign: Vec::new(),
            });
        } else {
            let problem = Problem::new(&item.path, Reason::AlreadyRead);
            found.problems.push(problem);
        }
    }
}

/// Returns an owner that matches no session, so that no file is opened: no id is empty.
#[expect(clippy::unnecessary_wraps, reason = "other lookups of owners may find none")]
fn belongs_to_none(_: &Path, _: &FileStamp) -> Option<SessionId> {
    Some(SessionId::new(""))
}

/// Reads a project from its folder, unless its memory is current.
fn project_again(project: &mut Project, memory: Option<RememberedProject>) -> ProjectScan {
    let Some(memory) = memory else {
        return ProjectScan::Scanned(read_project(project, &|_, _| None));
    };
    if memory.is_current(&project.dir) {
        return ProjectScan::Unchanged(memory);
    }
    let siblings = memory.siblings(&project.dir);
    let known = |path: &Path, stamp: &FileStamp| siblings.owner(path, stamp);
    ProjectScan::Scanned(read_project(project, &known))
}

/// Fills a project from its folder.
pub(super) fn read_project(project: &mut Project, known: &KnownOwner<'_>) -> WalkSummary {
    let mut visit = WalkSummary::default();
    let items = visit.list(&project.dir);
    let siblings = siblings(&items, known, &mut visit.problems);
    let mut by_name: HashMap<&OsStr, usize, FixedState> = HashMap::default();
    for item in items.iter().filter(|item| is_main(item)) {
        if let Some(session) = session_file(item, &mut visit.problems) {
            let stem = Path::new(&item.name).file_stem().unwrap_or(&item.name);
            by_name.insert(stem, project.sessions.len());
            project.sessions.push(session);
        }
    }
    let folders = items.iter().filter(|item| item.kind == ItemKind::Folder);
    for item in folders.filter(|item| item.name != MEMORY) {
        let main = by_name.get(item.name.as_os_str()).copied();
        read_folder(item, main, project, &mut visit);
    }
    attach(siblings, project);
    project.sessions.sort_by(|a, b| a.id.cmp(&b.id));
    for session in &mut project.sessions {
        session.agents.sort_by(|a, b| a.path.cmp(&b.path));
    }
    project.foreign.sort_by(|a, b| a.path.cmp(&b.path));
    visit
}

fn is_main(item: &FolderItem) -> bool {
    item.is_log() && item.kind != ItemKind::Folder && agent_name(item).is_none()
}

/// Adds the agents next to the logs to the sessions that they name.
fn attach(siblings: Vec<AgentFile>, project: &mut Project) {
    let by_id: HashMap<SessionId, usize> = project
        .sessions
        .iter()
        .enumerate()
        .map(|(place, session)| (session.id.clone(), place))
        .collect();
    for agent in siblings {
        match agent.session.as_ref().and_then(|id| by_id.get(id)) {
            Some(&place) => project.sessions[place].agents.push(agent),
            None => project.loose_agents.push(agent),
        }
    }
}

/// Reads a folder of a project: that of a session, or an unknown one.
fn read_folder(
    item: &FolderItem,
    main: Option<usize>,
    project: &mut Project,
    visit: &mut WalkSummary,
) {
    let id = SessionId::new(item.name.to_string_lossy());
    let found = search_folder(&item.path, item.linked, &id, visit);
    project.foreign.extend(found.foreign);
    if let Some(place) = main {
        let session = &mut project.sessions[place];
        session.dir = Some(item.path.clone());
        session.outputs = found.outputs;
        session.agents.extend(found.agents);
    } else if let Some(newest) = found.agents.iter().map(|agent| agent.stamp.modified).max() {
        item.text(&mut visit.problems);
        project.sessions.push(SessionFile {
            id,
            path: log_of_folder(&item.path),
            class: FileClass::AgentsOnly,
            stamp: FileStamp { modified: newest, ..FileStamp::unknown() },
            agents: found.agents,
            dir: Some(item.path.clone()),
            outputs: found.outputs,
        });
    } else if item.linked {
        let problem = Problem::new(&item.path, Reason::LinkNotFollowed);
        visit.problems.push(problem);
    }
}

/// The logs in a session's folder.
#[derive(Default)]
pub(crate) struct FolderLogs {
    pub(crate) agents: Vec<AgentFile>,
    pub(crate) foreign: Vec<ForeignFile>,
    /// The folder of outputs that were too long for the log.
    pub(crate) outputs: Option<PathBuf>,
}

/// Searches a session's folder for logs, without following links to folders.
///
/// Two links are exceptions: `subagents`, and the folder itself if `linked` is set. Only
/// `subagents` is searched then, because the link may lead anywhere.
pub(crate) fn search_folder(
    root: &Path,
    linked: bool,
    session: &SessionId,
    visit: &mut WalkSummary,
) -> FolderLogs {
    search_names(root, linked, session, visit, MAX_NAMES)
}

/// Searches a session's folder and examines at most `most` names.
fn search_names(
    root: &Path,
    linked: bool,
    session: &SessionId,
    visit: &mut WalkSummary,
    most: usize,
) -> FolderLogs {
    let mut found = FolderLogs::default();
    let mut left = most;
    let mut open = vec![(root.to_path_buf(), Vec::<String>::new())];
    while let Some((folder, below)) = open.pop() {
        let mut items = visit.list(&folder);
        let problems = &mut visit.problems;
        let is_cut = items.len() > left;
        if is_cut {
            problems.push(Problem::new(root, Reason::TooMany));
            items.truncate(left);
        }
        left -= items.len();
        let sidecars = sidecars(&items);
        for item in &items {
            if below.is_empty() && item.kind == ItemKind::Folder && item.name == TOOL_RESULTS {
                found.outputs = Some(item.path.clone()).filter(|_| !item.linked);
                continue;
            }
            if below.is_empty() && linked && item.name != SUBAGENTS {
                continue;
            }
            match item.kind {
                ItemKind::Folder => open.extend(deeper(item, &below, problems)),
                _ if !item.is_log() => {}
                _ if in_agents(&below) && agent_name(item).is_some() => {
                    let layout = layout(&below);
                    let agent = agent_file(item, layout, &sidecars, problems);
                    found.agents.extend(
                        agent.map(|agent| AgentFile { session: Some(session.clone()), ..agent }),
                    );
                }
                _ => found.foreign.extend(foreign(&item.path, problems)),
            }
        }
        if is_cut {
            break;
        }
    }
    found.agents.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Returns a folder to search next, unless it is a link or too deep.
fn deeper(
    item: &FolderItem,
    below: &[String],
    problems: &mut Vec<Problem>,
) -> Option<(PathBuf, Vec<String>)> {
    if item.linked && !(below.is_empty() && item.name == SUBAGENTS) {
        problems.push(Problem::new(&item.path, Reason::LinkNotFollowed));
        return None;
    }
    if below.len() >= MAX_DEPTH {
        problems.push(Problem::new(&item.path, Reason::TooDeep));
        return None;
    }
    let mut names = below.to_vec();
    names.push(item.name.to_string_lossy().into_owned());
    Some((item.path.clone(), names))
}

fn in_agents(below: &[String]) -> bool {
    below.first().is_some_and(|name| name == SUBAGENTS)
}

/// Returns the layout, by the folders between a session's folder and an agent's file.
pub(crate) fn layout(below: &[String]) -> Layout {
    workflow_run(below).map_or(Layout::Subagents, |run| Layout::Workflow { run: run.to_owned() })
}

/// Lists the agents next to the logs of a folder, with the session that each names.
pub(crate) fn siblings(
    items: &[FolderItem],
    known: &KnownOwner<'_>,
    problems: &mut Vec<Problem>,
) -> Vec<AgentFile> {
    let sidecars = sidecars(items);
    let owner = |agent: &AgentFile| match agent.stamp.bytes {
        0 => None,
        _ => known(&agent.path, &agent.stamp).or_else(|| peek::session_id(&agent.path)),
    };
    items
        .iter()
        .filter(|item| item.kind != ItemKind::Folder && item.is_log() && agent_name(item).is_some())
        .filter_map(|item| agent_file(item, Layout::Sibling, &sidecars, problems))
        .map(|agent| AgentFile { session: owner(&agent), ..agent })
        .collect()
}

fn agent_name(item: &FolderItem) -> Option<AgentId> {
    agent_of_log(&item.name.to_string_lossy())
}

fn sidecars(items: &[FolderItem]) -> HashSet<&Path> {
    items
        .iter()
        .filter(|item| item.kind == ItemKind::File)
        .filter(|item| is_sidecar(&item.name.to_string_lossy()))
        .map(|item| item.path.as_path())
        .collect()
}

fn agent_file(
    item: &FolderItem,
    layout: Layout,
    sidecars: &HashSet<&Path>,
    problems: &mut Vec<Problem>,
) -> Option<AgentFile> {
    let id = agent_of_log(&item.text(problems))?;
    let stamp = regular(&item.path, problems)?.stamp;
    let sidecar = sidecar_of(&item.path);
    let sidecar = sidecars.contains(sidecar.as_path()).then_some(sidecar);
    let path = item.path.clone();
    Some(AgentFile { id, path, sidecar, layout, session: None, stamp })
}

fn foreign(path: &Path, problems: &mut Vec<Problem>) -> Option<ForeignFile> {
    let stamp = regular(path, problems)?.stamp;
    Some(ForeignFile { path: path.to_path_buf(), stamp })
}

/// Describes a main log; `None` if the file was deleted meanwhile.
fn session_file(item: &FolderItem, problems: &mut Vec<Problem>) -> Option<SessionFile> {
    let name = item.text(problems);
    let id = session_of_log(&name);
    let (class, stamp) = match regular(&item.path, problems) {
        Some(look) => (class(id, &item.path, &look, problems), look.stamp),
        None if item.path.is_symlink() || files::exists(&item.path) => {
            (FileClass::Unreadable, FileStamp::unknown())
        }
        None => return None,
    };
    Some(SessionFile {
        id: SessionId::new(id),
        path: item.path.clone(),
        class,
        stamp,
        agents: Vec::new(),
        dir: None,
        outputs: None,
    })
}

/// Classifies a regular file by its name, its size and whether it can be read.
pub(crate) fn class(
    id: &str,
    path: &Path,
    look: &PathInfo,
    problems: &mut Vec<Problem>,
) -> FileClass {
    if look.stamp.bytes == 0 {
        FileClass::Empty
    } else if let Some(problem) = locked(path, look) {
        problems.push(problem);
        FileClass::Unreadable
    } else if is_uuid(id) {
        FileClass::Session
    } else {
        FileClass::Named
    }
}

/// Reports a file that no user may read. Opening every file of a home would cost too much, so only
/// files without read permissions are tried.
fn locked(path: &Path, look: &PathInfo) -> Option<Problem> {
    let error = look.locked.then(|| files::OpenFile::open(path).err())??;
    Some(Problem::io(path, &error))
}

/// Examines a regular file, following links. Pipes and devices are refused, since reading one could
/// block for ever.
pub(crate) fn regular(path: &Path, problems: &mut Vec<Problem>) -> Option<PathInfo> {
    match files::look(path) {
        Ok(look) if look.is_file() => Some(look),
        Ok(_) => {
            problems.push(Problem::new(path, Reason::NotAFile));
            None
        }
        Err(error) => {
            problems.push(Problem::io(path, &error));
            None
        }
    }
}
