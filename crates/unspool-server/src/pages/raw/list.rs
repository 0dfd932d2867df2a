//! The entries of a log, as a table.

use std::io;

use unspool_model::conversation::Bucket;
use unspool_model::entry::{Entry, EntryKind};
use unspool_model::positions::EntryIndex;
use unspool_model::record::{Record, RecordPart};
use unspool_store::tail::SpanReader;
use unspool_text::html::Html;
use unspool_text::human;

use super::source::RawSource;
use crate::pages::parts::{PageChoice, RowWindow, TimeStyle, moment, table_head};
use crate::route::Call;
use crate::web::RequestProblem;

/// The number of entries on one page.
const PER_PAGE: usize = 200;
/// The maximum length of a line that is read for the table, in bytes.
const LONGEST_READ: u64 = 256 * 1024;
/// The maximum length of an entry's first words, in characters.
const WORDS: usize = 160;

/// The buckets: the name in addresses, the bucket, and the words for it.
pub(super) const BUCKETS: [(&str, Bucket, &str); 5] = [
    ("active", Bucket::Active, "active path"),
    ("other", Bucket::OtherPath, "other path"),
    ("agent", Bucket::Agent, "agent"),
    ("metadata", Bucket::Metadata, "metadata"),
    ("damaged", Bucket::Damaged, "damaged"),
];

/// Returns the words for a bucket.
pub(super) fn bucket_words(bucket: Bucket) -> &'static str {
    bucket_row(bucket).2
}

/// Returns the name of a bucket in addresses and style sheets.
pub(super) fn bucket_name(bucket: Bucket) -> &'static str {
    bucket_row(bucket).0
}

fn bucket_row(bucket: Bucket) -> (&'static str, Bucket, &'static str) {
    let known = BUCKETS.into_iter().find(|(_, known, _)| *known == bucket);
    known.unwrap_or(("", bucket, ""))
}

/// Returns the words for the type of an entry.
pub(super) fn kind_words(entry: &Entry, source: &RawSource<'_>) -> String {
    let name = entry.name.map(|name| source.file.log().text(name));
    let kind = match entry.kind {
        EntryKind::User => "user",
        EntryKind::Assistant => "assistant",
        EntryKind::System => "system",
        EntryKind::Attachment => "attachment",
        EntryKind::Progress => "progress",
        EntryKind::Metadata => "",
        EntryKind::Fragment => return "not a record".to_owned(),
    };
    match name {
        Some(name) if kind.is_empty() => name.to_owned(),
        Some(name) if name != kind => format!("{kind} \u{b7} {name}"),
        _ if kind.is_empty() => "record".to_owned(),
        _ => kind.to_owned(),
    }
}

/// Paints a page of entries.
pub(super) fn paint(
    source: &RawSource<'_>,
    call: &Call,
    html: &mut Html,
) -> Result<(), RequestProblem> {
    let names = BUCKETS.map(|(name, bucket, _)| (name, bucket));
    let bucket = call.query.choose("bucket", &names)?;
    let from: usize = call.query.read("from")?.unwrap_or(0);
    head(source, bucket, call, html);
    let rows: Vec<EntryIndex> = EntryIndex::all(source.entries().len())
        .filter(|at| bucket.is_none_or(|bucket| source.buckets[at.index()] == bucket))
        .collect();
    let from = from.min(rows.len());
    let end = rows.len().min(from + PER_PAGE);
    if rows.is_empty() {
        html.tag("<p class=\"empty\">There is no entry here.</p>\n");
        return Ok(());
    }
    html.tag("<table class=\"entries\">\n");
    table_head(["Line", "Kind", "Where", "Begins with", "Size", "Time"], html);
    let mut reader = source.file.reader();
    for at in &rows[from..end] {
        row(source, *at, &mut reader, html)?;
    }
    html.tag("</tbody></table>\n");
    let window = RowWindow { from, end, total: rows.len(), per_page: PER_PAGE };
    window.paint(call, html);
    Ok(())
}

/// Paints the number of entries in each bucket; every entry is in exactly one.
fn head(source: &RawSource<'_>, chosen: Option<Bucket>, call: &Call, html: &mut Html) {
    let total = source.buckets.len();
    html.tag("<header class=\"raw-head\">\n<h1>");
    html.text(&human::plural(total, "entry"));
    if let Some(agent) = source.agent_id() {
        html.tag(" of agent ").text(agent);
    }
    html.tag("</h1>\n<ul class=\"choices\">");
    choice("all", None, total, chosen.is_none(), call, html);
    for (name, bucket, words) in BUCKETS {
        let count = source.buckets.iter().filter(|known| **known == bucket).count();
        if count > 0 || bucket == Bucket::Damaged {
            choice(words, Some(name), count, chosen == Some(bucket), call, html);
        }
    }
    html.tag("</ul>\n");
    files(source, html);
    html.tag("</header>\n");
}

fn choice(
    words: &str,
    name: Option<&str>,
    count: usize,
    is_chosen: bool,
    call: &Call,
    html: &mut Html,
) {
    let choice = PageChoice { changes: &[("bucket", name), ("from", None)], is_chosen };
    choice.paint(call, html, |html| {
        html.text(words).tag(" <span class=\"n\">").number(count as u64).tag("</span>");
    });
}

/// Paints links to the files of the session.
fn files(source: &RawSource<'_>, html: &mut Html) {
    let session = source.session;
    if session.agents.is_empty() {
        return;
    }
    let way = source.about.way("/raw", &[]);
    html.tag("<details class=\"files\"><summary>Files: the session and ");
    html.text(&human::plural(session.agents.len(), "agent"));
    html.tag("</summary>\n<ul>\n<li>").link(&way, "The session").tag("</li>\n");
    for agent in &session.agents {
        let way = source.about.way("/raw", &[("agent", agent.id.as_str())]);
        html.tag("<li><a").attribute("href", &way).tag(">Agent ");
        html.text(agent.id.as_str()).tag("</a> <span class=\"n\">");
        html.number(agent.file.log().entries.len() as u64);
        html.tag("</span></li>\n");
    }
    html.tag("</ul>\n</details>\n");
}

fn row(
    source: &RawSource<'_>,
    at: EntryIndex,
    reader: &mut SpanReader<'_>,
    html: &mut Html,
) -> io::Result<()> {
    let entry = &source.entries()[at];
    let bucket = source.buckets[at.index()];
    html.tag("<tr data-row").attribute("id", &format!("l-{}", at.index()));
    html.attribute("data-bucket", bucket_name(bucket));
    html.tag("><td class=\"num\"><a").attribute("href", &source.line_way(entry.line));
    html.tag(">").number(entry.line.into()).tag("</a></td><td class=\"kind\">");
    html.text(&kind_words(entry, source));
    html.tag("</td><td class=\"bucket\">").tag(bucket_words(bucket));
    html.tag("</td><td class=\"words\"><span>");
    if entry.span.len <= LONGEST_READ {
        html.text(&beginning(entry, reader.bytes(entry.span)?));
    }
    html.tag("</span></td><td class=\"num\">").text(&human::bytes(entry.span.len));
    html.tag("</td><td class=\"time\">");
    if let Some(time) = entry.time {
        moment(time, TimeStyle::Minute, html);
    }
    html.tag("</td></tr>\n");
    Ok(())
}

/// Returns the first words of an entry: its text, its call, its result, or its bytes.
fn beginning(entry: &Entry, bytes: &[u8]) -> String {
    let words = if entry.kind == EntryKind::Fragment {
        String::from_utf8_lossy(bytes).into_owned()
    } else {
        let record = Record::read(bytes);
        let part = record.parts.iter().find_map(part_words);
        let text = record.text.as_deref().map(str::to_owned);
        part.or(text).unwrap_or_default()
    };
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(WORDS).collect()
}

fn part_words(part: &RecordPart<'_>) -> Option<String> {
    match part {
        RecordPart::Text(text) => Some(text.to_string()),
        RecordPart::Thinking(text) => Some(format!("(thinking) {text}")),
        RecordPart::Call { name, .. } => Some(format!("calls {name}")),
        RecordPart::Result(result) => Some(format!("result: {}", result.text)),
        RecordPart::Media(media) => Some(format!("({})", media.media_type)),
        RecordPart::Other { name } => Some(format!("({name})")),
    }
    .filter(|words| !words.trim().is_empty())
}
