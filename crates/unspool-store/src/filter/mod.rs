//! Which sessions of a list to keep, and in which order.
//!
//! One definition of filters for every operation over sessions; [`TypedFilter`] reads them as
//! they are typed. Rows go in and come out; where they were read from does not matter here. Nothing is read but the git folders that
//! [`Here`] looks at.
//!
//! Names and paths are compared without regard to case. A text may fit one project by its
//! whole name and others by a part of it; then only the better fit counts, so that `app`
//! means the project of that name and not every path with those letters in it.

mod here;
mod pattern;
mod projects;
mod session_set;
mod sort;
#[cfg(test)]
mod tests;
mod typed;

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use unspool_model::near::near_or_part;
use unspool_model::query::TimeRange;

use crate::rows::{SessionKind, SessionRow, Status, last_part};

pub use here::Here;
pub use pattern::NamePattern;
use pattern::PatternFit;
pub use projects::only_projects;
pub use session_set::{FolderSet, SessionSet};
pub use sort::{Direction, SortKey, sort};
pub use typed::{FilterBasis, NotASize, TimeBound, TypedFilter, TypedFilterError, parse_size};

/// Names that are offered when an argument fits nothing.
const OFFERED: usize = 5;

/// Which rows to keep. Values of one field are alternatives, and all fields must match.
#[derive(Clone, Default, Debug)]
pub struct RowFilter {
    /// Projects, by name, path or a part of these.
    pub projects: Vec<NamePattern>,
    /// The folder that sessions must be of.
    pub here: Option<Here>,
    /// When something must have happened in them.
    pub time: TimeRange,
    /// Git branches, by name.
    pub branches: Vec<NamePattern>,
    /// Models, by name or a part of it.
    pub models: Vec<NamePattern>,
    /// Tools that were called, by name.
    pub tools: Vec<NamePattern>,
    /// Files that calls name, by path, its end or a part of it.
    pub files: Vec<NamePattern>,
    /// How long the file must be at least.
    pub min_bytes: u64,
    /// How many messages there must be at least.
    pub min_messages: usize,
    /// Kinds of sessions; any if empty.
    pub kinds: Vec<SessionKind>,
    /// How they must have ended; in any way if empty.
    pub statuses: Vec<Status>,
    /// Who must own them.
    pub owner: OwnerFilter,
}

/// Who must own a session.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OwnerFilter {
    /// Any process or none.
    #[default]
    Any,
    /// A running process.
    Process,
}

/// What a filter can ask for by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FilterField {
    /// A project.
    Project,
    /// A git branch.
    Branch,
    /// A model.
    Model,
    /// A tool.
    Tool,
    /// A file.
    File,
}

/// The rows that were kept, and what could not have kept any.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The rows, in the order that they came in.
    pub rows: Vec<SessionRow>,
    /// Names that fit no row at all, whatever else was asked for.
    pub unmatched: Vec<Unmatched>,
    /// The folders that were asked for; none if more was asked for than where a session was.
    pub folders: Option<FolderSet>,
}

/// A name that fits no row at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmatched {
    /// What it should have been the name of.
    pub field: FilterField,
    /// The name as written.
    pub asked: String,
    /// Names that are there and look like it, best first.
    pub near: Vec<String>,
    /// All names that are there, if none looks like it and they are few.
    pub known: Vec<String>,
}

impl fmt::Display for Unmatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.field {
            FilterField::Project => "of a project",
            FilterField::Branch => "on a branch",
            FilterField::Model => "with a model",
            FilterField::Tool => "that called a tool",
            FilterField::File => "that touched a file",
        };
        write!(f, "no sessions {what} `{}`", self.asked)?;
        let list = |names: &[String], last: &str| {
            let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            match quoted.split_last() {
                Some((end, before)) if !before.is_empty() => {
                    format!("{}{last}{end}", before.join(", "))
                }
                _ => quoted.concat(),
            }
        };
        match (self.near.is_empty(), self.known.is_empty()) {
            (false, _) => write!(f, "; did you mean {}?", list(&self.near, " or ")),
            (true, false) => write!(f, "; there is {}", list(&self.known, " and ")),
            (true, true) => Ok(()),
        }
    }
}

impl RowFilter {
    /// Tells whether a row is of the right time, size, kind and so on: all but names.
    fn admits(&self, row: &SessionRow) -> bool {
        self.here.as_ref().is_none_or(|here| here.contains(row))
            && self.overlaps(row)
            && row.bytes >= self.min_bytes
            && row.messages >= self.min_messages
            && (self.kinds.is_empty() || self.kinds.contains(&row.kind))
            && (self.statuses.is_empty() || self.statuses.contains(&row.status))
            && (self.owner == OwnerFilter::Any || row.live)
    }

    /// Tells whether something happened in the session within the range of time.
    fn overlaps(&self, row: &SessionRow) -> bool {
        let last = row.last_active();
        let first = row.started.unwrap_or(last);
        self.time.from.is_none_or(|from| last >= from)
            && self.time.until.is_none_or(|until| first < until)
    }

    /// Tells whether nothing but a time is asked for.
    pub fn asks_only_when(&self) -> bool {
        self.projects.is_empty() && self.here.is_none() && self.asks_only_where()
    }

    /// Tells whether nothing but kinds of sessions is asked for.
    pub fn asks_only_kinds(&self) -> bool {
        let of_any_kind = Self { kinds: Vec::new(), ..self.clone() };
        self.time == TimeRange::default() && of_any_kind.asks_only_when()
    }

    /// Tells whether only the place and the time of sessions are asked for.
    fn asks_only_where(&self) -> bool {
        let by_name = [&self.branches, &self.models, &self.tools, &self.files];
        by_name.iter().all(|patterns| patterns.is_empty())
            && (self.min_bytes, self.min_messages) == (0, 0)
            && self.kinds.is_empty()
            && self.statuses.is_empty()
            && self.owner == OwnerFilter::Any
    }

    fn patterns(&self, field: FilterField) -> &[NamePattern] {
        match field {
            FilterField::Project => &self.projects,
            FilterField::Branch => &self.branches,
            FilterField::Model => &self.models,
            FilterField::Tool => &self.tools,
            FilterField::File => &self.files,
        }
    }
}

impl FilterField {
    const ALL: [Self; 5] = [Self::Project, Self::Branch, Self::Model, Self::Tool, Self::File];

    /// Tells how well a row fits.
    fn fit(self, pattern: &NamePattern, row: &SessionRow) -> Option<PatternFit> {
        match self {
            Self::Project => pattern.project(row),
            Self::Branch => best(row.git_branches().map(|branch| pattern.whole(branch))),
            Self::Model => best(row.models.iter().map(|model| pattern.part(model))),
            Self::Tool => best(row.tools.keys().map(|tool| pattern.whole(tool))),
            Self::File => best(row.files.iter().map(|file| pattern.file(file))),
        }
    }

    /// Adds the names that a row could have been asked for by.
    fn names<'r>(self, row: &'r SessionRow, names: &mut BTreeSet<&'r str>) {
        match self {
            Self::Project => names.extend([row.project_name()]),
            Self::Branch => names.extend(row.git_branches()),
            Self::Model => names.extend(row.models.iter().map(String::as_str)),
            Self::Tool => names.extend(row.tools.keys().map(String::as_str)),
            Self::File => names.extend(row.files.iter().map(last_part)),
        }
        names.remove("");
    }
}

fn best(fits: impl Iterator<Item = Option<PatternFit>>) -> Option<PatternFit> {
    fits.flatten().max()
}

/// Keeps the rows that a filter admits.
pub fn select(rows: Vec<SessionRow>, filter: &RowFilter) -> Selection {
    let mut keep: Vec<bool> = rows.iter().map(|row| filter.admits(row)).collect();
    let mut unmatched = Vec::new();
    let mut projects = Vec::new();
    for field in FilterField::ALL {
        let patterns = filter.patterns(field);
        if patterns.is_empty() {
            continue;
        }
        let mut fits = vec![false; rows.len()];
        for pattern in patterns {
            let mut found: Vec<Option<PatternFit>> =
                rows.iter().map(|row| field.fit(pattern, row)).collect();
            if field == FilterField::Project {
                lend(&rows, &mut found);
            }
            let best = found.iter().copied().flatten().max();
            if field == FilterField::Project {
                projects.push(best);
            }
            let Some(best) = best else {
                unmatched.push(unmatched_of(field, pattern, &rows));
                continue;
            };
            for (fits, found) in fits.iter_mut().zip(found) {
                *fits |= found == Some(best);
            }
        }
        keep.iter_mut().zip(fits).for_each(|(keep, fits)| *keep &= fits);
    }
    let mut kept = keep.iter();
    let mut rows = rows;
    rows.retain(|_| kept.next() == Some(&true));
    Selection { rows, unmatched, folders: FolderSet::of(filter, projects) }
}

/// Lets sessions that do not say where they began fit as well as others of their project.
fn lend(rows: &[SessionRow], fits: &mut [Option<PatternFit>]) {
    let mut best: HashMap<_, Option<PatternFit>> = HashMap::new();
    for (row, fit) in rows.iter().zip(fits.iter()) {
        let known = best.entry((&row.home, &row.project)).or_default();
        *known = (*known).max(*fit);
    }
    for (row, fit) in rows.iter().zip(fits) {
        if row.cwd.is_none() && row.project.is_some() {
            *fit = best[&(&row.home, &row.project)];
        }
    }
}

fn unmatched_of(field: FilterField, pattern: &NamePattern, rows: &[SessionRow]) -> Unmatched {
    let mut names = BTreeSet::new();
    for row in rows {
        field.names(row, &mut names);
    }
    let mut near = near_or_part(pattern.asked(), names.iter().copied());
    near.truncate(OFFERED);
    if !near.is_empty() || names.len() > OFFERED {
        names.clear();
    }
    Unmatched {
        field,
        asked: pattern.asked().to_owned(),
        near: near.into_iter().map(str::to_owned).collect(),
        known: names.into_iter().map(str::to_owned).collect(),
    }
}
