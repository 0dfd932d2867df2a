//! Checks that a request does not come from another site.

use axum::http::request::Parts;
use axum::http::{Method, Uri, header};

use crate::web::{ProblemKind, RequestProblem};

/// Checks the headers in which browsers describe the page that makes a request. Programs send none.
pub(super) fn check(parts: &Parts) -> Result<(), RequestProblem> {
    let text = |name: &str| parts.headers.get(name).map(|value| value.to_str());
    let foreign = |detail: &str| Err(RequestProblem::new(ProblemKind::Foreign, detail));
    match text("sec-fetch-site") {
        None | Some(Ok("same-origin" | "none")) => {}
        Some(_) if is_navigation(parts) => {}
        Some(_) => return foreign("Sec-Fetch-Site says that another site asks"),
    }
    if let Some(origin) = text(header::ORIGIN.as_str()) {
        let host = text(header::HOST.as_str()).and_then(Result::ok);
        let is_ours = origin.is_ok_and(|origin| is_same(origin, host));
        if !is_ours {
            return foreign("Origin is another site");
        }
    }
    Ok(())
}

/// Returns whether a browser opens a page, which other sites may link to.
fn is_navigation(parts: &Parts) -> bool {
    let is = |name: &str, expected: &str| {
        let value = parts.headers.get(name);
        value.is_some_and(|value| value.as_bytes() == expected.as_bytes())
    };
    parts.method == Method::GET
        && is("sec-fetch-mode", "navigate")
        && is("sec-fetch-dest", "document")
}

/// Returns whether an origin is the host that the request is addressed to.
fn is_same(origin: &str, host: Option<&str>) -> bool {
    let Ok(origin) = origin.parse::<Uri>() else {
        return false;
    };
    let authority = origin.authority().map(axum::http::uri::Authority::as_str);
    origin.scheme_str() == Some("http") && authority.is_some() && authority == host
}
