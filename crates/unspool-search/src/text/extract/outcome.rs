//! Texts next to a tool's result, in `toolUseResult`.
//!
//! `toolUseResult` mostly repeats the result or the call, but may contain far more: the whole
//! output, of which the result shows a part, or a file before a change. Strings that the result or
//! the call contains are left out. Files come back with every change to them, so only lines that
//! no earlier file or patch of the log contained are kept.

use memchr::memmem;
use unspool_model::json::Str;
use unspool_model::schema::Level;
use unspool_model::tool::FileForm;

use super::lines::{FileLines, lines_of};
use super::seen::TextPrint;
use super::strings::each_text_at;

/// A text that is only next to a result.
pub(super) enum New<'a> {
    /// A string of the record.
    Whole(Str<'a>),
    /// The new lines of a file or a patch.
    Lines(String),
}

/// Passes the strings of `outcome` that are neither in the results nor in the call's input to
/// `each`, and of files the lines that are not in `lines`.
pub(super) fn each_new<'a>(
    outcome: &'a [u8],
    results: &[&[u8]],
    input: &[TextPrint],
    lines: &mut FileLines,
    mut each: impl FnMut(New<'a>),
) {
    let mut shown = results;
    each_text_at(outcome, Level::Outcome, |key, text| {
        if TextPrint::is_among(text.raw(), input) {
            return;
        }
        let form = FileForm::of(key);
        if let Some(form @ (FileForm::Whole | FileForm::Patch)) = form {
            // Noted once, and only if there is a file: most outcomes have none.
            for result in std::mem::take(&mut shown) {
                lines.note_numbered(Str::new(result));
            }
            let new = match form {
                FileForm::Patch => lines.new_in_patch(text),
                FileForm::Whole | FileForm::Content => lines.new_in(text),
            };
            if !new.is_empty() {
                each(New::Lines(new));
            }
            return;
        }
        // In an outcome, the text of a failure has this prefix.
        let failure = text.raw().strip_prefix(b"Error: ");
        let raw = failure.unwrap_or(text.raw());
        let known = raw.is_empty()
            || failure.is_some_and(|failure| TextPrint::is_among(failure, input))
            || results.iter().any(|result| covers(result, raw));
        if form == Some(FileForm::Content) {
            lines.note(text);
        }
        if !known {
            each(New::Whole(text));
        }
    });
}

/// Tells whether each line of `text` is in `result`, in this order, ignoring white space around
/// lines. Both are raw strings.
fn covers(result: &[u8], text: &[u8]) -> bool {
    if result.starts_with(text) {
        return true;
    }
    let (mut rest, mut gap) = (result, 0);
    lines_of(text).all(|line| {
        let bare = line.trim_ascii();
        let here = rest.get(gap..).unwrap_or_default();
        if bare.is_empty() {
            if here.starts_with(br"\n") {
                rest = here;
            }
            return true;
        }
        // Mostly the line is unchanged and at the same distance from its predecessor as that one
        // was: after a line number, and line numbers have one width.
        if let Some(following) = here.strip_prefix(line) {
            rest = following;
            return true;
        }
        let Some(at) = find_near(rest, bare) else {
            return false;
        };
        let indent = line.len() - line.trim_ascii_start().len();
        gap = at.saturating_sub(indent);
        rest = &rest[at + bare.len()..];
        true
    })
}

/// Finds a line, first near the beginning, where it most likely is.
fn find_near(rest: &[u8], line: &[u8]) -> Option<usize> {
    const NEAR: usize = 24;
    let first = line.first();
    (0..NEAR.min(rest.len()))
        .find(|&at| first == rest.get(at) && rest[at..].starts_with(line))
        .or_else(|| memmem::find(rest, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_covered_when_its_lines_are_in_the_result() {
        for (result, text, expected) in [
            (r"src\n", "src", true),
            (r"     1→fn a\n     2→fn b\n", r"fn a\nfn b\n", true),
            (r"fn b\nfn a", r"fn a\nfn b", false),
            (r"C:\ and ew", r"C:\\new", false),
            (r"begin ... end", r"begin\nmiddle\nend", false),
            (r"9\ta\n10\t\n11\t   b\n12\t c", r"a\n\n   b\n c\n", true),
            (r"a\nb\nc", r"a\n\n\nb\n\n  c", true),
            (r"9\ta\n10\tb\n11\tc", r"a\n\nb\nc", true),
            ("", "", true),
            ("", "x", false),
        ] {
            let covered = covers(result.as_bytes(), text.as_bytes());
            assert_eq!(covered, expected, "{text} in {result}");
        }
    }

    fn news(
        outcome: &str,
        result: &str,
        input: &[TextPrint],
        lines: &mut FileLines,
    ) -> Vec<String> {
        let mut found = Vec::new();
        let results = [result.as_bytes()];
        each_new(outcome.as_bytes(), &results, input, lines, |new| {
            found.push(match new {
                New::Whole(text) => text.decode().into_owned(),
                New::Lines(text) => text,
            });
        });
        found
    }

    #[test]
    fn only_news_is_handed_out() {
        let outcome = r#"{"type":"text","stdout":"all of it","stderr":"only here","filePath":"/a/b.rs","isImage":false,"agentId":"a1"}"#;
        let input = [TextPrint::of(b"/a/b.rs")];
        let lines = &mut FileLines::default();
        let found = news(outcome, "say all of it, please", &input, lines);
        assert_eq!(found, ["only here"]);
    }

    #[test]
    fn of_a_file_the_lines_are_handed_out_that_are_new() {
        let lines = &mut FileLines::default();
        lines.note(Str::new(b"what the call says"));
        let read = r#"{"file":{"content":"first\n  second\n"}}"#;
        assert_eq!(news(read, r"1→first\n2→  second", &[], lines), [""; 0]);
        let edit = |old: &str, patch: &str| {
            format!(
                r#"{{"originalFile":"first\nsecond\n{old}\nwhat the call says","structuredPatch":[{{"lines":[{patch}]}}]}}"#
            )
        };
        let outcome = edit("third", r#"" first","-third","-gone","+what the call says""#);
        assert_eq!(news(&outcome, "", &[], lines), ["third", "gone"]);
        let outcome = edit(r"fourth\nfifth", r#"" first","-third","+gone""#);
        assert_eq!(news(&outcome, r"  12→ fifth\n", &[], lines), ["fourth"]);
        assert_eq!(news(&outcome, "", &[], lines), [""; 0]);
    }
}
