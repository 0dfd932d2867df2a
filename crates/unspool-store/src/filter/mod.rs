//! Selects and sorts the sessions of a list.
//!
//! All operations over sessions share these filters; [`TypedFilter`] parses them as users type
//! them. The functions work on rows from any source and read no files except the git folders that
//! [`Here`] examines.
//!
//! Names and paths are compared without regard to case. A pattern may match one project by its
//! whole name and others by a part of it; then only the better match counts, so that `app` means
//! the project of that name and not every path that contains these letters.

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

/// How many names are suggested for a name that matches nothing.
const OFFERED: usize = 5;

/// Which rows to keep. Values of one field are alternatives, and all fields must match.
#[derive(Clone, Default, Debug)]
pub struct RowFilter {
    /// Projects, by name, path or a part of either.
    pub projects: Vec<NamePattern>,
    /// The folder that sessions must belong to.
    pub here: Option<Here>,
    /// The time range in which sessions must have been active.
    pub time: TimeRange,
    /// Git branches, by name.
    pub branches: Vec<NamePattern>,
    /// Models, by name or a part of it.
    pub models: Vec<NamePattern>,
    /// Tools that were called, by name.
    pub tools: Vec<NamePattern>,
    /// Files that calls name, by path, by its end or by a part of it.
    pub files: Vec<NamePattern>,
    /// The minimum size of the log in bytes.
    pub min_bytes: u64,
    /// The minimum number of messages.
    pub min_messages: usize,
    /// Kinds of sessions; any if empty.
    pub kinds: Vec<SessionKind>,
    /// How sessions must have ended; in any way if empty.
    pub statuses: Vec<Status>,
    /// Whether a process must own sessions.
    pub owner: OwnerFilter,
}

/// Whether a process must own a session.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OwnerFilter {
    /// A process may own it or not.
    #[default]
    Any,
    /// A running process must own it.
    Process,
}

/// The fields that a filter matches by name.
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

/// The rows that a filter kept, and the names that match no row.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The rows, in their original order.
    pub rows: Vec<SessionRow>,
    /// Names that match no row, even without the other conditions.
    pub unmatched: Vec<Unmatched>,
    /// The folders to which the filter restricts sessions; `None` if it has conditions other than
    /// place and time.
    pub folders: Option<FolderSet>,
}

/// A name that matches no row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unmatched {
    /// The field it was given for.
    pub field: FilterField,
    /// The name as typed.
    pub asked: String,
    /// Existing names that are similar, best first.
    pub near: Vec<String>,
    /// All existing names, if none is similar and there are few.
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
    /// Returns whether a row meets all conditions except names.
    fn admits(&self, row: &SessionRow) -> bool {
        self.here.as_ref().is_none_or(|here| here.contains(row))
            && self.overlaps(row)
            && row.bytes >= self.min_bytes
            && row.messages >= self.min_messages
            && (self.kinds.is_empty() || self.kinds.contains(&row.kind))
            && (self.statuses.is_empty() || self.statuses.contains(&row.status))
            && (self.owner == OwnerFilter::Any || row.live)
    }

    /// Returns whether the session was active within the time range.
    fn overlaps(&self, row: &SessionRow) -> bool {
        let last = row.last_active();
        let first = row.started.unwrap_or(last);
        self.time.from.is_none_or(|from| last >= from)
            && self.time.until.is_none_or(|until| first < until)
    }

    /// Returns whether the filter has no conditions but a time range.
    pub fn has_only_time(&self) -> bool {
        self.projects.is_empty() && self.here.is_none() && self.has_only_place_and_time()
    }

    /// Returns whether the filter has no conditions but kinds of sessions.
    pub fn has_only_kinds(&self) -> bool {
        let of_any_kind = Self { kinds: Vec::new(), ..self.clone() };
        self.time == TimeRange::default() && of_any_kind.has_only_time()
    }

    /// Returns whether the filter has no conditions but projects, a folder and a time range.
    fn has_only_place_and_time(&self) -> bool {
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

    /// Returns how well a row matches.
    fn fit(self, pattern: &NamePattern, row: &SessionRow) -> Option<PatternFit> {
        match self {
            Self::Project => pattern.project(row),
            Self::Branch => best(row.git_branches().map(|branch| pattern.whole(branch))),
            Self::Model => best(row.models.iter().map(|model| pattern.part(model))),
            Self::Tool => best(row.tools.keys().map(|tool| pattern.whole(tool))),
            Self::File => best(row.files.iter().map(|file| pattern.file(file))),
        }
    }

    /// Adds the names by which a filter can select the row.
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

/// Applies a filter to rows.
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
            // A match of a whole name excludes sessions that only match in part.
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

/// Gives sessions with no known folder the best match of their project.
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
