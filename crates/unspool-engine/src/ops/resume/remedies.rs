//! What a person can do if a session cannot be resumed.

use std::fmt;
use std::path::{Path, PathBuf};

use super::{ResumeBranch, ResumeObstacle, ResumePlan, shell_word};

/// A command or an option that helps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResumeRemedy {
    /// The command or the option.
    pub command: String,
    /// Its effect, as the rest of a sentence.
    effect: &'static str,
    /// The folder that the command resumes the session in, if it names one.
    pub folder: Option<PathBuf>,
}

impl ResumeRemedy {
    fn new(command: impl Into<String>, effect: &'static str) -> Self {
        Self { command: command.into(), effect, folder: None }
    }
}

impl fmt::Display for ResumeRemedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.command, self.effect)
    }
}

/// Returns what a person can do about an obstacle.
pub(super) fn remedies(
    obstacle: &ResumeObstacle,
    plan: &ResumePlan,
    branch: ResumeBranch,
    shown: &dyn Fn(&Path) -> String,
) -> Vec<ResumeRemedy> {
    let id = plan.session.as_str();
    let named = |path: &Path| named(path, shown);
    let fork = match branch {
        ResumeBranch::Same => "",
        ResumeBranch::Fork => " --fork",
    };
    match obstacle {
        ResumeObstacle::Agent { session: Some(id) } => {
            let command = format!("unspool resume {id}");
            vec![ResumeRemedy::new(command, "resumes its session")]
        }
        ResumeObstacle::Archived => {
            vec![ResumeRemedy::new("unspool archive restore", "writes sessions back")]
        }
        ResumeObstacle::Live { .. } => {
            let effect = "goes on in a copy of the session, which leaves that process alone";
            vec![ResumeRemedy::new("--fork", effect)]
        }
        ResumeObstacle::FolderGone { folder, nearest } => {
            let there = nearest.as_ref().map_or("DIR".to_owned(), |it| named(it));
            let there = ResumeRemedy {
                folder: nearest.clone(),
                ..ResumeRemedy::new(
                    format!("unspool resume {id}{fork} --in {there}"),
                    "goes on in that folder; the session keeps its log, and the model is told \
                     where it works now",
                )
            };
            let make = format!("mkdir -p {}", named(folder));
            vec![there, ResumeRemedy::new(make, "makes an empty one")]
        }
        ResumeObstacle::FolderUnknown => {
            let command = format!("unspool resume {id}{fork} --in DIR");
            vec![ResumeRemedy::new(command, "says which to use")]
        }
        ResumeObstacle::Agent { session: None }
        | ResumeObstacle::NoLog(_)
        | ResumeObstacle::Empty
        | ResumeObstacle::NotAFolder(_) => Vec::new(),
    }
}

/// Formats a folder for a shell: as it is displayed, or quoted if necessary.
fn named(path: &Path, shown: &dyn Fn(&Path) -> String) -> String {
    let whole = path.display().to_string();
    let word = shell_word(&whole);
    if word == whole { shown(path) } else { word }
}
