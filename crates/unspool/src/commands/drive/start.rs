//! `unspool drive start`

use std::path::PathBuf;
use unspool_model::named::Named as _;

use anyhow::Result;
use unspool_drive::{PermissionMode, RunId, RunLimits, RunRequest, UsdAmount};

use super::change::{budget, limit};
use super::started::started;
use super::{plan, print_run};
use crate::driving::open::{BypassGrant, ClientNeed, open_for};
use crate::driving::session::{FoundSession, drop_default_home, find_session, named_home};
use crate::driving::{BY, input};
use crate::errors::{RunOutcome, wrong_use};
use crate::filters::one_of;
use crate::settings::{DeadlineChoice, Settings};
use crate::ui::Ui;

/// Start a run: a new session or an existing one
///
/// Shows folder, command and environment before the run starts, and prints its id once the client has answered. You must trust the folder
/// once, see `unspool drive trust`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive start --prompt 'explain this folder'  a new session here\n  \
unspool drive start --session @ --prompt 'go on'    the newest session of this project\n  \
unspool drive start --session 4ba6 --fork           a copy of a session, also of one that runs\n  \
git diff | unspool drive start --prompt -           the prompt from standard input\n  \
unspool drive start --dry-run --json                only what would be run")]
pub(super) struct StartArgs {
    /// The folder to work in [default: this one, or that of the session]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,

    /// The first prompt; - reads it from standard input
    #[arg(long, short = 'p', value_name = "TEXT|-")]
    prompt: Option<String>,

    /// Continue this session: an id, the beginning of one, its name, @, @2 …
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,

    /// Continue from this entry of the session, as a new branch
    #[arg(long, value_name = "ENTRY", requires = "session")]
    at: Option<String>,

    /// Continue in a copy of the session
    #[arg(long, requires = "session")]
    fork: bool,

    /// The model
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// What the client may do without asking
    #[arg(long, value_name = "MODE", default_value = "default")]
    #[arg(value_parser = one_of(PermissionMode::ALL, PermissionMode::name))]
    mode: PermissionMode,

    /// Let the client do everything without asking, with --mode bypassPermissions
    #[arg(long)]
    allow_bypass: bool,

    /// End the client after this many idle seconds [default: 300, or the settings]
    #[arg(long, value_name = "SECONDS|off", value_parser = limit)]
    idle: Option<DeadlineChoice>,

    /// Answer for you after this many seconds [default: 1800, or the settings]
    #[arg(long, value_name = "SECONDS|off", value_parser = limit)]
    waiting: Option<DeadlineChoice>,

    /// Stop sending queued prompts once the session has cost this many US dollars
    #[arg(long, value_name = "USD", value_parser = budget)]
    budget: Option<UsdAmount>,

    /// Show what would run, and start nothing
    #[arg(long)]
    dry_run: bool,

    /// The id of the run, a uuid: the same id again is the same run [default: a new one]
    #[arg(long, value_name = "UUID", value_parser = RunId::parse)]
    id: Option<RunId>,

    /// Print one JSON object, see docs/drive.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &StartArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let bypass = if args.allow_bypass { BypassGrant::Given } else { BypassGrant::Withheld };
    let drive = open_for(settings, ClientNeed::Started, bypass)?;
    let request = args.request(settings, ui)?;
    if let Some(view) = plan::existing_run(&drive, &request)? {
        print_run(&view, args.json, ui)?;
        return Ok(RunOutcome::Done);
    }
    let plan = drive.plan_json(&request)?;
    if args.dry_run {
        if args.json {
            ui.print_json(&plan)?;
        } else {
            ui.print_text(&plan::lines(&plan).join("\n"))?;
        }
        return Ok(RunOutcome::Done);
    }
    plan::check_trust(&plan, &drive, &request)?;
    for variable in &settings.driving.misread {
        ui.warning(&format!(
            "{variable} is neither a number of seconds nor `off`, and is not used"
        ));
    }
    for line in plan::lines(&plan) {
        ui.plain_note(&line);
    }
    let view = drive.start(&request)?;
    // Spools that are left over only take space; the next start sweeps again.
    let _ = drive.sweep();
    started(&drive, &view, args.json, settings, ui)
}

impl StartArgs {
    fn limits(&self, settings: &Settings) -> RunLimits {
        let driving = &settings.driving;
        RunLimits {
            idle: self.idle.unwrap_or(driving.idle.value).seconds(),
            waiting: self.waiting.unwrap_or(driving.waiting.value).seconds(),
        }
    }

    fn request(&self, settings: &Settings, ui: &Ui) -> Result<RunRequest> {
        if self.mode == PermissionMode::BypassPermissions && !self.allow_bypass {
            return wrong_use(
                "bypassPermissions lets the client do everything without asking; \
                         --allow-bypass says that you want that",
            );
        }
        let id = self.id.clone().unwrap_or_else(RunId::random);
        let at = self.at.as_deref();
        let found = self.session.as_deref();
        let found = found.map(|name| find_session(name, at, settings, ui));
        let found = found.transpose()?;
        let home = match &found {
            Some(found) => found.home.clone(),
            None => named_home(settings)?,
        };
        let mut request = RunRequest::new(id, self.cwd(found.as_ref(), settings), BY);
        request.home = drop_default_home(home, settings);
        request.prompt = input::prompt(self.prompt.as_deref(), &[])?;
        request.at = found.as_ref().and_then(|found| found.at.clone());
        request.session = found.map(|found| found.id);
        request.fork = self.fork;
        request.model.clone_from(&self.model);
        request.mode = self.mode;
        request.limits = Some(self.limits(settings));
        request.budget = self.budget;
        Ok(request)
    }

    fn cwd(&self, found: Option<&FoundSession>, settings: &Settings) -> PathBuf {
        let of_session = found.and_then(|found| found.cwd.clone());
        let named = self.folder.as_ref().map(|folder| settings.here.join(folder));
        let folder = named.or(of_session);
        let folder = folder.unwrap_or_else(|| settings.here.clone());
        // The canonical path is the form in which folders are trusted.
        folder.canonicalize().unwrap_or(folder)
    }
}
