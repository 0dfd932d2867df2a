//! What is known of a session that is to go on, and of the folders around it.

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

/// How many folders of a session are looked at. Sessions are in a few; a log may name any number.
const MOST_FOLDERS: usize = 100;

/// A session that is to go on.
#[derive(Clone, Debug)]
pub struct ResumeSubject {
    /// Its id.
    pub session: SessionId,
    /// Its log.
    pub log: PathBuf,
    /// Its project; none outside every home.
    pub project: Option<ProjectId>,
    /// The folders that it was in, the first one first.
    pub folders: Vec<ResumeFolder>,
    /// Whether the client is told which home it uses.
    pub home: HomeNaming,
    /// Why it cannot go on, whatever is asked for.
    fault: Option<ResumeObstacle>,
    /// The process that owns it.
    owner: Option<u32>,
    /// The folder of projects that its log is in.
    projects: Option<PathBuf>,
    /// Whether no other project has a log of this name, once a plan asked for it.
    is_only: OnceCell<bool>,
}

/// A folder that a session may go on in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResumeFolder {
    /// The folder.
    pub path: PathBuf,
    /// Whether it is there.
    pub exists: bool,
    /// Whether the log of the session is filed under it, so that every client finds it there.
    pub has_log: bool,
}

impl ResumeFolder {
    /// Looks at a folder, for a session of a project.
    pub fn look(path: &Path, project: Option<&ProjectId>) -> Self {
        let exists = path.is_dir();
        let is_name = |path: &Path| {
            project.is_some_and(|project| {
                let fit = path_name::matches_folder(&path.to_string_lossy(), project.as_str());
                fit != FolderMatch::No
            })
        };
        // Claude Code files a log under the real path of the folder that it is started in.
        let has_log = match fs::canonicalize(path) {
            Ok(real) => is_name(&real),
            Err(_) => is_name(path),
        };
        Self { path: path.to_owned(), exists, has_log }
    }
}

impl ResumeSubject {
    /// Looks at a session that was opened, at its folders, and at the process that owns it.
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

    /// Says why it cannot go on.
    pub(super) fn obstacle(&self, branch: ResumeBranch) -> Option<ResumeObstacle> {
        let owner = self.owner.filter(|_| branch == ResumeBranch::Same);
        let live = owner.map(|pid| ResumeObstacle::Live { pid });
        self.fault.clone().or(live)
    }

    /// Tells whether no other project of its home has a log of this name. A client that finds two
    /// takes neither.
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

/// Returns the process that owns a session now; what a walk saw may be old.
fn owner(home: &Home, session: &SessionId) -> Option<u32> {
    let live = LiveSessions::read(home, &SystemProcesses);
    live.get(session).map(|live| live.pid)
}
