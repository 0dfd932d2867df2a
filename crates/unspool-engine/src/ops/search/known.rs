//! Answers what a search must know of files from the catalogue and the rows of sessions.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use unspool_model::ids::SessionId;
use unspool_model::query::{Field, Has, Is};

use super::places::{FilePlace, PlaceKind, Places};
use crate::home::Home;
use crate::index::text::{Source, TextFile};
use crate::index::{FileId, Index};
use crate::ops::list::{Kind, Row};

/// Sessions by home and id.
type BySession<'a> = HashMap<(Option<&'a Path>, &'a str), &'a Row>;

/// The places of an index's files.
pub struct KnownPlaces<'a> {
    index: &'a Index,
    homes: &'a [Home],
    rows: BySession<'a>,
    only: Option<&'a HashSet<(Option<PathBuf>, SessionId)>>,
    files: RefCell<HashMap<Source, Option<TextFile>>>,
}

impl<'a> KnownPlaces<'a> {
    /// Knows what an index and the rows of some homes say; `only` are the sessions that may
    /// be shown, if not all may.
    pub fn new(
        index: &'a Index,
        homes: &'a [Home],
        rows: &'a [Row],
        only: Option<&'a HashSet<(Option<PathBuf>, SessionId)>>,
    ) -> Self {
        let rows = rows
            .iter()
            .map(|row| ((row.home.as_deref(), row.id.as_str()), row))
            .collect();
        Self {
            index,
            homes,
            rows,
            only,
            files: RefCell::new(HashMap::new()),
        }
    }

    /// Returns the file that a source is, if its home is searched. What cannot be read of
    /// the catalogue is not there.
    fn file(&self, source: Source) -> Option<TextFile> {
        let mut files = self.files.borrow_mut();
        let known = files.entry(source).or_insert_with(|| {
            let file = self.index.text_file(source).ok().flatten()?;
            let searched = self.homes.iter().any(|home| home.root == file.home);
            searched.then_some(file)
        });
        known.clone()
    }

    fn row(&self, file: &TextFile) -> Option<&'a Row> {
        let key = (Some(file.home.as_path()), file.session.as_str());
        // The key borrows for longer than the file lives only in the map.
        self.rows.get(&key).copied()
    }
}

impl Places for KnownPlaces<'_> {
    fn all_shown(&self) -> bool {
        self.only.is_none() && self.index.holds_only(self.homes)
    }

    fn place(&self, source: Source) -> Option<FilePlace> {
        let file = self.file(source)?;
        if let Some(only) = self.only {
            let key = (Some(file.home.clone()), file.session.clone());
            if !only.contains(&key) {
                return None;
            }
        }
        let row = self.row(&file);
        let kind = match row.map(|row| row.kind) {
            _ if file.agent.is_some() => PlaceKind::Agent,
            Some(Kind::Headless) => PlaceKind::Headless,
            Some(Kind::Agent) => PlaceKind::Agent,
            _ => PlaceKind::Main,
        };
        Some(FilePlace {
            project: file
                .project
                .or_else(|| row.and_then(|row| row.project.clone())),
            home: Some(file.home),
            session: file.session,
            agent: file.agent,
            path: file.path,
            kind,
            gone: row.is_none(),
        })
    }

    fn matches(&self, source: Source, field: Field, value: &str) -> bool {
        let Some(file) = self.file(source) else {
            return false;
        };
        let value = value.to_lowercase();
        let holds = |text: &str| text.to_lowercase().contains(&value);
        let row = self.row(&file);
        match field {
            Field::Project => {
                let folder = file.folder.as_deref().map(Path::to_string_lossy);
                let project = file.project.as_ref().or_else(|| row?.project.as_ref());
                row.and_then(|row| row.cwd.as_deref()).is_some_and(holds)
                    || project.is_some_and(|project| holds(project.as_str()))
                    || folder.is_some_and(|folder| holds(&folder))
            }
            Field::Branch => row
                .and_then(|row| row.git_branch.as_deref())
                .is_some_and(|branch| branch.to_lowercase() == value),
            Field::Model => row.is_some_and(|row| row.models.iter().any(|model| holds(model))),
            Field::File => row.is_some_and(|row| row.files.iter().any(|file| holds(&file.path))),
            _ => true,
        }
    }

    fn is(&self, source: Source, is: Is) -> bool {
        let Some(file) = self.file(source) else {
            return false;
        };
        let row = self.row(&file);
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
        let row = self.file(source).and_then(|file| self.row(&file));
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
