//! Converts Markdown to markup.
//!
//! The dialect is `CommonMark` with tables, strikethrough and task lists. Raw HTML is shown as
//! text. Links lead only to the web and to mail, and nothing is ever loaded: an image becomes a
//! link with its description. Headings begin at the third level, below the page's and the turn's.
//! The parser's events are painted one by one; the parser itself closes open elements, and nesting
//! is bounded before it gets the text.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

use super::code::{Painting, code_block};
use super::escape::Html;
use crate::link::LinkTarget;
use crate::markdown::{SYNTAX, bound_nesting};
use crate::sanitize::clean;

/// Paints Markdown.
pub fn prose(source: &str, painting: Painting, html: &mut Html) {
    let cleaned = clean(source);
    let bounded = bound_nesting(&cleaned);
    let mut painter = ProsePainter {
        html,
        painting,
        code: None,
        links: Vec::new(),
        images: 0,
        columns: Vec::new(),
        column: 0,
        in_head: false,
    };
    let mut depth = 0_usize;
    for event in Parser::new_ext(&bounded, SYNTAX) {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        // On each line the parser examines every open container.
        unspool_work::add(1 + depth);
        painter.event(event);
    }
}

/// Opens a link that does not tell its target where it was found.
pub fn open_link(url: &str, html: &mut Html) {
    html.tag("<a").attribute("href", url);
    html.tag(" rel=\"noopener noreferrer nofollow\">");
}

/// How to close an open link.
#[derive(Clone, Copy)]
enum LinkEnd {
    Anchor,
    Span,
    Nothing,
}

struct ProsePainter<'h> {
    html: &'h mut Html,
    painting: Painting,
    /// The language and the text of the open code block.
    code: Option<(String, String)>,
    links: Vec<LinkEnd>,
    /// How many images are open; their descriptions are text.
    images: usize,
    /// The alignments of the open table's columns.
    columns: Vec<Alignment>,
    column: usize,
    in_head: bool,
}

impl ProsePainter<'_> {
    fn event(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => _ = self.html.text(&text),
            },
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.html.tag("<code>").text(&text).tag("</code>");
            }
            Event::Html(text) | Event::InlineHtml(text) | Event::FootnoteReference(text) => {
                self.html.text(&text);
            }
            Event::SoftBreak => _ = self.html.tag("\n"),
            Event::HardBreak => _ = self.html.tag("<br>\n"),
            Event::Rule => _ = self.html.tag("<hr>\n"),
            Event::TaskListMarker(done) => {
                self.html.tag(if done {
                    "<span class=\"box done\" role=\"img\" aria-label=\"done\"></span>"
                } else {
                    "<span class=\"box\" role=\"img\" aria-label=\"open\"></span>"
                });
            }
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Paragraph => _ = self.html.tag("<p>"),
            Tag::Heading { level, .. } => _ = self.html.tag(heading(level).0),
            Tag::BlockQuote(_) => _ = self.html.tag("<blockquote>\n"),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::HtmlBlock => _ = self.html.tag("<pre class=\"raw\"><code>"),
            Tag::List(None) => _ = self.html.tag("<ul>\n"),
            Tag::List(Some(first)) => {
                self.html.tag("<ol start=\"").number(first).tag("\">\n");
            }
            Tag::Item => _ = self.html.tag("<li>"),
            Tag::Table(columns) => {
                self.columns = columns;
                self.html.tag("<div class=\"wide\"><table>\n");
            }
            Tag::TableHead => {
                self.in_head = true;
                self.start_row("<thead><tr>");
            }
            Tag::TableRow => self.start_row("<tr>"),
            Tag::TableCell => self.start_cell(),
            Tag::Emphasis => _ = self.html.tag("<em>"),
            Tag::Strong => _ = self.html.tag("<strong>"),
            Tag::Strikethrough => _ = self.html.tag("<del>"),
            Tag::Link { dest_url, .. } => self.start_link(&dest_url),
            Tag::Image { dest_url, .. } => self.start_image(&dest_url),
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => _ = self.html.tag("</p>\n"),
            TagEnd::Heading(level) => _ = self.html.tag(heading(level).1),
            TagEnd::BlockQuote(_) => _ = self.html.tag("</blockquote>\n"),
            TagEnd::CodeBlock => {
                let (language, code) = self.code.take().unwrap_or_default();
                code_block(&language, &code, self.painting, self.html);
            }
            TagEnd::HtmlBlock => _ = self.html.tag("</code></pre>\n"),
            TagEnd::List(ordered) => {
                self.html.tag(if ordered { "</ol>\n" } else { "</ul>\n" });
            }
            TagEnd::Item => _ = self.html.tag("</li>\n"),
            TagEnd::Table => _ = self.html.tag("</table></div>\n"),
            TagEnd::TableHead => {
                self.in_head = false;
                self.html.tag("</tr></thead>\n");
            }
            TagEnd::TableRow => _ = self.html.tag("</tr>\n"),
            TagEnd::TableCell => {
                self.html.tag(if self.in_head { "</th>" } else { "</td>" });
            }
            TagEnd::Emphasis => _ = self.html.tag("</em>"),
            TagEnd::Strong => _ = self.html.tag("</strong>"),
            TagEnd::Strikethrough => _ = self.html.tag("</del>"),
            TagEnd::Link => self.end_link(),
            TagEnd::Image => {
                self.images = self.images.saturating_sub(1);
                self.html.tag("]");
                self.end_link();
            }
            TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn start_row(&mut self, tag: &'static str) {
        self.column = 0;
        self.html.tag(tag);
    }

    fn start_cell(&mut self) {
        self.html.tag(if self.in_head { "<th" } else { "<td" });
        match self.columns.get(self.column) {
            Some(Alignment::Right) => _ = self.html.tag(" class=\"right\""),
            Some(Alignment::Center) => _ = self.html.tag(" class=\"center\""),
            _ => {}
        }
        self.column += 1;
        self.html.tag(">");
    }

    /// Opens a link. A link inside another is plain text; one that does not lead to the web shows
    /// its target as a tooltip.
    fn start_link(&mut self, url: &str) {
        let end = if self.images > 0 || self.links.iter().any(|end| matches!(end, LinkEnd::Anchor))
        {
            LinkEnd::Nothing
        } else if let LinkTarget::Web(url) = LinkTarget::of(url) {
            open_link(url, self.html);
            LinkEnd::Anchor
        } else if url.is_empty() {
            LinkEnd::Nothing
        } else {
            self.html.tag("<span class=\"ref\"").attribute("title", url).tag(">");
            LinkEnd::Span
        };
        self.links.push(end);
    }

    fn end_link(&mut self) {
        match self.links.pop() {
            Some(LinkEnd::Anchor) => _ = self.html.tag("</a>"),
            Some(LinkEnd::Span) => _ = self.html.tag("</span>"),
            Some(LinkEnd::Nothing) | None => {}
        }
    }

    fn start_image(&mut self, url: &str) {
        self.start_link(url);
        self.images += 1;
        self.html.tag("[image: ");
    }
}

/// Returns the tags of a heading.
fn heading(level: HeadingLevel) -> (&'static str, &'static str) {
    match level {
        HeadingLevel::H1 => ("<h3>", "</h3>\n"),
        HeadingLevel::H2 => ("<h4>", "</h4>\n"),
        HeadingLevel::H3 => ("<h5>", "</h5>\n"),
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => ("<h6>", "</h6>\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unspool_testkit::markup::{HOSTILE, check_vocabulary};

    fn painted(source: &str) -> String {
        let mut html = Html::new();
        prose(source, Painting::Plain, &mut html);
        html.as_str().to_owned()
    }

    #[test]
    fn markdown_becomes_html() {
        let cases = [
            (
                "*a* **b** ~~c~~ `d`",
                "<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>\n",
            ),
            ("# one\n###### six", "<h3>one</h3>\n<h6>six</h6>\n"),
            ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
            ("3. a", "<ol start=\"3\">\n<li>a</li>\n</ol>\n"),
            ("> q", "<blockquote>\n<p>q</p>\n</blockquote>\n"),
            ("a  \nb\nc", "<p>a<br>\nb\nc</p>\n"),
            ("---", "<hr>\n"),
            (
                "- [x] a",
                "<ul>\n<li><span class=\"box done\" role=\"img\" aria-label=\"done\"></span>a</li>\n</ul>\n",
            ),
            (
                "|a|b|\n|-|-:|\n|1|2|",
                "<div class=\"wide\"><table>\n<thead><tr><th>a</th><th class=\"right\">b</th></tr></thead>\n\
                 <tr><td>1</td><td class=\"right\">2</td></tr>\n</table></div>\n",
            ),
        ];
        for (source, expected) in cases {
            assert_eq!(painted(source), expected, "{source:?}");
        }
    }

    #[test]
    fn raw_html_is_text() {
        let cases = [
            ("a <b>x</b>", "<p>a &lt;b&gt;x&lt;/b&gt;</p>\n"),
            (
                "<script>alert(1)</script>",
                "<pre class=\"raw\"><code>&lt;script&gt;alert(1)&lt;/script&gt;</code></pre>\n",
            ),
            ("&lt;img&gt;", "<p>&lt;img&gt;</p>\n"),
        ];
        for (source, expected) in cases {
            assert_eq!(painted(source), expected, "{source:?}");
        }
    }

    #[test]
    fn links_lead_to_the_web_only() {
        let a = "<a href=\"https://x.y/\" rel=\"noopener noreferrer nofollow\">";
        let cases = [
            ("[t](https://x.y/)", format!("<p>{a}t</a></p>\n")),
            ("![i](https://x.y/)", format!("<p>{a}[image: i]</a></p>\n")),
            ("[![i](https://z/)](https://x.y/)", format!("<p>{a}[image: i]</a></p>\n")),
            (
                "[t](javascript:x)",
                "<p><span class=\"ref\" title=\"javascript:x\">t</span></p>\n".into(),
            ),
            ("[t](src/a.rs)", "<p><span class=\"ref\" title=\"src/a.rs\">t</span></p>\n".into()),
            (
                "[t](<java&#10;script:x>)",
                "<p><span class=\"ref\" title=\"java\nscript:x\">t</span></p>\n".into(),
            ),
            (
                "![i](data:image/svg+xml,x)",
                "<p><span class=\"ref\" title=\"data:image/svg+xml,x\">[image: i]</span></p>\n"
                    .into(),
            ),
        ];
        for (source, expected) in cases {
            assert_eq!(painted(source), expected, "{source:?}");
        }
    }

    #[test]
    fn hostile_texts_give_known_tags() {
        for text in HOSTILE {
            check_vocabulary(&painted(text));
            check_vocabulary(&painted(&format!("> - {text}\n\n| {text} |\n|-|\n| {text} |")));
        }
    }

    #[test]
    fn deep_nesting_takes_work_in_proportion_to_the_text() {
        for (nested, after) in [("- ", "\nx"), ("> ", "\nx"), ("*a ", ""), ("[", ".\n\n")] {
            unspool_work::assert_linear(nested, 5_000, |count| {
                let source = nested.repeat(count) + &after.repeat(count);
                unspool_work::count(|| check_vocabulary(&painted(&source)))
            });
        }
    }

    proptest! {
        #[test]
        fn any_text_gives_known_tags(source in any::<String>()) {
            check_vocabulary(&painted(&source));
        }

        #[test]
        fn any_markdown_gives_known_tags(
            source in "([-*_`#>|<!\\[\\]()~&;:\"'/a1 \n]|<b onclick=x>|\\[a\\]\\(javascript:b\\)|```|!\\[|https://x){0,60}"
        ) {
            check_vocabulary(&painted(&source));
        }
    }
}
