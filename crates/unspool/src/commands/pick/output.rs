//! The output of the chosen sessions.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

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
        if !contains(word.as_bytes(), ID) && !contains(word.as_bytes(), PATH) {
            arguments.push(word.clone());
            continue;
        }
        has_place = true;
        for row in rows {
            let word = replaced(word.as_bytes(), PATH, row.file.as_os_str().as_bytes());
            let word = replaced(&word, ID, row.id.as_str().as_bytes());
            arguments.push(OsString::from_vec(word));
        }
    }
    if !has_place {
        arguments.extend(rows.iter().map(|row| row.id.as_str().into()));
    }
    TuiCommand::new(words.first().cloned().unwrap_or_default(), arguments)
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

fn replaced(text: &[u8], part: &[u8], with: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.windows(part.len()).position(|window| window == part) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(with);
        rest = &rest[at + part.len()..];
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_words_are_replaced() {
        assert_eq!(replaced(b"a{}b{}", b"{}", b"xy"), b"axybxy");
        assert_eq!(replaced(b"{path}", b"{}", b"xy"), b"{path}");
        assert!(contains(b"--at={}", ID) && !contains(b"{x}", ID));
    }
}
