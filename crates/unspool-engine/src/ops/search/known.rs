//! Answers what a search must know of files from the catalogue.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use unspool_model::conversation::Liveness;
use unspool_model::ids::SessionId;
use unspool_model::query::{Field, Has, Is};

use super::places::{FilePlace, PlaceKind, Places};
use crate::home::{Home, LiveSessions};
use crate::index::text::{Source, TextFile};
use crate::index::{FileId, Index};
use crate::ops::list::{Kind, Row};

/// Sessions by home and id.
pub type SessionSet = HashSet<(Option<PathBuf>, SessionId)>;

/// The places of an index's files. Rows of sessions are read when somebody asks for them,
/// since a search shows a few of thousands.
pub struct KnownPlaces<'a> {
    index: &'a Index,
    homes: &'a [Home],
    live: &'a [LiveSessions],
    only: Option<&'a SessionSet>,
    files: RefCell<HashMap<Source, Option<Rc<Known>>>>,
}

/// A file and the row of its session.
struct Known {
    file: TextFile,
    row: Option<Row>,
}

impl<'a> KnownPlaces<'a> {
    /// Knows what an index says of some homes; `only` are the sessions that may be shown, if
    /// not all may.
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
            files: RefCell::new(HashMap::new()),
        }
    }

    /// Returns the rows of all sessions that somebody asked for.
    pub fn into_rows(self) -> Vec<Row> {
        let files = self.files.into_inner().into_values().flatten();
        files
            .filter_map(|known| Rc::into_inner(known)?.row)
            .collect()
    }

    /// Returns what is known of a source, if its home is searched. What cannot be read of the
    /// catalogue is not there.
    fn known(&self, source: Source) -> Option<Rc<Known>> {
        let mut files = self.files.borrow_mut();
        let known = files.entry(source).or_insert_with(|| {
            let file = self.index.text_file(source).ok().flatten()?;
            let at = self.homes.iter().position(|home| home.root == file.home)?;
            let row = self.row(&file, at);
            Some(Rc::new(Known { file, row }))
        });
        known.clone()
    }

    fn row(&self, file: &TextFile, home: usize) -> Option<Row> {
        let found = |project| self.index.row(&file.home, project, &file.session).ok()?;
        let mut row = match &file.project {
            Some(project) => found(project),
            None => self.index.find_row(&file.home, &file.session).ok()?,
        }?;
        if self.live.get(home)?.is_live(&row.id) {
            row.set_live(Liveness::Live);
        }
        Some(row)
    }
}

impl Places for KnownPlaces<'_> {
    fn all_shown(&self) -> bool {
        self.only.is_none() && self.index.holds_only(self.homes)
    }

    fn place(&self, source: Source) -> Option<FilePlace> {
        let known = self.known(source)?;
        let (file, row) = (&known.file, known.row.as_ref());
        if let Some(only) = self.only {
            let key = (Some(file.home.clone()), file.session.clone());
            if !only.contains(&key) {
                return None;
            }
        }
        let kind = match row.map(|row| row.kind) {
            _ if file.agent.is_some() => PlaceKind::Agent,
            Some(Kind::Headless) => PlaceKind::Headless,
            Some(Kind::Agent) => PlaceKind::Agent,
            _ => PlaceKind::Main,
        };
        let project = file.project.as_ref().or_else(|| row?.project.as_ref());
        Some(FilePlace {
            project: project.cloned(),
            home: Some(file.home.clone()),
            session: file.session.clone(),
            agent: file.agent.clone(),
            path: file.path.clone(),
            kind,
            gone: row.is_none(),
        })
    }

    fn matches(&self, source: Source, field: Field, value: &str) -> bool {
        let Some(known) = self.known(source) else {
            return false;
        };
        let (file, row) = (&known.file, known.row.as_ref());
        let value = value.to_lowercase();
        let holds = |text: &str| text.to_lowercase().contains(&value);
        match field {
            Field::Project => {
                let folder = file.folder.as_deref().map(Path::to_string_lossy);
                let project = file.project.as_ref().or_else(|| row?.project.as_ref());
                row.and_then(|row| row.cwd.as_deref()).is_some_and(holds)
                    || project.is_some_and(|project| holds(project.as_str()))
                    || folder.is_some_and(|folder| holds(&folder))
            }
            Field::Branch => row.is_some_and(|row| {
                let mut branches = row.git_branches();
                branches.any(|branch| branch.to_lowercase() == value)
            }),
            Field::Model => row.is_some_and(|row| row.models.iter().any(|model| holds(model))),
            Field::File => row.is_some_and(|row| row.files.iter().any(|file| holds(&file.path))),
            _ => true,
        }
    }

    fn is(&self, source: Source, is: Is) -> bool {
        let Some(known) = self.known(source) else {
            return false;
        };
        let (file, row) = (&known.file, known.row.as_ref());
        let kind = |kind| file.agent.is_none() && row.is_some_and(|row| row.kind == kind);
        match is {
            Is::Active | Is::Abandoned => true,
            Is::Main => kind(Kind::Main),
            Is::Headless => kind(Kind::Headless),
            Is::Empty => kind(Kind::Empty),
            Is::Agent => file.agent.is_some() || kind(Kind::Agent),
            Is::Live => row.is_some_and(|row| row.live),
            Is::Gone => row.is_none(),
        }
    }

    fn has(&self, source: Source, has: Has) -> bool {
        let known = self.known(source);
        let row = known.as_ref().and_then(|known| known.row.as_ref());
        row.is_some_and(|row| match has {
            Has::Agent => row.agents > 0,
            Has::Branch => row.branches > 0,
            Has::Compaction => row.compactions > 0,
            Has::Error | Has::Image | Has::Thinking => true,
        })
    }

    fn origin(&self, source: Source) -> Option<(PathBuf, u64)> {
        self.index.text_origin(source).ok().flatten()
    }

    fn active(&self, source: Source, offset: u64) -> Option<bool> {
        match source {
            Source::Log(id) | Source::Tail(id) => self.index.is_active(FileId(id), offset).ok(),
            Source::Side(_) | Source::Past(_) => None,
        }
    }
}
