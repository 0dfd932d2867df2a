//! Addresses of pages. Values from logs are percent-encoded.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use form_urlencoded::Serializer;
use unspool_engine::library::ListRequest;
use unspool_model::ids::{ProjectId, SessionId};
use unspool_store::progress::Unwatched;
use unspool_store::rows::SessionRow;

use crate::state::{ServerState, is_session_id};

/// Returns whether a session can be addressed by its id.
pub(crate) fn is_linkable(id: &SessionId) -> bool {
    is_session_id(id.as_str())
}

/// Returns the address of a session's page, or of a page below it: `""`, `"/tree"`, `"/raw"`.
pub(crate) fn session_url(id: &SessionId, below: &str) -> String {
    format!("/s/{}{below}", segment(id.as_str()))
}

/// Returns the address of a session's page for another program: with the project, where several
/// have the id, and at an entry.
pub fn session_page(session: &str, project: Option<&str>, entry: Option<&str>) -> String {
    let parameters = [("project", project), ("at", entry)];
    let parameters: Vec<_> =
        parameters.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    let way = query_url(&session_url(&SessionId::new(session), ""), &parameters);
    match entry {
        Some(entry) => format!("{way}#e-{}", segment(entry)),
        None => way,
    }
}

/// The addresses of the sessions on a page. Only an id that several projects have needs the project
/// in its address.
#[derive(Default)]
pub(crate) struct SessionUrls(BTreeSet<SessionId>);

impl SessionUrls {
    /// Looks up which ids several projects have. If that fails, addresses are short, and the pages
    /// that they lead to report the ambiguity.
    pub(crate) fn of<'i>(
        state: &ServerState,
        ids: impl IntoIterator<Item = &'i SessionId>,
    ) -> Self {
        Self(state.library.shared_ids(ids).unwrap_or_default())
    }

    /// Looks up the ids of rows.
    pub(crate) fn of_rows<'r>(
        state: &ServerState,
        rows: impl IntoIterator<Item = &'r SessionRow>,
    ) -> Self {
        Self::of(state, rows.into_iter().map(|row| &row.id))
    }

    /// Returns the project that the address of a session must name, if any.
    pub(crate) fn project<'p>(
        &self,
        id: &SessionId,
        project: Option<&'p ProjectId>,
    ) -> Option<&'p str> {
        project.filter(|_| self.0.contains(id)).map(ProjectId::as_str)
    }

    /// Returns the address of a session's page with parameters.
    pub(crate) fn to(
        &self,
        id: &SessionId,
        project: Option<&ProjectId>,
        parameters: &[(&str, &str)],
    ) -> String {
        url_in_project(&session_url(id, ""), self.project(id, project), parameters)
    }

    /// Returns whether every id is unique.
    fn is_plain(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the address of the session of a row.
    pub(crate) fn to_row(&self, row: &SessionRow) -> String {
        self.to(&row.id, row.project.as_ref(), &[])
    }
}

/// The addresses of the sessions of runs. A run knows the folder that its client works in, but not
/// the project.
#[derive(Default)]
pub(crate) struct RunUrls {
    ways: SessionUrls,
    /// The sessions whose ids several projects have.
    shared: Vec<SessionRow>,
}

impl RunUrls {
    /// Looks up which ids several projects have.
    pub(crate) fn of<'i>(state: &ServerState, ids: impl IntoIterator<Item = &'i str>) -> Self {
        let ids: Vec<SessionId> = ids.into_iter().map(SessionId::new).collect();
        let ways = SessionUrls::of(state, &ids);
        if ways.is_plain() {
            return Self::default();
        }
        let rows = state.library.list(&ListRequest::default(), &Unwatched);
        let rows = rows.map(|found| found.rows).unwrap_or_default();
        let shared = rows.into_iter().filter(|row| ways.0.contains(&row.id));
        Self { shared: shared.collect(), ways }
    }

    /// Returns the address of the session of a run in a folder.
    pub(crate) fn to(&self, session: &str, cwd: &str) -> String {
        let id = SessionId::new(session);
        let is_there = |row: &&SessionRow| row.id == id && row.cwds().any(|known| known == cwd);
        let row = self.shared.iter().find(is_there);
        let project = row.and_then(|row| row.project.as_ref());
        self.ways.to(&id, project, &[])
    }
}

/// Returns the address of a project's page.
pub(crate) fn project_url(project: &ProjectId) -> String {
    format!("/p/{}", segment(project.as_str()))
}

/// Returns the address of the page of an entry as it is in the log.
pub(crate) fn entry_url(id: &SessionId, entry: &str) -> String {
    format!("{}/{}", session_url(id, "/raw"), segment(entry))
}

/// Returns an address with parameters.
pub(crate) fn query_url(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = Serializer::new(String::new());
    query.extend_pairs(parameters);
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

/// Returns an address with parameters, the project first if there is one.
pub(crate) fn url_in_project(
    path: &str,
    project: Option<&str>,
    parameters: &[(&str, &str)],
) -> String {
    let project = project.map(|name| ("project", name));
    let all: Vec<_> = project.into_iter().chain(parameters.iter().copied()).collect();
    query_url(path, &all)
}

/// Encodes a text as one segment of a URL path.
pub(crate) fn segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let is_plain =
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b':');
        if is_plain {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    // A browser would resolve these as relative segments.
    match out.as_str() {
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        _ => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_inside_of_their_segment() {
        assert_eq!(segment("-home-dev.app_1"), "-home-dev.app_1");
        assert_eq!(segment("../../etc"), "..%2F..%2Fetc");
        assert_eq!(segment(".."), "%2E%2E");
        assert_eq!(segment("a b?c#d\"é"), "a%20b%3Fc%23d%22%C3%A9");
        assert_eq!(entry_url(&SessionId::new("s"), "line:4"), "/s/s/raw/line:4");
        assert_eq!(query_url("/search", &[("q", "a&b c")]), "/search?q=a%26b+c");
        assert_eq!(query_url("/", &[]), "/");
    }
}
