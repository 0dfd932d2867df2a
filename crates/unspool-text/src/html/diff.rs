//! A diff as markup that can be laid out in one column or in two.
//!
//! The lines of a hunk are in the order of a unified diff. Removed lines and the lines that replace
//! them share a group, which the style sheet lays out below or next to each other; no line is
//! written twice.

use super::escape::Html;
use crate::diff::{Diff, DiffRow, DiffRowKind};

/// Paints a diff.
pub fn diff(diff: &Diff, html: &mut Html) {
    html.tag("<div class=\"diff\" tabindex=\"0\">\n");
    for (hunk, rows) in diff.rows() {
        html.tag("<div class=\"hunk\">").text(&hunk.head()).tag("</div>\n");
        let changed = |row: &DiffRow| matches!(row.kind, DiffRowKind::Removed | DiffRowKind::Added);
        for group in rows.chunk_by(|a, b| changed(a) && changed(b)) {
            if group.iter().any(changed) {
                change(group, html);
            } else {
                for row in group {
                    line(row, html);
                }
            }
        }
    }
    html.tag("</div>\n");
}

/// Paints removed lines with those that replace them. Added lines may be followed by removed ones;
/// each change is a group of its own.
fn change(rows: &[DiffRow], html: &mut Html) {
    let together = |a: &DiffRow, b: &DiffRow| {
        !(a.kind == DiffRowKind::Added && b.kind == DiffRowKind::Removed)
    };
    for group in rows.chunk_by(together) {
        html.tag("<div class=\"swap\">\n");
        for row in group {
            line(row, html);
        }
        html.tag("</div>\n");
    }
}

fn line(row: &DiffRow, html: &mut Html) {
    html.tag(match row.kind {
        DiffRowKind::Context => "<div class=\"row\">",
        DiffRowKind::Removed => "<div class=\"row del\">",
        DiffRowKind::Added => "<div class=\"row ins\">",
        DiffRowKind::Remark => "<div class=\"row note\">",
    });
    number(row.old, html);
    number(row.new, html);
    html.tag("<code>");
    let mut at = 0;
    for range in &row.changed {
        html.text(&row.text[at..range.start]);
        html.tag("<b>").text(&row.text[range.clone()]).tag("</b>");
        at = range.end;
    }
    html.text(&row.text[at..]).tag("</code></div>\n");
}

/// Paints a line number as an attribute, so that it is neither selected nor found.
fn number(number: Option<usize>, html: &mut Html) {
    html.tag("<span");
    if let Some(number) = number {
        html.tag(" data-n=\"").number(number as u64).tag("\"");
    }
    html.tag("></span>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::DiffHunk;
    use proptest::prelude::*;
    use unspool_testkit::markup::{HOSTILE, check_vocabulary};

    fn painted(change: &Diff) -> String {
        let mut html = Html::new();
        diff(change, &mut html);
        check_vocabulary(html.as_str());
        html.as_str().to_owned()
    }

    #[test]
    fn lines_are_numbered_and_words_marked() {
        let change = Diff::between("a\nlet x = 1;\nb\n", "a\nlet x = 2;\nb\n");
        let expected = "<div class=\"diff\" tabindex=\"0\">\n\
            <div class=\"hunk\">@@ -1,3 +1,3 @@</div>\n\
            <div class=\"row\"><span data-n=\"1\"></span><span data-n=\"1\"></span><code>a</code></div>\n\
            <div class=\"swap\">\n\
            <div class=\"row del\"><span data-n=\"2\"></span><span></span><code>let x = <b>1</b>;</code></div>\n\
            <div class=\"row ins\"><span></span><span data-n=\"2\"></span><code>let x = <b>2</b>;</code></div>\n\
            </div>\n\
            <div class=\"row\"><span data-n=\"3\"></span><span data-n=\"3\"></span><code>b</code></div>\n\
            </div>\n";
        assert_eq!(painted(&change), expected);
    }

    #[test]
    fn each_change_is_a_group() {
        let lines = ["-a", "+b", "-c", "-d", "+e", " f"];
        let hunk = DiffHunk { lines: lines.map(String::from).to_vec(), ..DiffHunk::default() };
        let html = painted(&Diff::from_hunks(vec![hunk]));
        assert_eq!(html.matches("class=\"swap\"").count(), 2);
    }

    #[test]
    fn hostile_lines_stay_lines() {
        for text in HOSTILE {
            painted(&Diff::between("", text));
            painted(&Diff::between(text, "x"));
        }
    }

    proptest! {
        #[test]
        fn any_hunk_gives_known_tags(lines in proptest::collection::vec("[ +\\-\\\\]?.{0,12}", 0..8)) {
            let hunk = DiffHunk { lines, ..DiffHunk::default() };
            painted(&Diff::from_hunks(vec![hunk]));
        }
    }
}
