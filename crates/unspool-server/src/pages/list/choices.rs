//! Filters as links: each leads to the same list with one filter added, removed or changed.

use unspool_text::html::Html;

use super::gather::ListData;
use crate::filters::FILTER_NAMES;
use crate::pages::parts::PageChoice;
use crate::route::Call;

/// The maximum number of branches that are offered; others can be named in the address.
const BRANCHES: usize = 8;

/// The offered times: the value of the parameter, and the words for it.
const TIMES: [(&str, &str); 3] = [("today", "today"), ("7d", "7 days"), ("30d", "30 days")];

/// A choice: its value, none for "all"; the words for it; and how many sessions it matches.
struct ListChoice<'a> {
    value: Option<&'a str>,
    words: &'a str,
    count: Option<usize>,
}

impl<'a> ListChoice<'a> {
    fn any() -> Self {
        Self { value: None, words: "any", count: None }
    }

    fn of(value: &'a str, words: &'a str, count: usize) -> Self {
        Self { value: Some(value), words, count: Some(count) }
    }
}

/// Paints the filters.
pub(super) fn paint(data: &ListData, call: &Call, html: &mut Html) {
    html.tag("<nav class=\"filters\" aria-label=\"Filters\">\n");
    let facts = &data.facts;
    let mut ends = vec![ListChoice::any()];
    for (value, words, count) in
        [("error", "error", facts.errors), ("interrupted", "interrupted", facts.interrupted)]
    {
        if count > 0 {
            ends.push(ListChoice::of(value, words, count));
        }
    }
    group("status", "Ended", &ends, call, html);
    let mut kinds = vec![ListChoice { value: None, words: "people's", count: None }];
    for (value, words, count) in
        [("headless", "headless", facts.headless), ("empty", "without a conversation", facts.empty)]
    {
        if count > 0 {
            kinds.push(ListChoice::of(value, words, count));
        }
    }
    group("kind", "Kind", &kinds, call, html);
    let mut times = vec![ListChoice::any()];
    times.extend(TIMES.map(|(value, words)| ListChoice { value: Some(value), words, count: None }));
    group("since", "Since", &times, call, html);
    if data.project.is_some() {
        let mut branches = vec![ListChoice::any()];
        let most = facts.branches.iter().take(BRANCHES);
        branches.extend(most.map(|(name, count)| ListChoice::of(name, name, *count)));
        group("branch", "Branch", &branches, call, html);
    }
    clear(call, html);
    html.tag("</nav>\n");
}

/// Paints the choices of one parameter, unless there is only one.
fn group(
    name: &'static str,
    title: &'static str,
    choices: &[ListChoice<'_>],
    call: &Call,
    html: &mut Html,
) {
    if choices.len() < 2 {
        return;
    }
    let chosen = call.query.get(name);
    html.tag("<div class=\"filter\"><span class=\"name\">").tag(title);
    html.tag("</span><ul class=\"choices\">");
    for choice in choices {
        let mut changes = vec![(name, choice.value), ("cursor", None)];
        // The end of a week makes no sense with another start, so it is removed.
        changes.extend((name == "since").then_some(("until", None)));
        let link = PageChoice { changes: &changes, is_chosen: choice.value == chosen };
        link.paint(call, html, |html| {
            html.text(choice.words);
            if let Some(count) = choice.count {
                html.tag(" <span class=\"n\">").number(count as u64).tag("</span>");
            }
        });
    }
    html.tag("</ul></div>\n");
}

fn clear(call: &Call, html: &mut Html) {
    let asked = |name: &&&str| call.query.get(name).is_some();
    if FILTER_NAMES.iter().any(|name| asked(&name)) {
        html.tag("<a class=\"button\"").attribute("href", &call.path);
        html.tag(">Clear filters</a>\n");
    }
}
