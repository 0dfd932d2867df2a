//! `unspool archive ARCHIVE`

use std::collections::HashSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Result;
use unspool_engine::archive::store::{Change, Counts, Mode, Report, Request, Trust, Wanted, store};
use unspool_engine::home::{self, Resolved, Target};
use unspool_engine::ops::filter;
use unspool_engine::ops::list::{Agents, Kind};
use unspool_engine::render::json::{self, StoredJson};
use unspool_engine::render::{Line, Role, human};
use unspool_model::ids::{ProjectId, SessionId};

use super::{archive_folder, mode};
use crate::errors::{Outcome, Usage};
use crate::filters::{self, FilterArgs};
use crate::indexed::Indexed;
use crate::sessions::Homes;
use crate::settings::Settings;
use crate::ui::Ui;

#[derive(clap::Args, Clone, Debug)]
pub(super) struct StoreArgs {
    /// The folder of the archive, made if it is not there; `archive` in the settings if left out
    archive: Option<PathBuf>,

    /// Archive only these sessions; all if none
    #[arg(value_name = "SESSION")]
    sessions: Vec<String>,

    /// Say what would be archived, and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Compare every file with what is archived of it, byte by byte, and repair what is damaged
    #[arg(long)]
    recheck: bool,

    /// Print one JSON object per file, the last one with the summary, see docs/json.md
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    filter: FilterArgs,
}

pub(super) fn run(args: &StoreArgs, settings: &Settings, ui: &Ui) -> Result<Outcome> {
    let archive = archive_folder(args.archive.as_deref(), settings)?;
    let homes = Homes::open(settings)?;
    if args.sessions.is_empty() && args.filter.is_empty() {
        // Nobody needs to know whose agents are, so no log is opened.
        homes.set_found(home::discover_unopened(homes.roots()).into());
    }
    let Some(wanted) = wanted(args, &homes, settings, ui)? else {
        return Ok(Outcome::Problems);
    };
    let request = Request {
        archive: &archive,
        homes: homes.found(),
        wanted: &wanted,
        mode: mode(args.dry_run),
        trust: if args.recheck {
            Trust::Bytes
        } else {
            Trust::Stamps
        },
        now: SystemTime::now(),
    };
    let report = store(&request, ui)?;
    let walked = homes.say_problems(ui);
    report
        .problems
        .iter()
        .for_each(|problem| ui.warning(&problem.to_string()));
    report
        .troubles
        .iter()
        .for_each(|trouble| ui.warning(&trouble.to_string()));
    if args.json {
        print_json(&report, request.mode, ui)?;
    } else {
        print(&report, request.mode, ui)?;
        say_summary(&report, &archive, request.mode, ui);
    }
    Ok(match (report.troubles.is_empty(), report.files.all()) {
        (false, _) => Outcome::Io,
        (true, 0) => {
            ui.note("there is nothing to archive");
            walked.max(Outcome::Problems)
        }
        (true, _) => walked,
    })
}

/// Finds out which sessions are meant; none if nothing fits.
fn wanted(args: &StoreArgs, homes: &Homes, settings: &Settings, ui: &Ui) -> Result<Option<Wanted>> {
    if args.sessions.is_empty() && args.filter.is_empty() {
        return Ok(Some(Wanted::Everything));
    }
    let mut chosen = HashSet::new();
    for name in &args.sessions {
        let (resolved, _) = homes.session(name, ui)?;
        chosen.insert(named(name, resolved)?);
    }
    if !args.filter.is_empty() {
        let fit = filtered(args, homes, settings, ui)?;
        if args.sessions.is_empty() {
            chosen = fit;
        } else {
            chosen.retain(|session| fit.contains(session));
        }
    }
    if chosen.is_empty() {
        ui.note("no session fits; nothing was archived");
        return Ok(None);
    }
    Ok(Some(Wanted::Sessions(chosen)))
}

type Chosen = (PathBuf, ProjectId, SessionId);

/// Takes a session that was named, if it is one of a home.
fn named(name: &str, resolved: Resolved) -> Result<Chosen, Usage> {
    match (resolved.home, resolved.project, resolved.target) {
        (Some(home), Some(project), Target::Session(session)) => {
            Ok((home.root, project, session.id))
        }
        (_, _, Target::Agent(_)) => Err(Usage(format!(
            "{name} is an agent; name the session that it belongs to"
        ))),
        _ => Err(Usage(format!(
            "{name} is in no home; only homes are archived"
        ))),
    }
}

fn filtered(
    args: &StoreArgs,
    homes: &Homes,
    settings: &Settings,
    ui: &Ui,
) -> Result<HashSet<Chosen>> {
    let mut filter = args.filter.resolve(&filters::clock(ui), homes)?;
    if filter.kinds.is_empty() {
        filter.kinds = Kind::ALL.to_vec();
    }
    let mut indexed = Indexed::open(homes, settings)?;
    let listing = indexed.listing(Agents::Folded, ui)?;
    let selection = filter::select(listing.rows, &filter);
    for unmatched in &selection.unmatched {
        ui.note(&unmatched.to_string());
    }
    let rows = selection.rows.into_iter();
    Ok(rows
        .filter_map(|row| Some((row.home?, row.project?, row.id)))
        .collect())
}

fn print_json(report: &Report, mode: Mode, ui: &Ui) -> Result<()> {
    let mut out = ui.data();
    for stored in &report.stored {
        json::write_line(&StoredJson::file(stored), &mut out)?;
    }
    json::write_line(&StoredJson::summary(report, mode), &mut out)?;
    Ok(out.flush()?)
}

/// Prints which files would be written; of those that were, only the ones whose older state
/// was moved aside or was damaged.
fn print(report: &Report, mode: Mode, ui: &Ui) -> Result<()> {
    let aside = [Change::Rewritten, Change::Repaired];
    let shown = |change: Change| mode == Mode::DryRun || aside.contains(&change);
    let mut page = ui.page();
    for stored in report.stored.iter().filter(|stored| shown(stored.change)) {
        let (word, role) = match stored.change {
            Change::New => ("new", Role::Success),
            Change::Grown => ("grown", Role::Success),
            Change::Rewritten => ("rewritten", Role::Warning),
            Change::Repaired => ("repaired", Role::Warning),
            Change::Unchanged => ("unchanged", Role::Muted),
        };
        let mut line = Line::of(format!("{word:9}"), role);
        line.add(
            format!("  {:>8}  ", human::bytes(stored.bytes)),
            Role::Number,
        );
        line.add(stored.path.display().to_string(), Role::Path);
        page.line(&line)?;
    }
    Ok(page.finish()?)
}

fn say_summary(report: &Report, archive: &Path, mode: Mode, ui: &Ui) {
    let counts = |counts: &Counts| {
        let repaired = match counts.repaired {
            0 => String::new(),
            count => format!("{count} repaired, "),
        };
        format!(
            "{} new, {} grown, {} rewritten, {repaired}{} unchanged",
            counts.new, counts.grown, counts.rewritten, counts.unchanged
        )
    };
    let sizes = match mode {
        Mode::Write => format!(
            "{} added, {} on disk, in {}",
            human::bytes(report.added),
            human::bytes(report.written),
            archive.display()
        ),
        Mode::DryRun => format!("{} would be added", human::bytes(report.added)),
    };
    ui.plain_note(&format!("sessions: {}", counts(&report.sessions)));
    ui.plain_note(&format!("files:    {}", counts(&report.files)));
    ui.plain_note(&format!("bytes:    {sizes}"));
    if report.files.rewritten > 0 && mode == Mode::Write {
        let files = human::plural(report.files.rewritten, "file");
        ui.note(&format!(
            "{files} no longer began with what was archived; the older states are kept"
        ));
    }
}
