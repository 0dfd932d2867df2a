//! What a record has next to a tool's result and not in it.
//!
//! `toolUseResult` mostly says again what the result or the call says, at times far more:
//! the whole output of which the result shows a part, or what a file held before it was
//! changed. Strings that are said elsewhere are left out. Files come back with every change
//! made to them, so of those only such lines count as no file or patch of the log had
//! before, which a hash of each line tells.

use memchr::memmem;
use unspool_model::json::Str;
use unspool_model::schema::Level;
use unspool_model::tool::FileForm;

use super::lines::{FileLines, lines_of};
use super::seen::Print;
use super::strings::each_text_at;

/// A text that is next to a result and nowhere else.
pub(super) enum New<'a> {
    /// A string of the record.
    Whole(Str<'a>),
    /// The lines of a file or a patch that are new.
    Lines(String),
}

/// Hands out the strings of `outcome` that neither the result nor the call's input contains, and
/// of files the lines that are not among those of the log so far.
pub(super) fn each_new<'a>(
    outcome: &'a [u8],
    results: &[&[u8]],
    input: &[Print],
    lines: &mut FileLines,
    mut each: impl FnMut(New<'a>),
) {
    let mut shown = results;
    each_text_at(outcome, Level::Outcome, |key, text| {
        if Print::is_among(text.raw(), input) {
            return;
        }
        let form = FileForm::of(key);
        if let Some(form @ (FileForm::Whole | FileForm::Patch)) = form {
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
        // What the result says of a failure follows a word here.
        let failure = text.raw().strip_prefix(b"Error: ");
        let raw = failure.unwrap_or(text.raw());
        let known = raw.is_empty()
            || failure.is_some_and(|failure| Print::is_among(failure, input))
            || results.iter().any(|result| covers(result, raw));
        if form == Some(FileForm::Content) {
            lines.note(text);
        }
        if !known {
            each(New::Whole(text));
        }
    });
}

/// Tells whether each line of `text` is in `result`, in this order and white space around
/// it aside. Both are as in the record.
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
        // Mostly it is unchanged, as far after the line before as that one was: after the
        // number of a line, and numbers are of one width.
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

/// Finds a line that is most likely near the beginning.
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

    fn news(outcome: &str, result: &str, input: &[Print], lines: &mut FileLines) -> Vec<String> {
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
        let input = [Print::of(b"/a/b.rs")];
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
