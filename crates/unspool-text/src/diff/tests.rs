use super::*;
use proptest::prelude::*;

/// Draws a diff with the marked parts in brackets.
fn drawn(diff: &Diff) -> String {
    let mut out = String::new();
    for line in diff.lines(1000, WideLines::Cut) {
        for span in line.spans() {
            let stressed = span.style().marks.contains(Emphasis::CHANGED);
            let (open, close) = if stressed { ("[", "]") } else { ("", "") };
            out.extend([open, span.text(), close]);
        }
        out.push('\n');
    }
    out
}

fn numbered(range: Range<usize>) -> String {
    let lines: Vec<_> = range.map(|n| format!("line {n}\n")).collect();
    lines.concat()
}

fn check(old: &str, new: &str, expected: &str) {
    let got = drawn(&Diff::between(old, new));
    assert_eq!(got, expected, "{old:?} to {new:?}");
}

#[test]
fn texts_become_hunks() {
    check("", "", "");
    check("a\nb\n", "a\nb\n", "");
    check("", "a\n", "@@ -0,0 +1,1 @@\n  1 +a\n");
    check("a\n", "", "@@ -1,1 +0,0 @@\n1   -a\n");
    check("", "\n", "@@ -0,0 +1,1 @@\n  1 +\n");
    check("a\nb", "a\nb\nc", "@@ -1,2 +1,3 @@\n1 1  a\n2 2  b\n  3 +c\n");
    check("a\nb\n", "a\nb", "@@ -2,1 +2,1 @@\n2   -b\n  2 +b\n    \\ No newline at end of file\n");
    check("b", "b\n", "@@ -1,1 +1,1 @@\n1   -b\n    \\ No newline at end of file\n  1 +b\n");
}

#[test]
fn distant_changes_get_their_own_hunks() {
    let old = numbered(1..30);
    let new = old.replace("line 5\n", "").replace("line 25\n", "row 25\n");
    check(
        &old,
        &new,
        "@@ -2,7 +2,6 @@\n\
         \x202  2  line 2\n\
         \x203  3  line 3\n\
         \x204  4  line 4\n\
         \x205    -line 5\n\
         \x206  5  line 6\n\
         \x207  6  line 7\n\
         \x208  7  line 8\n\
         @@ -22,7 +21,7 @@\n\
         22 21  line 22\n\
         23 22  line 23\n\
         24 23  line 24\n\
         25    -line 25\n\
         \x20  24 +row 25\n\
         26 25  line 26\n\
         27 26  line 27\n\
         28 27  line 28\n",
    );
}

#[test]
fn changed_words_are_stressed() {
    check(
        "let x = old(1);\n",
        "let x = new(1, 2);\n",
        "@@ -1,1 +1,1 @@\n1   -let x = [old](1);\n  1 +let x = [new](1[, 2]);\n",
    );
    check(
        "nothing alike\n",
        "something different\n",
        "@@ -1,1 +1,1 @@\n1   -nothing alike\n  1 +something different\n",
    );
    check("same\r\n", "same\n", "@@ -1,1 +1,1 @@\n1   -same[␍]\n  1 +same\n");
}

#[test]
fn given_hunks_are_drawn_safely() {
    let lines = ["-a\x1b[31m\n\tb", "+", " c", "\\ No newline at end of file", "", "odd"];
    let diff = Diff::from_hunks(vec![DiffHunk {
        old_start: usize::MAX,
        old_lines: 2,
        new_start: 9,
        new_lines: 2,
        lines: lines.map(String::from).to_vec(),
    }]);
    assert_eq!(diff.stat(), Stat { added: 1, removed: 1 });
    let max = usize::MAX;
    let pad = " ".repeat(20);
    let nine = format!("{:>20}", 9);
    let expected = format!(
        "@@ -{max},2 +9,2 @@\n{max} {pad} -a   b\n{pad} {nine} +\n{max} {:>20}  c\n\
         {pad} {pad} \\ No newline at end of file\n{max} {:>20}  \n{max} {:>20}  odd\n",
        10, 11, 12
    );
    assert_eq!(drawn(&diff), expected);
}

#[test]
fn huge_texts_are_replaced_as_a_block() {
    let old = format!("head\n{}tail\n", "a\nb\n".repeat(40_000));
    let new = format!("head\n{}tail\n", "b\nc\na\n".repeat(40_000));
    let stat = Diff::between(&old, &new).stat();
    assert_eq!(stat, Stat { added: 120_000, removed: 80_000 });
    let new = old.replacen("a\n", "x\n", 1);
    assert_eq!(Diff::between(&old, &new).stat(), Stat { added: 1, removed: 1 });
}

proptest! {
    #[test]
    fn applying_the_hunks_gives_the_new_text(
        old in "([a-c]\n){0,30}", new in "([a-c]\n){0,30}"
    ) {
        let diff = Diff::between(&old, &new);
        let old_lines: Vec<_> = old.lines().collect();
        let mut out: Vec<&str> = Vec::new();
        let mut at = 0;
        for hunk in diff.hunks() {
            let start = hunk.old_start - usize::from(hunk.old_lines > 0);
            out.extend(&old_lines[at..start]);
            prop_assert_eq!(out.len() + usize::from(hunk.new_lines > 0), hunk.new_start);
            at = start + hunk.old_lines;
            out.extend(hunk.lines.iter().filter(|l| !l.starts_with('-')).map(|l| &l[1..]));
        }
        out.extend(&old_lines[at..]);
        prop_assert_eq!(out, new.lines().collect::<Vec<_>>());
    }

    #[test]
    fn any_hunk_can_be_drawn(lines in proptest::collection::vec("[ +\\-\\\\]?.{0,12}", 0..8)) {
        let diff = Diff::from_hunks(vec![DiffHunk { lines, ..DiffHunk::default() }]);
        prop_assert!(diff.lines(1000, WideLines::Cut).iter().all(|l| !l.plain().contains(char::is_control)));
    }
}

#[test]
fn sides_put_what_was_added_next_to_what_was_removed() {
    let diff = Diff::between("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n");
    let lines: Vec<String> = diff.side_lines(31, WideLines::Cut).iter().map(Line::plain).collect();
    assert_eq!(
        lines,
        [
            "@@ -1,4 +1,5 @@",
            "1  a           │ 1  a",
            "2 -b           │ 2 +B",
            "3  c           │ 3  c",
            "4  d           │ 4  d",
            "               │ 5 +e",
        ]
    );
    let long = Diff::between("", &"漢".repeat(40));
    assert!(long.side_lines(31, WideLines::Cut).iter().all(|line| line.width() <= 31));
}

#[test]
fn wide_lines_go_on_below_their_sign() {
    let diff = Diff::between("", "    let total = first_number + second_number;\n");
    let lines: Vec<String> = diff.lines(30, WideLines::Broken).iter().map(Line::plain).collect();
    assert_eq!(
        lines,
        [
            "@@ -0,0 +1,1 @@",
            "  1 +    let total =",
            "         first_number +",
            "         second_number;",
        ]
    );
    let lines = diff.side_lines(45, WideLines::Broken);
    let right = |line: &Line| line.plain().rsplit('│').next().map(|it| it.trim().to_owned());
    let right: Vec<String> = lines.iter().skip(1).filter_map(right).collect();
    assert_eq!(right.join(" "), "1 +    let total = first_number + second_number;");
}

proptest! {
    #[test]
    fn broken_lines_fit_and_keep_every_letter(old in ".{0,60}(\n.{0,60}){0,4}", new in ".{0,60}(\n.{0,60}){0,4}", width in 24usize..60) {
        let diff = Diff::between(&old, &new);
        let letters = |lines: Vec<Line>| {
            let text: String = lines.iter().map(Line::plain).collect();
            text.chars().filter(|c| c.is_alphanumeric()).collect::<String>()
        };
        let broken = diff.lines(width, WideLines::Broken);
        prop_assert!(broken.iter().all(|line| line.width() <= width));
        let whole = diff.lines(10_000, WideLines::Cut);
        prop_assert_eq!(letters(broken), letters(whole));
    }
}
