//! A walk over `projects/` that finds every session and every agent.

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
use super::memory::Memory;
use super::{
    AgentFile, Discovery, FileClass, ForeignFile, Home, Layout, Problem, Project, Reason,
    SessionFile, peek,
};
use crate::files::{self, FileStamp, PathInfo};

/// Limits how deep a session's folder is searched; the known layouts need three.
const MAX_DEPTH: usize = 6;
/// Limits how many names are looked at in one session's folder; more than anyone has agents.
const MAX_NAMES: usize = 1_000_000;

/// Tells the session of an agent's file that was looked at before, if the stamp says
/// that the file is still the same.
pub type KnownOwner<'a> = dyn Fn(&Path, &FileStamp) -> Option<SessionId> + Sync + 'a;

/// Tells what a project of a home held before.
pub type Recall<'a> = dyn Fn(&Home, &ProjectId) -> Option<Memory> + Sync + 'a;

/// Lists what one home contains.
pub fn discover(home: &Home) -> Discovery {
    FolderWalk::default().home(home, &|_, _| None).found
}

/// Lists what several homes contain. A folder that two of them share is read once.
pub fn discover_all(homes: &[Home]) -> Vec<Discovery> {
    let walked = discover_remembered(homes, &|_, _| None);
    walked.into_iter().map(|walked| walked.found).collect()
}

/// Lists what several homes contain, and does not walk projects that are as they were.
pub fn discover_remembered(homes: &[Home], recall: &Recall<'_>) -> Vec<Walked> {
    let mut walk = FolderWalk::default();
    homes.iter().map(|home| walk.home(home, recall)).collect()
}

/// Lists what several homes contain without opening a file. Agents next to the transcripts are
/// loose then, since only a look into them tells whose they are.
pub fn discover_unopened(homes: &[Home]) -> Vec<Discovery> {
    let mut walk = FolderWalk { owners: AgentOwners::Unasked, ..FolderWalk::default() };
    let walked = homes.iter().map(|home| walk.home(home, &|_, _| None));
    walked.map(|walked| walked.found).collect()
}

/// Lists the projects of several homes and looks into none of them.
pub(super) fn list_unread(homes: &[Home]) -> Vec<Discovery> {
    let mut walk = FolderWalk::default();
    homes.iter().map(|home| walk.unread(home)).collect()
}

/// Whether agents next to the transcripts are asked whose they are.
#[derive(Clone, Copy, Default)]
enum AgentOwners {
    #[default]
    Asked,
    Unasked,
}

/// What a walk over a home found, and how.
pub struct Walked {
    /// What there is.
    pub found: Discovery,
    /// How each project was found, in the order of the projects.
    pub scans: Vec<ProjectScan>,
}

/// How a project was found.
pub enum ProjectScan {
    /// It is as it was, and is not spelled out: this is what it contains.
    Unchanged(Memory),
    /// It was walked.
    Scanned(WalkSummary),
}

/// What a walk through folders returns in addition to what it found.
#[derive(Default)]
pub struct WalkSummary {
    /// What could not be read, or was left out on purpose.
    pub(crate) problems: Vec<Problem>,
    /// The folders that were listed, with the times that they had before.
    pub(super) folders: Vec<(PathBuf, SystemTime)>,
}

impl WalkSummary {
    /// Lists a folder, and notes the time that it has.
    pub(crate) fn list(&mut self, folder: &Path) -> Vec<FolderItem> {
        // A folder without a time is never the same again.
        let modified = fs::metadata(folder).and_then(|metadata| metadata.modified());
        let modified = modified.unwrap_or(SystemTime::UNIX_EPOCH);
        self.folders.push((folder.to_owned(), modified));
        list(folder, &mut self.problems)
    }

    /// Returns the folders that were listed, with the times that they had before.
    pub(crate) fn folders(self) -> Vec<(PathBuf, SystemTime)> {
        self.folders
    }

    /// Makes a memory of the project that was walked; none if a name in it cannot be kept.
    pub fn memory(&self, project: &Project, now: SystemTime) -> Option<Memory> {
        let with_problems = !self.problems.is_empty();
        Memory::of(project, &self.folders, now, with_problems)
    }
}

/// Remembers the folders that were read, by canonical path.
#[derive(Default)]
struct FolderWalk {
    seen: HashSet<PathBuf>,
    owners: AgentOwners,
}

impl FolderWalk {
    fn home(&mut self, home: &Home, recall: &Recall<'_>) -> Walked {
        let mut found = self.unread(home);
        let scans: Vec<ProjectScan> = found
            .projects
            .par_iter_mut()
            // Projects differ in size: a thread that has finished takes over single ones.
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

    /// Lists the projects of a home, which are still to be read. A home whose projects were read
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
        // A folder goes by its own name; links to it only add to that.
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

    /// Adds a project that is still to be read, or a name to one that is there.
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

/// Represents the owner of an agent that is not looked for: no session has an empty name.
#[expect(clippy::unnecessary_wraps, reason = "other lookups of owners may find none")]
fn belongs_to_none(_: &Path, _: &FileStamp) -> Option<SessionId> {
    Some(SessionId::new(""))
}

/// Fills a project from what is remembered of it, or else from its folder.
fn project_again(project: &mut Project, memory: Option<Memory>) -> ProjectScan {
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

/// Gives agents next to the transcripts to the sessions that they name.
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

/// Takes in a folder of a project: that of a session, or an unknown one.
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

/// The logs of one session's folder.
#[derive(Default)]
pub(crate) struct FolderLogs {
    pub(crate) agents: Vec<AgentFile>,
    pub(crate) foreign: Vec<ForeignFile>,
    /// The folder of outputs that were too long for the transcript.
    pub(crate) outputs: Option<PathBuf>,
}

/// Searches a session's folder for logs, without following links to folders.
///
/// Two links are followed: to the folder itself (`linked`, where only `subagents` is
/// searched, because the link may lead anywhere) and `subagents`.
pub(crate) fn search_folder(
    root: &Path,
    linked: bool,
    session: &SessionId,
    visit: &mut WalkSummary,
) -> FolderLogs {
    search_names(root, linked, session, visit, MAX_NAMES)
}

/// Searches a session's folder, and looks at so many names at most.
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

/// Returns the folder to search next, unless there is a reason not to.
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

/// Reads the layout from the folders between a session's folder and an agent's file.
pub(crate) fn layout(below: &[String]) -> Layout {
    workflow_run(below).map_or(Layout::Subagents, |run| Layout::Workflow { run: run.to_owned() })
}

/// Lists the agents next to the transcripts of a folder, with the session that each names.
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

/// Describes a main transcript; nothing if the file went away meanwhile.
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

/// Sorts a regular file by its name, its size and whether it lets itself be read.
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

/// Reports a file that no user may read. Opening every file of a home would cost more
/// than it tells, so only suspicious ones are tried.
fn locked(path: &Path, look: &PathInfo) -> Option<Problem> {
    let error = look.locked.then(|| files::OpenFile::open(path).err())??;
    Some(Problem::io(path, &error))
}

/// Looks at a file through links. Pipes and devices are refused, since reading one
/// could wait for ever.
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
