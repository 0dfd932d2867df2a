//! `unspool archive verify`

use std::path::PathBuf;

use anyhow::Result;
use unspool_render::json::DamageJson;
use unspool_store::archive::verify::verify as unpack_all;
use unspool_text::{Line, Role, human};

use super::archive_folder;
use crate::errors::RunOutcome;
use crate::settings::Settings;
use crate::ui::Ui;

/// Unpack everything in an archive, and check every byte
///
/// Reports files that are damaged (and where), missing, or foreign to an archive. Exits with 1 if
/// there are any.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool archive verify ~/sessions")]
pub(super) struct VerifyArgs {
    /// The folder of the archive; `archive` in the settings if left out
    archive: Option<PathBuf>,

    /// Print one JSON object per damaged, lost or foreign file, the last one with the summary
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &VerifyArgs, settings: &Settings, ui: &Ui) -> Result<RunOutcome> {
    let folder = archive_folder(args.archive.as_deref(), settings)?;
    let verdict = unpack_all(&folder, ui)?;
    ui.warnings(&verdict.problems);
    if args.json {
        let damaged = verdict.damaged.iter().map(DamageJson::file);
        let problems = verdict.problems.iter().map(DamageJson::problem);
        let summary = DamageJson::summary(&verdict);
        ui.print_json_lines(damaged.chain(problems).chain([summary]))?;
    } else {
        ui.print_lines(verdict.damaged.iter().map(|damage| {
            let mut line = Line::of(damage.path.display().to_string(), Role::Path);
            line.add(format!(": {}", damage.error), Role::Failure);
            line
        }))?;
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
    Ok(if verdict.is_good() { RunOutcome::Done } else { RunOutcome::Problems })
}
