//! A list over the screen that can be searched: help, actions, paths, filters.
//!
//! Letters narrow the list down, arrows choose, Enter does it, Escape closes it. A menu whose items have
//! numbers is also answered by a digit. It knows no screen: what was chosen goes back to the program.

use ratatui::layout::Rect;
use unspool_render::keys::KeyAction;
use unspool_text::style::{Line, Role};

use crate::canvas::{Canvas, centered};
use crate::edit_line::{EditLine, LineEdit};
use crate::press::{KeyName, KeyPress};

/// The columns of what is said above the items, so that all of it is seen on 60 columns.
const REMARK_WIDTH: usize = 54;

/// A list to choose from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Menu {
    /// The name that the choice is given back with.
    pub(crate) name: &'static str,
    title: String,
    /// What is said above the items.
    remarks: Vec<String>,
    items: Vec<MenuItem>,
    filter: EditLine,
    /// The chosen one of the items that are shown.
    chosen: usize,
    numbers: MenuNumbers,
}

/// Whether items are chosen by digits too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MenuNumbers {
    Shown,
    None,
}

/// One thing to choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MenuItem {
    /// What is at the left: keys, a mark.
    pub(crate) key: String,
    /// What it is.
    pub(crate) label: String,
    /// What is at the right.
    pub(crate) note: String,
    /// Words to find it by.
    pub(crate) words: String,
    pub(crate) choice: MenuChoice,
}

impl MenuItem {
    /// Makes an item that the screen is told of by its number.
    pub(crate) fn numbered(number: usize, label: impl Into<String>) -> Self {
        Self {
            key: String::new(),
            label: label.into(),
            note: String::new(),
            words: String::new(),
            choice: MenuChoice::Item(number),
        }
    }

    pub(crate) fn with_key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }

    pub(crate) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    fn fits(&self, typed: &str) -> bool {
        let text = format!("{} {} {}", self.label, self.words, self.note).to_lowercase();
        let typed = typed.to_lowercase();
        typed.split_whitespace().all(|word| text.contains(word)) || self.key == typed
    }
}

/// What an item does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MenuChoice {
    /// What a key would do.
    Action(KeyAction),
    /// Something that the screen or the program knows by its number.
    Item(usize),
    /// Nothing: it is only told.
    Nothing,
}

/// What a press did to a menu.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MenuOutcome {
    /// It stays open.
    Open,
    /// It is closed.
    Closed,
    /// It is closed, and this was chosen.
    Chosen(MenuChoice),
}

impl Menu {
    pub(crate) fn new(name: &'static str, title: impl Into<String>, items: Vec<MenuItem>) -> Self {
        Self {
            name,
            title: title.into(),
            remarks: Vec::new(),
            items,
            filter: EditLine::default(),
            chosen: 0,
            numbers: MenuNumbers::None,
        }
    }

    /// Lets digits choose.
    pub(crate) fn with_numbers(mut self) -> Self {
        self.numbers = MenuNumbers::Shown;
        self
    }

    /// Says something above the items.
    pub(crate) fn with_remarks(mut self, remarks: impl IntoIterator<Item = String>) -> Self {
        let lines = remarks.into_iter().flat_map(|remark| {
            let lines = unspool_text::wrap(&Line::of(remark, Role::Plain), REMARK_WIDTH);
            lines.into_iter().map(|line| line.plain())
        });
        self.remarks.extend(lines);
        self
    }

    /// Begins with an item chosen.
    pub(crate) fn with_chosen(mut self, chosen: usize) -> Self {
        self.chosen = chosen.min(self.items.len().saturating_sub(1));
        self
    }

    /// Returns the items that fit what is typed.
    fn shown(&self) -> Vec<&MenuItem> {
        let items = self.items.iter();
        items
            .filter(|item| self.filter.is_empty() || item.fits(self.filter.text()))
            .collect()
    }

    /// Takes a press.
    pub(crate) fn press(&mut self, press: KeyPress) -> MenuOutcome {
        let count = self.shown().len();
        match press.key {
            KeyName::Escape => return MenuOutcome::Closed,
            KeyName::Enter => return self.choose(self.chosen),
            KeyName::Up => self.chosen = self.chosen.checked_sub(1).unwrap_or(count.max(1) - 1),
            KeyName::Down | KeyName::Tab => self.chosen = (self.chosen + 1) % count.max(1),
            KeyName::PageUp => self.chosen = self.chosen.saturating_sub(10),
            KeyName::PageDown => self.chosen = (self.chosen + 10).min(count.max(1) - 1),
            KeyName::Char('p') if press.control => self.chosen = self.chosen.saturating_sub(1),
            KeyName::Char('n') if press.control => {
                self.chosen = (self.chosen + 1).min(count.max(1) - 1);
            }
            KeyName::Char('c') if press.control => return MenuOutcome::Closed,
            KeyName::Char(digit @ '1'..='9')
                if self.numbers == MenuNumbers::Shown && self.filter.is_empty() =>
            {
                let number = digit as usize - '1' as usize;
                if number < count {
                    return self.choose(number);
                }
            }
            _ => {
                if self.filter.press(press) == LineEdit::Changed {
                    self.chosen = 0;
                }
            }
        }
        MenuOutcome::Open
    }

    /// Takes a click on a row of the screen.
    pub(crate) fn click(&mut self, area: Rect, row: u16) -> MenuOutcome {
        let frame = self.frame(area);
        if row < frame.y || row >= frame.bottom() {
            return MenuOutcome::Closed;
        }
        let first = frame.y + 1 + self.head_rows();
        let offset = self.first_shown(frame);
        match row.checked_sub(first) {
            Some(at) if offset + usize::from(at) < self.shown().len() => {
                self.choose(offset + usize::from(at))
            }
            _ => MenuOutcome::Open,
        }
    }

    fn choose(&self, number: usize) -> MenuOutcome {
        match self.shown().get(number) {
            Some(item) if item.choice == MenuChoice::Nothing => MenuOutcome::Open,
            Some(item) => MenuOutcome::Chosen(item.choice),
            None => MenuOutcome::Open,
        }
    }

    /// Counts the rows above the items: what is said, and what is typed.
    fn head_rows(&self) -> u16 {
        self.remarks.len() as u16 + 1
    }

    fn frame(&self, area: Rect) -> Rect {
        let label = |item: &MenuItem| {
            let texts = [&item.key, &item.label, &item.note];
            texts
                .iter()
                .map(|text| unspool_text::width::width(text))
                .sum::<usize>()
        };
        let items = self.items.iter().map(|item| label(item) + 12);
        let remarks = self
            .remarks
            .iter()
            .map(|it| unspool_text::width::width(it) + 4);
        let widest = items.chain(remarks).max().unwrap_or(0);
        let width = (widest as u16)
            .clamp(40, 78)
            .min(area.width.saturating_sub(2));
        let height = self.items.len() as u16 + self.head_rows() + 2;
        centered(area, width, height.min(area.height.saturating_sub(1)))
    }

    fn first_shown(&self, frame: Rect) -> usize {
        let rows = usize::from(frame.height.saturating_sub(2 + self.head_rows()));
        (self.chosen + 1).saturating_sub(rows.max(1))
    }

    /// Paints it over an area.
    pub(crate) fn view(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let frame = self.frame(area);
        let title = Line::of(self.title.clone(), Role::Title);
        let below = Line::of("type to find · Enter does it · Esc closes", Role::Muted);
        let inside = canvas.frame(frame, &title, &below);
        for (row, remark) in (0..).zip(&self.remarks) {
            let line = Line::of(format!(" {remark}"), Role::Plain);
            canvas.line(inside, row, &line.truncated(usize::from(inside.width)));
        }
        let typed_row = self.remarks.len() as u16;
        let mut typed = Line::of(" › ", Role::Muted);
        typed.add(self.filter.text().to_owned(), Role::Plain);
        canvas.line(inside, typed_row, &typed);
        let cursor = inside.x + 3 + self.filter.cursor_column() as u16;
        canvas.set_cursor(
            cursor.min(inside.right().saturating_sub(1)),
            inside.y + typed_row,
        );
        self.view_items(canvas, inside, frame);
    }

    fn view_items(&self, canvas: &mut Canvas<'_>, inside: Rect, frame: Rect) {
        let keys = self
            .items
            .iter()
            .map(|item| unspool_text::width::width(&item.key));
        let key_width = keys.max().unwrap_or(0).min(16);
        let first = self.first_shown(frame);
        let head = self.head_rows();
        for (row, (number, item)) in
            (head..inside.height).zip(self.shown().into_iter().enumerate().skip(first))
        {
            let mut line = Line::of(" ", Role::Plain);
            if self.numbers == MenuNumbers::Shown && number < 9 {
                line.add(format!("{} ", number + 1), Role::Id);
            }
            if key_width > 0 {
                line.add(item.key.clone(), Role::Id);
                line.pad((key_width + 2).saturating_sub(unspool_text::width::width(&item.key)));
            }
            line.add(item.label.clone(), Role::Plain);
            let room = usize::from(inside.width);
            canvas.line(inside, row, &line.truncated(room));
            if !item.note.is_empty() {
                let note = Line::of(format!("{} ", item.note), Role::Muted);
                canvas.line_at_end(inside, row, &note);
            }
            if number == self.chosen {
                canvas.select(Rect {
                    y: inside.y + row,
                    height: 1,
                    ..inside
                });
            }
        }
    }
}
