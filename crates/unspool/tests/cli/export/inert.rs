//! Detects active content in a Markdown file.

use pulldown_cmark::{Event, Options, Parser, Tag};

/// The tags that transcripts consist of.
const OURS: [&str; 10] = [
    "details",
    "/details",
    "details open",
    "summary",
    "/summary",
    "b",
    "/b",
    "code",
    "/code",
    "/a",
];

/// Returns the first active content of a file: foreign HTML, links that run code, images that are fetched.
pub(super) fn acting(markdown: &str) -> Option<String> {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                if let Some(tag) = foreign_tag(&html) {
                    return Some(format!("tag {tag:?}"));
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => {
                let leads = ["http://", "https://", "mailto:", "transcript_", "#"];
                if !leads.iter().any(|start| dest_url.starts_with(start)) {
                    return Some(format!("link {dest_url:?}"));
                }
            }
            Event::Start(Tag::Image { dest_url, .. }) => {
                let ours =
                    dest_url.starts_with("transcript_") && dest_url.contains("_files/image-");
                if !ours {
                    return Some(format!("image {dest_url:?}"));
                }
            }
            _ => {}
        }
    }
    let acts = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    markdown.chars().find(|&c| acts(c)).map(|c| format!("character {c:?}"))
}

/// Returns the number of folds that begin, and of those that end.
pub(super) fn folds(markdown: &str) -> (usize, usize) {
    let html: Vec<String> = Parser::new(markdown)
        .filter_map(|event| match event {
            Event::Html(html) | Event::InlineHtml(html) => Some(html.into_string()),
            _ => None,
        })
        .collect();
    let count = |tag: &str| html.iter().map(|html| html.matches(tag).count()).sum();
    (count("<details"), count("</details>"))
}

fn foreign_tag(html: &str) -> Option<&str> {
    let tags = html.match_indices('<').map(|(at, _)| {
        let inside = &html[at + 1..];
        inside.find('>').map_or(inside, |end| &inside[..end])
    });
    let anchor = |tag: &str| {
        let number = tag.strip_prefix("a id=\"turn-").and_then(|rest| rest.strip_suffix('"'));
        number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut foreign = tags.filter(|tag| !OURS.contains(tag) && !anchor(tag));
    foreign.next()
}

#[test]
fn the_judge_sees_what_acts() {
    for acts in [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "[a](javascript:alert(1))",
        "![a](http://example.test/pixel.png)",
        "<details onclick=x>",
        "<a id=\"turn-1\" href=\"http://x\"></a>",
        "\u{1b}[31m",
    ] {
        assert!(acting(acts).is_some(), "{acts}");
    }
    for rests in [
        "<details>\n<summary>✔ <b>Bash</b> <code>ls</code></summary>\n\n```\n<script>\n```\n\n</details>\n",
        "<a id=\"turn-12\"></a>\n\n[x](https://example.test) ![image 1](transcript_a_files/image-1.png)",
    ] {
        assert_eq!(acting(rests), None, "{rests}");
    }
}
