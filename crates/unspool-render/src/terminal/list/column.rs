//! The cells of a list of sessions, and the widths of its columns.

use std::collections::BTreeMap;

use unspool_model::time::Time;
use unspool_text::human;
use unspool_text::style::{Line, Role};
use unspool_text::table::Column;

use super::marks::{marks, status_role};
use super::{ListGroup, ListLayout, WHEN};
use crate::row_fields::ListColumn;
use crate::terminal::{ClockStyle, by_use, clock, tilde};
use unspool_store::rows::{RowValue, SessionRow};

/// The priority of the column that rows are sorted by: it is dropped after all that may be dropped.
const SORTED_BY: u8 = u8::MAX - 1;

/// Returns the layout of a column.
pub(super) fn setting(column: &ListColumn, layout: &ListLayout) -> Column {
    let setting = (column.width)(layout.width);
    if layout.columns.is_some() {
        return setting;
    }
    let least = if layout.sort == column { SORTED_BY } else { 0 };
    setting.priority(column.priority.max(least))
}

/// Returns the cell of a row in a column; `newest` is the year of the latest activity in any row.
pub(super) fn cell(
    column: &ListColumn,
    row: &SessionRow,
    layout: &ListLayout,
    newest: Option<&str>,
) -> Line {
    let Some(value) = column.value(row) else {
        return marks(row);
    };
    let text = match value {
        RowValue::Nothing => return Line::of(column.absent, Role::Muted),
        RowValue::Status(status) => return Line::of(status.name(), status_role(status)),
        RowValue::Id(text) => text.to_owned(),
        RowValue::Text(text) => text.into_owned(),
        RowValue::Path(path) => tilde(&path, layout.user_home.as_deref()),
        RowValue::Time(time) if column.name == WHEN && layout.group == Some(ListGroup::Day) => {
            clock(time, &layout.zone, ClockStyle::Time)
        }
        RowValue::Time(time) => date(time, layout, newest),
        RowValue::Count(0) | RowValue::Flag(false) => String::new(),
        RowValue::Count(count) => count.to_string(),
        RowValue::Tokens(tokens) => match tokens.sum() {
            0 => String::new(),
            sum => human::count(sum),
        },
        RowValue::Millis(ms) => duration(ms),
        RowValue::Bytes(bytes) => human::bytes(bytes),
        RowValue::Dollars(dollars) => human::dollars(dollars),
        RowValue::Texts(texts) => texts.join(", "),
        RowValue::Tools(tools) => by_most_used(tools),
        RowValue::Flag(true) => "yes".to_owned(),
    };
    Line::of(text, column.role)
}

/// Lists tools, the most used first.
fn by_most_used(tools: &BTreeMap<String, usize>) -> String {
    let tools = by_use(tools);
    let named = tools.iter().map(|(tool, count)| format!("{tool} {count}"));
    named.collect::<Vec<_>>().join(", ")
}

/// Formats a duration by its largest unit, which is enough in a list.
fn duration(ms: u64) -> String {
    let text = human::duration(ms);
    let words: Vec<&str> = text.split(' ').take(2).collect();
    words.join(" ")
}

/// Formats a time: without the year if it is that of the newest row, otherwise without the time of day.
fn date(time: Time, layout: &ListLayout, newest: Option<&str>) -> String {
    let year = clock(time, &layout.zone, ClockStyle::Year);
    let style =
        if newest == Some(year.as_str()) { ClockStyle::DayAndTime } else { ClockStyle::Date };
    clock(time, &layout.zone, style)
}
