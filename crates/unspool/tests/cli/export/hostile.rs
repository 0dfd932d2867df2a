//! Malicious content stays text in every format.

use serde_json::json;
use unspool_testkit::markup::HOSTILE;
use unspool_testkit::saying::saying;

use super::inert::{acting, folds};
use super::{export, name};
use crate::run::{SESSION, home_with, run};

/// Known attacks on Markdown viewers.
const MARKDOWN: [&str; 19] = [
    "[x](java\nscript:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](vbscript:msgbox)",
    "[x](//example.test/x)",
    "[x](file:///etc/passwd)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "[![x](http://example.test/p.png)](javascript:alert(1))",
    "[x]: javascript:alert(1)\n\n[x] and ![x]",
    "[x]\n\n[x]: http://example.test/late\n![x]",
    "</details></summary></code><b onmouseover=alert(1)>",
    "```\n</details>\n<script>alert(1)</script>",
    "~~~~\n<script>\n```\n",
    "`` ` <script> `` ` <script>alert(1)</script>`",
    "    <script>indented</script>\n\n<script>not</script>",
    "- a\n\n      <script>in a list</script>\n\n  <script>b</script>",
    "> <script>quoted</script>\n<script>lazy</script>",
    "<a id=\"turn-1\"></a>\n\n## Turn 99\n\n<details open ontoggle=alert(1)>",
];

fn hostile() -> impl Iterator<Item = &'static str> {
    HOSTILE.iter().copied().chain(MARKDOWN)
}

#[test]
fn nothing_in_a_markdown_transcript_acts() {
    for text in hostile() {
        let home = saying(text);
        for args in
            [&[SESSION][..], &[SESSION, "--agents", "separate"], &[SESSION, "--agents", "none"]]
        {
            let exported = export(&home, args);
            assert_eq!(exported.ran.code, Some(0), "{}", exported.ran.err);
            for name in exported.ending("md") {
                let written = exported.text(name);
                assert_eq!(acting(written), None, "{text:?} in {name}:\n{written}");
            }
            assert_eq!(exported.ending("svg").len() + exported.ending("html").len(), 0);
            // The text after the attack is outside of it: all blocks that it opens are closed.
            let written = exported.text(&name(".md"));
            let (begun, ended) = folds(written);
            assert!(begun >= 12, "{text:?}:\n{written}");
            assert_eq!(begun, ended, "{text:?}:\n{written}");
            assert!(written.contains("agent evil"), "{text:?}");
        }
    }
}

#[test]
fn plain_text_and_data_hold_no_control_characters() {
    for text in hostile() {
        let home = saying(text);
        for format in ["text", "json"] {
            let exported = export(&home, &[SESSION, "--format", format]);
            for name in exported.names() {
                let acts = |c: char| {
                    (c.is_control() && c != '\n' && c != '\t')
                        || ('\u{202a}'..='\u{202e}').contains(&c)
                };
                let found = exported.text(name).chars().find(|&c| acts(c));
                assert_eq!(found, None, "{text:?} in {name}");
            }
        }
        let ran = run(&home, &["export", SESSION, "--out", "-", "--format", "text"]);
        assert!(!ran.ok().contains('\u{1b}'));
    }
}

#[test]
fn a_line_of_a_quarter_megabyte_is_nothing_special() {
    for piece in ["x", "<script>", "[a](", "`", "![", "\\", "> ", "[x]: y "] {
        let text = json!(piece.repeat((1 << 18) / piece.len()));
        let home = home_with(&format!(
            "u1 user {text}\na1 assistant {text} call Bash:t1 {{\"command\":{text}}}\nr1 result t1 {text}\n"
        ));
        let exported = export(&home, &[SESSION]);
        assert_eq!(exported.ran.code, Some(0), "{}", exported.ran.err);
        let written = exported.only();
        assert!(written.len() > 1 << 20, "{piece}: {}", written.len());
        assert_eq!(acting(written), None, "{piece}");
    }
}
