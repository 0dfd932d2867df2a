//! The fields of a session that a list can show: one table for every surface.
//!
//! JSON, templates, terminal columns, sort keys and the table in `docs/json.md` are all built from `FIELDS`,
//! so a new fact about a session needs only a field of [`SessionRow`] and an entry in `FIELDS`.

mod table;
#[cfg(test)]
mod tests;

use unspool_text::style::Role;
use unspool_text::table::{Align, Column};

pub(crate) use self::table::FIELDS;
use self::table::MARKS;
use unspool_store::filter::SortKey;
use unspool_store::rows::{RowGetter, RowValue, SessionRow};

/// A field of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowField {
    /// The name in JSON and templates.
    pub(crate) name: &'static str,
    /// The type in JSON.
    pub(crate) form: JsonForm,
    /// Reads the value from a row.
    pub(crate) value: RowGetter,
    /// The description in the documentation.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests compare the documentation with it"))]
    pub(crate) meaning: &'static str,
    /// The list column; `None` if lists cannot show the field.
    column: Option<ListColumn>,
}

/// The type of a field in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum JsonForm {
    Text,
    MaybeText,
    Texts,
    MaybeTime,
    Integer,
    MaybeInteger,
    MaybeNumber,
    Boolean,
    Counts,
    Tokens,
}

impl RowField {
    /// Adds a list column, which shows the value of the field unless it has its own getter.
    const fn column(mut self, mut column: ListColumn) -> Self {
        if column.value.is_none() {
            column.value = Some(self.value);
        }
        self.column = Some(column);
        self
    }
}

/// A column of a list.
#[derive(Clone, Copy, Debug)]
pub struct ListColumn {
    /// The name that selects the column.
    pub name: &'static str,
    /// A second name that selects the column: the name of its field in JSON.
    pub other_name: Option<&'static str>,
    /// The position among all columns, from 1.
    place: u8,
    /// The heading; `None` for the name in upper case.
    head: Option<&'static str>,
    /// The value to show and sort by; `None` for the column of marks.
    value: Option<RowGetter>,
    /// The style of the cells.
    pub(super) role: Role,
    /// The text of a cell without a value.
    pub(super) absent: &'static str,
    /// Returns the layout of the column on a page of the given width.
    pub(super) width: fn(usize) -> Column,
    /// When a list shows the column.
    pub(super) shown: ShownColumn,
    /// The columns of the lowest priority are dropped first if the page is too narrow.
    pub(super) priority: u8,
    /// The position among the sort keys, from 1; `None` if rows cannot be sorted by it.
    sort: Option<u8>,
}

/// When a list shows a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ShownColumn {
    /// In every list, unless the user chose the columns.
    Usual,
    /// As `Usual`, but only if at least one row has a value.
    IfKnown,
    /// Only if the user chose the column.
    Asked,
}

/// Creates a left-aligned column, as wide as its widest cell.
const fn words(place: u8, name: &'static str, role: Role) -> ListColumn {
    ListColumn {
        name,
        other_name: None,
        place,
        head: None,
        value: None,
        role,
        absent: "",
        width: |_| Column::new(Align::Left),
        shown: ShownColumn::Asked,
        priority: 60,
        sort: None,
    }
}

/// Creates a right-aligned column.
const fn number(place: u8, name: &'static str, role: Role) -> ListColumn {
    words(place, name, role).wide(|_| Column::new(Align::Right))
}

impl ListColumn {
    const fn wide(self, width: fn(usize) -> Column) -> Self {
        Self { width, ..self }
    }

    const fn showing(self, value: RowGetter) -> Self {
        let value = Some(value);
        Self { value, ..self }
    }

    const fn headed(self, head: &'static str) -> Self {
        let head = Some(head);
        Self { head, ..self }
    }

    const fn usual(self, priority: u8) -> Self {
        let shown = ShownColumn::Usual;
        Self { shown, priority, ..self }
    }

    const fn sorted(self, place: u8) -> Self {
        let sort = Some(place);
        Self { sort, ..self }
    }

    /// Returns all columns in display order.
    pub fn all() -> Vec<&'static Self> {
        let columns = FIELDS.iter().filter_map(|field| field.column.as_ref());
        let mut columns: Vec<_> = columns.chain([&MARKS]).collect();
        columns.sort_by_key(|column| column.place);
        columns
    }

    /// Returns the columns that rows can be sorted by, in the order of the help text.
    pub fn sortable() -> Vec<&'static Self> {
        let mut columns = Self::all();
        columns.retain(|column| column.sort.is_some());
        columns.sort_by_key(|column| column.sort);
        columns
    }

    /// Returns the heading.
    pub(super) fn head(&self) -> String {
        let name = || self.name.to_uppercase();
        self.head.map_or_else(name, str::to_owned)
    }

    /// Returns the value to show for a row; `None` for the column of marks.
    pub(super) fn value<'r>(&self, row: &'r SessionRow) -> Option<RowValue<'r>> {
        self.value.map(|value| value(row))
    }

    /// Returns the key that sorts rows by this column.
    pub fn sort_key(&self) -> SortKey {
        self.value.map_or_else(SortKey::default, SortKey::by)
    }
}

impl PartialEq for ListColumn {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// The column that rows are sorted by unless the user chooses another one.
impl Default for &'static ListColumn {
    fn default() -> Self {
        let columns = ListColumn::sortable();
        columns.first().expect("there are keys to sort by")
    }
}
