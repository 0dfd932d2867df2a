//! One-time links, which let a browser in.

use axum::http::header;
use unspool_text::html::Html;

use crate::access::CodeVerdict;
use crate::route::Call;
use crate::state::ServerState;
use crate::web::{ProblemKind, RequestProblem, WebReply};

/// How long a browser keeps the cookie: 30 days, in seconds.
const COOKIE_LIFE: u32 = 30 * 24 * 60 * 60;

/// Formats the header that gives a browser the cookie.
fn cookie_header(state: &ServerState) -> String {
    format!(
        "{}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age={COOKIE_LIFE}",
        state.cookie_name(),
        state.access.cookie().secret()
    )
}

/// Returns whether a page of another site, or a file, led to a request.
fn is_foreign(call: &Call) -> bool {
    let site = call.header("sec-fetch-site");
    !matches!(site, None | Some("same-origin" | "none"))
}

/// `GET /in`: leads to the inbox. A browser does not send its new cookie if the navigation began on
/// another site or in a file; if it begins on this page, the browser does. The script passes the key
/// on, which is in the part of the address after `#`.
#[expect(clippy::unnecessary_wraps, reason = "every route gives a reply or a problem")]
pub(super) fn welcome(call: &Call) -> Result<WebReply, RequestProblem> {
    let mut html = Html::new();
    html.tag("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html.tag("<title>unspool</title>\n<script");
    html.attribute("src", call.state.assets.way("enter.js")).tag("></script>\n<noscript>");
    html.tag("<meta http-equiv=\"refresh\" content=\"0; url=/\"></noscript>\n");
    html.tag("</head>\n<body>\n<p><a href=\"/\">Go to the inbox</a></p>\n</body>\n</html>\n");
    Ok(WebReply::html(&html))
}

/// `GET /in/{code}`: checks the code of a one-time link, and gives the browser the cookie.
pub(super) fn enter(call: &Call) -> Result<WebReply, RequestProblem> {
    let state = &call.state;
    let now = state.library.settings().clock.now();
    match state.access.take_code(call.name("code"), now) {
        CodeVerdict::Right => {
            let way = if is_foreign(call) { "/in" } else { "/" };
            // A browser does not send the part after `#`: the page stores the key and removes it
            // from the address.
            let way = match &state.driving {
                Some(_) => format!("{way}#key={}", state.access.page_key().secret()),
                None => way.to_owned(),
            };
            Ok(WebReply::see_other(&way).header(header::SET_COOKIE, cookie_header(state)))
        }
        CodeVerdict::Wrong => {
            let detail =
                "this link was used or is too old; `unspool serve --link` prints a new one";
            Err(RequestProblem::new(ProblemKind::NoToken, detail))
        }
        CodeVerdict::TooMany => {
            let detail = "wait a minute, then use a link that `unspool serve --link` prints";
            Err(RequestProblem::new(ProblemKind::TooMany, detail))
        }
    }
}
