//! Paths of tool outputs that were too long for the log.

use super::{Record, RecordPart};
use crate::json::Cursor;
use crate::schema::OutcomeKey;

/// The words before the path in the text of a spilled result.
const SAVED: &str = "saved to";

impl Record<'_> {
    /// Returns the path of the file that contains the output, if the record names one.
    pub fn spilled_path(&self) -> Option<String> {
        let in_text = || {
            self.parts.iter().find_map(|part| match part {
                RecordPart::Result(result) => path_in_text(&result.text),
                _ => None,
            })
        };
        let in_outcome = self.outcome.and_then(path_in_outcome);
        in_outcome.filter(|path| !path.is_empty()).or_else(in_text)
    }
}

/// Returns the path in the `toolUseResult`.
fn path_in_outcome(outcome: &[u8]) -> Option<String> {
    let mut path = None;
    // If the record has been damaged, the fields before the damage count.
    let _ = Cursor::new(outcome).object_or_skip(|cursor, key| {
        match OutcomeKey::of(key) {
            Some(OutcomeKey::PersistedOutputPath) => path = cursor.string()?,
            _ => drop(cursor.skip()?),
        }
        Ok(())
    });
    path.map(|path| path.decode().into_owned())
}

/// Finds the path in the note that replaces an output.
fn path_in_text(text: &str) -> Option<String> {
    let text = text.strip_prefix("<persisted-output>")?;
    let (_, following) = text.split_once(SAVED)?;
    let path = following.lines().next()?.trim_start_matches(':').trim();
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
            ("<persisted-output>\nOutput has been saved to C:\\a\\b.txt\n", Some("C:\\a\\b.txt")),
            ("<persisted-output>\nsaved to: \n", None),
            ("<persisted-output>\n", None),
            ("saved to: /a", None),
        ] {
            assert_eq!(path_in_text(text).as_deref(), expected, "{text}");
        }
    }
}
