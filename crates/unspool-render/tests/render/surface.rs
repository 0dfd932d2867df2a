//! The content of pages.

use std::io;

use proptest::prelude::*;
use unspool_render::document::{DocumentSurface as _, TranscriptHead, WriterPaper};
use unspool_render::html::{HtmlSurface, PageOptions};
use unspool_render::plain::PlainSurface;
use unspool_render::transcript_md::MarkdownSurface;
use unspool_testkit::markup::{HOSTILE, check_vocabulary};
use unspool_text::html::Painting;

use crate::paper::{Book, Told, tell};
use crate::sample;

/// Returns the usual options.
pub(crate) fn options() -> PageOptions {
    PageOptions { painting: Painting::Highlighted, site: None }
}

/// Paints a transcript into a book.
pub(crate) fn painted((head, messages): &(TranscriptHead, Vec<Told>)) -> Book {
    let mut book = Book::new("transcript_x");
    let mut surface = HtmlSurface::new(options(), &mut book);
    tell(&mut surface, head, messages).expect("memory can be written");
    book
}

/// Returns a page without its style sheet, its script and its policy.
fn without_assets(page: &str) -> String {
    let mut out = page.to_owned();
    for (open, close) in [("<style>", "</style>"), ("<script>", "</script>")] {
        if let (Some(start), Some(end)) = (out.find(open), out.find(close)) {
            out.replace_range(start + open.len()..end, "");
        }
    }
    let hashes = out.find("style-src").zip(out.find("base-uri"));
    if let Some((start, end)) = hashes {
        out.replace_range(start..end, "");
    }
    out
}

#[test]
fn one_of_everything() {
    let book = painted(&sample::everything());
    let pages = book.texts();
    assert_eq!(pages.len(), 1);
    check_vocabulary(pages[0]);
    insta::assert_snapshot!(without_assets(pages[0]));
}

#[test]
fn the_same_transcript_gives_the_same_bytes() {
    let sample = sample::everything();
    assert_eq!(painted(&sample).pages, painted(&sample).pages);
}

#[test]
fn a_page_names_all_that_may_run() {
    let book = painted(&sample::everything());
    let page = book.texts()[0];
    let policy = "content=\"default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-";
    assert!(page.contains(policy));
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("<style").count(), 1);
    for forbidden in ["onclick", "style=\"", "javascript:\"", "src=\"http"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn long_transcripts_become_pages_that_lead_to_each_other() {
    let book = painted(&sample::long(200));
    let pages = book.texts();
    assert_eq!(pages.len(), 3);
    for (index, page) in pages.iter().enumerate() {
        check_vocabulary(page);
        assert!(page.contains(&format!("Page {} of 3", index + 1)));
        for turn in [1, 76, 200] {
            let name = match turn {
                1 => "transcript_x.html",
                76 => "transcript_x_2.html",
                _ => "transcript_x_3.html",
            };
            let own = page.contains(&format!("id=\"turn-{turn}\""));
            let href = if own { String::new() } else { name.to_owned() };
            assert!(page.contains(&format!("href=\"{href}#turn-{turn}\"")), "{turn} on {index}");
        }
    }
    assert!(pages[1].contains("href=\"transcript_x.html\">Previous page"));
    assert!(pages[1].contains("href=\"transcript_x_3.html\">Next page"));
}

#[test]
fn very_long_transcripts_list_their_own_turns_and_all_pages() {
    let book = painted(&sample::long(600));
    let pages = book.texts();
    assert_eq!(pages.len(), 8);
    for page in pages {
        let listed = page.matches("<span class=\"n\">").count();
        assert!(listed <= 75 && listed > 0, "{listed}");
        assert_eq!(page.matches(" id=\"paths\">Other paths: <a ").count(), 1);
        assert!(page.contains("href=\"transcript_x_8.html\""));
    }
}

#[test]
fn a_stream_is_one_page() {
    let (head, messages) = sample::long(200);
    let mut paper = WriterPaper(Vec::new());
    let mut surface = HtmlSurface::new(options(), &mut paper);
    tell(&mut surface, &head, &messages).expect("memory can be written");
    let page = String::from_utf8(paper.0).expect("UTF-8");
    assert_eq!(page.matches("<!doctype html>").count(), 1);
    check_vocabulary(&page);
}

#[test]
fn nothing_hostile_becomes_markup() {
    for text in HOSTILE {
        let book = painted(&sample::made_of(text));
        for page in book.texts() {
            check_vocabulary(page);
        }
    }
}

#[test]
fn a_line_of_a_quarter_megabyte_is_painted() {
    let line = "<a&\x1b[31m".repeat(30_000);
    let book = painted(&sample::made_of(&line));
    for page in book.texts() {
        check_vocabulary(page);
    }
}

#[test]
fn a_command_is_written_whole_once() {
    for command in ["pwd", "printf 'a   b'", &"漢".repeat(81), &"x".repeat(161)] {
        let (head, messages) = sample::command(command);
        let (mut markdown, mut plain) = (WriterPaper(Vec::new()), WriterPaper(Vec::new()));
        tell(&mut MarkdownSurface::new(&mut markdown), &head, &messages).expect("written");
        tell(&mut PlainSurface::new(&mut plain), &head, &messages).expect("written");
        for paper in [markdown, plain] {
            let text = String::from_utf8(paper.0).expect("UTF-8");
            assert_eq!(text.matches(command).count(), 1, "{text}");
        }
    }
}

#[test]
fn code_is_coloured_only_when_asked() {
    let (head, messages) = sample::everything();
    let plain = PageOptions { painting: Painting::Plain, ..options() };
    let mut book = Book::new("x");
    let mut surface = HtmlSurface::new(plain, &mut book);
    tell(&mut surface, &head, &messages).expect("memory can be written");
    assert!(!book.texts()[0].contains("<span class=\"k\">"));
    assert!(painted(&sample::everything()).texts()[0].contains("<span class=\"k\">"));
}

#[test]
fn an_empty_transcript_is_a_page() -> io::Result<()> {
    let mut book = Book::new("x");
    let mut surface = HtmlSurface::new(options(), &mut book);
    surface.begin(&sample::head(&[]))?;
    surface.end()?;
    check_vocabulary(book.texts()[0]);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_becomes_markup(
        text in "([<>&\"'/=`*_\\[\\](){}#|~!:; \\\\\x1b\x07\r\n\ta-z0-9]|<script>|</code>|<!--|javascript:|\x1b\\[[0-9;]{0,6}m|\\PC){0,60}"
    ) {
        for page in painted(&sample::made_of(&text)).texts() {
            check_vocabulary(page);
        }
    }
}
