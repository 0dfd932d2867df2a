//! The page of a problem, which a person sees instead of the requested one.

use unspool_text::html::Html;

use super::page::PageFrame;
use crate::state::ServerState;
use crate::web::{RequestProblem, WebReply};

/// Paints a problem, with links to other pages.
pub(super) fn problem_page(state: &ServerState, problem: &RequestProblem) -> WebReply {
    let title = problem.kind.title();
    let status = problem.kind.status();
    let mut html = Html::new();
    html.tag("<main id=\"main\" class=\"problem\">\n<h1>");
    html.text(title).tag("</h1>\n<p>");
    html.text(&problem.detail);
    html.tag("</p>\n<p><a class=\"button\" href=\"/\">Go to the inbox</a> ");
    html.tag("<a class=\"button\" href=\"/search\">Search</a></p>\n<p class=\"status\">Status ");
    html.number(status.as_u16().into());
    html.tag("</p>\n</main>\n");
    let frame = PageFrame::new(title, "problem", Vec::new());
    WebReply::html(&frame.paint(state, &html)).with_status(status)
}
