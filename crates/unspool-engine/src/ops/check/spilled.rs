//! Outputs that were too long for the log and should stand in files beside it.

use std::path::PathBuf;

use unspool_model::entry::Flags;
use unspool_model::json::Cursor;
use unspool_model::record::{Part, Record};

use super::findings::{Findings, quoted};
use super::{RuleId, Subject};
use crate::home::resolve_spilled;

/// What stands before the path in the text of a spilled result.
const SAVED: &str = "saved to";

pub(super) fn check(subject: &Subject<'_>, findings: &mut Findings) {
    let log = subject.log;
    let folder = folder(subject);
    let mut reader = subject.file.reader();
    for entry in log
        .entries
        .iter()
        .filter(|entry| entry.flags.has(Flags::SPILLED))
    {
        let path = match reader.bytes(entry.span) {
            Ok(bytes) => recorded_path(&Record::read(bytes)),
            Err(error) => {
                findings.whole(RuleId::UnreadableFile, || {
                    format!("cannot be read: {error}")
                });
                return;
            }
        };
        let Some(path) = path else { continue };
        let found = folder
            .as_deref()
            .and_then(|folder| resolve_spilled(folder, &path));
        if found.is_none() {
            findings.at(RuleId::MissingSpilledOutput, log, entry, || {
                format!("its output {} is not there", quoted(&path))
            });
        }
    }
}

/// Returns the session's folder; an agent's file that was opened by itself stands in it.
fn folder(subject: &Subject<'_>) -> Option<PathBuf> {
    let around = || {
        let mut folders = subject.file.path().ancestors().skip(1);
        let agents = folders.find(|folder| folder.ends_with("subagents"))?;
        agents.parent().map(Into::into)
    };
    subject.session.dir.clone().or_else(around)
}

/// Returns where a record says that its output is.
fn recorded_path(record: &Record<'_>) -> Option<String> {
    let beside = record.outcome.and_then(|outcome| {
        let mut path = None;
        // A record that is no longer whole leaves what came until then.
        let _ = Cursor::new(outcome).object_or_skip(|cursor, key| {
            match key {
                b"persistedOutputPath" => path = cursor.string()?,
                _ => {
                    cursor.skip()?;
                }
            }
            Ok(())
        });
        path.map(|path| path.decode().into_owned())
    });
    let in_text = || {
        record.parts.iter().find_map(|part| match part {
            Part::Result(result) => path_in_text(&result.text),
            _ => None,
        })
    };
    beside.filter(|path| !path.is_empty()).or_else(in_text)
}

/// Finds the path in the note that stands in place of an output.
fn path_in_text(text: &str) -> Option<String> {
    let text = text.strip_prefix("<persisted-output>")?;
    let (_, behind) = text.split_once(SAVED)?;
    let path = behind.lines().next()?.trim_start_matches(':').trim();
    (!path.is_empty()).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_found_in_the_note() {
        for (text, expected) in [
            (
                "<persisted-output>\nOutput too large (36.8KB). Full output saved to: /a/b c.txt\n\nPreview",
                Some("/a/b c.txt"),
            ),
            (
                "<persisted-output>\nOutput has been saved to C:\\a\\b.txt\n",
                Some("C:\\a\\b.txt"),
            ),
            ("<persisted-output>\nsaved to: \n", None),
            ("<persisted-output>\n", None),
            ("saved to: /a", None),
        ] {
            assert_eq!(path_in_text(text).as_deref(), expected, "{text}");
        }
    }
}
