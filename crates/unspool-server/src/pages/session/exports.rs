//! Links to exported files of a session, which the API serves.

use unspool_text::html::Html;

use super::sheet::SessionSheet;

/// The offered formats: the ending of the route, and the name.
const FORMS: [(&str, &str); 4] =
    [("md", "Markdown"), ("html", "Page"), ("json", "JSON"), ("txt", "Text")];

/// Paints links to exported files of the session.
pub(super) fn paint(sheet: &SessionSheet<'_>, html: &mut Html) {
    if sheet.shown.agent.is_some() {
        return;
    }
    html.tag("<p class=\"exports\">Export:");
    for (ending, name) in FORMS {
        let way = sheet.ways.api(&format!("transcript.{ending}"));
        html.tag(" <a download").attribute("href", &way);
        html.tag(">").text(name).tag("</a>");
    }
    html.tag("</p>\n");
}
