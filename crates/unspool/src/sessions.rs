//! From what was typed to open sessions.

mod names;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use tempfile::TempDir;
use unspool_engine::home::{
    self, Discovery, Home, HomesFound, LiveSessions, NameError, Reason, Resolved, SessionName,
    SystemProcesses,
};
use unspool_engine::ops::filter::{self, Pattern};
use unspool_engine::ops::list::Agents;
use unspool_engine::ops::titles::Shelf;
use unspool_engine::session::Session;
use unspool_engine::tail::LogFile;
use unspool_model::diagnostic::Diagnostic;
use unspool_model::ids::is_uuid;

use self::names::Names;
use crate::args::SessionArgs;
use crate::demo;
use crate::errors::{Outcome, Usage};
use crate::indexed::Indexed;
use crate::settings::{HomeChoice, Settings};
use crate::ui::Ui;

/// How many remarks about one file are said.
const REMARKS: usize = 5;

/// The homes of a run. They are walked when somebody asks what is in them.
pub(crate) struct Homes {
    roots: Vec<Home>,
    found: OnceCell<HomesFound>,
    live: OnceCell<Vec<LiveSessions>>,
    here: PathBuf,
    user_home: Option<PathBuf>,
    /// What is set, for who needs the index to find a session.
    settings: Settings,
    /// The unpacked demo, removed when the run ends.
    demo: Option<TempDir>,
}

impl Homes {
    /// Finds the homes.
    pub(crate) fn open(settings: &Settings) -> Result<Self> {
        let (roots, demo) = match &settings.homes.value {
            HomeChoice::Folders(homes) => (homes.clone(), None),
            HomeChoice::Demo => {
                let demo = demo::unpack().context("cannot unpack the demo")?;
                (vec![Home::new(demo.path())], Some(demo))
            }
        };
        if roots.is_empty() {
            return Err(Usage("no home folder is known; name one with --home".to_owned()).into());
        }
        Ok(Self {
            demo,
            ..Self::of(roots, settings)
        })
    }

    /// Takes homes that were found some other way.
    pub(crate) fn of(roots: Vec<Home>, settings: &Settings) -> Self {
        Self {
            roots,
            found: OnceCell::new(),
            live: OnceCell::new(),
            here: settings.here.clone(),
            user_home: settings.user_home.clone(),
            settings: settings.clone(),
            demo: None,
        }
    }

    /// Returns the homes.
    pub(crate) fn roots(&self) -> &[Home] {
        &self.roots
    }

    /// Tells whether the home is the one that is built in.
    pub(crate) fn is_demo(&self) -> bool {
        self.demo.is_some()
    }

    /// Returns what is in the homes.
    pub(crate) fn found(&self) -> &[Discovery] {
        self.walked()
    }

    /// Returns what is in the homes, spelled out only if somebody asks.
    pub(crate) fn walked(&self) -> &HomesFound {
        let walk = || home::discover_all(&self.roots).into();
        self.found.get_or_init(walk)
    }

    /// Takes note of what somebody else found in the homes.
    pub(crate) fn set_found(&self, found: HomesFound) {
        // Whoever walked first is as right.
        let _ = self.found.set(found);
    }

    /// Returns the sessions that running processes own, home by home.
    pub(crate) fn live(&self) -> &[LiveSessions] {
        self.live.get_or_init(|| live_in(&self.roots))
    }

    /// Returns the folder that the person is in.
    pub(crate) fn here(&self) -> &Path {
        &self.here
    }

    /// Returns the person's home folder.
    pub(crate) fn user_home(&self) -> Option<&Path> {
        self.user_home.as_deref()
    }

    /// Returns the homes in words.
    pub(crate) fn places(&self) -> String {
        if self.is_demo() {
            return "the demo".to_owned();
        }
        joined(self.roots.iter().map(|home| home.root.as_path()))
    }

    /// Says what was odd about the homes, and tells whether something could not be read. A
    /// home without sessions is said by who finds nothing in it.
    pub(crate) fn say_problems(&self, ui: &Ui) -> Outcome {
        let mut outcome = Outcome::Done;
        if let Some(missing) = self.missing() {
            ui.error(&missing.to_string());
            outcome = Outcome::Io;
        }
        for (home, problem) in self.walked().problems() {
            match problem.reason {
                Reason::AlreadyRead => continue,
                Reason::Missing if problem.path == home.projects_dir() => continue,
                Reason::Unreadable(_) | Reason::NotAFile | Reason::NotAFolder => {
                    outcome = Outcome::Io;
                }
                _ => {}
            }
            ui.warning(&problem.to_string());
        }
        outcome
    }

    /// Returns the homes that are not there, if any.
    pub(crate) fn missing(&self) -> Option<NoHome> {
        let is_missing = |root: &&PathBuf| matches!(root.try_exists(), Ok(false));
        let roots = self.roots.iter().map(|home| &home.root);
        let missing: Vec<PathBuf> = roots.filter(is_missing).cloned().collect();
        (!missing.is_empty()).then_some(NoHome(missing))
    }

    /// Opens the session that a name means.
    pub(crate) fn session(&self, name: &str, ui: &Ui) -> Result<(Resolved, Session)> {
        self.open_among(&Among::All, name, ui)
    }

    /// Opens the session that was chosen by a name and perhaps a project.
    pub(crate) fn chosen(&self, args: &SessionArgs, ui: &Ui) -> Result<(Resolved, Session)> {
        let Some(project) = &args.project else {
            return self.session(&args.session, ui);
        };
        let asked = Pattern::path(project, &self.here, self.user_home());
        let among = Among::Projects(filter::only_projects(self.found(), &asked));
        let opened = self.open_among(&among, &args.session, ui);
        opened.with_context(|| format!("in projects named `{project}`"))
    }

    /// Finds the session that a name means.
    pub(crate) fn resolve(&self, name: &str, ui: &Ui) -> Result<Resolved> {
        match SessionName::parse(name) {
            SessionName::Newest(wanted) => Ok(self.newest(&Among::All, wanted, ui)?.0),
            name => self.find(&Among::All, &name, ui),
        }
    }

    fn open_among(&self, among: &Among, name: &str, ui: &Ui) -> Result<(Resolved, Session)> {
        match SessionName::parse(name) {
            SessionName::Newest(wanted) => self.newest(among, wanted, ui),
            name => self.open_resolved(self.find(among, &name, ui)?),
        }
    }

    fn found_among<'a>(&'a self, among: &'a Among) -> &'a [Discovery] {
        match among {
            Among::All => self.found(),
            Among::Projects(found) => found,
        }
    }

    /// Finds the session of an id or a file, else that of a name which a person gave.
    fn find(&self, among: &Among, name: &SessionName, ui: &Ui) -> Result<Resolved> {
        let found = self.found_among(among);
        let error = match home::resolve(name, found, &self.here) {
            Ok(resolved) => return Ok(resolved),
            Err(error) => error,
        };
        let text = match &error {
            NameError::Unknown { text, .. } | NameError::TooShort { text, .. } => text.as_str(),
            _ => "",
        };
        if text.is_empty() || is_uuid(text) {
            return Err(self.unfound(error));
        }
        let names = self.names(ui);
        match names.logs(text) {
            Some(logs) => Ok(home::of_logs(text, &logs, found)?),
            None => Err(self.unfound(names.add_near(error))),
        }
    }

    /// Returns the names of all sessions. An index that cannot be used knows none.
    fn names(&self, ui: &Ui) -> Names {
        let listing = Indexed::open(self, &self.settings)
            .and_then(|mut indexed| indexed.listing(Agents::Folded, ui));
        Names::of(listing.unwrap_or_default().rows)
    }

    /// Makes an error of a name that leads nowhere. A home that is not there says why.
    fn unfound(&self, error: NameError) -> anyhow::Error {
        let is_nowhere = matches!(
            error,
            NameError::Unknown { .. } | NameError::NotThatMany { .. } | NameError::TooShort { .. }
        );
        match self.missing().filter(|_| is_nowhere) {
            Some(missing) => anyhow::Error::from(error).context(missing),
            None => error.into(),
        }
    }

    /// Opens the newest session but so many, passing over files without a conversation.
    fn newest(&self, among: &Among, wanted: usize, ui: &Ui) -> Result<(Resolved, Session)> {
        let recent = home::recent(self.found_among(among), &self.here);
        let mut only_empty = None;
        let mut met = 0;
        for resolved in recent.sessions {
            let opened = self.open_resolved(resolved)?;
            if opened.1.is_empty() {
                only_empty.get_or_insert(opened);
                continue;
            }
            met += 1;
            if met == wanted {
                if recent.everywhere && self.demo.is_none() && matches!(among, Among::All) {
                    ui.note(
                        "this folder has no sessions of its own; counting those of all projects",
                    );
                }
                return Ok(opened);
            }
        }
        match only_empty.filter(|_| met == 0 && wanted == 1) {
            Some(opened) => Ok(opened),
            None => Err(self.unfound(NameError::NotThatMany {
                asked: wanted,
                found: met,
            })),
        }
    }

    /// Notes what other logs of its project call a session, for whoever shows its title.
    pub(crate) fn name(&self, session: &mut Session) {
        Shelf::new(self.found()).name(session);
    }

    pub(crate) fn open_resolved(&self, resolved: Resolved) -> Result<(Resolved, Session)> {
        let live = resolved.home.as_ref().and_then(|home| {
            let at = self.roots.iter().position(|known| known == home)?;
            self.live().get(at)
        });
        let session = Session::open(&resolved, live)?;
        Ok((resolved, session))
    }
}

/// Where a session is looked for.
enum Among {
    /// In all projects.
    All,
    /// In these.
    Projects(Vec<Discovery>),
}

/// Homes that are not there.
#[derive(Debug, thiserror::Error)]
#[error("there is no home at {}", joined(_0.iter().map(PathBuf::as_path)))]
pub(crate) struct NoHome(Vec<PathBuf>);

fn joined<'p>(paths: impl Iterator<Item = &'p Path>) -> String {
    let paths: Vec<String> = paths.map(|path| path.display().to_string()).collect();
    paths.join(", ")
}

/// Returns the sessions of homes that running processes own, home by home.
pub(crate) fn live_in(homes: &[Home]) -> Vec<LiveSessions> {
    homes
        .iter()
        .map(|home| LiveSessions::read(home, &SystemProcesses))
        .collect()
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
