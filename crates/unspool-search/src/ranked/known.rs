//! Looks up the files of documents in the catalogue.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use unspool_model::conversation::Liveness;
use unspool_model::ids::{AgentId, ProjectId, SessionId};
use unspool_model::query::{Field, Has, Is};

use crate::text::{TextFile, TextOrigin, TextSource};
use unspool_store::filter::SessionSet;
use unspool_store::home::{Home, LiveSessions};
use unspool_store::index::{CatalogueError, CatalogueView, FileId, Index, OffPath};
use unspool_store::rows::{SessionKind, SessionRow, Status};

/// The catalogue as a search uses it. It is queried once for each file with a hit, in the order of
/// scores, and for filters only if the query has some. Rows of sessions are read on demand, since a
/// search shows a few of thousands.
pub struct CatalogueLookup<'a> {
    index: &'a Index,
    homes: &'a [Home],
    live: &'a [LiveSessions],
    only: Option<&'a SessionSet>,
    files: RefCell<HashMap<TextSource, Option<Rc<SourceSession>>>>,
    off_path: RefCell<HashMap<FileId, Option<OffPath>>>,
    origins: RefCell<HashMap<TextSource, Option<TextOrigin>>>,
    /// The first error of the catalogue.
    failure: RefCell<Option<CatalogueError>>,
    _view: CatalogueView<'a>,
}

/// The home, project and session of a file.
pub(super) struct IndexedFile {
    pub(super) home: PathBuf,
    pub(super) project: Option<ProjectId>,
    /// The session; empty if unknown.
    pub(super) session: SessionId,
    /// The agent, if the file is its log.
    pub(super) agent: Option<AgentId>,
    pub(super) path: PathBuf,
    /// Whether a program drove the session.
    pub(super) is_headless: bool,
    /// Whether the session's files are gone.
    pub(super) gone: bool,
}

/// A file with the data of its session.
struct SourceSession {
    file: TextFile,
    /// The index of its home in `homes`.
    home: usize,
    /// The project of the session.
    project: Option<ProjectId>,
    /// The session's kind; none if the session is gone.
    kind: Option<SessionKind>,
    row: OnceCell<Option<SessionRow>>,
}

impl<'a> CatalogueLookup<'a> {
    /// Creates the lookups of an index for some homes; `only` are the sessions that may be shown,
    /// none if all may.
    pub fn new(
        index: &'a Index,
        homes: &'a [Home],
        live: &'a [LiveSessions],
        only: Option<&'a SessionSet>,
    ) -> Self {
        Self {
            index,
            homes,
            live,
            only,
            files: RefCell::default(),
            off_path: RefCell::default(),
            origins: RefCell::default(),
            failure: RefCell::default(),
            _view: index.view(),
        }
    }

    /// Returns the first error of the catalogue, which makes results incomplete.
    pub fn check(&self) -> Result<(), CatalogueError> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Returns an answer of the catalogue; an error is kept for [`CatalogueLookup::check`].
    fn answered<T>(&self, answer: Result<T, impl Into<CatalogueError>>) -> Option<T> {
        let answer = answer.map_err(|error| {
            self.failure.borrow_mut().get_or_insert(error.into());
        });
        answer.ok()
    }

    /// Returns the file and the session of a source, if its home is searched.
    fn known(&self, source: TextSource) -> Option<Rc<SourceSession>> {
        let mut files = self.files.borrow_mut();
        let known = files.entry(source).or_insert_with(|| {
            let file = self.answered(TextFile::of(self.index, source)).flatten()?;
            let home = self.homes.iter().position(|home| home.root == file.home)?;
            let project = match &file.project {
                Some(project) => Some(project.clone()),
                None => self.answered(self.index.project_of(&file.home, &file.session))?,
            };
            let kind = project.as_ref().and_then(|project| {
                let kind = self.index.session_kind(&file.home, project, &file.session);
                self.answered(kind).flatten()
            });
            Some(Rc::new(SourceSession { file, home, project, kind, row: OnceCell::new() }))
        });
        known.clone()
    }

    /// Returns the result that was spilled into a file.
    fn spilled(&self, source: TextSource) -> Option<TextOrigin> {
        let mut origins = self.origins.borrow_mut();
        let origin = origins
            .entry(source)
            .or_insert_with(|| self.answered(TextOrigin::of(self.index, source)).flatten());
        origin.clone()
    }

    /// Tells whether a session is gone. For a prompt of the history, a session without a
    /// conversation that could contain the prompt counts as gone too: only agents, or an empty log.
    fn is_gone(&self, known: &SourceSession) -> bool {
        let is_empty = || self.row(known).is_none_or(|row| row.status == Status::Empty);
        known.kind.is_none() || (known.file.folder.is_some() && is_empty())
    }

    fn row<'k>(&self, known: &'k SourceSession) -> Option<&'k SessionRow> {
        let SourceSession { file, home, project, row, .. } = known;
        let row = row.get_or_init(|| {
            let project = project.as_ref()?;
            let row = self.index.row(&file.home, project, &file.session);
            let mut row = self.answered(row).flatten()?;
            if self.live.get(*home)?.is_live(&row.id) {
                row.set_live(Liveness::Live);
            }
            Some(row)
        });
        row.as_ref()
    }

    /// Tells whether every file of the index may be shown, so that lookups are not needed.
    pub(super) fn all_shown(&self) -> bool {
        self.only.is_none() && self.index.contains_only(self.homes)
    }

    /// Returns the home, project and session of a file; none if its hits may not be shown.
    pub(super) fn place(&self, source: TextSource) -> Option<IndexedFile> {
        let known = self.known(source)?;
        let file = &known.file;
        if let Some(only) = self.only {
            let folder = file.folder.as_deref().map(Path::to_string_lossy);
            if !only.contains(Some(&file.home), &file.session, folder.as_deref()) {
                return None;
            }
        }
        Some(IndexedFile {
            project: known.project.clone(),
            home: file.home.clone(),
            session: file.session.clone(),
            agent: file.agent.clone(),
            path: file.path.clone(),
            is_headless: file.agent.is_none() && known.kind == Some(SessionKind::Headless),
            gone: self.is_gone(&known),
        })
    }

    /// Tells whether a filter of [`Field::Project`], [`Field::Branch`], [`Field::Model`] or
    /// [`Field::File`] matches a file.
    pub(super) fn matches(&self, source: TextSource, field: Field, value: &str) -> bool {
        let Some(known) = self.known(source) else {
            return false;
        };
        let (file, row) = (&known.file, self.row(&known));
        let value = value.to_lowercase();
        let contains = |text: &str| text.to_lowercase().contains(&value);
        match field {
            Field::Project => {
                let folder = file.folder.as_deref().map(Path::to_string_lossy);
                let project = known.project.as_ref();
                row.is_some_and(|row| row.cwds().any(contains))
                    || project.is_some_and(|project| contains(project.as_str()))
                    || folder.is_some_and(|folder| contains(&folder))
            }
            Field::Branch => row.is_some_and(|row| {
                let mut branches = row.git_branches();
                branches.any(|branch| branch.to_lowercase() == value)
            }),
            Field::Model => row.is_some_and(|row| row.models.iter().any(|model| contains(model))),
            Field::File => row.is_some_and(|row| row.files.iter().any(contains)),
            _ => true,
        }
    }

    /// Tells whether the session of a file is of a kind. `Active` and `Abandoned` depend on the
    /// entry and are always true here.
    pub(super) fn is(&self, source: TextSource, is: Is) -> bool {
        let Some(known) = self.known(source) else {
            return false;
        };
        let is_agent = known.file.agent.is_some();
        let kind = |kind| !is_agent && known.kind == Some(kind);
        match is {
            Is::Active | Is::Abandoned => true,
            Is::Main => kind(SessionKind::Main),
            Is::Headless => kind(SessionKind::Headless),
            Is::Empty => kind(SessionKind::Empty),
            Is::Agent => is_agent || kind(SessionKind::Agent),
            Is::Live => self.row(&known).is_some_and(|row| row.live),
            Is::Gone => self.is_gone(&known),
        }
    }

    /// Tells whether the session of a file has agents, branches or compactions.
    pub(super) fn has(&self, source: TextSource, has: Has) -> bool {
        let known = self.known(source);
        let row = known.as_ref().and_then(|known| self.row(known));
        row.is_some_and(|row| match has {
            Has::Agent => row.agents > 0,
            Has::Branch => row.branches > 0,
            Has::Compaction => row.compactions > 0,
            Has::Error | Has::Image | Has::Thinking => true,
        })
    }

    /// Returns the log and the offset of the result that was spilled into a file.
    pub(super) fn origin(&self, source: TextSource) -> Option<(PathBuf, u64)> {
        let origin = self.spilled(source)?;
        Some((origin.path, origin.offset))
    }

    /// Tells whether the entry at an offset is on the active path; none if the source has no paths.
    pub(super) fn active(&self, source: TextSource, offset: u64) -> Option<bool> {
        let (file, offset) = match source {
            TextSource::Log(id) | TextSource::Tail(id) => (FileId(id), offset),
            TextSource::Side(_) => {
                let origin = self.spilled(source)?;
                (origin.file, origin.offset)
            }
            TextSource::Past(_) => return None,
        };
        let mut off_path = self.off_path.borrow_mut();
        let off_path =
            off_path.entry(file).or_insert_with(|| self.answered(self.index.off_path(file)));
        off_path.as_ref().map(|off_path| !off_path.contains(offset))
    }
}
