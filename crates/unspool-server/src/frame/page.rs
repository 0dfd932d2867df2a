//! The frame of every page: the bar with the breadcrumbs, the search, what waits for a person and
//! the state of the connection; and the files that a page loads.

use unspool_render::html::key_help;
use unspool_render::keys::KeyContext;
use unspool_text::html::Html;

use super::waits::waits;
use crate::state::ServerState;

/// The frame of one page.
pub(crate) struct PageFrame<'a> {
    /// The title of the window.
    title: &'a str,
    /// The kind of page; style sheets and scripts know it by this name.
    kind: &'static str,
    /// The breadcrumbs from home to this page. The last one is the page itself.
    crumbs: Vec<Crumb>,
    /// Data for scripts: attributes of the body.
    data: Vec<(&'static str, String)>,
}

/// A breadcrumb: a step from home to a page.
pub(crate) struct Crumb {
    pub(crate) name: String,
    /// The address; none for the page itself.
    pub(crate) way: Option<String>,
}

impl Crumb {
    /// Creates the breadcrumb of the page itself.
    pub(crate) fn here(name: impl Into<String>) -> Self {
        Self { name: name.into(), way: None }
    }

    /// Creates a breadcrumb that links to another page.
    pub(crate) fn to(name: impl Into<String>, way: impl Into<String>) -> Self {
        Self { name: name.into(), way: Some(way.into()) }
    }
}

/// The pages that the bar links to: kind, name and address. Keyboard shortcuts use the kind.
const WAYS: [(&str, &str, &str); 4] = [
    ("sessions", "Sessions", "/sessions"),
    ("live", "Live", "/live"),
    ("stats", "Stats", "/stats"),
    ("check", "Check", "/check"),
];

/// Returns the files that a kind of page loads before the script of the frame.
fn first_files_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "session" => &["session.css"],
        _ => &[],
    }
}

/// Returns the files that a kind of page loads after the script of the frame.
fn files_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "session" => &["session.js", "drive.js"],
        "runs" | "home" => &["lists.css", "lists.js", "drive.js"],
        "search" => &["lists.css", "lists.js", "search.js"],
        _ => &["lists.css", "lists.js"],
    }
}

/// The logo.
const SIGN: &str = "<svg viewBox=\"0 0 32 32\" aria-hidden=\"true\">\
    <rect width=\"32\" height=\"32\" rx=\"8\" fill=\"#a3471f\"/>\
    <path d=\"M9 7.5h14M9 24.5h14\" stroke=\"#fff\" stroke-width=\"2.6\" stroke-linecap=\"round\"/>\
    <path d=\"M11.5 11.5h9M10.5 16h11M11.5 20.5h9\" stroke=\"#fff\" stroke-width=\"2.2\" \
    stroke-linecap=\"round\" opacity=\"0.85\"/>\
    <path d=\"M21.5 16c4 0 4.5 3 4.5 5\" fill=\"none\" stroke=\"#fff\" stroke-width=\"2\" \
    stroke-linecap=\"round\"/></svg>";

/// A magnifying glass.
const GLASS: &str = "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\" fill=\"none\" \
    stroke=\"currentColor\" stroke-width=\"1.8\" stroke-linecap=\"round\">\
    <circle cx=\"7\" cy=\"7\" r=\"4.6\"/><path d=\"m10.6 10.6 3.4 3.4\"/></svg>";

/// A disc, one half of it filled.
const DISC: &str = "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\">\
    <circle cx=\"8\" cy=\"8\" r=\"6\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.6\"/>\
    <path d=\"M8 2a6 6 0 0 1 0 12z\" fill=\"currentColor\"/></svg>";

impl<'a> PageFrame<'a> {
    /// Creates the frame of a page without data for scripts.
    pub(crate) fn new(title: &'a str, kind: &'static str, crumbs: Vec<Crumb>) -> Self {
        Self { title, kind, crumbs, data: Vec::new() }
    }

    /// Adds data for scripts.
    pub(crate) fn with_data(self, data: Vec<(&'static str, String)>) -> Self {
        Self { data, ..self }
    }

    /// Paints a page: the frame with `main` inside.
    pub(crate) fn paint(&self, state: &ServerState, main: &Html) -> Html {
        let mut html = Html::new();
        self.head(state, &mut html);
        html.tag("<body").attribute("data-page", self.kind);
        html.attribute("data-assets", state.assets.print());
        for (name, value) in &self.data {
            html.attribute(name, value);
        }
        html.tag(">\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n");
        self.bar(state, &mut html);
        html.tag("<p id=\"stale\" role=\"status\" hidden>The server has a new version. ");
        html.tag("<a href=\"\">Load this page again</a></p>\n");
        html.append(main);
        if self.kind != "session" {
            foot(state, &mut html);
        }
        html.tag("<p id=\"said\" class=\"said\" role=\"status\" aria-live=\"polite\"></p>\n");
        key_help(KeyContext::Page, &mut html);
        html.tag("</body>\n</html>\n");
        html
    }

    fn head(&self, state: &ServerState, html: &mut Html) {
        html.tag("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        html.tag("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        html.tag("<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
        html.text(self.title).tag("</title>\n");
        let assets = &state.assets;
        html.tag("<link rel=\"icon\" type=\"image/svg+xml\"")
            .attribute("href", assets.way("icon.svg"))
            .attribute("data-rests", assets.way("icon.svg"))
            .attribute("data-waits", assets.way("icon-waits.svg"));
        // Not deferred: the theme has to be set before the page is painted.
        html.tag(">\n<script");
        html.attribute("src", assets.way("theme.js")).tag("></script>\n<script defer");
        html.attribute("src", assets.way("page.js")).tag("></script>\n");
        let first = ["server.css"].iter().chain(first_files_of(self.kind));
        for name in first.chain(&["frame.js"]).chain(files_of(self.kind)) {
            if name.strip_suffix(".css").is_some() {
                html.tag("<link rel=\"stylesheet\"");
                html.attribute("href", assets.way(name)).tag(">\n");
            } else {
                html.tag("<script type=\"module\"");
                html.attribute("src", assets.way(name)).tag("></script>\n");
            }
        }
        html.tag("</head>\n");
    }

    fn bar(&self, state: &ServerState, html: &mut Html) {
        html.tag("<header class=\"bar\">\n");
        self.crumbs(html);
        html.tag("<form class=\"ask\" role=\"search\" action=\"/search\">");
        html.tag(GLASS);
        html.tag("<input type=\"search\" name=\"q\" placeholder=\"Search everything\" ");
        html.tag("aria-label=\"Search everything\" autocomplete=\"off\" spellcheck=\"false\">");
        html.tag("<kbd class=\"js-only\" aria-hidden=\"true\">/</kbd></form>\n");
        html.tag("<nav class=\"ways\" aria-label=\"Pages\">");
        let runs = state.driving.is_some().then_some(("runs", "Runs", "/runs"));
        for (kind, name, way) in WAYS.into_iter().chain(runs) {
            html.tag("<a").attribute("href", way);
            html.attribute("data-go", kind);
            html.tag(if kind == self.kind { " aria-current=\"page\">" } else { ">" });
            html.tag(name).tag("</a>");
        }
        html.tag("</nav>\n");
        waits(state, html);
        html.tag("<a class=\"icon-button to-search\" href=\"/search\" data-go=\"search\" ");
        html.tag("aria-label=\"Search\">");
        html.tag(GLASS);
        html.tag("</a>\n<span id=\"link\" class=\"link\" role=\"status\" data-state=\"none\">");
        html.tag("<span class=\"dot\"></span><span class=\"words\"></span></span>\n");
        html.tag("<button type=\"button\" class=\"icon-button js-only\" data-do=\"theme\" ");
        html.tag("title=\"Light or dark (t)\" aria-label=\"Theme\">");
        html.tag(DISC);
        html.tag("</button>\n<button type=\"button\" class=\"icon-button js-only\" ");
        html.tag("data-do=\"help\" title=\"Keys (?)\" aria-label=\"Keys\">?</button>\n");
        html.tag("</header>\n");
    }

    fn crumbs(&self, html: &mut Html) {
        html.tag("<nav class=\"crumbs\" aria-label=\"Where you are\">");
        html.tag("<a class=\"home\" href=\"/\" data-go=\"home\">");
        html.tag(SIGN).tag("unspool</a>");
        for crumb in &self.crumbs {
            html.tag("<span class=\"step\" aria-hidden=\"true\">\u{203a}</span>");
            if let Some(way) = &crumb.way {
                html.tag("<a").attribute("href", way);
                // The pages between home and another page are projects and sessions.
                let is_project = way.starts_with("/p/");
                html.attribute("data-go", if is_project { "project" } else { "session" });
                html.tag(">");
                html.text(&crumb.name).tag("</a>");
            } else {
                html.tag("<span aria-current=\"page\">");
                html.text(&crumb.name).tag("</span>");
            }
        }
        html.tag("</nav>\n");
    }
}

fn foot(state: &ServerState, html: &mut Html) {
    html.tag("<footer class=\"foot-line\">\n<a href=\"/\">Inbox</a>\n");
    for (_, name, way) in WAYS {
        html.link(way, name).tag("\n");
    }
    html.tag("<a href=\"/search\">Search</a>\n<span class=\"home-label\">");
    html.text(&state.home_label).tag(" \u{b7} unspool ");
    html.tag(env!("CARGO_PKG_VERSION")).tag("</span>\n</footer>\n");
}
