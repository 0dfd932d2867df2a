//! The head of a session page: title, totals, links, banners, and the menu of paths.

use unspool_engine::ops::transcript::ViewKind;
use unspool_model::conversation::Liveness;
use unspool_model::paths::PathKind;
use unspool_render::html::heading;
use unspool_text::html::Html;
use unspool_text::human;
use unspool_text::sanitize::one_line;

use super::branches::{BranchFacts, branch_words};
use super::sheet::SessionSheet;
use super::time::moment;

/// The maximum length of a title, in characters.
const TITLE: usize = 120;
/// The maximum number of paths in the menu.
const PATHS: usize = 40;

/// Returns the title of the shown conversation.
pub(super) fn title(sheet: &SessionSheet<'_>) -> String {
    let shown = &sheet.shown;
    let agent = shown.agent.as_ref().map(|id| {
        let info = shown.agents.iter().find(|info| info.id == *id);
        let description = info.and_then(|info| info.description.clone());
        description.unwrap_or_else(|| format!("Agent {id}"))
    });
    let title = agent.or_else(|| shown.title());
    let title = title.map(|title| one_line(&title, TITLE));
    let title = title.filter(|title| !title.is_empty());
    title.unwrap_or_else(|| format!("Session {}", shown.session.id))
}

/// Paints the head of the page.
pub(super) fn paint(sheet: &SessionSheet<'_>, title: &str, html: &mut Html) {
    html.tag("<header class=\"front\">\n");
    heading(title, html);
    sum(sheet, html);
    tabs(sheet, html);
    banners(sheet, html);
    html.tag("</header>\n");
}

/// Paints the totals of the conversation in one line.
fn sum(sheet: &SessionSheet<'_>, html: &mut Html) {
    let shown = &sheet.shown;
    let mut words = vec![
        human::plural(shown.turns.len(), "turn"),
        human::plural(shown.view.messages.len(), "message"),
    ];
    if !shown.agents.is_empty() && shown.agent.is_none() {
        words.push(human::plural(shown.agents.len(), "agent"));
    }
    html.tag("<p class=\"sum\">");
    html.text(&words.join(" \u{b7} "));
    if let Some(started) = shown.turns.first().and_then(|turn| turn.started) {
        html.tag(" \u{b7} ");
        moment(started, html);
    }
    html.tag("</p>\n");
}

/// Paints links to the other pages about the session.
fn tabs(sheet: &SessionSheet<'_>, html: &mut Html) {
    let ways = &sheet.ways;
    html.tag("<nav class=\"tabs\" aria-label=\"Views of the session\">\n");
    let mut tab = |way: &str, go: &'static str, name: &'static str, is_here: bool| {
        html.tag("<a").attribute("href", way);
        if !go.is_empty() {
            html.attribute("data-go", go);
        }
        html.tag_if(is_here, " aria-current=\"page\"");
        html.tag(">").tag(name).tag("</a>\n");
    };
    let is_context = sheet.shown.kind == ViewKind::Context;
    let history = ways.in_view(ViewKind::History).page();
    tab(&history, "", "Conversation", !is_context);
    for (step, go, name) in [
        ("tree", "t", "Tree"),
        ("time", "w", "Time"),
        ("context", "", "Context"),
        ("files", "f", "Changes"),
    ] {
        tab(&ways.of_session(&[step], &[]), go, name, false);
    }
    let context = ways.in_view(ViewKind::Context).page();
    tab(&context, "", "What the model sees", is_context);
    html.tag("</nav>\n");
}

/// Paints what a reader must know first: that this is a context, an agent, or an abandoned path.
fn banners(sheet: &SessionSheet<'_>, html: &mut Html) {
    let shown = &sheet.shown;
    if shown.kind == ViewKind::Context {
        html.tag("<p class=\"banner\">This is what the model would be sent, not the whole history.</p>\n");
    }
    if let Some(id) = &shown.agent {
        let session = sheet.ways.of_agent(None).page();
        html.tag("<p class=\"banner\">This is the conversation of an agent, <code>").text(id);
        html.tag("</code>. ").link(&session, "Go to the session that started it").tag("</p>\n");
        return;
    }
    let Some(path) = shown.path.as_ref().filter(|path| !path.active) else {
        return;
    };
    let active = sheet.ways.on_path(None).page();
    html.tag("<p class=\"banner\" id=\"abandoned\">This path was abandoned: ");
    html.tag(match path.kind {
        PathKind::Retry => "the model answered again. ",
        PathKind::Rewind | PathKind::Active => "something else was said instead. ",
    });
    html.link(&active, "Go to the active path").tag("</p>\n");
}

/// Paints whether a process owns the session; the script adds what the process does.
pub(super) fn state(sheet: &SessionSheet<'_>, html: &mut Html) {
    html.tag(match sheet.shown.live {
        Liveness::Live => "<span id=\"state\" class=\"state live\">live</span>\n",
        Liveness::Idle => "<span id=\"state\" class=\"state\" hidden></span>\n",
    });
}

/// Paints the number of the shown path, and a menu of all paths.
pub(super) fn path_menu(sheet: &SessionSheet<'_>, html: &mut Html) {
    let shown = &sheet.shown;
    let count = shown.path_count();
    let Some(number) = sheet.path_number().filter(|_| count > 1) else {
        return;
    };
    html.tag("<details class=\"paths\" id=\"paths\"><summary>path ").number(number.into());
    html.tag(" of ").number(count as u64).tag("</summary>\n<ul>\n");
    let facts = BranchFacts::new(shown, sheet.prices);
    let (_, listed) = shown.listed_paths();
    for path in listed.iter().take(PATHS) {
        let own = shown.number_of(path);
        let is_shown = own == number;
        let way = sheet.ways.on_path(Some(own).filter(|_| !path.active)).page();
        html.tag("<li><a").attribute("href", &way);
        html.tag_if(is_shown, " aria-current=\"page\"");
        let fact = facts.of(path.index);
        html.tag(">").text(&branch_words(&fact));
        if let Some(ended) = fact.ended {
            html.tag(" <small>");
            moment(ended, html);
            html.tag("</small>");
        }
        html.tag("</a></li>\n");
    }
    html.tag("</ul>\n");
    if count > PATHS {
        html.tag("<p>and ").number((count - PATHS) as u64).tag(" more</p>\n");
    }
    html.tag("</details>\n");
}
