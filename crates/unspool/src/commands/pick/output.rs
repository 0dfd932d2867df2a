//! The output of the chosen sessions.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;

use anyhow::Result;
use unspool_render::json::{self, RowJson};
use unspool_store::rows::SessionRow;
use unspool_tui::TuiCommand;

use super::PickArgs;
use crate::errors::RunOutcome;
use crate::ui::Ui;

/// The placeholder of the id.
const ID: &[u8] = b"{}";
/// The placeholder of the log's path.
const PATH: &[u8] = b"{path}";

/// Prints sessions.
pub(super) fn print(args: &PickArgs, rows: &[SessionRow], ui: &Ui) -> Result<RunOutcome> {
    let mut out = ui.data();
    let end: &[u8] = if args.null { b"\0" } else { b"\n" };
    for row in rows {
        if args.json {
            json::write_line(&RowJson::from(row), &mut out)?;
        } else if let Some(template) = &args.format {
            let line = template.line(row);
            out.write_all(line.trim_end_matches('\n').as_bytes())?;
            out.write_all(end)?;
        } else {
            let text = if args.path { row.file.as_os_str() } else { OsStr::new(row.id.as_str()) };
            out.write_all(text.as_bytes())?;
            out.write_all(end)?;
        }
    }
    out.flush()?;
    Ok(RunOutcome::Done)
}

/// Builds the command for sessions. A word with a placeholder is repeated for each session; without
/// placeholders, the ids are appended.
pub(super) fn command(words: &[OsString], rows: &[SessionRow]) -> TuiCommand {
    let mut arguments = Vec::new();
    let mut has_place = false;
    for word in words.iter().skip(1) {
        if !has_placeholder(word.as_bytes()) {
            arguments.push(word.clone());
            continue;
        }
        has_place = true;
        arguments.extend(rows.iter().map(|row| filled(word, row.id.as_str(), &row.file)));
    }
    if !has_place {
        arguments.extend(rows.iter().map(|row| row.id.as_str().into()));
    }
    TuiCommand::new(words.first().cloned().unwrap_or_default(), arguments)
}

fn has_placeholder(word: &[u8]) -> bool {
    (0..word.len()).any(|at| word[at..].starts_with(ID) || word[at..].starts_with(PATH))
}

/// Replaces the placeholders of a word. Placeholders in an inserted path remain.
fn filled(word: &OsStr, id: &str, path: &Path) -> OsString {
    let mut out = Vec::new();
    let mut rest = word.as_bytes();
    while let [first, after @ ..] = rest {
        if let Some(after) = rest.strip_prefix(ID) {
            out.extend_from_slice(id.as_bytes());
            rest = after;
        } else if let Some(after) = rest.strip_prefix(PATH) {
            out.extend_from_slice(path.as_os_str().as_bytes());
            rest = after;
        } else {
            out.push(*first);
            rest = after;
        }
    }
    OsString::from_vec(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_in_words_are_replaced_and_those_of_a_path_remain() {
        let path = Path::new("/a{}/{path}.jsonl");
        for (word, expected) in
            [("a{}b{}", "axybxy"), ("{path}:{}", "/a{}/{path}.jsonl:xy"), ("{{}}{x}{", "{xy}{x}{")]
        {
            assert_eq!(filled(OsStr::new(word), "xy", path), *expected);
        }
        assert!(has_placeholder(b"--at={}") && has_placeholder(b"{{path}}"));
        assert!(!has_placeholder(b"{x}"));
    }
}
