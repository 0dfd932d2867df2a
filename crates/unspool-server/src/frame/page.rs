//! What is around every page: the bar with the way home, the search, and the state of the
//! connection.

use unspool_text::html::Html;

use crate::state::ServerState;

/// A page before it has its frame.
pub(crate) struct PageFrame<'a> {
    /// What the window is called.
    pub(crate) title: &'a str,
    /// What kind of page it is; style sheets and scripts know it by this name.
    pub(crate) kind: &'static str,
    /// The ways from home to this page: names and addresses. The last one is the page itself.
    pub(crate) crumbs: Vec<Crumb>,
    /// Data for scripts: attributes of the body.
    pub(crate) data: Vec<(&'static str, String)>,
}

/// A step on the way from home to a page.
pub(crate) struct Crumb {
    pub(crate) name: String,
    /// Its address; none for the page itself.
    pub(crate) way: Option<String>,
}

/// Returns the style sheets that pages of a kind have besides that of the frame.
fn own_sheets(kind: &str) -> &'static [&'static str] {
    match kind {
        "session" => &["session.css"],
        _ => &[],
    }
}

impl PageFrame<'_> {
    /// Paints a page: the frame, and `main` inside of it.
    pub(crate) fn paint(&self, state: &ServerState, main: &Html) -> Html {
        let mut html = Html::new();
        self.head(state, &mut html);
        html.tag("<body").attribute("data-page", self.kind);
        html.attribute("data-assets", state.assets.print());
        for (name, value) in &self.data {
            html.attribute(name, value);
        }
        html.tag(">\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n");
        self.bar(&mut html);
        html.append(main);
        html.tag("<p id=\"said\" class=\"quiet\" role=\"status\" aria-live=\"polite\"></p>\n");
        html.tag("</body>\n</html>\n");
        html
    }

    fn head(&self, state: &ServerState, html: &mut Html) {
        html.tag("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        html.tag("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        html.tag("<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
        html.text(self.title)
            .tag("</title>\n<link rel=\"stylesheet\"");
        html.attribute("href", state.assets.way("server.css"));
        for sheet in own_sheets(self.kind) {
            html.tag(">\n<link rel=\"stylesheet\"");
            html.attribute("href", state.assets.way(sheet));
        }
        html.tag(">\n<script defer");
        html.attribute("src", state.assets.way("server.js"));
        html.tag("></script>\n</head>\n");
    }

    fn bar(&self, html: &mut Html) {
        html.tag("<header class=\"bar\">\n<nav class=\"crumbs\" aria-label=\"Where you are\">");
        html.tag("<a class=\"home\" href=\"/\">unspool</a>");
        for crumb in &self.crumbs {
            html.tag("<span class=\"step\" aria-hidden=\"true\">\u{203a}</span>");
            match &crumb.way {
                Some(way) => html.tag("<a").attribute("href", way).tag(">"),
                None => html.tag("<span aria-current=\"page\">"),
            };
            html.text(&crumb.name);
            html.tag(if crumb.way.is_some() {
                "</a>"
            } else {
                "</span>"
            });
        }
        html.tag("</nav>\n<form class=\"ask\" role=\"search\" action=\"/search\">");
        html.tag("<input type=\"search\" name=\"q\" placeholder=\"Search everything\" ");
        html.tag("aria-label=\"Search everything\" autocomplete=\"off\" spellcheck=\"false\">");
        html.tag("</form>\n<span id=\"link\" class=\"link\"></span>\n</header>\n");
    }
}
