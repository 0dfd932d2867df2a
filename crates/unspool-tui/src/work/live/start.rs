//! Runs that a prompt starts: their options, their plans, and starting them.
//!
//! A plan is made first, for the person to read. It contains its request and the code that the folder's
//! settings would run, so exactly the shown run is started.

use std::path::{Path, PathBuf};

use unspool_drive::json::RunPlanJson;
use unspool_drive::trust::{TrustReport, TrustVerdict};
use unspool_drive::{
    Drive, MenuModel, PermissionMode, PromptContent, RunId, RunLimits, RunRequest, UsdAmount,
};
use unspool_model::ids::EntryId;

use super::{BY, in_words};
use crate::settings::{SessionSubject, TuiSettings};
use crate::work::WorkContext;

/// The largest number of folders offered for a new session.
const MOST_FOLDERS: usize = 200;
/// The number of newest runs that are searched for a client's models.
const ASKED_RUNS: usize = 20;

/// The options of a run that a person sets before it starts.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StartOptions {
    /// The client's folder as it was typed; the session's folder if the run continues one.
    pub(crate) folder: Option<String>,
    /// The client's home; its default if `None`.
    pub(crate) home: Option<PathBuf>,
    /// The model; the client's default if `None`.
    pub(crate) model: Option<String>,
    pub(crate) mode: PermissionMode,
    pub(crate) budget: Option<UsdAmount>,
    pub(crate) limits: RunLimits,
}

impl StartOptions {
    /// Creates options from the settings, without a folder.
    pub(crate) fn new(settings: &TuiSettings) -> Self {
        let drive = settings.drive.as_ref().ok();
        Self {
            folder: None,
            home: None,
            model: None,
            mode: PermissionMode::Default,
            budget: None,
            limits: drive.map_or_else(RunLimits::default, |drive| drive.limits()),
        }
    }
}

/// Values to choose from when a run is started.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct StartFacts {
    /// The folder of the session, or the default for a new session.
    pub(crate) folder: Option<String>,
    /// The home of the session, or of the session that a new one is near.
    pub(crate) home: Option<PathBuf>,
    /// The folders of known sessions, the newest first.
    pub(crate) folders: Vec<String>,
    /// The models that a client offered.
    pub(crate) models: Vec<MenuModel>,
}

/// The plan of a run, for a person to read before it starts.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StartPlan {
    pub(crate) request: RunRequest,
    pub(crate) plan: RunPlanJson,
    /// The settings in the folder that run code.
    pub(crate) code: TrustReport,
}

impl StartPlan {
    pub(crate) fn is_trusted(&self) -> bool {
        self.plan.trust == TrustVerdict::Trusted
    }
}

/// A run to start, whose plan the person has read.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StartRequest {
    pub(crate) run: RunRequest,
    /// The fingerprint of the settings that run code, which the person has decided to trust.
    pub(crate) trust: Option<String>,
    /// The name of the draft that the prompt came from, if any.
    pub(crate) draft: Option<String>,
}

/// How a run continues that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NextRunKind {
    /// The client waits for a prompt.
    GoOn,
    /// The last prompt is sent again.
    Again,
}

/// Collects the options for a run that continues a session, or that starts a new session near it.
pub(super) fn facts(context: &WorkContext, session: Option<&SessionSubject>) -> StartFacts {
    let settings = &context.settings;
    let row = session.and_then(|it| settings.library.stored_row(&it.place).ok()?);
    let home = session.and_then(|it| it.place.home.clone());
    let rows = settings.library.known_projects(MOST_FOLDERS);
    let rows = rows.unwrap_or_default().into_iter();
    let mut folders: Vec<String> = Vec::new();
    for folder in rows.filter_map(|row| row.cwd) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    StartFacts {
        folder: row.and_then(|row| row.cwd),
        home: home.or_else(|| settings.new_home.clone()),
        folders,
        models: models(settings),
    }
}

/// Returns the models of the newest run whose client reported any.
fn models(settings: &TuiSettings) -> Vec<MenuModel> {
    let drive = settings.drive.as_ref().ok();
    let runs = drive.and_then(|drive| Some((drive, drive.runs().ok()?)));
    let Some((drive, runs)) = runs else {
        return Vec::new();
    };
    let menus = runs.iter().take(ASKED_RUNS);
    let mut menus = menus.filter_map(|run| drive.menu(&run.run.id).ok());
    let named = menus.find(|menu| !menu.models.is_empty());
    named.map(|menu| menu.models).unwrap_or_default()
}

/// Plans a run; `at` is the last entry of a fork.
pub(super) fn plan(
    context: &WorkContext,
    drive: &Drive,
    run: RunId,
    options: StartOptions,
    (session, at): (Option<&SessionSubject>, Option<EntryId>),
    prompt: PromptContent,
) -> Result<StartPlan, String> {
    let folder = options.folder.as_deref().filter(|it| !it.trim().is_empty());
    let folder = folder.ok_or("the folder of this session is not known")?;
    let folder = real_folder(&context.settings, folder);
    planned(drive, request(run, folder, options, (session, at), prompt))
}

/// Builds the request for a run in a folder.
pub(crate) fn request(
    run: RunId,
    folder: PathBuf,
    options: StartOptions,
    (session, at): (Option<&SessionSubject>, Option<EntryId>),
    prompt: PromptContent,
) -> RunRequest {
    let mut request = RunRequest::new(run, folder, BY);
    request.home = options.home;
    request.session = session.map(|it| it.place.session.as_str().to_owned());
    request.fork = at.is_some();
    request.at = at.map(|at| at.to_string());
    request.prompt = Some(prompt);
    request.model = options.model;
    request.mode = options.mode;
    request.limits = Some(options.limits);
    request.budget = options.budget;
    request
}

/// Plans a run that continues one that has ended.
pub(super) fn plan_next(
    drive: &Drive,
    old: &RunId,
    kind: NextRunKind,
) -> Result<StartPlan, String> {
    let run = RunId::random();
    let request = match kind {
        NextRunKind::GoOn => drive.next_run(&run, old, BY),
        NextRunKind::Again => drive.repeated_run(&run, old, BY),
    };
    planned(drive, request.map_err(in_words)?)
}

fn planned(drive: &Drive, request: RunRequest) -> Result<StartPlan, String> {
    let plan = drive.plan_json(&request).map_err(in_words)?;
    let code = drive.scan_folder(&request.cwd).map_err(in_words)?;
    Ok(StartPlan { request, plan, code })
}

/// Resolves a typed folder to its canonical path, the form in which folders are trusted.
fn real_folder(settings: &TuiSettings, typed: &str) -> PathBuf {
    let typed = typed.trim();
    let user_home = settings.user_home.as_deref();
    let below = typed.strip_prefix('~');
    let below = below.filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let path = match (below, user_home) {
        (Some(rest), Some(home)) => PathBuf::from(format!("{home}{rest}")),
        _ => settings.here.join(typed),
    };
    path.canonicalize().unwrap_or(path)
}

/// Trusts the folder if the person decided so, and starts the run.
pub(super) fn start(
    context: &WorkContext,
    drive: &Drive,
    start: &StartRequest,
) -> Result<(), String> {
    let run = &start.run;
    if let Some(print) = &start.trust {
        let folder: &Path = &run.cwd;
        // The fingerprint differs if the settings changed since they were shown; then nothing is trusted.
        drive.trust(folder, print, BY).map_err(in_words)?;
    }
    drive.start(run).map_err(in_words)?;
    context.settings.host.run_began(&run.id);
    // Spools that are left over only take space; the next start sweeps again.
    let _ = drive.sweep();
    Ok(())
}
