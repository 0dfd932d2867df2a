//! The session to resume, and the folders that it was in.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

use unspool_model::ids::{ProjectId, SessionId};
use unspool_model::path_name::{self, FolderMatch};

use super::{ResumeBranch, ResumeObstacle};
use unspool_store::home::layout::log_name;
use unspool_store::home::{
    ClientHomes, Home, HomeNaming, LiveSessions, Resolved, SystemProcesses, Target,
};
use unspool_store::session::Session;

/// How many folders of a session are examined. Sessions are in a few; a log may name any number.
const MOST_FOLDERS: usize = 100;

/// A session to resume.
#[derive(Clone, Debug)]
pub struct ResumeSubject {
    /// Its id.
    pub session: SessionId,
    /// Its log.
    pub log: PathBuf,
    /// The project of the session; `None` outside every home.
    pub project: Option<ProjectId>,
    /// The folders that the session was in, the first one first.
    pub folders: Vec<ResumeFolder>,
    /// How the client is told which home to use.
    pub home: HomeNaming,
    /// Why the session cannot be resumed by any request.
    fault: Option<ResumeObstacle>,
    /// The process that owns the session.
    owner: Option<u32>,
    /// The folder of projects that contains the log.
    projects: Option<PathBuf>,
    /// Whether no other project has a log of this name, computed on demand.
    is_only: OnceCell<bool>,
}

/// A folder in which a session may be resumed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResumeFolder {
    /// The folder.
    pub path: PathBuf,
    /// Whether the folder exists.
    pub exists: bool,
    /// Whether the log of the session is filed under the folder, so that every client finds it there.
    pub has_log: bool,
}

impl ResumeFolder {
    /// Examines a folder for a session of a project.
    pub fn look(path: &Path, project: Option<&ProjectId>) -> Self {
        let exists = path.is_dir();
        let is_name = |path: &Path| {
            project.is_some_and(|project| {
                let fit = path_name::matches_folder(&path.to_string_lossy(), project.as_str());
                fit != FolderMatch::No
            })
        };
        // Claude Code files a log under the real path of the folder in which it is started.
        let has_log = match fs::canonicalize(path) {
            Ok(real) => is_name(&real),
            Err(_) => is_name(path),
        };
        Self { path: path.to_owned(), exists, has_log }
    }
}

impl ResumeSubject {
    /// Examines an open session, its folders, and the process that owns it.
    pub fn of(found: &Resolved, session: &Session, homes: &ClientHomes) -> Self {
        let log = session.log();
        let project = found.project.clone();
        let texts = log.facts.cwds.iter().map(|&cwd| Path::new(log.text(cwd)));
        let texts = texts.filter(|path| path.is_absolute()).take(MOST_FOLDERS);
        let folders = texts.map(|path| ResumeFolder::look(path, project.as_ref()));
        let home = found.home.as_ref();
        Self {
            session: session.id.clone(),
            log: homes.here.join(session.main.path()),
            folders: folders.collect(),
            home: home.map_or(HomeNaming::AsIs, |home| homes.naming(&home.root)),
            fault: fault(found, session),
            owner: home.and_then(|home| owner(home, &session.id)),
            projects: home.map(Home::projects_dir),
            is_only: OnceCell::new(),
            project,
        }
    }

    /// Returns why the session cannot be resumed, if it cannot.
    pub(super) fn obstacle(&self, branch: ResumeBranch) -> Option<ResumeObstacle> {
        let owner = self.owner.filter(|_| branch == ResumeBranch::Same);
        let live = owner.map(|pid| ResumeObstacle::Live { pid });
        self.fault.clone().or(live)
    }

    /// Reports whether no other project of its home has a log of this name. A client that finds two
    /// uses neither.
    pub(super) fn is_only(&self) -> bool {
        *self.is_only.get_or_init(|| {
            let Some(projects) = &self.projects else {
                return false;
            };
            let name = log_name(self.session.as_str());
            let items = fs::read_dir(projects).into_iter().flatten().flatten();
            let logs = items.map(|item| item.path().join(&name));
            logs.filter(|log| log.is_file()).nth(1).is_none()
        })
    }
}

fn fault(found: &Resolved, session: &Session) -> Option<ResumeObstacle> {
    if let Target::Agent(agent) = &found.target {
        let session = agent.session.clone();
        return Some(ResumeObstacle::Agent { session });
    }
    if found.home.as_ref().is_some_and(Home::is_archived) {
        return Some(ResumeObstacle::Archived);
    }
    let log = session.main.path();
    if !log.is_file() {
        return Some(ResumeObstacle::NoLog(log.to_owned()));
    }
    session.is_empty().then_some(ResumeObstacle::Empty)
}

/// Returns the process that owns a session, read again because a walk may be outdated.
fn owner(home: &Home, session: &SessionId) -> Option<u32> {
    let live = LiveSessions::read(home, &SystemProcesses);
    live.get(session).map(|live| live.pid)
}
