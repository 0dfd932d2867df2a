//! The search for secrets in sessions.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use unspool_model::ids::SessionId;
use unspool_model::time::Time;
use unspool_redact::{Redactor, SecretTally};
use unspool_search::scan::{self, Content, ScanSource};

use super::Library;
use super::error::LibraryError;
use super::export::SessionChoice;
use super::index::{report_unreadable, watched};
use super::note::Listener;
use super::walk::Completeness;
use crate::ops::secrets::{self, SecretReport, SecretSearch};
use unspool_store::filter::Unmatched;
use unspool_store::home::{Resolved, Target};
use unspool_store::rows::AgentRows;

/// A request for [`Library::secrets`].
#[derive(Clone, Copy)]
pub struct SecretsRequest<'a> {
    /// The sessions to search. `None` searches all, including the prompts of sessions whose logs are gone.
    pub choice: Option<SessionChoice<'a>>,
    /// The rules that find secrets.
    pub redactor: &'a Redactor,
}

/// The result of [`Library::secrets`].
#[derive(Debug)]
pub struct SecretsAnswer {
    /// The sessions with secrets, newest first.
    pub reports: Vec<SecretReport>,
    /// The number of searched sessions.
    pub sessions: usize,
    /// The number of searched files.
    pub files: usize,
    /// The size of these files in bytes.
    pub bytes: u64,
    /// Names in the filter that match no session.
    pub unmatched: Vec<Unmatched>,
    /// Whether every home and log was readable.
    pub reading: Completeness,
}

impl SecretsAnswer {
    /// Returns the sum of the findings in all sessions.
    pub fn found(&self) -> SecretTally {
        let mut all = SecretTally::default();
        for report in &self.reports {
            all.merge(&report.kinds);
        }
        all
    }
}

impl Library {
    /// Searches sessions for secrets. No answer contains the secrets themselves.
    pub fn secrets(
        &self,
        request: &SecretsRequest<'_>,
        listener: &dyn Listener,
    ) -> Result<SecretsAnswer, LibraryError> {
        let walk = self.walk();
        let mut sources = scan::sources(walk.found());
        let (unmatched, mut reading) = match request.choice {
            None => (Vec::new(), walk.report_problems(listener)),
            Some(choice) => {
                let chosen = self.export_sources(choice, listener)?;
                sources = of_sessions(sources, &chosen.sessions);
                (chosen.unmatched, chosen.reading)
            }
        };
        let bytes = sources.iter().map(|source| source.bytes).sum();
        let look = |read: &_| secrets::secrets(&sources, request.redactor, read);
        let SecretSearch { mut reports, file_errors } =
            watched(listener, bytes, look).unwrap_or_default();
        reading = reading.max(report_unreadable(file_errors, listener));
        self.add_titles(&mut reports, request.redactor, listener);
        let logs = sources.iter().filter(|source| source.content == Content::Log);
        let sessions: HashSet<_> = logs.map(|log| (&log.home, &log.session)).collect();
        Ok(SecretsAnswer {
            reports,
            sessions: sessions.len(),
            files: sources.len(),
            bytes,
            unmatched,
            reading,
        })
    }

    /// Adds the titles of sessions with secrets redacted, since the first prompt may contain one.
    /// Without a usable index there are no titles.
    fn add_titles(
        &self,
        reports: &mut [SecretReport],
        redactor: &Redactor,
        listener: &dyn Listener,
    ) {
        if reports.is_empty() {
            return;
        }
        let walk = self.walk();
        let rows = self.listing(&walk, AgentRows::Folded, listener);
        let rows = rows.map(|listing| listing.rows).unwrap_or_default();
        let titles: HashMap<(Option<&Path>, &SessionId), &str> = rows
            .iter()
            .filter_map(|row| Some(((row.home.as_deref(), &row.id), row.title.as_deref()?)))
            .collect();
        for report in reports {
            let title = titles.get(&(report.home.as_deref(), &report.session));
            let clean = |title: &&str| redactor.text(title, &mut SecretTally::default()).into();
            report.title = title.map(clean);
        }
    }
}

/// Keeps only the files of some sessions, and adds their logs outside every home.
fn of_sessions(sources: Vec<ScanSource>, chosen: &[Resolved]) -> Vec<ScanSource> {
    let mut sessions: HashSet<(PathBuf, SessionId)> = HashSet::new();
    let mut paths: HashSet<&Path> = HashSet::new();
    let mut outside = Vec::new();
    for resolved in chosen {
        match (&resolved.home, &resolved.target) {
            (Some(home), Target::Session(file)) => {
                sessions.insert((home.root.clone(), file.id.clone()));
            }
            (Some(_), Target::Agent(file)) => {
                paths.insert(&file.path);
            }
            (None, target) => outside.extend(logs_of(target)),
        }
    }
    let is_chosen = |source: &ScanSource| {
        let key = source.home.clone().map(|home| (home, source.session.clone()));
        key.is_some_and(|key| sessions.contains(&key)) || paths.contains(source.path.as_path())
    };
    let mut kept: Vec<ScanSource> = sources.into_iter().filter(is_chosen).collect();
    kept.extend(outside);
    kept
}

/// Returns the logs of a session outside every home.
fn logs_of(target: &Target) -> Vec<ScanSource> {
    let source =
        |session: &SessionId, agent, path: &Path, stamp: &unspool_store::files::FileStamp| {
            ScanSource {
                home: None,
                project: None,
                session: session.clone(),
                gone: false,
                agent,
                path: path.to_owned(),
                content: Content::Log,
                bytes: stamp.bytes,
                modified: Time::from_millis(stamp.modified_ms()),
            }
        };
    match target {
        Target::Session(file) => {
            let own = source(&file.id, None, &file.path, &file.stamp);
            let agents = file.agents.iter();
            let agents = agents
                .map(|agent| source(&file.id, Some(agent.id.clone()), &agent.path, &agent.stamp));
            std::iter::once(own).chain(agents).collect()
        }
        Target::Agent(agent) => {
            let session = agent.session.clone();
            let session = session.unwrap_or_else(|| SessionId::new(agent.id.as_str()));
            vec![source(&session, Some(agent.id.clone()), &agent.path, &agent.stamp)]
        }
    }
}
