//! Filters: which documents a query allows.

use std::cell::RefCell;
use std::collections::HashMap;

use tantivy::SegmentReader;
use tantivy::columnar::{ColumnValues, StrColumn};
use unspool_model::query::{Field, Filters, Has, Is, TextRole, TimeRange};
use unspool_model::time::Time;

use super::known::CatalogueLookup;
use crate::text::fields::column;
use crate::text::{DocumentFlags, EntryPart, TextPlace, TextSource, role_of_number};

/// The facts about a document, from its columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct DocumentFacts {
    pub(super) source: TextSource,
    pub(super) place: TextPlace,
    pub(super) role: TextRole,
    pub(super) marks: DocumentFlags,
    pub(super) time: Option<Time>,
    pub(super) print: u64,
}

/// The columns of one segment.
pub(super) struct Columns {
    source: FileNumbers,
    offset: FileNumbers,
    place: FileNumbers,
    facts: FileNumbers,
    print: FileNumbers,
    time: std::sync::Arc<dyn ColumnValues<i64>>,
    tool: Option<StrColumn>,
}

type FileNumbers = std::sync::Arc<dyn ColumnValues<u64>>;

/// The value for an unknown time.
const NEVER: i64 = i64::MIN;

impl Columns {
    /// Opens the columns of a segment.
    pub(super) fn open(segment: &SegmentReader) -> tantivy::Result<Self> {
        let columns = segment.fast_fields();
        let numbers = |name| -> tantivy::Result<FileNumbers> {
            Ok(columns.u64(name)?.first_or_default_col(0))
        };
        Ok(Self {
            source: numbers(column::SOURCE)?,
            offset: numbers(column::OFFSET)?,
            place: numbers(column::PLACE)?,
            facts: numbers(column::FACTS)?,
            print: numbers(column::PRINT)?,
            time: columns.i64(column::TIME)?.first_or_default_col(NEVER),
            tool: columns.str(column::TOOL)?,
        })
    }

    pub(super) fn source(&self, document: u32) -> u64 {
        self.source.get_val(document)
    }

    pub(super) fn role_and_flags(&self, document: u32) -> (TextRole, DocumentFlags) {
        let facts = self.facts.get_val(document);
        (role_of_number((facts & 7) as u8), DocumentFlags((facts >> 3) as u8))
    }

    pub(super) fn offset(&self, document: u32) -> u64 {
        self.offset.get_val(document)
    }

    pub(super) fn print(&self, document: u32) -> u64 {
        self.print.get_val(document)
    }

    pub(super) fn time(&self, document: u32) -> Option<Time> {
        let millis = self.time.get_val(document);
        (millis != NEVER).then(|| Time::from_millis(millis))
    }

    /// Reads all facts about a document.
    pub(super) fn facts(&self, document: u32) -> DocumentFacts {
        let place = self.place.get_val(document);
        let (role, marks) = self.role_and_flags(document);
        DocumentFacts {
            source: TextSource::of_number(self.source(document)),
            place: TextPlace {
                offset: self.offset(document),
                part: EntryPart::of_number((place >> 16) as u16),
                piece: place as u16,
            },
            role,
            marks,
            time: self.time(document),
            print: self.print.get_val(document),
        }
    }
}

/// The filters of a query that columns can answer. Several threads can share it.
pub(super) struct ColumnFilter<'f> {
    filters: &'f Filters,
    time: TimeRange,
}

/// All filters of a query, with the answers about files.
pub(super) struct DocumentFilter<'f> {
    pub(super) columns: ColumnFilter<'f>,
    places: &'f CatalogueLookup<'f>,
    /// Whether a filter needs the file of a document.
    by_file: bool,
    /// The answers for files so far.
    known: RefCell<HashMap<u64, bool>>,
}

/// The filters for one segment.
pub(super) struct SegmentFilter<'f> {
    filter: &'f ColumnFilter<'f>,
    columns: &'f Columns,
    /// Whether each tool of the segment is allowed, by its ordinal.
    tools: Option<Vec<bool>>,
}

impl<'f> ColumnFilter<'f> {
    /// Prepares the filters for a segment.
    pub(super) fn segment(&'f self, columns: &'f Columns) -> tantivy::Result<SegmentFilter<'f>> {
        let tools = match &columns.tool {
            _ if self.filters.tool.is_empty() => None,
            None => Some(Vec::new()),
            Some(column) => Some(self.tools(column)?),
        };
        Ok(SegmentFilter { filter: self, columns, tools })
    }

    fn tools(&self, column: &StrColumn) -> tantivy::Result<Vec<bool>> {
        let mut name = String::new();
        let mut allowed = Vec::new();
        for number in 0..column.num_terms() as u64 {
            name.clear();
            column.ord_to_str(number, &mut name)?;
            allowed.push(self.filters.tool.allow(|wanted| is_tool(&name, wanted)));
        }
        Ok(allowed)
    }
}

impl<'f> DocumentFilter<'f> {
    pub(super) fn new(filters: &'f Filters, places: &'f CatalogueLookup<'f>) -> Self {
        let has = filters.has.any.iter().chain(&filters.has.none);
        let by_file = !places.all_shown()
            || !filters.project.is_empty()
            || !filters.branch.is_empty()
            || !filters.model.is_empty()
            || !filters.file.is_empty()
            || !filters.is.is_empty()
            || has.into_iter().any(|has| has_in_columns(*has).is_none());
        Self {
            columns: ColumnFilter { filters, time: filters.time() },
            places,
            by_file,
            known: RefCell::default(),
        }
    }

    /// Tells whether a filter needs the files of documents; otherwise columns suffice.
    pub(super) fn asks_files(&self) -> bool {
        self.by_file
    }

    fn file(&self, number: u64) -> bool {
        let known = self.known.borrow().get(&number).copied();
        known.unwrap_or_else(|| {
            let allowed = self.ask(TextSource::of_number(number));
            self.known.borrow_mut().insert(number, allowed);
            allowed
        })
    }

    fn ask(&self, source: TextSource) -> bool {
        let matches = |field| move |value: &String| self.places.matches(source, field, value);
        let Filters { project, branch, model, file, is, .. } = self.columns.filters;
        (self.places.all_shown() || self.places.place(source).is_some())
            && project.allow(matches(Field::Project))
            && branch.allow(matches(Field::Branch))
            && model.allow(matches(Field::Model))
            && file.allow(matches(Field::File))
            // Filters for the active path are checked for each document.
            && (is.any.is_empty() || is.any.iter().any(|is| is_path(*is) || self.places.is(source, *is)))
            && !is.none.iter().any(|is| !is_path(*is) && self.places.is(source, *is))
    }

    /// Tells whether the entry at an offset passes the filters for the active path.
    fn path(&self, number: u64, offset: u64) -> bool {
        let is = &self.columns.filters.is;
        if !is.any.iter().chain(&is.none).any(|is| is_path(*is)) {
            return true;
        }
        let source = TextSource::of_number(number);
        let active = self.places.active(source, offset);
        is.allow(|is| match is {
            Is::Active => active != Some(false),
            Is::Abandoned => active == Some(false),
            other => self.places.is(source, *other),
        })
    }
}

fn is_path(is: Is) -> bool {
    matches!(is, Is::Active | Is::Abandoned)
}

/// Tells whether a tool is the wanted one: by its name, or by a part of a name like
/// `mcp__server__tool`.
fn is_tool(name: &str, wanted: &str) -> bool {
    let same = |name: &str| name.eq_ignore_ascii_case(wanted);
    same(name) || name.strip_prefix("mcp__").is_some_and(|rest| rest.split("__").any(same))
}

/// Returns the check of a document's own facts that answers a filter; none if the filter needs its
/// file.
fn has_in_columns(has: Has) -> Option<fn(TextRole, DocumentFlags) -> bool> {
    match has {
        Has::Error => Some(|_, marks| marks.has(DocumentFlags::ERROR)),
        Has::Image => Some(|_, marks| marks.has(DocumentFlags::IMAGE)),
        Has::Thinking => Some(|role, _| role == TextRole::Thinking),
        Has::Agent | Has::Branch | Has::Compaction => None,
    }
}

impl SegmentFilter<'_> {
    /// Tells whether a document passes the filters; `files` answers those that columns cannot.
    pub(super) fn allows(&self, document: u32, files: Option<&DocumentFilter<'_>>) -> bool {
        let filters = self.filter.filters;
        let (role, marks) = self.columns.role_and_flags(document);
        if !filters.role.allow(|wanted| *wanted == role) {
            return false;
        }
        let time = self.filter.time;
        let bounded = time != TimeRange::default();
        if bounded && !self.columns.time(document).is_some_and(|at| time.contains(at)) {
            return false;
        }
        let number = self.columns.source(document);
        let has = |has: &Has| match (has_in_columns(*has), files) {
            (Some(has_mark), _) => has_mark(role, marks),
            (None, files) => {
                files.is_none_or(|files| files.places.has(TextSource::of_number(number), *has))
            }
        };
        // Files come after columns, which are faster to read.
        self.tool(document)
            && files.is_none_or(|files| files.file(number))
            && filters.has.allow(has)
            && files.is_none_or(|files| files.path(number, self.columns.offset(document)))
    }

    fn tool(&self, document: u32) -> bool {
        let Some(tools) = &self.tools else {
            return true;
        };
        let column = self.columns.tool.as_ref();
        let number = column.and_then(|column| column.ords().first(document));
        match number {
            Some(number) => tools.get(number as usize).copied().unwrap_or(false),
            None => self.filter.filters.tool.any.is_empty(),
        }
    }
}
