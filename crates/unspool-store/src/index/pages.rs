//! Rows by time, page by page.
//!
//! The catalogue has the time of each session's last activity (`active`), and an index over it. A
//! page begins where the last one ended, at a [`RowPlace`], so its cost depends on its own rows and
//! not on the number of sessions.

use std::fmt::Write as _;

use rusqlite::params_from_iter;
use rusqlite::types::Value;
use unspool_model::ids::{ProjectId, SessionId};
use unspool_model::time::Time;

use super::catalogue::{Catalogue, CatalogueError, HomeId};
use super::{Index, paths, sealed};
use crate::home::Home;
use crate::rows::{SessionKind, SessionRow};

/// The position of a row in the order by time: newest first, then by id. If the same session is in
/// several places, the one that was indexed first comes first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowPlace {
    /// The time of the last activity.
    pub active: Time,
    /// The session's id.
    pub session: SessionId,
    /// The id of the row in the catalogue.
    pub number: i64,
}

/// The rows that a page contains.
#[derive(Clone, Copy, Debug)]
pub struct PageQuery<'a> {
    /// The position after which the page begins; `None` for the newest rows.
    pub after: Option<&'a RowPlace>,
    /// The maximum number of rows.
    pub limit: usize,
    /// Kinds of sessions; any if empty.
    pub kinds: &'a [SessionKind],
    /// The project; any if `None`.
    pub project: Option<&'a ProjectId>,
    /// The prefix of the sessions' ids; any if empty.
    pub beginning: &'a str,
}

/// A page of rows.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct RowPage {
    /// The rows, newest first.
    pub rows: Vec<SessionRow>,
    /// The position of the last row, if more rows follow.
    pub last: Option<RowPlace>,
}

impl Index {
    /// Returns a page of the rows of homes.
    pub fn page(&self, homes: &[Home], query: &PageQuery<'_>) -> Result<RowPage, CatalogueError> {
        self.catalogue.page(&self.catalogue.known_homes(homes)?, query)
    }
}

impl Catalogue {
    /// Returns those of some homes that the catalogue has, each with its id.
    pub(super) fn known_homes<'h>(
        &self,
        homes: &'h [Home],
    ) -> Result<Vec<(HomeId, &'h Home)>, CatalogueError> {
        let mut known = Vec::new();
        for home in homes {
            known.extend(self.find_home(home)?.map(|id| (id, home)));
        }
        Ok(known)
    }

    fn page(
        &self,
        homes: &[(HomeId, &Home)],
        query: &PageQuery<'_>,
    ) -> Result<RowPage, CatalogueError> {
        let (sql, values) = statement(homes, query);
        let mut statement = self.db.prepare_cached(&sql)?;
        let mut found = statement.query(params_from_iter(values))?;
        let mut page = RowPage::default();
        let mut last = None;
        while let Some(row) = found.next()? {
            if page.rows.len() == query.limit {
                page.last = last;
                break;
            }
            let home: i64 = row.get(3)?;
            let home = homes.iter().find(|(id, _)| id.0 == home);
            let body = row.get_ref(5)?.as_blob().unwrap_or_default();
            page.rows.push(SessionRow {
                home: home.map(|(_, home)| home.root.clone()),
                file: paths::of(row, 4)?,
                ..sealed::open(body)?
            });
            last = Some(RowPlace {
                active: Time::from_millis(row.get(0)?),
                session: SessionId::new(row.get::<_, String>(1)?),
                number: row.get(2)?,
            });
        }
        Ok(page)
    }
}

/// Writes the query for a page, with its values. It asks for one row more than the page has, which
/// tells whether more rows follow.
fn statement(homes: &[(HomeId, &Home)], query: &PageQuery<'_>) -> (String, Vec<Value>) {
    let homes = homes.iter().map(|(id, _)| id.0);
    // The index by time has all columns of the conditions; the `+` keeps SQLite from using the
    // index by project, which has another order.
    let mut sql = format!(
        "SELECT active, session, id, home, path, row FROM sessions INDEXED BY sessions_by_time \
         WHERE +home IN ({})",
        listed(homes)
    );
    let mut values = Vec::new();
    if !query.kinds.is_empty() {
        let kinds = query.kinds.iter().map(|kind| kind.number());
        // Writing into a string cannot fail.
        let _ = write!(sql, " AND kind IN ({})", listed(kinds));
    }
    if let Some(project) = query.project {
        sql.push_str(" AND +project = ?");
        values.push(Value::from(project.as_str().to_owned()));
    }
    if !query.beginning.is_empty() {
        // The index by time has the ids, so only rows that match are read.
        sql.push_str(" AND substr(session, 1, length(?)) = ?");
        let beginning = || Value::from(query.beginning.to_owned());
        values.extend([beginning(), beginning()]);
    }
    if let Some(after) = query.after {
        let active = after.active.as_millis();
        // The index is entered by the first condition; the others skip the rows of the same time
        // that came before.
        sql.push_str(
            " AND active <= ? AND (active < ? OR session > ? OR (session = ? AND id > ?))",
        );
        let session = || Value::from(after.session.as_str().to_owned());
        values.extend([active.into(), active.into()]);
        values.extend([session(), session(), after.number.into()]);
    }
    sql.push_str(" ORDER BY active DESC, session, id LIMIT ?");
    values.push(Value::from(query.limit.saturating_add(1) as i64));
    (sql, values)
}

/// Formats numbers as an SQL list.
pub(super) fn listed(numbers: impl Iterator<Item = i64>) -> String {
    let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
    numbers.join(", ")
}

#[cfg(test)]
mod tests {
    use unspool_testkit::{TestHome, session, uuid};

    use super::*;
    use crate::filter::{Direction, SortKey, sort};
    use crate::index::tests::indexed;
    use crate::rows::AgentRows;

    /// Indexes a home with many sessions; those of one minute have the same time.
    fn many(home: &TestHome, sessions: usize) -> (Index, [Home; 1]) {
        for number in 0..sessions {
            let minute = number % 40;
            let log = session(&format!("u1 user @{} \"hello\"", minute * 60));
            let project = format!("/srv/p{}", number % 3);
            home.add_session(&project, &uuid(&format!("s{number}")), log);
        }
        indexed(home)
    }

    fn query(after: Option<&RowPlace>, limit: usize) -> PageQuery<'_> {
        PageQuery { after, limit, kinds: &[], project: None, beginning: "" }
    }

    #[test]
    fn pages_put_together_are_the_list() {
        let home = TestHome::new();
        let (index, homes) = many(&home, 100);
        let mut all = index.rows(&homes, AgentRows::Folded).expect("rows");
        sort(&mut all, SortKey::default(), Direction::Usual);
        for limit in [1, 7, 100, 1000] {
            let mut paged = Vec::new();
            let mut after = None;
            loop {
                let page = index.page(&homes, &query(after.as_ref(), limit)).expect("a page");
                assert!(page.rows.len() <= limit);
                paged.extend(page.rows);
                after = page.last;
                if after.is_none() {
                    break;
                }
            }
            assert_eq!(paged, all, "{limit}");
        }
    }

    #[test]
    fn a_page_of_one_project_and_kind_has_no_others() {
        let home = TestHome::new();
        let (index, homes) = many(&home, 30);
        let project = ProjectId::new("-srv-p1");
        let of_project =
            PageQuery { project: Some(&project), kinds: &[SessionKind::Main], ..query(None, 1000) };
        let page = index.page(&homes, &of_project).expect("a page");
        assert_eq!(page.rows.len(), 10);
        assert!(page.rows.iter().all(|row| row.project.as_ref() == Some(&project)));
        let agents = PageQuery { kinds: &[SessionKind::Agent], ..query(None, 1000) };
        assert_eq!(index.page(&homes, &agents).expect("a page").rows, []);
        let elsewhere = [Home::new("/nowhere")];
        let page = index.page(&elsewhere, &query(None, 10)).expect("a page");
        assert_eq!(page, RowPage::default());
    }

    #[test]
    fn a_page_reads_its_own_rows_and_no_others() {
        let home = TestHome::new();
        let (index, homes) = many(&home, 120);
        let first = index.page(&homes, &query(None, 20)).expect("a page");
        let before = sealed::opened();
        let second = index.page(&homes, &query(first.last.as_ref(), 20)).expect("a page");
        assert_eq!(second.rows.len(), 20);
        assert_eq!(sealed::opened() - before, 20);
    }

    #[test]
    fn a_page_of_ids_with_a_beginning_reads_only_rows_that_fit() {
        let home = TestHome::new();
        let (index, homes) = many(&home, 120);
        let all = index.rows(&homes, AgentRows::Folded).expect("rows");
        for beginning in [&uuid("s7")[..8], &uuid("s7")[..1], "%", "zzzz"] {
            let begins = |row: &&SessionRow| row.id.as_str().starts_with(beginning);
            let expected = all.iter().filter(begins).count();
            let before = sealed::opened();
            let asked = PageQuery { beginning, ..query(None, 1000) };
            let page = index.page(&homes, &asked).expect("a page");
            assert!(page.rows.iter().all(|row| begins(&row)), "{beginning}");
            assert_eq!(page.rows.len(), expected, "{beginning}");
            assert_eq!(sealed::opened() - before, expected, "{beginning}");
        }
    }

    #[test]
    fn the_index_by_time_gives_the_order() {
        let home = TestHome::new();
        let (index, homes) = many(&home, 3);
        let place =
            RowPlace { active: Time::from_millis(5), session: SessionId::new("s"), number: 1 };
        let project = ProjectId::new("-srv-p1");
        let asked = PageQuery {
            project: Some(&project),
            kinds: &[SessionKind::Main, SessionKind::Headless],
            ..query(Some(&place), 10)
        };
        let home = index.catalogue.find_home(&homes[0]).expect("a home");
        let known = [(home.expect("a known home"), &homes[0])];
        let (sql, values) = statement(&known, &asked);
        let mut plan =
            index.catalogue.db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("a question");
        let steps: Vec<String> = plan
            .query_map(params_from_iter(values), |row| row.get(3))
            .expect("a plan")
            .collect::<Result<_, _>>()
            .expect("steps");
        let steps = steps.join("; ");
        assert!(steps.contains("SEARCH sessions USING INDEX sessions_by_time"), "{steps}");
        assert!(!steps.contains("TEMP B-TREE"), "{steps}");
    }
}
