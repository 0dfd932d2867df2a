//! From what was typed to open sessions.

use std::env;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use tempfile::TempDir;
use unspool_engine::home::{
    self, Discovery, Home, LiveSessions, NameError, Problem, Reason, Resolved, SessionName,
    SystemProcesses,
};
use unspool_engine::session::Session;
use unspool_engine::tail::LogFile;
use unspool_model::diagnostic::Diagnostic;

use crate::args::HomeArgs;
use crate::demo;
use crate::errors::Usage;
use crate::ui::Ui;

/// How many remarks about one file are said.
const REMARKS: usize = 5;

/// The homes of a run, walked.
pub(crate) struct Homes {
    pub(crate) found: Vec<Discovery>,
    pub(crate) live: Vec<LiveSessions>,
    here: PathBuf,
    /// The unpacked demo, removed when the run ends.
    _demo: Option<TempDir>,
}

impl Homes {
    /// Finds the homes and walks them.
    pub(crate) fn open(args: &HomeArgs, ui: &Ui) -> Result<Self> {
        let here = env::current_dir().unwrap_or_default();
        let demo = args
            .demo
            .then(demo::unpack)
            .transpose()
            .context("cannot unpack the demo")?;
        let flags: Vec<PathBuf> = match &demo {
            Some(demo) => vec![demo.path().to_owned()],
            None => args.home.iter().map(|home| here.join(home)).collect(),
        };
        let config = env::var_os("CLAUDE_CONFIG_DIR");
        let user_home = env::var_os("HOME").or_else(|| env::var_os("USERPROFILE"));
        let user_home = user_home.filter(|home| !home.is_empty()).map(PathBuf::from);
        let homes = home::resolve_homes(&flags, config.as_deref(), user_home.as_deref());
        if homes.is_empty() {
            return Err(Usage("no home folder is known; name one with --home".to_owned()).into());
        }
        let found = home::discover_all(&homes);
        for home in &found {
            say_problems(ui, &home.problems);
        }
        let live = homes_of(&found)
            .map(|home| LiveSessions::read(home, &SystemProcesses))
            .collect();
        Ok(Self {
            found,
            live,
            here,
            _demo: demo,
        })
    }

    /// Opens the session that a name means.
    pub(crate) fn session(&self, name: &str) -> Result<(Resolved, Session)> {
        match SessionName::parse(name) {
            SessionName::Newest(wanted) => self.newest(wanted),
            name => self.open_resolved(home::resolve(&name, &self.found, &self.here)?),
        }
    }

    /// Opens the newest session but so many, passing over files without a conversation.
    fn newest(&self, wanted: usize) -> Result<(Resolved, Session)> {
        let mut met = 0;
        let mut first = None;
        for place in 1.. {
            let resolved = home::resolve(&SessionName::Newest(place), &self.found, &self.here);
            let resolved = match (resolved, first) {
                (Ok(resolved), _) => resolved,
                (Err(_), Some(only)) if wanted == 1 => return Ok(only),
                (Err(NameError::NotThatMany { .. }), _) => {
                    return Err(NameError::NotThatMany {
                        asked: wanted,
                        found: met,
                    }
                    .into());
                }
                (Err(error), _) => return Err(error.into()),
            };
            let opened = self.open_resolved(resolved)?;
            met += usize::from(!opened.1.is_empty());
            if met == wanted {
                return Ok(opened);
            }
            first = Some(opened).filter(|_| wanted == 1);
        }
        unreachable!("the places of sessions come to an end")
    }

    pub(crate) fn open_resolved(&self, resolved: Resolved) -> Result<(Resolved, Session)> {
        let live = resolved.home.as_ref().and_then(|home| {
            let at = homes_of(&self.found).position(|known| known == home)?;
            self.live.get(at)
        });
        let session = Session::open(&resolved, live)?;
        Ok((resolved, session))
    }
}

fn homes_of(found: &[Discovery]) -> impl Iterator<Item = &Home> {
    found.iter().map(|discovery| &discovery.home)
}

/// Says what was odd about homes. A home without sessions is said by who finds nothing in it.
fn say_problems(ui: &Ui, problems: &[Problem]) {
    let loud = |problem: &&Problem| !matches!(problem.reason, Reason::AlreadyRead);
    for problem in problems.iter().filter(loud) {
        ui.warning(&problem.to_string());
    }
}

/// Says which files of a session could not be read, and what was odd about the bytes of one.
pub(crate) fn say_remarks(ui: &Ui, session: &Session, file: &LogFile) {
    for trouble in &session.troubles {
        ui.warning(&trouble.to_string());
    }
    let (path, log) = (file.path(), file.log());
    for Diagnostic { line, oddity } in log.diagnostics.iter().take(REMARKS) {
        ui.warning(&format!("{}:{line}: {oddity}", path.display()));
    }
    let more = log.diagnostics.len().saturating_sub(REMARKS);
    if more > 0 {
        ui.note(&format!(
            "{more} more like these; `unspool check` lists them all"
        ));
    }
}
