//! Runs that a prompt begins: what they can be started with, how they would be started, and starting them.
//!
//! A plan is made first, for a person to read. It carries the request that it was made of, and what runs code
//! in the folder as it was seen, so what is started is what was shown.

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

/// How many folders are offered for a new session.
const MOST_FOLDERS: usize = 200;
/// How many runs are asked which models their clients had.
const ASKED_RUNS: usize = 20;

/// What a person chooses for a run before it starts.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StartOptions {
    /// The folder that the client works in, as it was typed; that of the session if it goes on with one.
    pub(crate) folder: Option<String>,
    /// The client's home; its own if none.
    pub(crate) home: Option<PathBuf>,
    /// The model; the client's own if none.
    pub(crate) model: Option<String>,
    pub(crate) mode: PermissionMode,
    pub(crate) budget: Option<UsdAmount>,
    pub(crate) limits: RunLimits,
}

impl StartOptions {
    /// Begins with what the settings say; the folder is not known yet.
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

/// What a run can be started with.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct StartFacts {
    /// The folder of the session, or the usual one for a new session.
    pub(crate) folder: Option<String>,
    /// The home of the session, or of the one that a new session is near.
    pub(crate) home: Option<PathBuf>,
    /// Folders that sessions were in, the newest first.
    pub(crate) folders: Vec<String>,
    /// Models that a client offered.
    pub(crate) models: Vec<MenuModel>,
}

/// How a run would be started, for a person to read before it is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StartPlan {
    pub(crate) request: RunRequest,
    pub(crate) plan: RunPlanJson,
    /// What runs code in the folder.
    pub(crate) code: TrustReport,
}

impl StartPlan {
    pub(crate) fn is_trusted(&self) -> bool {
        self.plan.trust == TrustVerdict::Trusted
    }
}

/// A run that was read about, and is to be started.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct StartRequest {
    pub(crate) run: RunRequest,
    /// The print of what runs code in the folder, which the person says is trusted.
    pub(crate) trust: Option<String>,
    /// The name of the draft that the prompt was, if it was one.
    pub(crate) draft: Option<String>,
}

/// How a run goes on that is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NextRunKind {
    /// The client waits for a prompt.
    GoOn,
    /// The last prompt runs again.
    Again,
}

/// Finds what a run can be started with: one that goes on with a session, or one of a new session near it.
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

/// Returns the models of the newest run whose client named some.
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

/// Says how a run would be started; `at` is the entry from which a copy of the session goes on.
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

/// Returns the request for a run in a folder.
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

/// Says how a run would be started that goes on where another one ended.
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
    let code = drive.what_runs_code(&request.cwd).map_err(in_words)?;
    Ok(StartPlan { request, plan, code })
}

/// Returns a folder as a person typed it, without links and dots, so that it is the one that was trusted.
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

/// Trusts the folder if the person said so, and starts the run.
pub(super) fn start(
    context: &WorkContext,
    drive: &Drive,
    start: &StartRequest,
) -> Result<(), String> {
    let run = &start.run;
    if let Some(print) = &start.trust {
        let folder: &Path = &run.cwd;
        // What runs code may have changed since it was shown; then nothing is trusted.
        drive.trust(folder, print, BY).map_err(in_words)?;
    }
    drive.start(run).map_err(in_words)?;
    context.settings.host.run_began(&run.id);
    // Old spools that stay have cost nothing but room; the next start tries again.
    let _ = drive.sweep();
    Ok(())
}
