//! The sessions of the picker, in a compact form.
//!
//! [`PickerRows`] is an immutable copy of the catalogue: a worker builds it, and the screen and the
//! matching worker share it. Thirty thousand sessions take some 15 MB: all texts are in one string, and
//! names of projects, branches and models are interned.

use std::collections::HashMap;
use std::collections::hash_map::{DefaultHasher, Entry};
use std::fmt;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use unspool_engine::library::SessionPlace;
use unspool_model::ids::{ProjectId, SessionId};
use unspool_model::time::Time;
use unspool_store::filter::Here;
use unspool_store::rows::{SessionKind, SessionRow, Status};
use unspool_text::sanitize;

use crate::settings::SessionSubject;

/// The largest part of a title or first prompt that is stored, in bytes: more than any screen shows.
const LONGEST: usize = 400;

/// The key of a session: a hash of its home, project and id. With 128 bits, a collision of two sessions is
/// less likely than a disk failure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct RowKey(u128);

impl RowKey {
    /// Returns the key of the session at a place.
    pub(crate) fn of(place: &SessionPlace) -> Self {
        let half = |seed: u8| {
            let mut hasher = DefaultHasher::new();
            (seed, place).hash(&mut hasher);
            u128::from(hasher.finish())
        };
        Self(half(1) << 64 | half(2))
    }
}

/// The relation of a session's folder to the working directory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum RowScope {
    /// The same folder, a folder in it, or the same folder in another worktree.
    Here,
    /// The same repository.
    Repository,
    /// Any other folder.
    Elsewhere,
}

/// The folders that decide the scope of sessions.
#[derive(Clone, Debug)]
pub(crate) struct ScopeFolders {
    pub(crate) here: Here,
    /// The repository, if the folder is in one but not its root.
    pub(crate) repository: Option<Here>,
}

impl ScopeFolders {
    /// Finds the folders for a working directory.
    pub(crate) fn of(folder: &Path) -> Self {
        let here = Here::of(folder);
        Self { repository: Here::repository(folder).filter(|repository| *repository != here), here }
    }

    fn scope(&self, row: &SessionRow) -> RowScope {
        let is_in_repository = |repository: &Here| repository.contains(row);
        if self.here.contains(row) {
            RowScope::Here
        } else if self.repository.as_ref().is_some_and(is_in_repository) {
            RowScope::Repository
        } else {
            RowScope::Elsewhere
        }
    }
}

/// The index of an interned name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct RowName(u32);

/// A session.
#[derive(Clone, Debug)]
pub(crate) struct PickerRow {
    pub(crate) key: RowKey,
    /// The index of the home.
    home: Option<u16>,
    project: Option<RowName>,
    pub(crate) project_name: RowName,
    pub(crate) branch: RowName,
    pub(crate) model: RowName,
    id: Box<str>,
    file: Box<Path>,
    /// Offsets into the texts: the start, the end of the title, the end of the last text.
    texts: (u32, u32, u32),
    /// The time of the last activity.
    pub(crate) active: Time,
    pub(crate) length_ms: Option<u64>,
    pub(crate) turns: u32,
    pub(crate) tokens: u64,
    pub(crate) cost: Option<f64>,
    pub(crate) bytes: u64,
    pub(crate) status: Status,
    pub(crate) kind: SessionKind,
    pub(crate) is_live: bool,
    /// Set if the log is gone, so that only prompts are known.
    pub(crate) is_gone: bool,
    /// Set if only agents of the session are left.
    pub(crate) has_only_agents: bool,
    /// The number of agents counted with the session.
    pub(crate) folded_agents: u32,
    pub(crate) branches: u32,
    pub(crate) compactions: u32,
    pub(crate) scope: RowScope,
}

impl PickerRow {
    /// Tells whether the session has no conversation: it is empty, or only its agents are left.
    pub(crate) fn is_without_conversation(&self) -> bool {
        self.kind == SessionKind::Empty || self.has_only_agents
    }
}

/// Sessions, newest first.
#[derive(Default)]
pub(crate) struct PickerRows {
    rows: Vec<PickerRow>,
    texts: String,
    names: Vec<Box<str>>,
    numbers: HashMap<Box<str>, RowName>,
    homes: Vec<PathBuf>,
    by_key: HashMap<RowKey, u32>,
    /// Set if these are all sessions of the catalogue.
    pub(crate) is_whole: bool,
    /// Set if the working directory is a part of a repository.
    pub(crate) has_repository: bool,
}

impl fmt::Debug for PickerRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PickerRows({})", self.rows.len())
    }
}

impl PickerRows {
    /// Collects rows, which are newest first.
    pub(crate) fn of(rows: &[SessionRow], folders: &ScopeFolders) -> Self {
        let mut kept = Self {
            is_whole: true,
            has_repository: folders.repository.is_some(),
            ..Self::default()
        };
        for row in rows {
            kept.add(row, folders);
        }
        kept.texts.shrink_to_fit();
        kept
    }

    /// Marks the rows as a part of the catalogue.
    #[must_use]
    pub(crate) fn into_part(mut self) -> Self {
        self.is_whole = false;
        self
    }

    /// Adds a session, unless it is present.
    pub(crate) fn add(&mut self, row: &SessionRow, folders: &ScopeFolders) {
        let key = RowKey::of(&crate::settings::place_of(row));
        let number = self.rows.len() as u32;
        match self.by_key.entry(key) {
            Entry::Occupied(_) => return,
            Entry::Vacant(free) => free.insert(number),
        };
        let title = row.title.as_deref().or_else(|| row.opening());
        let title = title.map_or_else(|| row.short_id(), ToOwned::to_owned);
        let texts = self.add_texts(&title, row);
        let home = row.home.as_ref().map(|home| self.home_number(home));
        let project = row.project.as_ref().map(|it| self.name_number(it.as_str()));
        let project_name = self.name_number(&sanitize::inline(row.project_name()));
        let branch = row.git_branch.as_deref().unwrap_or("");
        let branch = self.name_number(&sanitize::inline(branch));
        let model = row.models.last().map_or("", |model| short_model(model));
        let model = self.name_number(&sanitize::inline(model));
        self.rows.push(PickerRow {
            key,
            home,
            project,
            project_name,
            branch,
            model,
            id: row.id.as_str().into(),
            file: row.file.as_path().into(),
            texts,
            active: row.last_active(),
            length_ms: row.duration_ms(),
            turns: row.turns as u32,
            tokens: row.tokens.sum(),
            cost: row.cost_usd,
            bytes: row.bytes,
            status: row.status,
            kind: row.kind,
            is_live: row.live,
            is_gone: false,
            has_only_agents: row.has_only_agents(),
            folded_agents: row.agents as u32,
            branches: row.branches as u32,
            compactions: row.compactions as u32,
            scope: folders.scope(row),
        });
    }

    /// Adds a session whose log is gone, unless it is present.
    pub(crate) fn add_gone(&mut self, place: &SessionPlace, title: &str, active: Time) {
        let key = RowKey::of(place);
        let number = self.rows.len() as u32;
        match self.by_key.entry(key) {
            Entry::Occupied(_) => return,
            Entry::Vacant(free) => free.insert(number),
        };
        let start = self.texts.len() as u32;
        self.texts.push_str(cut(&sanitize::inline(title)));
        let end = self.texts.len() as u32;
        let nothing = self.name_number("");
        let project = place.project.as_ref();
        let project = project.map(|it| self.name_number(it.as_str()));
        let home = place.home.as_ref().map(|home| self.home_number(home));
        self.rows.push(PickerRow {
            key,
            home,
            project,
            project_name: project.unwrap_or(nothing),
            branch: nothing,
            model: nothing,
            id: place.session.as_str().into(),
            file: Path::new("").into(),
            texts: (start, end, end),
            active,
            length_ms: None,
            turns: 0,
            tokens: 0,
            cost: None,
            bytes: 0,
            status: Status::Empty,
            kind: SessionKind::Main,
            is_live: false,
            is_gone: true,
            has_only_agents: false,
            folded_agents: 0,
            branches: 0,
            compactions: 0,
            scope: RowScope::Elsewhere,
        });
    }

    /// Stores the searchable texts of a row: title, project, branch, first prompt.
    fn add_texts(&mut self, title: &str, row: &SessionRow) -> (u32, u32, u32) {
        let start = self.texts.len() as u32;
        self.texts.push_str(cut(&sanitize::inline(title)));
        let title_end = self.texts.len() as u32;
        let branch = row.git_branch.as_deref().unwrap_or("");
        let prompt = row.first_prompt.as_deref().unwrap_or("");
        let prompt = if prompt == title { "" } else { prompt };
        for text in [row.project_name(), branch, prompt] {
            if !text.is_empty() {
                self.texts.push_str("  ");
                self.texts.push_str(cut(&sanitize::inline(text)));
            }
        }
        (start, title_end, self.texts.len() as u32)
    }

    fn name_number(&mut self, name: &str) -> RowName {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = RowName(self.names.len() as u32);
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    fn home_number(&mut self, home: &Path) -> u16 {
        let known = self.homes.iter().position(|known| known == home);
        let number = known.unwrap_or_else(|| {
            self.homes.push(home.to_owned());
            self.homes.len() - 1
        });
        number as u16
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns all rows, newest first.
    pub(crate) fn all(&self) -> &[PickerRow] {
        &self.rows
    }

    /// Returns the row with an index.
    pub(crate) fn row(&self, number: u32) -> Option<&PickerRow> {
        self.rows.get(number as usize)
    }

    /// Returns the row of a session.
    pub(crate) fn of_key(&self, key: RowKey) -> Option<&PickerRow> {
        self.row(self.number_of(key)?)
    }

    /// Returns the index of a session.
    pub(crate) fn number_of(&self, key: RowKey) -> Option<u32> {
        self.by_key.get(&key).copied()
    }

    pub(crate) fn name(&self, number: RowName) -> &str {
        self.names.get(number.0 as usize).map_or("", |name| name)
    }

    /// Returns the searchable text of a row; the title comes first.
    pub(crate) fn haystack(&self, row: &PickerRow) -> &str {
        let (start, _, end) = row.texts;
        self.texts.get(start as usize..end as usize).unwrap_or("")
    }

    pub(crate) fn title(&self, row: &PickerRow) -> &str {
        let (start, end, _) = row.texts;
        self.texts.get(start as usize..end as usize).unwrap_or("")
    }

    pub(crate) fn place(&self, row: &PickerRow) -> SessionPlace {
        let home = row.home.and_then(|home| self.homes.get(usize::from(home)));
        SessionPlace {
            home: home.cloned(),
            project: row.project.map(|it| ProjectId::new(self.name(it))),
            session: SessionId::new(&*row.id),
        }
    }

    pub(crate) fn subject(&self, row: &PickerRow) -> SessionSubject {
        SessionSubject {
            place: self.place(row),
            title: self.title(row).to_owned(),
            file: row.file.to_path_buf(),
            entry: None,
        }
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// Shortens the name of a model: `claude-opus-4-5-20251101` is `opus-4-5`.
pub(crate) fn short_model(model: &str) -> &str {
    let name = model.strip_prefix("claude-").unwrap_or(model);
    match name.rsplit_once('-') {
        Some((before, date)) if date.len() == 8 && date.bytes().all(|it| it.is_ascii_digit()) => {
            before
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_called_by_their_short_names() {
        for (model, short) in [
            ("claude-opus-4-5-20251101", "opus-4-5"),
            ("claude-opus-5-5", "opus-5-5"),
            ("gpt", "gpt"),
            ("", ""),
        ] {
            assert_eq!(short_model(model), short);
        }
    }

    #[test]
    fn keys_tell_homes_projects_and_ids_apart() {
        let place = |home: &str, project: &str, id: &str| SessionPlace {
            home: Some(home.into()),
            project: Some(ProjectId::new(project)),
            session: SessionId::new(id),
        };
        let first = RowKey::of(&place("/a", "p", "x"));
        assert_eq!(first, RowKey::of(&place("/a", "p", "x")));
        for other in [place("/b", "p", "x"), place("/a", "q", "x"), place("/a", "p", "y")] {
            assert_ne!(first, RowKey::of(&other));
        }
    }
}
