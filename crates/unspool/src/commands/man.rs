//! `unspool man`

#![expect(
    clippy::disallowed_methods,
    reason = "the pages are written into the folder that was named"
)]

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use unspool_text::human;

use crate::errors::RunOutcome;
use crate::settings::Settings;
use crate::ui::Ui;

/// Print the manual page, or write the pages of all commands
///
/// The pages and `--help` come from the same definition.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
unspool man | man -l -                                 read it now\n  \
unspool man --out ~/.local/share/man/man1              then `man unspool-list` works")]
pub(crate) struct ManArgs {
    /// Write a page for each command into this folder (created if missing)
    #[arg(long, short = 'o', value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Writes the pages of all commands of `definition`.
pub(crate) fn run(
    args: &ManArgs,
    definition: Command,
    settings: &Settings,
    ui: &Ui,
) -> Result<RunOutcome> {
    let mut command = definition.disable_help_subcommand(true);
    command.build();
    let mut out = ui.data();
    let Some(folder) = &args.out else {
        out.write_all(&page(&command)?)?;
        out.flush()?;
        return Ok(RunOutcome::Done);
    };
    let folder = settings.here.join(folder);
    let failed = || folder.display().to_string();
    fs::create_dir_all(&folder).with_context(failed)?;
    let mut commands = vec![&command];
    let mut written = 0;
    while let Some(next) = commands.pop() {
        let path = folder.join(format!("{}.1", name(next)));
        fs::write(&path, page(next)?).with_context(|| path.display().to_string())?;
        writeln!(out, "{}", path.display())?;
        written += 1;
        let mut below: Vec<&Command> = next.get_subcommands().collect();
        below.retain(|below| !below.is_hide_set());
        commands.extend(below.into_iter().rev());
    }
    out.flush()?;
    let pages = human::plural(written, "page");
    ui.note(&format!("wrote {pages} to {}", folder.display()));
    Ok(RunOutcome::Done)
}

/// Returns the name of a page: `unspool-archive-list`.
fn name(command: &Command) -> &str {
    let shown = command.get_display_name();
    shown.unwrap_or_else(|| command.get_name())
}

/// Formats the page of a command. The text after the options becomes a section of its own, in which
/// examples keep their lines.
fn page(command: &Command) -> Result<Vec<u8>> {
    let version = env!("CARGO_PKG_VERSION");
    let man = Man::new(command.clone()).source(format!("unspool {version}")).manual("unspool");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().any(|below| !below.is_hide_set()) {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(help) = command.get_after_help() {
        notes(&help.to_string()).to_writer(&mut page)?;
    }
    Ok(page)
}

fn notes(help: &str) -> Roff {
    let mut roff = Roff::default();
    let (heading, help) = match help.strip_prefix("Examples:\n") {
        Some(rest) => ("EXAMPLES", rest),
        None => ("NOTES", help),
    };
    roff.control("SH", [heading]);
    let mut is_kept = false;
    for line in help.lines() {
        let keeps = line.starts_with("  ");
        if keeps != is_kept {
            roff.control(if keeps { "nf" } else { "fi" }, []);
            is_kept = keeps;
        }
        match line.trim() {
            "" => roff.control("PP", []),
            text => roff.text([roman(text)]),
        };
    }
    if is_kept {
        roff.control("fi", []);
    }
    roff
}
