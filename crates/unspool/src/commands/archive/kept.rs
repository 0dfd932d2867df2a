//! `unspool archive list`

use std::path::{Path, PathBuf};

use anyhow::Result;
use unspool_render::json::KeptJson;
use unspool_store::archive::inventory::{ArchivedSession, Inventory, inventory};
use unspool_store::home;
use unspool_text::{Align, Column, Line, Role, Table, human};

use super::archive_folder;
use crate::context::CommandContext;
use crate::errors::RunOutcome;
use crate::settings::Settings;
use crate::ui::Ui;

/// List the sessions of an archive, older states included
///
/// `unspool list --home ARCHIVE` tells more about them.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool archive list ~/sessions")]
pub(super) struct ArchiveListArgs {
    /// The folder of the archive; `archive` in the settings if left out
    archive: Option<PathBuf>,

    /// Print one JSON object per session, the last one with the summary, see docs/json.md
    #[arg(long)]
    json: bool,
}

pub(super) fn list(args: &ArchiveListArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let folder = archive_folder(args.archive.as_deref(), settings)?;
    let mut inventory = inventory(&folder)?;
    ui.warnings(&inventory.problems);
    title(&mut inventory, &folder, settings, ui);
    if args.json {
        let sessions = inventory.sessions.iter().map(KeptJson::session);
        ui.print_json_lines(sessions.chain([KeptJson::summary(&inventory)]))?;
    } else {
        let rows = table(&inventory, ui).lines(ui.width());
        let older = inventory.sessions.iter().flat_map(older_lines);
        ui.print_lines(rows.into_iter().chain(older))?;
        let sum =
            |of: fn(&ArchivedSession) -> u64| human::bytes(inventory.sessions.iter().map(of).sum());
        ui.plain_note(&format!(
            "{}, {} in {} on disk",
            human::plural(inventory.sessions.len(), "session"),
            sum(|kept| kept.bytes),
            sum(|kept| kept.packed),
        ));
    }
    Ok(if inventory.problems.is_empty() { RunOutcome::Done } else { RunOutcome::Problems })
}

/// Adds titles to the sessions. Without a library, the list has no titles.
fn title(inventory: &mut Inventory, archive: &Path, settings: &Settings, ui: &Ui) {
    let homes = home::resolve_homes(&[archive.to_path_buf()], None, None);
    if let Ok(context) = CommandContext::of_homes(homes, settings, ui) {
        let library = &context.library;
        library.title_archived(&mut inventory.sessions, &context);
    }
}

fn table(inventory: &Inventory, ui: &Ui) -> Table {
    let mut table = Table::new(vec![
        Column::new(Align::Left).priority(6),
        Column::new(Align::Left).priority(4),
        Column::new(Align::Left).min(24).flexible().priority(6),
        Column::new(Align::Right).priority(3),
        Column::new(Align::Right).priority(2),
        Column::new(Align::Right).priority(5),
        Column::new(Align::Left).min(10).max(40).priority(1),
    ]);
    let head = ["session", "written", "title", "bytes", "on disk", "older", "project"];
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
            Line::of(kept.title.as_deref().unwrap_or_default(), Role::Plain),
            Line::of(human::bytes(kept.bytes), Role::Number),
            Line::of(human::bytes(kept.packed), Role::Number),
            Line::of(older, Role::Warning),
            Line::of(kept.project.as_str(), Role::Path),
        ]);
    }
    table
}

/// Returns the short form of a session's id.
fn short(kept: &ArchivedSession) -> String {
    kept.session.as_str().chars().take(8).collect()
}

/// Lists the older states of a session.
fn older_lines(kept: &ArchivedSession) -> impl Iterator<Item = Line> {
    kept.older.iter().map(|state| {
        let mut line = Line::of("older state  ", Role::Warning);
        line.add(format!("{:>8}  ", human::bytes(state.bytes)), Role::Number);
        line.add(state.path.display().to_string(), Role::Path);
        line
    })
}
