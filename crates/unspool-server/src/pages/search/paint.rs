//! The search page, painted.

use unspool_search::hit::{SearchHit, Snippet};
use unspool_text::html::{Html, anchor};
use unspool_text::human;

use super::gather::{HitsOfSession, SearchData};
use crate::pages::parts::{
    SessionMark, SessionUrls, TimeStyle, is_linkable, mark, moment, note_lines, project_url,
    query_url, shown_title,
};
use crate::route::Call;

/// Examples of the query language: the query, and what it finds.
const EXAMPLES: [(&str, &str); 4] = [
    ("why does the importer lose rows", "words, none of them required"),
    ("\"last row\" role:user", "a phrase, in what you said"),
    ("+panic tool:Bash since:7d", "a word that must be there, in calls of a tool, this week"),
    ("migrate -test is:abandoned", "without a word, on branches that were left"),
];

/// Paints the search box.
pub(super) fn form(data: &SearchData, html: &mut Html) {
    html.tag("<form class=\"ask-big\" role=\"search\" action=\"/search\">");
    html.tag("<input id=\"ask\" type=\"search\" name=\"q\" placeholder=\"Search everything that ");
    html.tag("was said\" aria-label=\"Search everything\" autocomplete=\"off\" ");
    html.tag("autocapitalize=\"off\" spellcheck=\"false\" enterkeyhint=\"search\"");
    html.tag_if(data.asked.is_empty(), " autofocus");
    html.attribute("value", &data.asked).tag(">");
    html.tag("<button class=\"button no-js\" type=\"submit\">Search</button></form>\n");
}

/// Paints the results.
pub(super) fn results(data: &SearchData, call: &Call, html: &mut Html) {
    html.tag("<div id=\"part-results\" class=\"found\" data-part=\"results\">\n");
    if let Some(building) = call.state.refresher.building() {
        html.tag("<p class=\"note-line\">The full text is being built: ");
        html.text(&human::bytes(building.done)).tag(" of ");
        html.text(&human::bytes(building.total));
        html.tag(" read. Results may lack something.</p>\n");
    }
    if data.asked.is_empty() {
        examples(html);
    } else {
        note_lines(&data.notes, html);
        answer(data, html);
    }
    html.tag("</div>\n");
}

fn answer(data: &SearchData, html: &mut Html) {
    if let Some(error) = &data.error {
        html.tag("<p class=\"note-line warning\">").text(error).tag("</p>\n");
        examples(html);
        return;
    }
    html.tag("<p class=\"sum\" role=\"status\">");
    html.text(&human::plural(data.hits, "hit"));
    html.tag(if data.more { " or more in " } else { " in " });
    html.text(&human::plural(data.sessions.len(), "session")).tag("</p>\n");
    missing(data, html);
    if data.hits == 0 {
        nothing(data, html);
        return;
    }
    html.tag(
        "<div class=\"with-facets\">\n<aside class=\"facets\" aria-label=\"Narrow the search\">",
    );
    html.tag("<details id=\"facets\" open><summary>Narrow</summary>\n");
    data.facets.paint(&data.asked, html);
    html.tag("</details></aside>\n<ol class=\"hits\">\n");
    for session in &data.sessions {
        session_hits(session, data, html);
    }
    html.tag("</ol>\n</div>\n");
}

fn examples(html: &mut Html) {
    html.tag("<section class=\"examples\"><h2>Questions look like this</h2>\n<ul>");
    for (query, words) in EXAMPLES {
        html.tag("<li><a").attribute("href", &query_url("/search", &[("q", query)]));
        html.tag("><code>").text(query).tag("</code></a><span>");
        html.tag(words).tag("</span></li>");
    }
    html.tag("</ul></section>\n");
}

/// Paints which words occur nowhere, and the words that may have been meant.
fn missing(data: &SearchData, html: &mut Html) {
    for missing in &data.missing {
        html.tag("<p class=\"note-line\">Nothing contains <b>").text(&missing.word).tag("</b>");
        if let Some(near) = &missing.near {
            let query = data.asked.replace(&missing.word, near);
            html.tag("; did you mean ");
            html.link(&query_url("/search", &[("q", &query)]), near).tag("?");
        }
        html.tag("</p>\n");
    }
}

/// Paints that there are no hits, with wider queries that have some.
fn nothing(data: &SearchData, html: &mut Html) {
    html.tag("<section class=\"examples\"><h2>Nothing was found</h2>\n<ul>");
    for wider in &data.wider {
        let way = query_url("/search", &[("q", &wider.query)]);
        html.tag("<li>").link(&way, &human::plural(wider.hits, "hit")).tag("<span>");
        html.text(&wider.words).tag("</span></li>");
    }
    if data.wider.is_empty() {
        html.tag("<li><span>Try fewer or other words. Words are found as they are written, ");
        html.tag("<code>pre*</code> finds all that begin like this.</span></li>");
    }
    html.tag("</ul></section>\n");
}

fn session_hits(session: &HitsOfSession, data: &SearchData, html: &mut Html) {
    let Some(first) = session.hits.first() else {
        return;
    };
    let id = format!("h-{}", hit_name(first, &data.ways));
    html.tag("<li class=\"hit-group\"").attribute("id", &id).tag(">\n<h2>");
    if let Some(row) = &session.row {
        mark(SessionMark::of(row), html);
        let title = shown_title(row);
        if is_linkable(&row.id) {
            html.link(&data.ways.to_row(row), &title);
        } else {
            html.text(&title);
        }
        html.tag("</h2>\n<p class=\"facts\">");
        if let Some(project) = &row.project {
            html.link(&project_url(project), row.project_name());
        }
        moment(row.last_active(), TimeStyle::Ago, html);
        if row.turns > 0 {
            html.tag("<span>").text(&human::plural(row.turns, "turn")).tag("</span>");
        }
        html.tag("</p>\n");
    } else {
        html.text(first.session.as_str());
        html.tag(
            "</h2>\n<p class=\"facts\"><span>the log is gone; its prompts are left</span></p>\n",
        );
    }
    html.tag("<ul>");
    for hit in &session.hits {
        paint_hit(hit, data, html);
    }
    html.tag("</ul></li>\n");
}

/// Returns the part of element ids that names the session of a hit.
fn hit_name(hit: &SearchHit, ways: &SessionUrls) -> String {
    let id = anchor(hit.session.as_str());
    match ways.project(&hit.session, hit.project.as_ref()) {
        Some(project) => format!("{id}-{}", anchor(project)),
        None => id,
    }
}

/// Paints a hit as a link to its place in the transcript, where the words get marked.
fn paint_hit(hit: &SearchHit, data: &SearchData, html: &mut Html) {
    html.tag("<li data-row")
        .attribute("id", &format!("hit-{}-{}", hit_name(hit, &data.ways), hit.offset));
    html.tag(if hit.active == Some(false) { " class=\"off\">" } else { ">" });
    let words = data.words.as_str();
    let way =
        |parameters: &[(&str, &str)]| data.ways.to(&hit.session, hit.project.as_ref(), parameters);
    let entry = hit.entry.as_ref().filter(|_| !hit.gone && is_linkable(&hit.session));
    if let Some(entry) = entry {
        let way = way(&[("at", entry.as_str()), ("find", words)]);
        let way = format!("{way}#e-{}", anchor(entry.as_str()));
        html.tag("<a").attribute("href", &way).tag(">");
    } else if !hit.gone && is_linkable(&hit.session) {
        html.tag("<a").attribute("href", &way(&[("find", words)])).tag(">");
    } else {
        html.tag("<span class=\"gone\">");
    }
    html.tag("<span class=\"by\">").tag(hit.role.name());
    html.tag_if(hit.agent.is_some(), " \u{b7} agent");
    html.tag_if(hit.active == Some(false), " \u{b7} left branch");
    html.tag("</span><span class=\"snippet\">");
    snippet(&hit.snippet, html);
    html.tag("</span>");
    let is_link = !hit.gone && is_linkable(&hit.session);
    html.tag(if is_link { "</a></li>\n" } else { "</span></li>\n" });
}

/// Paints a snippet with its matches marked.
fn snippet(snippet: &Snippet, html: &mut Html) {
    let letters: Vec<char> = snippet.text.chars().collect();
    let piece = |from: usize, to: usize| -> String {
        letters[from.min(letters.len())..to.min(letters.len())].iter().collect()
    };
    let mut done = 0;
    for place in &snippet.matches {
        if place.start < done || place.end > letters.len() {
            continue;
        }
        html.text(&piece(done, place.start)).tag("<mark>");
        html.text(&piece(place.start, place.end)).tag("</mark>");
        done = place.end;
    }
    html.text(&piece(done, letters.len()));
}
