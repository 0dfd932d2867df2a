//! Plans for resuming a session in a terminal: the folder and the command.
//!
//! A [`ResumeSubject`] describes a session and its folders, a [`ResumeRequest`] has the options of the
//! user, and [`plan`] combines both into a [`ResumePlan`]. The plan is data: a command runs it, a page
//! shows its shell line, the terminal program asks what to do about an obstacle.
//!
//! What the client accepts, tried with 2.1.325 and 2.1.50 in a terminal:
//!
//! | | 2.1.325 | 2.1.50 |
//! |---|---|---|
//! | an id, in the folder that the log is filed under | continues | continues |
//! | an id, in another folder | continues, and tells the model of the new folder | not found |
//! | an id that two projects have, in a third folder | not found | not found |
//! | the path of a log, in any folder, also outside every home | continues in that log | not found |
//! | `--resume-session-at` | ignored: the whole session is sent | the same |
//! | a session that another process owns | both write into one log | the same |
//!
//! So a session is resumed by its id in the folder that its log is filed under, if that folder exists,
//! or else in another folder of the session. Where the id would not be found, the path replaces it.

mod remedies;
mod shell;
mod subject;

use std::path::{Path, PathBuf};

use unspool_model::ids::{SessionId, is_uuid};

pub use self::remedies::ResumeRemedy;
pub use self::shell::{shell_line, shell_word};
pub use self::subject::{ResumeFolder, ResumeSubject};
pub use unspool_store::home::{ClientHomes, HomeNaming};

/// Whether to resume a session or a copy of it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ResumeBranch {
    /// The session itself.
    #[default]
    Same,
    /// A copy with a new id.
    Fork,
}

/// The options of a resume.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ResumeRequest {
    /// Whether to resume the session or a copy of it.
    pub branch: ResumeBranch,
    /// The folder to work in; `None` is the session's own.
    pub folder: Option<PathBuf>,
    /// Further arguments for the client.
    pub arguments: Vec<String>,
}

/// A plan for resuming a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResumePlan {
    /// The session.
    pub session: SessionId,
    /// Its log.
    pub log: PathBuf,
    /// The folder to run the client in, if one is known.
    pub folder: Option<PathBuf>,
    /// The arguments of the client, without the program.
    pub arguments: Vec<String>,
    /// How the client is told which home to use.
    pub home: HomeNaming,
    /// Why the plan should not be run, if it should not.
    pub obstacle: Option<ResumeObstacle>,
    /// Remarks for the user.
    pub remarks: Vec<ResumeRemark>,
}

/// Why a session should not be resumed as it is.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ResumeObstacle {
    /// The log is an agent's conversation.
    #[error("this is the conversation of an agent; only whole sessions can be resumed")]
    Agent {
        /// The session that has the agent, if it is known.
        session: Option<SessionId>,
    },
    /// The log is in an archive.
    #[error("the log is in an archive, where Claude Code cannot write")]
    Archived,
    /// The log does not exist.
    #[error("{}: the log is gone, so there is nothing to resume", .0.display())]
    NoLog(PathBuf),
    /// The log contains nothing to send to a model.
    #[error("the session has no conversation, so there is nothing to resume")]
    Empty,
    /// A running process owns the session.
    #[error(
        "the session is running: process {pid} owns it, and two processes would write into one log"
    )]
    Live {
        /// The process id.
        pid: u32,
    },
    /// None of the session's folders exists.
    #[error("{}: the folder of the session is gone", folder.display())]
    FolderGone {
        /// The folder.
        folder: PathBuf,
        /// The nearest existing parent folder.
        nearest: Option<PathBuf>,
    },
    /// The log does not contain the folder of the session.
    #[error("the log does not say which folder the session was in")]
    FolderUnknown,
    /// The requested folder is not a folder.
    #[error("{}: not a folder", .0.display())]
    NotAFolder(PathBuf),
}

/// A remark for the user before a session is resumed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ResumeRemark {
    /// The folder of the session is gone; the plan uses another folder of the session.
    #[error("{} is gone; {} is another folder that the session was in", gone.display(), taken.display())]
    OtherFolder {
        /// The folder that the log is filed under.
        gone: PathBuf,
        /// The folder that the plan uses.
        taken: PathBuf,
    },
    /// The log is filed under another folder than the one that the plan uses.
    #[error(
        "the log is filed under another folder, in {}; Claude Code before 2.1.223 does not find it from here",
        .0.display()
    )]
    FiledElsewhere(PathBuf),
    /// The plan names the log by its path.
    #[error("the log is named by its path, which old versions of Claude Code do not take")]
    ByPath,
    /// The name of the log is not one that the client writes.
    #[error("the log is not named by an id, so Claude Code goes on in a new log")]
    NewLog,
    /// The session ran in other folders too.
    #[error("the session was in {0} folders; `--in DIR` chooses another one")]
    SeveralFolders(usize),
}

/// Returns the plan for resuming a session.
pub fn plan(subject: &ResumeSubject, request: &ResumeRequest) -> ResumePlan {
    let choice = choose(subject, request);
    let mut remarks = choice.remarks;
    let name = name_for(subject, choice.folder.as_ref(), &mut remarks);
    let mut arguments = vec!["--resume".to_owned(), name];
    if request.branch == ResumeBranch::Fork {
        arguments.push("--fork-session".to_owned());
    }
    arguments.extend(request.arguments.iter().cloned());
    let is_refused = subject.obstacle(request.branch).or(choice.obstacle);
    ResumePlan {
        session: subject.session.clone(),
        log: subject.log.clone(),
        folder: choice.folder.map(|folder| folder.path),
        arguments,
        home: subject.home.clone(),
        obstacle: is_refused,
        remarks,
    }
}

/// The folder of a plan, with obstacles and remarks.
#[derive(Default)]
struct FolderChoice {
    folder: Option<ResumeFolder>,
    obstacle: Option<ResumeObstacle>,
    remarks: Vec<ResumeRemark>,
}

fn choose(subject: &ResumeSubject, request: &ResumeRequest) -> FolderChoice {
    if let Some(asked) = &request.folder {
        let folder = ResumeFolder::look(asked, subject.project.as_ref());
        let obstacle = (!folder.exists).then(|| ResumeObstacle::NotAFolder(asked.clone()));
        return FolderChoice { folder: Some(folder), obstacle, ..FolderChoice::default() };
    }
    let folders = &subject.folders;
    let own = folders.iter().find(|folder| folder.has_log && folder.exists);
    if let Some(own) = own {
        let there = folders.iter().filter(|folder| folder.exists).count();
        let several = (there > 1).then_some(ResumeRemark::SeveralFolders(there));
        return FolderChoice {
            folder: Some(own.clone()),
            obstacle: None,
            remarks: several.into_iter().collect(),
        };
    }
    let filed = folders.iter().find(|folder| folder.has_log);
    let Some(usual) = filed.or(folders.first()) else {
        return FolderChoice {
            obstacle: Some(ResumeObstacle::FolderUnknown),
            ..FolderChoice::default()
        };
    };
    // The session began in the first folder, so its files are most likely there.
    let Some(taken) = folders.iter().find(|folder| folder.exists) else {
        return FolderChoice {
            folder: Some(usual.clone()),
            obstacle: Some(ResumeObstacle::FolderGone {
                folder: usual.path.clone(),
                nearest: nearest(&usual.path),
            }),
            remarks: Vec::new(),
        };
    };
    let remark = (taken.path != usual.path)
        .then(|| ResumeRemark::OtherFolder { gone: usual.path.clone(), taken: taken.path.clone() });
    FolderChoice {
        folder: Some(taken.clone()),
        obstacle: None,
        remarks: remark.into_iter().collect(),
    }
}

/// Returns the nearest existing parent of a folder, unless that is the root of the file system.
fn nearest(folder: &Path) -> Option<PathBuf> {
    let mut above = folder.ancestors().skip(1);
    let found = above.find(|folder| folder.is_dir())?;
    found.parent().is_some().then(|| found.to_owned())
}

/// Returns the name by which the client finds the session: its id if that leads to this log, or
/// else the path of the log.
fn name_for(
    subject: &ResumeSubject,
    folder: Option<&ResumeFolder>,
    remarks: &mut Vec<ResumeRemark>,
) -> String {
    let id = subject.session.as_str();
    let is_here = folder.is_some_and(|folder| folder.has_log);
    if is_uuid(id) && subject.project.is_some() && (is_here || subject.is_only()) {
        if !is_here && folder.is_some() {
            let filed = subject.log.parent().unwrap_or(&subject.log);
            remarks.push(ResumeRemark::FiledElsewhere(filed.to_owned()));
        }
        return id.to_owned();
    }
    remarks.push(if is_uuid(id) { ResumeRemark::ByPath } else { ResumeRemark::NewLog });
    subject.log.display().to_string()
}

impl ResumePlan {
    /// Returns the plan as a line for a shell; `program` is the command of the client.
    pub fn shell_line(&self, program: &[&str]) -> String {
        shell_line(self, program)
    }

    /// Returns what a person can do about the obstacle; `shown` formats a path for display.
    pub fn remedies(
        &self,
        branch: ResumeBranch,
        shown: &dyn Fn(&Path) -> String,
    ) -> Vec<ResumeRemedy> {
        let obstacle = self.obstacle.iter();
        let ways = obstacle.flat_map(|it| remedies::remedies(it, self, branch, shown));
        ways.collect()
    }
}
