//! Finds the strings of a record that no transcript shows.

use std::ops::Range;

use crate::json::{Cursor, JsonResult, JsonShape};
use crate::schema::{FileKey, OutcomeKey, RecordKey};

/// Returns the byte ranges inside the quotes of strings that no transcript shows: the folder
/// that every record repeats, and copies of whole files next to the results of tools. They make
/// up half of many logs. All of a torn record may be shown.
pub fn unshown(record: &[u8]) -> Vec<Range<usize>> {
    let mut hidden = Vec::new();
    let walked = Cursor::new(record).object(|cursor, key| match RecordKey::of(key) {
        Some(RecordKey::Cwd) => hide(cursor, &mut hidden),
        Some(RecordKey::ToolUseResult) => outcome(cursor, &mut hidden),
        _ => cursor.skip().map(drop),
    });
    match walked {
        Ok(()) => hidden,
        Err(_) => Vec::new(),
    }
}

fn outcome(cursor: &mut Cursor<'_>, hidden: &mut Vec<Range<usize>>) -> JsonResult<()> {
    let walked = cursor.object_or_skip(|cursor, key| match OutcomeKey::of(key) {
        Some(OutcomeKey::OriginalFile | OutcomeKey::OriginalFileContents) => hide(cursor, hidden),
        Some(OutcomeKey::File) => file(cursor, hidden),
        _ => cursor.skip().map(drop),
    });
    walked.map(drop)
}

fn file(cursor: &mut Cursor<'_>, hidden: &mut Vec<Range<usize>>) -> JsonResult<()> {
    let walked = cursor.object_or_skip(|cursor, key| match FileKey::of(key) {
        Some(FileKey::Content | FileKey::Base64) => hide(cursor, hidden),
        None => cursor.skip().map(drop),
    });
    walked.map(drop)
}

/// Adds the byte range inside the quotes of a string; skips any other value.
fn hide(cursor: &mut Cursor<'_>, hidden: &mut Vec<Range<usize>>) -> JsonResult<()> {
    let is_string = cursor.shape()? == JsonShape::String;
    let start = cursor.position();
    cursor.skip()?;
    if is_string {
        hidden.push(start + 1..cursor.position() - 1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_copies_of_files_are_not_shown() {
        let record = r#"{"cwd":"/home/x","message":{"content":"a","file":{"content":"b"}},
            "toolUseResult": {"originalFile": "c\"d","file":{"content":"e","filePath":"f"},"n":1}}"#;
        let hidden = unshown(record.as_bytes());
        let texts: Vec<&str> = hidden.into_iter().map(|range| &record[range]).collect();
        assert_eq!(texts, ["/home/x", r#"c\"d"#, "e"]);
        for whole in [
            r#"{"toolUseResult":"text","cwd":null}"#,
            r#"{"toolUseResult":{"originalFile":null,"file":[1]}}"#,
            r#"{"cwd":"/home/x","torn":"#,
            "",
        ] {
            assert!(unshown(whole.as_bytes()).is_empty(), "{whole}");
        }
    }
}
