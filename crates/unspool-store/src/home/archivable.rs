//! Lists every file that belongs to the sessions of a home, for archives.
//!
//! Files are recognised by their paths; none is read. [`super::side_files()`] answers for one
//! session, whereas this lists each folder of the home once, for any number of sessions.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};

use unspool_model::ids::{ProjectId, SessionId};

use super::layout::{Contents, FOLDERS, HISTORY, LOCK, MEMORY, PROJECTS, is_log, session_in_name};
use super::list::{FolderItem, ItemKind, list};
use super::{AgentFile, Discovery, FileClass, Problem, Project, Reason, SessionFile};

/// How many levels of a folder are searched; known layouts need five.
const MAX_DEPTH: usize = 16;
/// How many names are listed below one folder.
const MAX_NAMES: usize = 2_000_000;

/// Returns whether [`archivable_files`] could list a file at this path in a home. It never lists settings,
/// credentials or anything else that a client obeys.
pub(crate) fn is_archivable(below: &Path) -> bool {
    let names = below.components().map(|part| match part {
        Component::Normal(name) => name.to_str().map(str::to_owned).or(Some(String::new())),
        _ => None,
    });
    let Some(names) = names.collect::<Option<Vec<String>>>() else {
        return false;
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if names.last() == Some(&LOCK) {
        return false;
    }
    match names.as_slice() {
        [file] => *file == HISTORY,
        [PROJECTS, _, _] => true,
        // Some file systems ignore case.
        [PROJECTS, _, folder, ..] => !folder.eq_ignore_ascii_case(MEMORY),
        [folder, rest @ ..] => FOLDERS.iter().any(|known| {
            let deep = match known.contents {
                Contents::Folders => rest.len() > 1,
                Contents::Named | Contents::Shared => rest.len() == 1,
            };
            known.name == *folder && deep
        }),
        [] => false,
    }
}

/// The sessions whose files are listed.
#[derive(Clone, Copy)]
pub enum ArchiveScope<'a> {
    /// All sessions, with the files that they share: the history of prompts, pasted texts, and
    /// every plan.
    Everything,
    /// The sessions for which this returns `true`.
    Only(&'a dyn Fn(&ProjectId, &SessionId) -> bool),
}

/// The role of a file in its session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArchivableKind {
    /// The session's own log.
    Main,
    /// The log of an agent, or another log in the session's folder.
    Log,
    /// Any other file.
    Side,
}

/// One file that belongs to a session, or to the home as a whole.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArchivableFile {
    /// The path of the file.
    pub path: PathBuf,
    /// Its path within the home.
    pub below: PathBuf,
    /// The session with its project, if it is known.
    pub owner: Option<(ProjectId, SessionId)>,
    /// Its role in the session.
    pub kind: ArchivableKind,
}

/// Lists the files of sessions, sorted by their path in the home, and the problems that kept files
/// from being found.
pub fn archivable_files(
    found: &Discovery,
    extent: ArchiveScope<'_>,
) -> (Vec<ArchivableFile>, Vec<Problem>) {
    let mut collector =
        Collector { root: &found.home.root, files: BTreeMap::new(), problems: Vec::new() };
    let mut owners = HashMap::new();
    for project in &found.projects {
        for session in &project.sessions {
            if wants(extent, project, session) {
                owners.insert(session.id.as_str(), (project.id.clone(), session.id.clone()));
                collector.session(project, session);
            }
        }
        if matches!(extent, ArchiveScope::Everything) {
            collector.rest_of(project);
        }
    }
    collector.side_files(&owners, extent);
    (collector.files.into_values().collect(), collector.problems)
}

fn wants(extent: ArchiveScope<'_>, project: &Project, session: &SessionFile) -> bool {
    match extent {
        ArchiveScope::Everything => true,
        ArchiveScope::Only(wanted) => wanted(&project.id, &session.id),
    }
}

/// Collects files, each once.
struct Collector<'a> {
    root: &'a Path,
    files: BTreeMap<PathBuf, ArchivableFile>,
    problems: Vec<Problem>,
}

type FileOwner = (ProjectId, SessionId);

impl Collector<'_> {
    fn add(&mut self, path: &Path, owner: Option<&FileOwner>, kind: ArchivableKind) {
        let Ok(below) = path.strip_prefix(self.root) else {
            return;
        };
        if self.files.contains_key(below) {
            return;
        }
        let belonging = ArchivableFile {
            path: path.to_owned(),
            below: below.to_owned(),
            owner: owner.cloned(),
            kind,
        };
        self.files.insert(below.to_owned(), belonging);
    }

    fn add_tree(&mut self, folder: &Path, owner: Option<&FileOwner>) {
        for path in tree(folder, &mut self.problems) {
            self.add(&path, owner, by_ending(&path));
        }
    }

    /// Adds the logs of a session and everything in its folder.
    fn session(&mut self, project: &Project, session: &SessionFile) {
        let owner = (project.id.clone(), session.id.clone());
        // The walk has reported files that cannot be read.
        if !matches!(session.class, FileClass::AgentsOnly | FileClass::Unreadable) {
            self.add(&session.path, Some(&owner), ArchivableKind::Main);
        }
        self.agents(&session.agents, Some(&owner));
        // A link may lead anywhere; the logs that the walk found through it were added above.
        if let Some(folder) = session.dir.as_ref().filter(|folder| !folder.is_symlink()) {
            self.add_tree(folder, Some(&owner));
        }
    }

    fn agents(&mut self, agents: &[AgentFile], owner: Option<&FileOwner>) {
        for agent in agents {
            self.add(&agent.path, owner, ArchivableKind::Log);
            if let Some(sidecar) = &agent.sidecar {
                self.add(sidecar, owner, ArchivableKind::Side);
            }
        }
    }

    /// Adds the files of a project's folder that belong to no known session. The memory of a
    /// project is not part of any session.
    fn rest_of(&mut self, project: &Project) {
        self.agents(&project.loose_agents, None);
        for item in list(&project.dir, &mut Vec::new()) {
            match item.kind {
                ItemKind::File if !item.linked => {
                    self.add(&item.path, None, by_ending(&item.path));
                }
                ItemKind::Folder if !item.linked && item.name != MEMORY => {
                    self.add_tree(&item.path, None);
                }
                _ => {}
            }
        }
    }

    /// Adds files of the other folders of the home.
    fn side_files(&mut self, owners: &HashMap<&str, FileOwner>, extent: ArchiveScope<'_>) {
        let everything = matches!(extent, ArchiveScope::Everything);
        for folder in FOLDERS {
            for item in self.items(folder.name) {
                let text = item.name.to_string_lossy();
                let (owner, kind) = match folder.contents {
                    Contents::Folders => (owners.get(&*text), ItemKind::Folder),
                    Contents::Named => (owners.get(session_in_name(&text)), ItemKind::File),
                    Contents::Shared => (None, ItemKind::File),
                };
                if item.kind != kind || (!everything && owner.is_none()) {
                    continue;
                }
                match kind {
                    ItemKind::Folder => self.add_tree(&item.path, owner),
                    _ => self.add(&item.path, owner, ArchivableKind::Side),
                }
            }
        }
        if everything {
            let history = self.items("").into_iter();
            for item in history.filter(|item| item.name == HISTORY) {
                self.add(&item.path, None, ArchivableKind::Side);
            }
        }
    }

    /// Lists a folder of the home, which may be missing; links are skipped.
    fn items(&self, name: &str) -> Vec<FolderItem> {
        let folder = self.root.join(name);
        if folder.is_symlink() {
            return Vec::new();
        }
        let mut items = list(&folder, &mut Vec::new());
        items.retain(|item| !item.linked);
        items
    }
}

fn by_ending(path: &Path) -> ArchivableKind {
    if is_log(path) { ArchivableKind::Log } else { ArchivableKind::Side }
}

/// Lists the regular files below a folder. Links are not followed, and lock files are skipped.
pub(crate) fn tree(folder: &Path, problems: &mut Vec<Problem>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left = MAX_NAMES;
    let mut open = vec![(folder.to_owned(), 1)];
    while let Some((folder, depth)) = open.pop() {
        for item in list(&folder, problems) {
            if left == 0 {
                problems.push(Problem::new(&folder, Reason::TooMany));
                return found;
            }
            left -= 1;
            match item.kind {
                ItemKind::File if !item.linked && item.name != LOCK => found.push(item.path),
                ItemKind::Folder if !item.linked && depth < MAX_DEPTH => {
                    open.push((item.path, depth + 1));
                }
                ItemKind::Folder if !item.linked => {
                    problems.push(Problem::new(&item.path, Reason::TooDeep));
                }
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_sessions_leave_could_belong_to_them() {
        for place in [
            "history.jsonl",
            "projects/p/s.jsonl",
            "projects/p/s/subagents/agent-1.jsonl",
            "projects/p/s/tool-results/a/b.txt",
            "tasks/s/1.json",
            "file-history/s/deep/er",
            "session-env/s/x",
            "image-cache/s/1.png",
            "uploads/s/x",
            "todos/s-agent-s.json",
            "debug/s.txt",
            "plans/some-plan.md",
            "paste-cache/abc.txt",
        ] {
            assert!(is_archivable(Path::new(place)), "{place}");
        }
        for place in [
            "",
            "settings.json",
            "settings.local.json",
            ".credentials.json",
            ".claude.json",
            "CLAUDE.md",
            "hooks/start.sh",
            "skills/x/SKILL.md",
            "agents/x.md",
            "commands/x.md",
            "output-styles/x.md",
            "plugins/x/plugin.json",
            "sessions/123.json",
            "ide/1.lock",
            "shell-snapshots/x.sh",
            "statsig/x",
            "local/bin/claude",
            "projects/x.jsonl",
            "projects/p/memory/MEMORY.md",
            "projects/p/Memory/MEMORY.md",
            "projects/../settings.json",
            "../projects/p/s.jsonl",
            "/projects/p/s.jsonl",
            "tasks/s",
            "tasks/s/.lock",
            "todos/a/b.json",
            "plans/a/b.md",
            "history.jsonl/x",
        ] {
            assert!(!is_archivable(Path::new(place)), "{place}");
        }
    }
}
