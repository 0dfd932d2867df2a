//! `unspool archive list` and `unspool archive verify`

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use unspool_engine::archive::inventory::{Inventory, Kept, inventory};
use unspool_engine::archive::verify::verify as unpack_all;
use unspool_engine::home;
use unspool_engine::ops::list::Agents;
use unspool_engine::render::json::{self, DamageJson, KeptJson};
use unspool_engine::render::{Align, Column, Line, Role, Table, human};

use super::archive_folder;
use crate::errors::Outcome;
use crate::indexed::Indexed;
use crate::sessions::Homes;
use crate::settings::Settings;
use crate::ui::Ui;

/// List what is in an archive, older states included
///
/// More about the sessions is listed by `unspool list --home ARCHIVE`.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct ListArgs {
    /// The folder of the archive; `archive` in the settings if left out
    archive: Option<PathBuf>,

    /// Print one JSON object per session, the last one with the summary, see docs/json.md
    #[arg(long)]
    json: bool,
}

/// Unpack everything that is in an archive, and check every byte
///
/// Says which files are damaged, and where, which are gone, and which do not belong into an
/// archive. Ends with exit code 1 if there are any.
#[derive(clap::Args, Clone, Debug)]
pub(super) struct VerifyArgs {
    /// The folder of the archive; `archive` in the settings if left out
    archive: Option<PathBuf>,

    /// Print one JSON object per damaged, lost or foreign file, the last one with the summary
    #[arg(long)]
    json: bool,
}

pub(super) fn list(args: &ListArgs, settings: &Settings, ui: &Ui) -> Result<Outcome> {
    let folder = archive_folder(args.archive.as_deref(), settings)?;
    let inventory = inventory(&folder)?;
    for problem in &inventory.problems {
        ui.warning(&problem.to_string());
    }
    let titles = Titles::of(&folder, settings, ui);
    if args.json {
        let mut out = ui.data();
        for kept in &inventory.sessions {
            json::write_line(&KeptJson::session(kept, titles.of_session(kept)), &mut out)?;
        }
        json::write_line(&KeptJson::summary(&inventory), &mut out)?;
        out.flush()?;
    } else {
        let mut page = ui.page();
        for line in table(&inventory, &titles, ui).lines(ui.width()) {
            page.line(&line)?;
        }
        for line in inventory.sessions.iter().flat_map(older_lines) {
            page.line(&line)?;
        }
        page.finish()?;
        let sum = |of: fn(&Kept) -> u64| human::bytes(inventory.sessions.iter().map(of).sum());
        ui.plain_note(&format!(
            "{}, {} in {} on disk",
            human::plural(inventory.sessions.len(), "session"),
            sum(|kept| kept.bytes),
            sum(|kept| kept.packed),
        ));
    }
    Ok(if inventory.problems.is_empty() {
        Outcome::Done
    } else {
        Outcome::Problems
    })
}

/// The titles of the sessions in an archive, by home, project and id.
struct Titles(HashMap<(OsString, String, String), String>);

impl Titles {
    /// Asks the index, as `list` does. What it cannot say is left out: the archive is listed all
    /// the same.
    fn of(archive: &Path, settings: &Settings, ui: &Ui) -> Self {
        let roots = home::resolve_homes(&[archive.to_path_buf()], None, None);
        let homes = Homes::of(roots, settings);
        let listing = Indexed::open(&homes, settings)
            .and_then(|mut indexed| indexed.listing(Agents::Folded, ui));
        let rows = listing.unwrap_or_default().rows;
        let titled = rows.into_iter().filter_map(|row| {
            let folder = row.home?.file_name()?.to_owned();
            let key = (folder, row.project?.to_string(), row.id.to_string());
            Some((key, row.title?))
        });
        Self(titled.collect())
    }

    fn of_session(&self, kept: &Kept) -> Option<&str> {
        let folder = OsString::from(&kept.home.folder);
        let key = (folder, kept.project.to_string(), kept.session.to_string());
        self.0.get(&key).map(String::as_str)
    }
}

fn table(inventory: &Inventory, titles: &Titles, ui: &Ui) -> Table {
    let mut table = Table::new(vec![
        Column::new(Align::Left).priority(6),
        Column::new(Align::Left).priority(4),
        Column::new(Align::Left).min(24).flexible().priority(6),
        Column::new(Align::Right).priority(3),
        Column::new(Align::Right).priority(2),
        Column::new(Align::Right).priority(5),
        Column::new(Align::Left).min(10).max(40).priority(1),
    ]);
    let head = [
        "session", "written", "title", "bytes", "on disk", "older", "project",
    ];
    table.row(head.map(|name| Line::of(name, Role::ColumnHead)).to_vec());
    let zone = ui.zone();
    for kept in &inventory.sessions {
        let written = jiff::Timestamp::from_millisecond(kept.modified).unwrap_or_default();
        let written = written.to_zoned(zone.clone());
        let older = match kept.older.len() {
            0 => String::new(),
            count => count.to_string(),
        };
        table.row(vec![
            Line::of(short(kept), Role::Id),
            Line::of(written.strftime("%Y-%m-%d").to_string(), Role::Time),
            Line::of(titles.of_session(kept).unwrap_or_default(), Role::Plain),
            Line::of(human::bytes(kept.bytes), Role::Number),
            Line::of(human::bytes(kept.packed), Role::Number),
            Line::of(older, Role::Warning),
            Line::of(kept.project.as_str(), Role::Path),
        ]);
    }
    table
}

/// Returns the beginning of a session's id, long enough to name it by.
fn short(kept: &Kept) -> String {
    kept.session.as_str().chars().take(8).collect()
}

/// Names the older states of a session.
fn older_lines(kept: &Kept) -> impl Iterator<Item = Line> {
    kept.older.iter().map(|state| {
        let mut line = Line::of("older state  ", Role::Warning);
        line.add(format!("{:>8}  ", human::bytes(state.bytes)), Role::Number);
        line.add(state.path.display().to_string(), Role::Path);
        line
    })
}

pub(super) fn verify(args: &VerifyArgs, settings: &Settings, ui: &Ui) -> Result<Outcome> {
    let folder = archive_folder(args.archive.as_deref(), settings)?;
    let verdict = unpack_all(&folder, ui)?;
    for problem in &verdict.problems {
        ui.warning(&problem.to_string());
    }
    if args.json {
        let mut out = ui.data();
        for damage in &verdict.damaged {
            json::write_line(&DamageJson::file(damage), &mut out)?;
        }
        for problem in &verdict.problems {
            json::write_line(&DamageJson::problem(problem), &mut out)?;
        }
        json::write_line(&DamageJson::summary(&verdict), &mut out)?;
        out.flush()?;
    } else {
        let mut page = ui.page();
        for damage in &verdict.damaged {
            let mut line = Line::of(damage.path.display().to_string(), Role::Path);
            line.add(format!(": {}", damage.error), Role::Failure);
            page.line(&line)?;
        }
        page.finish()?;
        ui.plain_note(&format!(
            "{} unpacked ({} from {}), {} damaged, {}",
            human::plural(verdict.files, "file"),
            human::bytes(verdict.bytes),
            human::bytes(verdict.packed),
            verdict.damaged.len(),
            human::plural(verdict.problems.len(), "other problem"),
        ));
        if !verdict.damaged.is_empty() {
            ui.note(
                "`unspool archive --recheck` packs damaged files again while their sources exist",
            );
        }
    }
    Ok(if verdict.is_good() {
        Outcome::Done
    } else {
        Outcome::Problems
    })
}
