//! `unspool drive trust`

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use unspool_drive::Drive;
use unspool_drive::json::FolderTrustJson;
use unspool_drive::trust::{TrustReport, TrustVerdict};
use unspool_render::json;
use unspool_text::sanitize;

use crate::driving::{BY, open};
use crate::errors::RunOutcome;
use crate::settings::Settings;
use crate::ui::Ui;

/// Trust a folder: its hooks, settings and servers may run code
///
/// Shows what runs code when a client works in the folder (in it, and above it up to its repository), and asks. Trust ends when any of that
/// changes.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool drive trust ~/work/site           look, and say yes\n  \
unspool drive trust ~/work/site --yes     without being asked\n  \
unspool drive trust --list\n  \
unspool drive trust ~/work/site --forget")]
pub(super) struct TrustArgs {
    /// The folder
    #[arg(value_name = "DIR", required_unless_present = "list")]
    folder: Option<PathBuf>,

    /// Trust it without asking
    #[arg(long, conflicts_with_all = ["list", "forget"])]
    yes: bool,

    /// List trusted folders
    #[arg(long, conflicts_with_all = ["folder", "forget"])]
    list: bool,

    /// Withdraw trust; runs that work there go on
    #[arg(long)]
    forget: bool,

    /// Print JSON, see docs/drive.md
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &TrustArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let drive = open::open(settings)?;
    let Some(folder) = &args.folder else {
        return list(args, &drive, ui);
    };
    let folder = settings.here.join(folder);
    if args.forget {
        return forget(args, &drive, &folder, ui);
    }
    let (verdict, report) = drive.trust_of(&folder)?;
    if verdict == TrustVerdict::Trusted {
        return print_trusted(args, report, ui);
    }
    show(&report, ui);
    if !args.yes && !is_confirmed(&report, args.json, ui)? {
        ui.note("not trusted; `--yes` trusts it without being asked");
        return Ok(RunOutcome::Problems);
    }
    let report = drive.trust(&folder, &report.print, BY)?;
    print_trusted(args, report, ui)
}

fn show(report: &TrustReport, ui: &Ui) {
    let lines = report.lines();
    if lines.is_empty() {
        ui.plain_note("nothing in it runs code now; if that changes, it has to be trusted again");
    } else {
        ui.plain_note("these run code when a client works there:");
    }
    ui.list(lines);
}

/// Returns the path of a folder on one line, without control characters.
fn plain(folder: &Path) -> String {
    sanitize::one_line(&folder.display().to_string(), usize::MAX)
}

fn is_confirmed(report: &TrustReport, as_json: bool, ui: &Ui) -> Result<bool> {
    if as_json || !ui.can_ask() {
        return Ok(false);
    }
    let answer = ui.ask(&format!("Trust {}? [y/N] ", plain(&report.folder)))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn print_trusted(args: &TrustArgs, report: TrustReport, ui: &Ui) -> Result<RunOutcome> {
    if args.json {
        ui.print_json(&FolderTrustJson::new(TrustVerdict::Trusted, report))?;
    } else {
        ui.print_text(&format!("trusted  {}", plain(&report.folder)))?;
    }
    Ok(RunOutcome::Done)
}

fn forget(args: &TrustArgs, drive: &Drive, folder: &Path, ui: &Ui) -> Result<RunOutcome> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = real.display().to_string();
    if !drive.trusted()?.contains(&name) {
        ui.note(&format!("{} is not trusted", plain(&real)));
        return Ok(RunOutcome::Problems);
    }
    drive.untrust(folder)?;
    if args.json {
        let report = TrustReport::unseen(real);
        ui.print_json(&FolderTrustJson::new(TrustVerdict::Untrusted, report))?;
    } else {
        ui.print_text(&format!("forgotten  {}", plain(&real)))?;
    }
    Ok(RunOutcome::Done)
}

fn list(args: &TrustArgs, drive: &Drive, ui: &Ui) -> Result<RunOutcome> {
    let folders = drive.trusted()?;
    let mut out = ui.data();
    for folder in &folders {
        // A folder that was deleted runs no code, and has to be trusted again if it comes back.
        let looked = drive.trust_of(Path::new(folder)).ok();
        if args.json {
            let unseen = || (TrustVerdict::Changed, TrustReport::unseen(folder.into()));
            let (verdict, report) = looked.unwrap_or_else(unseen);
            json::write_line(&FolderTrustJson::new(verdict, report), &mut out)?;
            continue;
        }
        let state = match looked {
            Some((TrustVerdict::Trusted, _)) => "trusted",
            Some(_) => "changed",
            None => "gone   ",
        };
        writeln!(out, "{state}  {}", plain(Path::new(folder)))?;
    }
    out.flush()?;
    if folders.is_empty() {
        ui.note("no folder is trusted");
        return Ok(RunOutcome::Problems);
    }
    Ok(RunOutcome::Done)
}
