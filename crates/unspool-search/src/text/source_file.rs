//! The file, session and project of a source.

use std::path::PathBuf;

use rusqlite::{OptionalExtension as _, Row};
use unspool_model::ids::{AgentId, ProjectId, SessionId};

use super::source::TextSource;
use unspool_store::home::SideFileKind;
use unspool_store::home::layout::PROJECTS;
use unspool_store::index::{FileId, Index, paths};

/// The file of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextFile {
    /// The home.
    pub home: PathBuf,
    /// The project; none if the file is not in the folder of a project.
    pub project: Option<ProjectId>,
    /// The working folder of a prompt in the history.
    pub folder: Option<PathBuf>,
    /// The session; empty if unknown.
    pub session: SessionId,
    /// The agent whose log the file is.
    pub agent: Option<AgentId>,
    /// The file.
    pub path: PathBuf,
}

/// The entry of a result whose output was spilled into a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextOrigin {
    /// The log.
    pub path: PathBuf,
    /// The id of the log.
    pub file: FileId,
    /// The offset of the entry.
    pub offset: u64,
}

impl TextFile {
    /// Returns the file of a source; none if the catalogue does not know it any more.
    pub fn of(index: &Index, source: TextSource) -> rusqlite::Result<Option<Self>> {
        let (sql, id) = match source {
            TextSource::Log(id) | TextSource::Tail(id) => (
                "SELECT (SELECT root FROM homes WHERE id = home), path, session, project, agent, \
                 NULL FROM files WHERE id = ?",
                id,
            ),
            TextSource::Side(id) => (
                "SELECT (SELECT root FROM homes WHERE id = home), path, session, NULL, NULL, NULL \
                 FROM text_sides WHERE id = ?",
                id,
            ),
            TextSource::Past(id) => (
                "SELECT h.root, s.path, p.session, NULL, NULL, p.project FROM text_past p \
                 JOIN text_sides s ON s.id = p.side JOIN homes h ON h.id = s.home WHERE p.id = ?",
                id,
            ),
        };
        let mut statement = index.database().prepare_cached(sql)?;
        let file = statement.query_row([id], read).optional()?;
        match (source, file) {
            (TextSource::Side(_), Some(file)) => file.completed(index).map(Some),
            (_, file) => Ok(file),
        }
    }

    /// Adds the session or project of a side file: a plan belongs to the session that names it,
    /// and a spilled output is in the folder of a project.
    fn completed(mut self, index: &Index) -> rusqlite::Result<Self> {
        match SideFileKind::of_path(&self.path) {
            SideFileKind::Plan => {
                let slug = self.path.file_stem().unwrap_or_default().to_string_lossy();
                let sql = "SELECT f.session, f.project FROM text_plans p \
                           JOIN files f ON f.id = p.file WHERE p.slug = ? ORDER BY f.path LIMIT 1";
                let mut statement = index.database().prepare_cached(sql)?;
                let found = statement.query_row([&*slug], |row| {
                    Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
                });
                if let Some((session, project)) = found.optional()? {
                    self.session = SessionId::new(session);
                    self.project = Some(ProjectId::new(project));
                }
            }
            SideFileKind::Output | SideFileKind::Journal => {
                let below = self.path.strip_prefix(self.home.join(PROJECTS));
                let project = below.ok().and_then(|below| below.iter().next());
                self.project = project.map(|name| ProjectId::new(name.to_string_lossy()));
            }
            SideFileKind::Task | SideFileKind::History => {}
        }
        Ok(self)
    }
}

impl TextOrigin {
    /// Returns the entry of the result that was spilled into the file of a source.
    pub fn of(index: &Index, source: TextSource) -> rusqlite::Result<Option<Self>> {
        let TextSource::Side(_) = source else {
            return Ok(None);
        };
        let Some(file) = TextFile::of(index, source)? else {
            return Ok(None);
        };
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        let sql = "SELECT f.path, s.offset, f.id FROM text_spilled s \
                   JOIN files f ON f.id = s.file \
                   WHERE s.name = ? AND f.session = ? ORDER BY f.path, s.offset LIMIT 1";
        let mut statement = index.database().prepare_cached(sql)?;
        statement
            .query_row([&*name, file.session.as_str()], |row| {
                Ok(Self {
                    path: paths::of(row, 0)?,
                    offset: row.get::<_, i64>(1)? as u64,
                    file: FileId(row.get(2)?),
                })
            })
            .optional()
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<TextFile> {
    let path = |column| -> rusqlite::Result<PathBuf> { paths::of(row, column) };
    let text = |column| row.get::<_, Option<String>>(column);
    Ok(TextFile {
        home: path(0)?,
        project: text(3)?.map(ProjectId::new),
        folder: text(5)?.map(PathBuf::from),
        session: SessionId::new(text(2)?.unwrap_or_default()),
        agent: text(4)?.map(AgentId::new),
        path: path(1)?,
    })
}
