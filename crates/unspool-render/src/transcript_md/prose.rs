//! Makes Markdown of a model safe: the same text, without anything active.
//!
//! The text is parsed to find its code, which is inactive and must not change. Everywhere else `<` becomes an
//! entity, which disables HTML; images are escaped, so that nothing is loaded; and links are escaped unless
//! they lead to a page, to mail or to a place nearby. Headings move down two levels, below those of the
//! document. The result is parsed again; if anything active is left, the text is shown as it was typed.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr3_iter;
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag};
use unspool_text::markdown::{SYNTAX, bound_nesting};
use unspool_text::{LinkTarget, sanitize};

use super::escape::{fence, typed_line};

/// Longer texts are shown as typed: no person or model writes so much prose.
const LONGEST: usize = 1 << 20;

/// How often a text is parsed and edited before it is shown as typed.
const ROUNDS: usize = 3;

/// Makes Markdown of a model safe inside a document; the result ends with a line break.
pub(super) fn prose(text: &str) -> String {
    let cleaned = sanitize::clean(text);
    let cleaned = cleaned.trim_matches('\n').trim_end();
    if cleaned.len() <= LONGEST
        && let Some(safe) = tame(cleaned)
    {
        return safe;
    }
    typed(cleaned)
}

/// Escapes a text line by line, as it was typed; the result ends with a line break.
pub(super) fn typed(text: &str) -> String {
    let cleaned = sanitize::clean(text);
    let mut out = String::with_capacity(cleaned.len() + 16);
    let mut lines = cleaned.trim_end().lines().peekable();
    while let Some(line) = lines.next() {
        typed_line(line, &mut out);
        let goes_on = lines.peek().is_some_and(|next| !next.trim().is_empty());
        if goes_on && !line.trim().is_empty() {
            // A backslash keeps the line break.
            out.push('\\');
        }
        out.push('\n');
    }
    out
}

/// Disables everything active in a text; returns `None` if that takes more than [`ROUNDS`].
fn tame(text: &str) -> Option<String> {
    let mut text = lower_headings(bound_nesting(text));
    if !text.contains(['<', '[', '`', '~']) {
        return Some(format!("{text}\n"));
    }
    for _ in 0..ROUNDS {
        let seen = SeenMarkup::of(&text);
        let edits = seen.edits(&text);
        if edits.is_empty() {
            let mut text = text.into_owned();
            text.push('\n');
            if let Some(fence) = seen.open_fence {
                text.push_str(&fence);
                text.push('\n');
            }
            return Some(text);
        }
        text = Cow::Owned(apply(&text, edits));
    }
    None
}

/// The levels of headings that the document uses itself.
const OWN_LEVELS: usize = 2;

/// Lowers the headings of a text below those of the document. An underlined heading gets the marks
/// of its level instead, unless it is inside another block.
fn lower_headings(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains(['#', '=', '-']) {
        return text;
    }
    let options = Options::ENABLE_TABLES;
    let mut out = String::with_capacity(text.len() + 16);
    let mut copied = 0;
    let mut depth = 0usize;
    for (event, range) in Parser::new_ext(&text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let heading = &text[range.clone()];
                if let Some(lower) = lowered(heading, level as usize, depth) {
                    out.push_str(&text[copied..range.start]);
                    out.push_str(&lower);
                    copied = range.end;
                }
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    if copied == 0 {
        return text;
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Returns a heading at its new level; `None` if it must stay as it is.
fn lowered(heading: &str, level: usize, depth: usize) -> Option<String> {
    let marks = "#".repeat((level + OWN_LEVELS).min(6));
    if let Some(rest) = heading.trim_start().strip_prefix('#') {
        return Some(format!("{marks}{}", rest.trim_start_matches('#')));
    }
    let (words, _underline) = heading.trim_end().rsplit_once('\n')?;
    let words: Vec<&str> = words.lines().map(str::trim).collect();
    let end = &heading[heading.trim_end().len()..];
    (depth == 0).then(|| format!("{marks} {}{end}", words.join(" ")))
}

/// Markup that the parser found in a text.
#[derive(Default)]
struct SeenMarkup {
    /// The ranges of code, in order.
    code: Vec<Range<usize>>,
    /// The offsets of `<` that begin a link to a page or to mail.
    autolinks: Vec<usize>,
    /// The offsets of links and link definitions that lead elsewhere.
    hostile: Vec<usize>,
    /// The fence that closes a block of code that the text leaves open.
    open_fence: Option<String>,
}

/// A replacement of `remove` bytes at an offset.
struct Edit {
    at: usize,
    remove: usize,
    put: &'static str,
}

impl SeenMarkup {
    fn of(text: &str) -> Self {
        let parser = Parser::new_ext(text, SYNTAX);
        let mut seen = Self::default();
        for (_, definition) in parser.reference_definitions().iter() {
            if !is_harmless(&definition.dest) {
                seen.hostile.push(definition.span.start);
            }
        }
        let mut depth = 0;
        let mut last_block = None;
        for (event, range) in parser.into_offset_iter() {
            match event {
                Event::Start(tag) => {
                    if depth == 0 {
                        last_block = matches!(tag, Tag::CodeBlock(CodeBlockKind::Fenced(_)))
                            .then(|| range.clone());
                    }
                    depth += 1;
                    seen.begins(&tag, range);
                }
                Event::End(_) => depth -= 1,
                Event::Code(_) => seen.code.push(range),
                _ => {}
            }
        }
        seen.open_fence = last_block.and_then(|range| open_fence(&text[range]));
        seen
    }

    fn begins(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::CodeBlock(_) => self.code.push(range),
            Tag::Link { link_type, dest_url, .. } => {
                let is_auto = matches!(link_type, LinkType::Autolink | LinkType::Email);
                match (is_harmless(dest_url), is_auto) {
                    (true, true) => self.autolinks.push(range.start),
                    (true, false) | (false, true) => {}
                    (false, false) => self.hostile.push(range.start),
                }
            }
            _ => {}
        }
    }

    /// Returns the necessary edits, in the order of the text.
    fn edits(&self, text: &str) -> Vec<Edit> {
        let bytes = text.as_bytes();
        let mut hostile = self.hostile.clone();
        hostile.sort_unstable();
        hostile.dedup();
        let mut hostile = hostile.into_iter().peekable();
        let mut code = self.code.iter().peekable();
        let mut edits = Vec::new();
        for at in memchr3_iter(b'<', b'!', b'[', bytes) {
            while code.next_if(|range| range.end <= at).is_some() {}
            if code.peek().is_some_and(|range| range.start <= at) {
                continue;
            }
            while hostile.next_if(|&place| place < at).is_some() {}
            let escaped = is_escaped(bytes, at);
            let (remove, put) = match bytes[at] {
                b'<' if self.autolinks.binary_search(&at).is_ok() => continue,
                b'<' if escaped => (2, "&lt;"),
                b'<' => (1, "&lt;"),
                b'!' if bytes.get(at + 1) == Some(&b'[') && !escaped => (1, "\\!\\"),
                b'[' if hostile.peek() == Some(&at) && !escaped => (1, "\\["),
                _ => continue,
            };
            // An edit of an escaped `<` covers its backslash too.
            let at = at + 1 - remove;
            edits.push(Edit { at, remove, put });
        }
        edits
    }
}

/// Returns whether an odd number of backslashes precedes an offset.
fn is_escaped(bytes: &[u8], at: usize) -> bool {
    let run = bytes[..at].iter().rev().take_while(|&&b| b == b'\\').count();
    run % 2 == 1
}

/// Returns whether an address leads to a page, to mail, or to a place nearby.
fn is_harmless(url: &str) -> bool {
    LinkTarget::of(url) != LinkTarget::Elsewhere
}

/// Returns the fence that would close a block of code, unless the block is closed.
fn open_fence(block: &str) -> Option<String> {
    let first = block.lines().next()?.trim_start();
    let mark = first.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = first.chars().take_while(|&c| c == mark).count();
    let ends_it = |line: &str| {
        // A line that is indented further is code.
        let text = line.trim_start_matches(' ');
        if line.len() - text.len() > 3 {
            return false;
        }
        let line = text.trim_end();
        line.chars().all(|c| c == mark) && line.len() >= length
    };
    let closed = block.lines().skip(1).last().is_some_and(ends_it);
    (!closed).then(|| mark.to_string().repeat(length))
}

fn apply(text: &str, edits: Vec<Edit>) -> String {
    let mut out = String::with_capacity(text.len() + 8 * edits.len());
    let mut copied = 0;
    for edit in edits {
        out.push_str(&text[copied..edit.at]);
        out.push_str(edit.put);
        copied = edit.at + edit.remove;
    }
    out.push_str(&text[copied..]);
    out
}

/// Puts a text into a block of code that it cannot end. The language must not come from a log.
pub(super) fn code(language: &str, text: &str) -> String {
    let fence = fence(text);
    let text = text.trim_end_matches('\n');
    format!("{fence}{language}\n{text}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Parser};

    use super::*;

    #[test]
    fn headings_are_below_those_of_the_document() {
        for (text, expected) in [
            ("# A\n\ntext # no\n\n## B ##\n", "### A\n\ntext # no\n\n#### B ##\n"),
            ("##### E\n###### F", "###### E\n###### F\n"),
            ("Title\n=====\n\nPart\n---\ntext", "### Title\n\n#### Part\ntext\n"),
            ("two\nlines\n===\n", "### two lines\n"),
            ("- # in a list\n", "- ### in a list\n"),
            ("```sh\n# a comment\n```", "```sh\n# a comment\n```\n"),
            ("a | b\n--|--\n1 | 2", "a | b\n--|--\n1 | 2\n"),
            ("#hashtag", "#hashtag\n"),
        ] {
            assert_eq!(prose(text), expected, "{text}");
        }
    }

    #[test]
    fn markdown_stays_as_it_was_written() {
        for text in [
            "Some *text* with `code <b>` and a [link](https://x.org/a).",
            "1. one\n2. two\n   - three",
            "| a | b |\n|---|---|\n| 1 | 2 |",
            "```html\n<script>in code</script>\n```",
            "<https://x.org> and <me@x.org>",
            "a < b is not HTML, nor is \\< or 3 <4",
        ] {
            let expected = match text.strip_prefix("a < b") {
                Some(_) => "a &lt; b is not HTML, nor is &lt; or 3 &lt;4".to_owned(),
                None => text.to_owned(),
            };
            assert_eq!(prose(text), format!("{expected}\n"));
        }
    }

    #[test]
    fn what_could_act_is_written_out() {
        for (text, expected) in [
            ("<b>x</b>", "&lt;b>x&lt;/b>\n"),
            ("![a](http://x/p.png)", "\\!\\[a](http://x/p.png)\n"),
            ("[a](javascript:x)", "\\[a](javascript:x)\n"),
            ("[a]: data:x\n\n[a]", "\\[a]: data:x\n\n\\[a]\n"),
            ("<javascript:x>", "&lt;javascript:x>\n"),
            ("\\![a](http://x)", "\\![a](http://x)\n"),
        ] {
            assert_eq!(prose(text), expected, "{text}");
        }
    }

    #[test]
    fn a_block_of_code_that_is_left_open_is_closed() {
        assert_eq!(prose("```rust\nfn x() {}"), "```rust\nfn x() {}\n```\n");
        assert_eq!(prose("~~~~\n```\nx"), "~~~~\n```\nx\n~~~~\n");
        assert_eq!(prose("```\nclosed\n```"), "```\nclosed\n```\n");
        assert_eq!(prose("```\n    ```"), "```\n    ```\n```\n");
        assert_eq!(prose("```"), "```\n```\n");
    }

    #[test]
    fn code_cannot_leave_its_fence() {
        assert_eq!(code("text", "a\n```\nb"), "````text\na\n```\nb\n````\n");
        assert_eq!(code("", ""), "```\n\n```\n");
    }

    /// Generates texts from pieces of Markdown and HTML.
    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "<",
            ">",
            "</",
            "script",
            "a",
            "[",
            "]",
            "(",
            ")",
            "!",
            "![",
            "](",
            "]: ",
            "`",
            "``",
            "```",
            "~~~",
            "\n",
            "\n\n",
            " ",
            "    ",
            "- ",
            "> ",
            "1. ",
            "|",
            "\\",
            "*",
            "&lt;",
            "javascript:",
            "http://x ",
            "<!--",
            "-->",
            "<?",
            "<b>",
            "\"",
            "'",
            "#",
            "---\n",
            "\t",
        ]);
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn nothing_that_comes_out_acts(text in pieces()) {
            let written = format!("{}\n<details>\n\nsentinel\n\n</details>\n", prose(&text));
            let mut sentinel = false;
            for event in Parser::new(&written) {
                match event {
                    Event::Html(html) => {
                        let html = html.trim();
                        prop_assert!(html == "<details>" || html == "</details>", "{written}");
                    }
                    Event::InlineHtml(html) => prop_assert!(false, "{html} in {written}"),
                    Event::Start(Tag::Image { .. }) => prop_assert!(false, "{written}"),
                    Event::Start(Tag::Link { dest_url, .. }) => {
                        prop_assert!(is_harmless(&dest_url), "{written}");
                    }
                    Event::Text(text) => sentinel |= &*text == "sentinel",
                    _ => {}
                }
            }
            prop_assert!(sentinel, "{written}");
        }

        #[test]
        fn typed_text_is_text_and_nothing_else(text in pieces()) {
            let written = typed(&text);
            for event in Parser::new(&written) {
                let fine = matches!(
                    event,
                    Event::Text(_)
                        | Event::SoftBreak
                        | Event::HardBreak
                        | Event::Start(Tag::Paragraph)
                        | Event::End(pulldown_cmark::TagEnd::Paragraph)
                );
                prop_assert!(fine, "{event:?} in {written:?}");
            }
        }
    }
}
