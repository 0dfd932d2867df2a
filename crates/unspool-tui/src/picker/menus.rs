//! The menus of the picker: filters, and parts to insert into a prompt.

use unspool_store::rows::Status;

use crate::menu::{Menu, MenuItem};
use crate::work::picker::saved::PickerFilters;

/// The name of the filter menu.
pub(super) const FILTERS: &str = "picker-filters";
/// The name of the insert menu.
pub(super) const INSERT: &str = "picker-insert";

/// The item of the insert menu that opens the session.
pub(super) const READ: usize = 5;

/// The status filters, in the order of the menu.
const STATUSES: [Option<Status>; 4] =
    [None, Some(Status::Complete), Some(Status::Error), Some(Status::Interrupted)];

/// Builds the filter menu, with an item selected.
pub(super) fn filters(now: PickerFilters, chosen: usize) -> Menu {
    let flag = |number, label, is_on| {
        MenuItem::numbered(number, label).with_key(if is_on { "[x]" } else { "[ ]" })
    };
    let mut items = vec![
        flag(0, "sessions that a program ran (headless)", now.headless),
        flag(1, "agents, each as a row", now.agents),
        flag(2, "sessions without a conversation", now.empty),
        flag(3, "only sessions that run", now.live),
    ];
    for (number, status) in (4..).zip(STATUSES) {
        let label = status.map_or("however they ended", ending);
        let key = if now.status == status { "(x)" } else { "( )" };
        items.push(MenuItem::numbered(number, label).with_key(key));
    }
    items.push(MenuItem::numbered(8, "as at first"));
    Menu::new(FILTERS, "Shown are", items).with_chosen(chosen)
}

fn ending(status: Status) -> &'static str {
    match status {
        Status::Complete => "only those that ended with an answer",
        Status::Error => "only those that ended with an error",
        Status::Interrupted => "only those that were interrupted",
        Status::Open | Status::Empty => "only those that go on",
    }
}

/// Changes the filters by a menu item.
pub(super) fn set_filter(filters: &mut PickerFilters, item: usize) {
    match item {
        0 => filters.headless = !filters.headless,
        1 => filters.agents = !filters.agents,
        2 => filters.empty = !filters.empty,
        3 => filters.live = !filters.live,
        4..8 => filters.status = STATUSES[item - 4],
        _ => *filters = PickerFilters::default(),
    }
}

/// Builds the insert menu.
pub(super) fn insert() -> Menu {
    let items = vec![
        MenuItem::numbered(0, "the last answer"),
        MenuItem::numbered(1, "the last prompt"),
        MenuItem::numbered(2, "the whole last turn"),
        MenuItem::numbered(3, "some turns …"),
        MenuItem::numbered(4, "the id of the session"),
        MenuItem::numbered(READ, "a message or a turn: read the session …"),
    ];
    Menu::new(INSERT, "Put into the prompt", items).with_numbers()
}
