//! What can be shown of a session in a list: one table for every surface.
//!
//! `FIELDS` has an entry for each fact about a session. JSON, templates, the columns of the
//! terminal, the keys that rows are sorted by and the table in `docs/json.md` are all made of it,
//! so that a new fact is a field of [`SessionRow`] and an entry there.

mod table;
#[cfg(test)]
mod tests;

use unspool_text::style::Role;
use unspool_text::table::{Align, Column};

pub(crate) use self::table::FIELDS;
use self::table::MARKS;
use unspool_store::filter::SortKey;
use unspool_store::rows::{RowGetter, RowValue, SessionRow};

/// One fact about a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowField {
    /// What JSON and templates call it.
    pub(crate) name: &'static str,
    /// What it is in JSON.
    pub(crate) form: JsonForm,
    /// Takes it from a row.
    pub(crate) value: RowGetter,
    /// What it means, as the documentation says it.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests compare the documentation with it"))]
    pub(crate) meaning: &'static str,
    /// Its column in a list.
    column: Option<ListColumn>,
}

/// What a field is in JSON.
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
    /// Gives it a column, which shows the value of the field unless it has one of its own.
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
    /// The name to ask for it by.
    pub name: &'static str,
    /// Another name to ask for it by, that of its field in JSON.
    pub other_name: Option<&'static str>,
    /// Its place among all columns, from 1.
    place: u8,
    /// What is written above it; its name if nothing else is given.
    head: Option<&'static str>,
    /// What people see and sort by; nothing if it is what is special about a row, as signs.
    value: Option<RowGetter>,
    /// The label of its cells.
    pub(super) role: Role,
    /// What is written where nothing is known.
    pub(super) absent: &'static str,
    /// How wide it is on a page of so many columns.
    pub(super) width: fn(usize) -> Column,
    /// When a list has it.
    pub(super) shown: ShownColumn,
    /// Columns of low priority go first where there is too little place.
    pub(super) priority: u8,
    /// Its place among what rows can be sorted by, from 1.
    sort: Option<u8>,
}

/// When a list has a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ShownColumn {
    /// In every list that no columns were chosen for.
    Usual,
    /// In such a list if it is known of any row.
    IfKnown,
    /// Only if it is asked for.
    Asked,
}

/// Makes a column of words, as wide as the widest of them.
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

/// Makes a column of numbers.
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

    /// Returns all columns, in their order.
    pub fn all() -> Vec<&'static Self> {
        let columns = FIELDS.iter().filter_map(|field| field.column.as_ref());
        let mut columns: Vec<_> = columns.chain([&MARKS]).collect();
        columns.sort_by_key(|column| column.place);
        columns
    }

    /// Returns the columns that rows can be sorted by, in the order of a help page.
    pub fn sortable() -> Vec<&'static Self> {
        let mut columns = Self::all();
        columns.retain(|column| column.sort.is_some());
        columns.sort_by_key(|column| column.sort);
        columns
    }

    /// Returns what is written above it.
    pub(super) fn head(&self) -> String {
        let name = || self.name.to_uppercase();
        self.head.map_or_else(name, str::to_owned)
    }

    /// Returns what people see of a row; nothing if that is what is special about it, as signs.
    pub(super) fn value<'r>(&self, row: &'r SessionRow) -> Option<RowValue<'r>> {
        self.value.map(|value| value(row))
    }

    /// Returns what sorts rows by it.
    pub fn sort_key(&self) -> SortKey {
        self.value.map_or_else(SortKey::default, SortKey::by)
    }
}

impl PartialEq for ListColumn {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// What rows are sorted by unless anything else is asked for.
impl Default for &'static ListColumn {
    fn default() -> Self {
        let columns = ListColumn::sortable();
        columns.first().expect("there are keys to sort by")
    }
}
