//! Facts about a laid out session: its title, folder, times and side files.

use std::path::PathBuf;

use unspool_model::time::Time;
use unspool_store::home::{Home, SideFile, side_files};
use unspool_store::rows::{FactsFromAgents, first_task};
use unspool_store::session::Session;
use unspool_store::titles;

use super::Transcript;

impl Transcript<'_> {
    /// Returns the session's title.
    pub fn title(&self) -> Option<String> {
        let title = self.title.get_or_init(|| title(self.session));
        title.clone().map(|title| self.redacted(title))
    }

    /// Returns the folder in which the session began.
    pub fn cwd(&self) -> Option<String> {
        let log = self.session.log();
        let cwd = log.facts.cwd().map(|cwd| log.text(cwd).to_owned());
        let cwd = cwd.or_else(|| self.told_by_agents()?.cwd);
        cwd.map(|cwd| self.redacted(cwd))
    }

    /// Returns the time at which the session began.
    pub fn started(&self) -> Option<Time> {
        let started = self.session.log().facts.started;
        started.or_else(|| self.told_by_agents()?.started)
    }

    /// Returns the time of last activity in the session.
    pub fn ended(&self) -> Option<Time> {
        let ended = self.session.log().facts.ended;
        ended.or_else(|| self.told_by_agents()?.ended)
    }

    /// Returns the facts from the logs of agents, for a session without messages of its own, as its
    /// row in a list does.
    fn told_by_agents(&self) -> Option<FactsFromAgents> {
        let is_empty = self.agent.is_none() && self.view.messages.is_empty();
        is_empty.then(|| FactsFromAgents::of(self.session))
    }

    /// Lists the files of the session other than its logs.
    pub fn side_files(&self) -> Vec<SideFile> {
        let log = self.session.log();
        let plans: Vec<&str> = log.facts.slugs.iter().map(|&slug| log.text(slug)).collect();
        let home = self.session.home.as_ref().map(Home::new);
        let folder: PathBuf = self.session.main.path().parent().map(Into::into).unwrap_or_default();
        side_files(home.as_ref(), &folder, &self.session.id, &plans)
    }
}

/// Returns the title of a session; without a log, the task of its first agent.
fn title(session: &Session) -> Option<String> {
    let log = session.log();
    match log.bytes() {
        0 => first_task(session),
        _ => titles::title(log, session.scope, session.called.as_deref()).text,
    }
}
