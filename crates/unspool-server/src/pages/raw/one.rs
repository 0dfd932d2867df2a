//! One line of a log, painted: its facts, its JSON with indentation, and the original line.

use std::io;

use unspool_model::entry::Entry;
use unspool_text::html::{Html, Painting, code_block};
use unspool_text::human;

use super::list::{bucket_name, bucket_words, kind_words};
use super::pretty::pretty;
use super::source::RawLine;
use crate::pages::parts::{SessionPageContext, TimeStyle, moment, transcript_url};

/// The maximum length of a line that is shown, in bytes; longer ones can be downloaded.
const LONGEST_SHOWN: u64 = 512 * 1024;
/// The maximum length of a line that is highlighted, in bytes.
const LONGEST_PAINTED: u64 = 128 * 1024;
/// The maximum number of child entries that are listed.
const FOLLOWERS: usize = 8;

/// Paints a line.
pub(super) fn paint(line: &RawLine<'_>, html: &mut Html) -> io::Result<()> {
    head(line, html);
    facts(line, html);
    let way = line.source.line_way(line.number);
    let joint = if way.contains('?') { '&' } else { '?' };
    let whole = format!("{way}{joint}as=line");
    if line.len() > LONGEST_SHOWN {
        html.tag("<p class=\"note-line\">This line has ").text(&human::bytes(line.len()));
        html.tag(", which is too much for a page. <a").attribute("href", &whole);
        html.tag(" download>Save the line</a></p>\n");
        return Ok(());
    }
    let bytes = line.bytes()?;
    let text = String::from_utf8_lossy(&bytes);
    let painting =
        if line.len() <= LONGEST_PAINTED { Painting::Highlighted } else { Painting::Plain };
    if let Some(text) = pretty(&text) {
        html.tag("<section aria-labelledby=\"set-out\">\n<h2 id=\"set-out\">Set out</h2>\n");
        code_block("json", &text, painting, html);
        html.tag("</section>\n");
    } else {
        html.tag("<p class=\"note-line warning\">This line is not whole JSON; it is shown as it ");
        html.tag("is.</p>\n");
    }
    html.tag("<section aria-labelledby=\"as-it-is\">\n<div class=\"head-line\">");
    html.tag("<h2 id=\"as-it-is\">As it is</h2><span class=\"right\"><a class=\"button\"");
    html.attribute("href", &whole).tag(" download>Save the line</a></span></div>\n");
    html.tag("<pre class=\"line\" tabindex=\"0\" translate=\"no\"><code>");
    html.text(text.trim_end_matches(['\n', '\r']));
    html.tag("</code></pre>\n</section>\n");
    Ok(())
}

fn head(line: &RawLine<'_>, html: &mut Html) {
    html.tag("<div class=\"head-line\"><h1>Line ").number(line.number.into());
    html.tag(" <span class=\"soft\">").text(&kind_words(line.entry(), &line.source));
    html.tag("</span></h1>\n<nav class=\"right\" aria-label=\"Lines\">");
    let (before, after) = line.neighbours();
    for (words, rel, number) in [("Line before", "prev", before), ("Next line", "next", after)] {
        if let Some(number) = number {
            html.tag("<a class=\"button\"").attribute("rel", rel);
            html.attribute("href", &line.source.line_way(number));
            html.tag(">").tag(words).tag("</a>");
        }
    }
    html.tag("</nav></div>\n");
}

fn facts(line: &RawLine<'_>, html: &mut Html) {
    let (entry, log) = (line.entry(), line.source.file.log());
    html.tag("<dl class=\"facts-list\">\n<div><dt>Where</dt><dd class=\"bucket\"");
    html.attribute("data-bucket", bucket_name(line.bucket())).tag(">");
    html.tag(bucket_words(line.bucket())).tag("</dd></div>\n");
    if let Some(time) = entry.time {
        html.tag("<div><dt>Time</dt><dd>");
        moment(time, TimeStyle::Minute, html);
        html.tag("</dd></div>\n");
    }
    html.tag("<div><dt>Size</dt><dd>").text(&human::bytes(line.len()));
    html.tag("</dd></div>\n");
    if let Some(uuid) = entry.uuid {
        id(log.text(uuid), line.source.about, html);
    }
    for (name, other) in [("Parent", entry.parent), ("Logical parent", entry.logical_parent)] {
        if let Some(other) = other {
            html.tag("<div><dt>").tag(name).tag("</dt><dd>");
            let uuid = log.text(other);
            if log.find(uuid).is_some() {
                link(line, uuid, html);
            } else {
                html.text(uuid).tag(" (not in this file)");
            }
            html.tag("</dd></div>\n");
        }
    }
    followers(line, entry, html);
    html.tag("</dl>\n");
}

fn id(uuid: &str, about: &SessionPageContext, html: &mut Html) {
    html.tag("<div><dt>Id</dt><dd><code translate=\"no\">").text(uuid);
    html.tag("</code></dd></div>\n<div><dt>In the transcript</dt><dd>");
    html.link(&transcript_url(about, uuid, None), "show it there").tag("</dd></div>\n");
}

/// Lists the children of an entry.
fn followers(line: &RawLine<'_>, entry: &Entry, html: &mut Html) {
    let log = line.source.file.log();
    let Some(uuid) = entry.uuid else {
        return;
    };
    let followers: Vec<&Entry> =
        log.entries.iter().filter(|other| other.parent == Some(uuid)).collect();
    if followers.is_empty() {
        return;
    }
    html.tag("<div><dt>Goes on with</dt><dd>");
    for other in followers.iter().take(FOLLOWERS) {
        html.link(&line.source.line_way(other.line), &format!("line {}", other.line)).tag(" ");
    }
    if let Some(more @ 1..) = followers.len().checked_sub(FOLLOWERS) {
        html.tag("and ").number(more as u64).tag(" more");
    }
    html.tag("</dd></div>\n");
}

fn link(line: &RawLine<'_>, uuid: &str, html: &mut Html) {
    html.tag("<a").attribute("href", &line.source.entry_url(uuid));
    html.tag("><code translate=\"no\">").text(uuid).tag("</code></a>");
}
