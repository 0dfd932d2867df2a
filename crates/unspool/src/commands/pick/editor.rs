//! `unspool pick --editor FILE`: the editor that Claude Code opens for a prompt.

#![expect(
    clippy::disallowed_methods,
    reason = "the file of a prompt is written: that is what an editor is for"
)]

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use unspool_store::filter::RowFilter;
use unspool_tui::{PickerUse, StartScreen, TuiCommand, TuiOutcome};

use crate::errors::{RunOutcome, wrong_use};
use crate::fullscreen;
use crate::settings::{EDITING, Settings};
use crate::ui::Ui;

pub(super) fn run(
    file: &Path,
    filter: RowFilter,
    settings: &Settings,
    ui: &Ui,
) -> Result<RunOutcome> {
    if settings.terminal.is_editing {
        return wrong_use(
            "the editor that unspool was to start is unspool; UNSPOOL_EDITOR names yours",
        );
    }
    // Errors of the file are reported before the screen would hide them.
    fs::metadata(file).with_context(|| format!("cannot read {}", file.display()))?;
    let start = StartScreen::Picker(PickerUse::Insert);
    match fullscreen::show(start, filter, settings, ui)? {
        TuiOutcome::Inserted(text) => {
            append(file, &text).with_context(|| format!("cannot write {}", file.display()))?;
            Ok(RunOutcome::Done)
        }
        TuiOutcome::EditElsewhere => fullscreen::replace(&own_editor(file, settings)),
        // An editor that is left without a change has succeeded.
        TuiOutcome::Left | TuiOutcome::Chosen(_) => Ok(RunOutcome::Done),
        TuiOutcome::Interrupted => Ok(RunOutcome::Interrupted),
        ended @ (TuiOutcome::Replaced(_) | TuiOutcome::Ended(_)) => fullscreen::end(ended),
    }
}

/// Appends a text to the file, as a paragraph of its own. The file is replaced atomically, so it is never
/// half written.
fn append(file: &Path, text: &str) -> Result<()> {
    let file = fs::canonicalize(file)?;
    let mut whole = fs::read(&file)?;
    if !whole.is_empty() && !whole.ends_with(b"\n") {
        whole.push(b'\n');
    }
    if !whole.is_empty() && !whole.ends_with(b"\n\n") {
        whole.push(b'\n');
    }
    whole.extend_from_slice(text.as_bytes());
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut next = tempfile::NamedTempFile::new_in(folder)?;
    next.write_all(&whole)?;
    fs::set_permissions(next.path(), fs::metadata(&file)?.permissions())?;
    next.persist(&file)?;
    Ok(())
}

/// Builds the command that opens the file in the user's own editor. Like git, it lets a shell split the
/// words.
fn own_editor(file: &Path, settings: &Settings) -> TuiCommand {
    let editor = settings.terminal.editor.as_deref().unwrap_or("vi");
    let script = format!("exec {editor} \"$@\"");
    let arguments = ["-c".as_ref(), script.as_ref(), editor.as_ref(), file.as_os_str()];
    let environment = vec![(EDITING.into(), "1".into())];
    TuiCommand { environment, ..TuiCommand::new("sh", arguments) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_at_the_end_as_a_paragraph() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("prompt.md");
        for (before, after) in [
            ("", "> x\n"),
            ("hello", "hello\n\n> x\n"),
            ("hello\n", "hello\n\n> x\n"),
            ("hello\n\n", "hello\n\n> x\n"),
        ] {
            fs::write(&file, before).expect("a file");
            append(&file, "> x\n").expect("a file that can be written");
            let text = fs::read_to_string(&file).expect("a file");
            assert_eq!(text, after);
        }
    }
}
