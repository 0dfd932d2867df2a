//! The inbox: the states that running processes report for their sessions, combined with the logs.
//!
//! Sessions that processes own stay open between requests, so that a request only reads what was
//! appended since the last one. They are closed by the first request after their process has ended.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use unspool_model::conversation::{Conversation, Liveness};
use unspool_model::graph::{Rule, Scope};
use unspool_model::ids::{ProjectId, SessionId};
use unspool_model::log::Log;
use unspool_model::path_name;
use unspool_model::time::Time;

use super::error::LibraryError;
use super::note::{LibraryNote, Listener};
use super::open::{OpenSession, OpenState};
use super::walk::live_in;
use super::{Library, locked};
use crate::ops::inbox::{Inbox, InboxItem};
use crate::ops::now::{self, NowSubject, SessionNow};
use unspool_store::home::layout::log_name;
use unspool_store::home::{Home, LiveSession, LiveSessions};
use unspool_store::index::{Index, PageQuery, RowPlace};
use unspool_store::rows::{RowSource, SessionKind, SessionRow, row_of};
use unspool_store::session::SessionFileError;
use unspool_store::titles::TitleOrigin;

/// How many rows of ended sessions are read at a time.
const PAGE: usize = 200;

/// How many ended sessions are considered at most. Chosen by judgement: more than a person looks
/// through.
const MOST_LOOKED: usize = 2_000;

/// How far back ended sessions are listed if nothing was ever marked as seen: a day.
const FIRST_LOOK_MS: i64 = 24 * 60 * 60 * 1000;

/// A request for [`Library::inbox`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InboxRequest {
    /// The time since which ended sessions are listed; by default since the inbox was last marked
    /// as seen, or since a day ago if it never was.
    pub since: Option<Time>,
    /// How many ended sessions are listed at most.
    pub done: usize,
}

impl Default for InboxRequest {
    fn default() -> Self {
        Self { since: None, done: 50 }
    }
}

/// The open sessions of the inbox, by their logs.
#[derive(Default)]
pub(super) struct OpenLive(Mutex<HashMap<PathBuf, Arc<OpenSession>>>);

/// A session that a process owns, with its row if the catalogue has one.
struct OwnedSession<'l> {
    home: &'l Home,
    live: &'l LiveSessions,
    process: &'l LiveSession,
    row: Option<SessionRow>,
}

impl Library {
    /// Returns the inbox.
    pub fn inbox(
        &self,
        request: &InboxRequest,
        listener: &dyn Listener,
    ) -> Result<Inbox, LibraryError> {
        let seen = || self.inbox_seen(listener);
        let since = match request.since {
            Some(since) => since,
            None => seen()?.unwrap_or_else(|| self.first_look()),
        };
        let live = live_in(self.homes());
        let (owned, ended) = self.rebuilding(listener, || {
            self.refresh_if_due(&self.walk(), listener)?;
            self.with_index(|index| {
                let owned = self.owned(index, &live)?;
                let ended = ended_since(index, self.homes(), since, &ids(&owned))?;
                Ok((owned, ended))
            })
        })?;
        let mut inbox = Inbox { since: Some(since), ..Inbox::default() };
        self.list_done(ended, request.done, &mut inbox, listener)?;
        let mut logs = HashSet::new();
        for owned in owned {
            let open = self.open_live(&owned, listener);
            logs.extend(open.iter().map(|open| open.found().target.path().to_owned()));
            let (row, now) = self.look(&owned, open.as_deref(), listener);
            let (group, item) = InboxItem::live(row, owned.process.clone(), now);
            inbox.add(group, item);
        }
        locked(&self.live_open.0).retain(|log, _| logs.contains(log));
        inbox.sort();
        Ok(inbox)
    }

    /// Returns the catalogue's row of a session that unspool drives, or a blank row for a session
    /// without a log; `None` without a home.
    pub fn driven_row(
        &self,
        session: &SessionId,
        cwd: &str,
        started: Time,
    ) -> Result<Option<SessionRow>, LibraryError> {
        let known = self.with_index(|index| {
            for home in self.homes() {
                if let Some(project) = index.project_of(&home.root, session)? {
                    return Ok(index.row(&home.root, &project, session)?);
                }
            }
            Ok(None)
        })?;
        let blank = || Some(blank_row(self.homes().first()?, session, Some(cwd), Some(started)));
        Ok(known.or_else(blank))
    }

    fn first_look(&self) -> Time {
        let now = self.settings.clock.time().as_millis();
        Time::from_millis(now.saturating_sub(FIRST_LOOK_MS))
    }

    /// Lists the sessions that processes own, each once.
    fn owned<'l>(
        &'l self,
        index: &Index,
        live: &'l [LiveSessions],
    ) -> Result<Vec<OwnedSession<'l>>, LibraryError> {
        let mut known = HashSet::new();
        let mut owned = Vec::new();
        for (home, live) in self.homes().iter().zip(live) {
            for process in &live.sessions {
                if !known.insert((&home.root, &process.session)) {
                    continue;
                }
                owned.push(OwnedSession {
                    home,
                    live,
                    process,
                    row: known_row(index, home, process)?,
                });
            }
        }
        Ok(owned)
    }

    /// Adds the ended sessions that were not read since their last activity.
    fn list_done(
        &self,
        ended: Vec<SessionRow>,
        most: usize,
        inbox: &mut Inbox,
        listener: &dyn Listener,
    ) -> Result<(), LibraryError> {
        let unseen = self.with_marks(listener, |marks| {
            let mut unseen = Vec::new();
            for row in ended {
                let read = marks.last_read(&row.id)?;
                if read.is_none_or(|read| read.at < row.last_active()) {
                    unseen.push(row);
                }
            }
            Ok(unseen)
        })?;
        inbox.done_left = unseen.len().saturating_sub(most);
        let done = unseen.into_iter().take(most).map(|row| {
            let said = now::said_at_end(&row.file);
            InboxItem::done(row, said)
        });
        inbox.done = done.collect();
        Ok(())
    }

    /// Returns the open session of a process, read to its end; `None` if it has no log yet or an
    /// unreadable one.
    fn open_live(
        &self,
        owned: &OwnedSession<'_>,
        listener: &dyn Listener,
    ) -> Option<Arc<OpenSession>> {
        let log = owned.log()?;
        let kept = locked(&self.live_open.0).get(&log).cloned();
        let opened =
            kept.map_or_else(|| self.open_log(owned.home.clone(), project(&log), &log), Ok);
        let open = opened.and_then(|open| {
            open.refresh(Some(owned.live))?;
            Ok(open)
        });
        match open {
            Ok(open) => {
                locked(&self.live_open.0).insert(log, Arc::clone(&open));
                Some(open)
            }
            Err(LibraryError::Unreadable(file_error)) => {
                listener.note(LibraryNote::Unreadable(file_error));
                None
            }
            Err(_) => None,
        }
    }

    /// Returns the row and the current activity of a session that a process owns.
    fn look(
        &self,
        owned: &OwnedSession<'_>,
        open: Option<&OpenSession>,
        listener: &dyn Listener,
    ) -> (SessionRow, SessionNow) {
        let known = owned.row.clone();
        let Some(open) = open else {
            let mut row = known.unwrap_or_else(|| owned.blank_row());
            row.set_live(Liveness::Live);
            return (row, SessionNow::default());
        };
        let state = open.view();
        let conversation = state.conversation();
        let now = now::now(&NowSubject {
            session: state.session(),
            conversation: &conversation,
            history: state.history(),
            agents: state.agents(),
            began: owned.process.started_at.map(Time::from_millis),
        });
        let now = now.unwrap_or_else(|error| {
            let path = state.session().main.path().to_owned();
            listener.note(LibraryNote::Unreadable(SessionFileError { path, error }));
            SessionNow::default()
        });
        let mut row = self.fresh_row(known, &state, &conversation);
        row.set_live(Liveness::Live);
        (row, now)
    }

    /// Returns the row for the current log of a session. The catalogue may have read less of the log.
    fn fresh_row(
        &self,
        known: Option<SessionRow>,
        state: &OpenState,
        conversation: &Conversation<'_>,
    ) -> SessionRow {
        let session = state.session();
        let is_fresh = |row: &SessionRow| row.bytes == session.log().bytes();
        match known {
            Some(row) if is_fresh(&row) => row,
            known => {
                let modified = session.main.stamp().modified_ms();
                let row = row_of(session, conversation, modified, &self.settings.prices);
                let named = known.filter(|_| row.title_origin == TitleOrigin::FirstTexts);
                // Only the catalogue knows a title from another log.
                match named.filter(|known| known.title_origin == TitleOrigin::OtherLog) {
                    Some(known) => {
                        SessionRow { title: known.title, title_origin: known.title_origin, ..row }
                    }
                    None => row,
                }
            }
        }
    }
}

impl OwnedSession<'_> {
    /// Returns the path of the session's log: from the catalogue, or else where the client writes
    /// it. Before the first prompt there is no log.
    fn log(&self) -> Option<PathBuf> {
        if let Some(row) = &self.row {
            return Some(row.file.clone());
        }
        let name = log_name(self.process.session.as_str());
        let projects = self.home.projects_dir();
        let folders = path_name::candidates(self.process.cwd.as_deref()?).into_iter();
        let mut logs = folders.map(|folder| projects.join(folder).join(&name));
        logs.find(|log| log.is_file())
    }

    /// Returns a row with the facts that the process reports, for a session without a log.
    fn blank_row(&self) -> SessionRow {
        let cwd = self.process.cwd.as_deref();
        let started = self.process.started_at.map(Time::from_millis);
        let mut row = blank_row(self.home, &self.process.session, cwd, started);
        row.version.clone_from(&self.process.version);
        row
    }
}

/// Returns the row of a session that has no log yet.
fn blank_row(
    home: &Home,
    session: &SessionId,
    cwd: Option<&str>,
    started: Option<Time>,
) -> SessionRow {
    let log = Log::default();
    let project = cwd.map(|cwd| ProjectId::new(path_name::encode(cwd)));
    let folder = project.as_ref().map_or("", ProjectId::as_str);
    let path = home.projects_dir().join(folder).join(log_name(session.as_str()));
    let subject = RowSource {
        id: session,
        home: Some(&home.root),
        project: project.as_ref(),
        path: &path,
        log: &log,
        scope: Scope::Session,
        modified: started.map_or(0, Time::as_millis),
        called: None,
        agents: 0,
    };
    let mut row = subject.row(&Conversation::new(&log, Rule::Current, Scope::Session));
    row.cwd = cwd.map(ToOwned::to_owned);
    row.started = started;
    row
}

/// Returns the project whose folder contains a log.
fn project(log: &Path) -> Option<ProjectId> {
    let folder = log.parent().and_then(Path::file_name);
    folder.map(|name| ProjectId::new(name.to_string_lossy()))
}

fn ids(owned: &[OwnedSession<'_>]) -> HashSet<(PathBuf, SessionId)> {
    let ids = owned.iter();
    ids.map(|owned| (owned.home.root.clone(), owned.process.session.clone())).collect()
}

/// Returns the sessions with activity since a time that no process owns, the newest first.
fn ended_since(
    index: &Index,
    homes: &[Home],
    since: Time,
    owned: &HashSet<(PathBuf, SessionId)>,
) -> Result<Vec<SessionRow>, LibraryError> {
    let mut ended = Vec::new();
    let mut after: Option<RowPlace> = None;
    loop {
        let page = index.page(
            homes,
            &PageQuery {
                after: after.as_ref(),
                limit: PAGE,
                kinds: &[SessionKind::Main, SessionKind::Headless],
                project: None,
                beginning: "",
            },
        )?;
        let is_last = page.rows.last().is_none_or(|row| row.last_active() <= since);
        let is_owned = |row: &SessionRow| {
            let home = row.home.clone().unwrap_or_default();
            owned.contains(&(home, row.id.clone()))
        };
        let rows = page.rows.into_iter();
        ended.extend(rows.filter(|row| row.last_active() > since && !is_owned(row)));
        after = page.last;
        if is_last || after.is_none() || ended.len() >= MOST_LOOKED {
            return Ok(ended);
        }
    }
}

/// Returns the catalogue's row of the session that a process owns. If several projects have a
/// session with this id, the project of the process's working folder has precedence.
fn known_row(
    index: &Index,
    home: &Home,
    process: &LiveSession,
) -> Result<Option<SessionRow>, LibraryError> {
    let root = &home.root;
    let row = |project: ProjectId| index.row(root, &project, &process.session);
    let here = process.cwd.as_deref().map(path_name::encode);
    if let Some(found) = here.map(ProjectId::new).map(row).transpose()?.flatten() {
        return Ok(Some(found));
    }
    let project = index.project_of(root, &process.session)?;
    Ok(project.map(row).transpose()?.flatten())
}
