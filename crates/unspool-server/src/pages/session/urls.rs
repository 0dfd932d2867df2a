//! The addresses of a session page and of everything below it.
//!
//! An address names a session, optionally an agent, and what is shown: the path, the view, and the
//! project if several have a session with this id. Ids come from logs, so they are percent-encoded.

use unspool_engine::ops::transcript::ViewKind;
use unspool_model::positions::PathNumber;

use crate::frame::{query_url, segment};

/// The parts of the address of a session page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SheetUrls {
    session: String,
    agent: Option<String>,
    project: Option<String>,
    path: Option<PathNumber>,
    view: ViewKind,
}

impl SheetUrls {
    /// Selects a session by its id and project, as a request named them.
    pub(super) fn new(session: &str, project: Option<&str>) -> Self {
        Self {
            session: format!("/s/{}", segment(session)),
            agent: None,
            project: project.map(str::to_owned),
            path: None,
            view: ViewKind::History,
        }
    }

    /// Selects an agent of the session, or the session itself.
    #[must_use]
    pub(super) fn of_agent(&self, agent: Option<&str>) -> Self {
        Self {
            agent: agent.map(str::to_owned),
            path: None,
            view: ViewKind::History,
            ..self.clone()
        }
    }

    /// Selects a path; none is the active one.
    #[must_use]
    pub(super) fn on_path(&self, path: Option<PathNumber>) -> Self {
        Self { path, ..self.clone() }
    }

    /// Selects a view.
    #[must_use]
    pub(super) fn in_view(&self, view: ViewKind) -> Self {
        Self { view, ..self.clone() }
    }

    /// Returns the address of the conversation without parameters: `/s/ID` or `/s/ID/a/AGENT`.
    pub(super) fn base(&self) -> String {
        match &self.agent {
            Some(agent) => format!("{}/a/{}", self.session, segment(agent)),
            None => self.session.clone(),
        }
    }

    /// Returns the address of the page.
    pub(super) fn page(&self) -> String {
        self.with(&self.base(), &[])
    }

    /// Returns the address of the page with further parameters.
    pub(super) fn page_with(&self, more: &[(&str, &str)]) -> String {
        self.with(&self.base(), more)
    }

    /// Returns the address of the page at a turn.
    pub(super) fn turn(&self, number: u32) -> String {
        let text = number.to_string();
        format!("{}#turn-{number}", self.page_with(&[("turn", &text)]))
    }

    /// Returns the address of the page at an entry.
    pub(super) fn entry(&self, uuid: &str) -> String {
        let anchor = unspool_text::html::anchor(uuid);
        format!("{}#e-{anchor}", self.page_with(&[("at", uuid)]))
    }

    /// Returns an address below the conversation, with the same path and view.
    pub(super) fn below(&self, steps: &[&str], more: &[(&str, &str)]) -> String {
        let base = steps.iter().fold(self.base(), |base, step| base + "/" + &segment(step));
        self.with(&base, more)
    }

    /// Returns an address below the session, without agent, path and view.
    pub(super) fn of_session(&self, steps: &[&str], more: &[(&str, &str)]) -> String {
        let plain = self.of_agent(None);
        plain.below(steps, more)
    }

    /// Returns an address of the API, with the same path.
    pub(super) fn api(&self, step: &str) -> String {
        let base = format!("/api/sessions/{}/{step}", &self.session["/s/".len()..]);
        self.of_agent(None).on_path(self.path).with(&base, &[])
    }

    fn with(&self, base: &str, more: &[(&str, &str)]) -> String {
        let path = self.path.map(|path| path.to_string());
        let view = Some(self.view).filter(|view| *view == ViewKind::Context);
        let own = [
            ("project", self.project.as_deref()),
            ("path", path.as_deref()),
            ("view", view.map(ViewKind::name)),
        ];
        let own = own.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let all: Vec<_> = own.chain(more.iter().copied()).collect();
        query_url(base, &all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_say_what_is_shown() {
        let ways = SheetUrls::new("s1", None);
        assert_eq!(ways.page(), "/s/s1");
        assert_eq!(ways.on_path(PathNumber::new(2)).turn(4), "/s/s1?path=2&turn=4#turn-4");
        let agent = ways.of_agent(Some("a1"));
        assert_eq!(agent.entry("u1"), "/s/s1/a/a1?at=u1#e-u1");
        assert_eq!(agent.of_session(&["raw", "u1"], &[]), "/s/s1/raw/u1");
        let other = SheetUrls::new("s1", Some("-srv-demo")).in_view(ViewKind::Context);
        assert_eq!(
            other.below(&["part"], &[("from", "0")]),
            "/s/s1/part?project=-srv-demo&view=context&from=0"
        );
    }

    #[test]
    fn an_id_cannot_leave_its_place() {
        let ways = SheetUrls::new("s1", Some("a&path=9#x"));
        let hostile = ways.of_agent(Some("../../x?y#z/\u{e9}"));
        assert_eq!(hostile.base(), "/s/s1/a/..%2F..%2Fx%3Fy%23z%2F%C3%A9");
        assert_eq!(ways.page(), "/s/s1?project=a%26path%3D9%23x");
        assert_eq!(
            ways.entry("\"><script>"),
            "/s/s1?project=a%26path%3D9%23x&at=%22%3E%3Cscript%3E#e-___script_"
        );
    }
}
