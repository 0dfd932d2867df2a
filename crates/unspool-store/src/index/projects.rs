//! Projects: the number of their sessions, and the times of their activity.
//!
//! The index by time has all of it, so rows of sessions are read only to find a project's folder.

use std::collections::HashMap;
use std::path::PathBuf;

use rusqlite::Row;
use unspool_model::ids::ProjectId;
use unspool_model::named::Named as _;
use unspool_model::time::Time;

use super::catalogue::{Catalogue, CatalogueError, HomeId};
use super::pages::listed;
use super::{Index, paths, sealed};
use crate::home::Home;
use crate::rows::{SessionKind, SessionRow};

/// How many of a project's newest sessions are kept, to find one with a known folder.
const NEWEST: usize = 3;

/// The sessions that count.
#[derive(Clone, Copy, Debug)]
pub struct ProjectQuery<'a> {
    /// Kinds of sessions; any if empty.
    pub kinds: &'a [SessionKind],
    /// The project; any if `None`.
    pub project: Option<&'a ProjectId>,
    /// The earliest time in [`IndexedProject::active`].
    pub since: Time,
}

/// A project with sessions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexedProject {
    /// The root of its home.
    pub home: PathBuf,
    /// Its id.
    pub project: ProjectId,
    /// How many sessions it has.
    pub sessions: usize,
    /// The time of the last activity in any of them.
    pub last_active: Time,
    /// The times of the last activity in each session, newest first, from [`ProjectQuery::since`]
    /// on.
    pub active: Vec<Time>,
    /// The ids of the rows of its newest sessions.
    newest: Vec<i64>,
}

impl Index {
    /// Returns the projects of homes, the most recently active first.
    pub fn projects(
        &self,
        homes: &[Home],
        query: &ProjectQuery<'_>,
    ) -> Result<Vec<IndexedProject>, CatalogueError> {
        let known = self.catalogue.known_homes(homes)?;
        let mut found = self.catalogue.projects(&known, query)?;
        found.sort_by(|one, other| {
            let time = other.last_active.cmp(&one.last_active);
            time.then_with(|| (&one.project, &one.home).cmp(&(&other.project, &other.home)))
        });
        Ok(found)
    }

    /// Returns the row of the newest session of a project with a known folder; if none of the last
    /// few has one, the row of the newest.
    pub fn newest_of(
        &self,
        project: &IndexedProject,
    ) -> Result<Option<SessionRow>, CatalogueError> {
        let mut newest = None;
        for &number in &project.newest {
            let Some(row) = self.catalogue.numbered_row(number)? else {
                continue;
            };
            if row.cwd.is_some() {
                return Ok(Some(row));
            }
            newest = newest.or(Some(row));
        }
        Ok(newest)
    }
}

impl Catalogue {
    fn projects(
        &self,
        homes: &[(HomeId, &Home)],
        query: &ProjectQuery<'_>,
    ) -> Result<Vec<IndexedProject>, CatalogueError> {
        let kinds = match query.kinds {
            [] => SessionKind::ALL,
            kinds => kinds,
        };
        let sql = format!(
            "SELECT home, project, active, id FROM sessions INDEXED BY sessions_by_time \
             WHERE +home IN ({}) AND kind IN ({}) AND (?1 IS NULL OR +project = ?1) \
             ORDER BY active DESC, session, id",
            listed(homes.iter().map(|(id, _)| id.0)),
            listed(kinds.iter().map(|kind| kind.number())),
        );
        let mut statement = self.db.prepare_cached(&sql)?;
        let mut rows = statement.query([query.project.map(ProjectId::as_str)])?;
        let mut places: HashMap<(i64, String), usize> = HashMap::new();
        let mut found: Vec<IndexedProject> = Vec::new();
        while let Some(row) = rows.next()? {
            let home: i64 = row.get(0)?;
            let name: String = row.get(1)?;
            let active = Time::from_millis(row.get(2)?);
            let place = *places.entry((home, name)).or_insert_with_key(|(home, name)| {
                let root = homes.iter().find(|(id, _)| id.0 == *home);
                found.push(IndexedProject {
                    home: root.map(|(_, home)| home.root.clone()).unwrap_or_default(),
                    project: ProjectId::new(name.as_str()),
                    sessions: 0,
                    last_active: active,
                    active: Vec::new(),
                    newest: Vec::new(),
                });
                found.len() - 1
            });
            let project = &mut found[place];
            project.sessions += 1;
            project.active.extend(Some(active).filter(|&time| time >= query.since));
            if project.newest.len() < NEWEST {
                project.newest.push(row.get(3)?);
            }
        }
        Ok(found)
    }

    fn numbered_row(&self, number: i64) -> Result<Option<SessionRow>, CatalogueError> {
        let sql = "SELECT path, row FROM sessions WHERE id = ?";
        let read = |row: &Row<'_>| Ok((paths::of(row, 0)?, row.get::<_, Vec<u8>>(1)?));
        let Some((file, body)) = self.one(sql, [number], read)? else {
            return Ok(None);
        };
        Ok(Some(SessionRow { file, ..sealed::open(&body)? }))
    }
}

#[cfg(test)]
mod tests {
    use unspool_testkit::{TestHome, session, uuid};

    use super::*;
    use crate::index::tests::indexed;

    #[test]
    fn projects_are_told_without_reading_rows() {
        let home = TestHome::new();
        for (project, sessions) in [("/srv/a", 3), ("/srv/b", 5), ("/srv/c", 1)] {
            for number in 0..sessions {
                let log = session(&format!("u1 user @{} \"hello\"", number * 60));
                let name = uuid(&format!("{project} {number}"));
                home.add_session(project, &name, log);
            }
        }
        let (index, homes) = indexed(&home);
        let before = sealed::opened();
        let query = ProjectQuery {
            kinds: &[SessionKind::Main],
            project: None,
            since: Time::from_millis(0),
        };
        let all = index.projects(&homes, &query).expect("projects");
        assert_eq!(sealed::opened(), before);
        let named: Vec<(&str, usize, usize)> = all
            .iter()
            .map(|found| (found.project.as_str(), found.sessions, found.active.len()))
            .collect();
        assert_eq!(named, [("-srv-b", 5, 5), ("-srv-a", 3, 3), ("-srv-c", 1, 1)]);
        assert_eq!(all[0].last_active, all[0].active[0]);
        let row = index.newest_of(&all[0]).expect("an answer").expect("a row");
        assert_eq!(row.last_active(), all[0].last_active);
        assert_eq!(sealed::opened(), before + 1);

        let one = ProjectQuery {
            project: Some(&ProjectId::new("-srv-a")),
            since: all[1].active[1],
            ..query
        };
        let one = index.projects(&homes, &one).expect("projects");
        let [found] = one.as_slice() else {
            panic!("{one:?}");
        };
        assert_eq!((found.sessions, found.active.len()), (3, 2));
        let elsewhere = [Home::new("/nowhere")];
        assert_eq!(index.projects(&elsewhere, &query).expect("projects"), []);
    }
}
