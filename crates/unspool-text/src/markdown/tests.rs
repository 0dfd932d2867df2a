use super::*;
use crate::paint::{ColorMode, paint};
use proptest::prelude::*;

fn plain(source: &str, width: usize) -> String {
    joined(&markdown(source, width), ColorMode::Never)
}

/// Paints lines, each with a line break after it.
fn joined(lines: &[Line], mode: ColorMode) -> String {
    let mut out = String::new();
    for line in lines {
        paint(line, mode, &mut out);
        out.push('\n');
    }
    out
}

/// Compares the plain text; `expected` begins with a line break so that it reads like a picture.
fn check(source: &str, width: usize, expected: &str) {
    let expected = expected.strip_prefix('\n').unwrap_or(expected);
    assert_eq!(plain(source, width), expected, "{source:?} at {width}");
}

#[test]
fn blocks_are_set_apart() {
    check("", 20, "");
    check("\n\n  \n", 20, "");
    check("one\ntwo\n\n\n\nthree", 20, "one two\n\nthree\n");
    check(
        "# Title\ntext\n\n---\n\nSub\n---\n",
        10,
        "
# Title

text

──────────

## Sub
",
    );
    check("a  \nb\\\nc", 20, "a\nb\nc\n");
    check("long words are wrapped", 10, "long words\nare\nwrapped\n");
}

#[test]
fn line_breaks_can_be_kept() {
    let lines = markdown_with("a\nb", 20, Breaks::Keep);
    assert_eq!(joined(&lines, ColorMode::Never), "a\nb\n");
}

#[test]
fn lists_hang() {
    check(
        "intro\n- one two three\n- b\n  - c\n    more\n- d\n\nend",
        12,
        "
intro

• one two
  three
• b
  • c more
• d

end
",
    );
    check(
        "9. nine\n10. ten ten ten\n    1. sub",
        14,
        "
9. nine
10. ten ten
    ten
    1. sub
",
    );
    check(
        "- a\n\n  b\n\n- c",
        20,
        "
• a

  b

• c
",
    );
    check("- [ ] open\n- [x] done\n", 20, "• [ ] open\n• [x] done\n");
    check("-\n- a\n-", 20, "•\n• a\n•\n");
    check("- - a\n  - b", 20, "• • a\n  • b\n");
    check("- ```\n  code\n  ```\n- b", 20, "•   code\n• b\n");
}

#[test]
fn quotes_have_bars() {
    check(
        "> a\n>\n> b\n\nc",
        20,
        "
│ a
│
│ b

c
",
    );
    check(
        "> > deep\n> - item item item",
        14,
        "
│ │ deep
│
│ • item item
│   item
",
    );
}

#[test]
fn code_is_verbatim() {
    check(
        "```rust\nfn  main() {\n\tx;\n\n}\n```\ntext",
        10,
        "
  rust
  fn  main() {
      x;

  }

text
",
    );
    check("    indented\n      more\n", 80, "  indented\n    more\n");
    check("> ```\n> a\n>\n> b\n> ```", 80, "│   a\n│\n│   b\n");
    check("```\n**not bold** <b> &amp;\n```", 80, "  **not bold** <b> &amp;\n");
    check("```\nunclosed", 80, "  unclosed\n");
}

#[test]
fn inline_elements() {
    let cases = [
        ("*a* **b** ~~c~~ `d`", "a b c d"),
        ("[text](http://x.y)", "text (http://x.y)"),
        ("<http://x.y>", "http://x.y"),
        ("<me@x.y>", "me@x.y"),
        ("[http://x.y](http://x.y)", "http://x.y"),
        ("[](http://x.y)", "http://x.y"),
        ("[a]\n\n[a]: /ref 'title'", "a (/ref)"),
        ("![an *alt*](pic.png)", "[image: an alt]"),
        ("![](pic.png)", "[image]"),
        ("[![alt](pic)](url)", "[image: alt] (url)"),
        ("x <b>html</b> &amp; &lt;", "x <b>html</b> & <"),
        ("<div>\n  <p>x</p>\n</div>", "<div>\n  <p>x</p>\n</div>"),
        ("a[^1] $x$", "a[^1] $x$"),
    ];
    for (source, expected) in cases {
        check(source, 80, &format!("{expected}\n"));
    }
}

#[test]
fn styles_nest() {
    let lines = markdown("a *b **c** `d`* [e](u)", 80);
    let spans: Vec<_> = lines[0]
        .spans()
        .iter()
        .map(|span| (span.text(), span.role(), span.style().marks))
        .collect();
    let (emphasis, none) = (Emphasis::EMPHASIS, Emphasis::NONE);
    let expected = [
        ("a ", Role::Plain, none),
        ("b ", Role::Plain, emphasis),
        ("c", Role::Plain, emphasis | Emphasis::STRONG),
        (" ", Role::Plain, emphasis),
        ("d", Role::Code, emphasis),
        (" ", Role::Plain, none),
        ("e", Role::Link, none),
        (" (u)", Role::Muted, none),
    ];
    assert_eq!(spans, expected);
}

#[test]
fn tables_are_fitted() {
    let source = "| a | bb | ccc |\n|---|:-:|--:|\n| 1 | 2 | 3 |\n| long cell text | x | `y` |\n";
    check(
        source,
        80,
        "
│ a              │ bb │ ccc │
├────────────────┼────┼─────┤
│ 1              │ 2  │   3 │
│ long cell text │ x  │   y │
",
    );
    check(
        source,
        22,
        "
│ a       │ bb │ ccc │
├─────────┼────┼─────┤
│ 1       │ 2  │   3 │
├─────────┼────┼─────┤
│ long    │ x  │   y │
│ cell    │    │     │
│ text    │    │     │
",
    );
    check(
        source,
        14,
        "
a: 1
bb: 2
ccc: 3

a: long cell
  text
bb: x
ccc: y
",
    );
    check("| a |\n|---|", 80, "│ a │\n├───┤\n");
    check(
        "> | 漢字 | b |\n> |-|-|\n> | x |",
        80,
        "
│ │ 漢字 │ b │
│ ├──────┼───┤
│ │ x    │   │
",
    );
}

#[test]
fn hostile_text_stays_text() {
    let cases = [
        ("\x1b[31mred\x1b[0m", "red"),
        ("&#27;[31mred", "␛[31mred"),
        ("&#x9b;31mred", "\u{fffd}31mred"),
        ("&#x1b;]0;title&#7;x", "␛]0;title␇x"),
        ("[a](http://x/&#27;[2J)", "a (http://x/)"),
        ("`\x07`", "␇"),
        ("&#x202e;abc", "\u{fffd}abc"),
        ("```&#27;]0;x&#7;\ncode\n```", "  code"),
        ("a &#10; b", "a   b"),
    ];
    for (source, expected) in cases {
        check(source, 80, &format!("{expected}\n"));
    }
}

#[test]
fn nesting_is_bounded() {
    for unit in [">", "> ", "- ", "1. ", "> - ", "- > ", "* + "] {
        let source = format!("{}x\n{}", unit.repeat(10_000), "lazy\n".repeat(5_000));
        let lines = markdown(&source, 60);
        let is_wide = |line: &Line| line.width() > 60;
        assert!(!lines.iter().any(is_wide), "{unit:?}");
        assert!(plain(&source, 60).contains("lazy"), "{unit:?}");
    }
    let mut steps = String::new();
    for depth in 0..500 {
        steps.push_str(&" ".repeat(2 * depth));
        steps.push_str("- x\n");
    }
    assert!(markdown(&steps, 40).iter().all(|line| line.width() <= 40));
    check(&"-".repeat(300), 10, "──────────\n");
    let emphasis = format!("{}x{}", "*a ".repeat(10_000), " b*".repeat(10_000));
    assert!(!markdown(&emphasis, 60).is_empty());
}

#[test]
fn odd_widths_are_survived() {
    let source = "# h\n\n- a\n  > b\n\n| a | b |\n|-|-|\n| 漢 | d |\n\n---\n\n1. x\n";
    for width in [0, 1, 2, 3, 5, 8, usize::MAX] {
        assert!(plain(source, width).contains('漢'), "{width}");
    }
}

#[test]
fn wide_tables_do_not_multiply() {
    let columns = 2_000;
    let head = "|a".repeat(columns);
    let rule = "|-".repeat(columns);
    let source = format!("{head}\n{rule}\n{}", "|b\n".repeat(5_000));
    assert!(plain(&source, 80).len() < 20 * source.len());
    let name = "n".repeat(100_000);
    let source = format!("|{name}|\n|-|\n{}", "|b\n".repeat(5_000));
    assert!(plain(&source, usize::MAX).len() < 100 * source.len());
}

/// Generates documents of pieces with a meaning in Markdown.
fn document() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[ \\n\\t>#*+\\-`~|_\\[\\]()!<&;:=0-9.x\\\\]{1,4}",
        Just("\n- ".to_owned()),
        Just("\n> ".to_owned()),
        Just("\n```\n".to_owned()),
        Just("|a|b|\n|-|-|\n|c|".to_owned()),
        Just("&#27;[1m&#13;&#8;".to_owned()),
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_text_renders_without_control_characters(
        source in prop_oneof![any::<String>(), document()], width in 0usize..50
    ) {
        let lines = markdown(&source, width);
        for line in &lines {
            prop_assert!(!line.plain().contains(char::is_control));
        }
        prop_assert!(!lines.first().is_some_and(Line::is_blank));
        prop_assert!(!lines.last().is_some_and(Line::is_blank));
        let painted = joined(&lines, ColorMode::Always);
        prop_assert_eq!(clean(&painted), joined(&lines, ColorMode::Never));
    }

    #[test]
    fn words_survive(words in proptest::collection::vec("[a-z]{1,9}", 1..20), width in 1usize..40) {
        let source = words.join(" ");
        let joined = plain(&source, width).replace(['\n', ' '], "");
        prop_assert_eq!(joined, words.concat());
    }
}
