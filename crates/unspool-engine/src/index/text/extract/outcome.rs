//! What stands beside a tool's result and not in it.
//!
//! `toolUseResult` mostly says again what the result or the call says, at times far more:
//! the whole output of which the result shows a part. Strings that are said elsewhere are
//! left out, as are copies of whole files.

use memchr::memmem;
use unspool_model::json::Str;

use super::seen::hash;
use super::strings::{Choice, each_string, is_encoded};

/// Strings shorter than this are marks, not texts.
const SHORTEST: usize = 3;

/// Hands out the strings of `outcome` that neither the result nor the call's input holds.
pub(super) fn each_new<'a>(
    outcome: &'a [u8],
    results: &[&[u8]],
    input: &[u64],
    mut each: impl FnMut(Str<'a>),
) {
    each_string(outcome, choose, |key, text| {
        // What the result says of a failure stands here behind a word.
        let raw = text.raw();
        let raw = raw.strip_prefix(b"Error: ").unwrap_or(raw);
        let known = raw.len() < SHORTEST
            || is_encoded(key, text)
            || input.contains(&hash(raw))
            || results.iter().any(|result| covers(result, raw));
        if !known {
            each(text);
        }
    });
}

/// Leaves out copies of files, patches that the input says, and ids.
fn choose(key: &[u8]) -> Choice {
    match key {
        b"originalFile"
        | b"originalFileContents"
        | b"original_file"
        | b"updated_file"
        | b"structuredPatch"
        | b"gitDiff"
        | b"base64"
        | b"usage"
        | b"toolStats"
        | b"type"
        | b"status"
        | b"mode"
        | b"agentId"
        | b"taskId"
        | b"task_id"
        | b"id"
        | b"tool_use_id"
        | b"runId"
        | b"msg_id"
        | b"shellId"
        | b"shell_id"
        | b"backgroundTaskId"
        | b"persistedOutputPath"
        | b"rawOutputPath"
        | b"resolvedModel" => Choice::Skip,
        _ => Choice::Read,
    }
}

/// Tells whether each line of `text` stands in `result`, in this order. Both are as in the record.
fn covers(result: &[u8], text: &[u8]) -> bool {
    let mut rest = result;
    let mut from = 0;
    let mut ends = memmem::find_iter(text, b"\\n");
    loop {
        let end = ends.next();
        let line = text[from..end.unwrap_or(text.len())].trim_ascii();
        if !line.is_empty() {
            match find_near(rest, line) {
                Some(at) => rest = &rest[at + line.len()..],
                None => return false,
            }
        }
        match end {
            Some(end) => from = end + 2,
            None => return true,
        }
    }
}

/// Finds a line that most likely stands at the beginning, behind the number of a line.
fn find_near(rest: &[u8], line: &[u8]) -> Option<usize> {
    const NEAR: usize = 24;
    let first = line.first().copied();
    (0..NEAR.min(rest.len()))
        .find(|&at| first == Some(rest[at]) && rest[at..].starts_with(line))
        .or_else(|| memmem::find(rest, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_covered_when_its_lines_stand_in_the_result() {
        for (result, text, expected) in [
            (r"src\n", "src", true),
            (r"     1→fn a\n     2→fn b\n", r"fn a\nfn b\n", true),
            (r"fn b\nfn a", r"fn a\nfn b", false),
            (r"begin ... end", r"begin\nmiddle\nend", false),
            ("", "", true),
            ("", "x", false),
        ] {
            let covered = covers(result.as_bytes(), text.as_bytes());
            assert_eq!(covered, expected, "{text} in {result}");
        }
    }

    #[test]
    fn only_news_is_handed_out() {
        let outcome = br#"{"type":"text","stdout":"all of it","stderr":"only here","filePath":"/a/b.rs","originalFile":"old","structuredPatch":[{"lines":["+x"]}],"isImage":false,"agentId":"a1"}"#;
        let mut found = Vec::new();
        let input = [hash(b"/a/b.rs")];
        each_new(outcome, &[b"say all of it, please"], &input, |text| {
            found.push(text.decode().into_owned());
        });
        assert_eq!(found, ["only here"]);
    }
}
