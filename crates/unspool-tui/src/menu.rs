//! A searchable list over the screen: help, actions, paths, filters.
//!
//! Letters narrow the list, arrows move the selection, Enter chooses, Escape closes. In a numbered menu a
//! digit chooses too, and a menu that accepts text offers the typed text as its last item. The menu knows
//! no screen: it returns the choice to the program.

use std::borrow::Cow;
use std::fmt::Write as _;

use ratatui::layout::{Position, Rect};
use unspool_render::keys::KeyAction;
use unspool_text::style::{Line, Role};
use unspool_text::width::width;

use crate::canvas::{Canvas, centered};
use crate::edit_line::{EditLine, LineEdit};
use crate::press::{KeyName, KeyPress};
use crate::settings::{ExportKind, ResumeWay, TuiCommand};

/// The width of the remarks above the items, so that they fit on a screen of 60 columns.
const REMARK_WIDTH: usize = 54;

/// The least width of a column of items, and the largest number of columns.
const COLUMN_WIDTH: u16 = 48;
const COLUMNS: usize = 4;

/// A searchable list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Menu {
    /// The name that identifies the menu when its choice is returned.
    pub(crate) name: &'static str,
    title: String,
    /// Lines above the items.
    remarks: Vec<String>,
    items: Vec<MenuItem>,
    filter: EditLine,
    /// The index of the selected item, among the shown ones.
    chosen: usize,
    numbers: MenuNumbers,
    takes_text: bool,
}

/// Which keys choose an item directly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MenuNumbers {
    Shown,
    /// The letter at the left of each item.
    Letters,
    None,
}

/// One item of a menu.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct MenuItem {
    /// The text at the left: keys, a mark.
    pub(crate) key: String,
    pub(crate) label: String,
    /// The text at the right.
    pub(crate) note: String,
    /// Further words that a search finds the item by.
    pub(crate) words: String,
    pub(crate) choice: MenuChoice,
}

impl MenuItem {
    /// Creates an item that returns an index to the screen.
    pub(crate) fn numbered(number: usize, label: impl Into<String>) -> Self {
        Self::labelled(label, MenuChoice::Item(number))
    }

    /// Creates an item that the program carries out.
    pub(crate) fn of_program(choice: ProgramChoice, label: impl Into<String>) -> Self {
        Self::labelled(label, MenuChoice::Program(choice))
    }

    fn labelled(label: impl Into<String>, choice: MenuChoice) -> Self {
        Self {
            key: String::new(),
            label: label.into(),
            note: String::new(),
            words: String::new(),
            choice,
        }
    }

    /// Replaces the choice of the item by an index.
    pub(crate) fn with_number(mut self, number: usize) -> Self {
        self.choice = MenuChoice::Item(number);
        self
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

/// The result of choosing an item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum MenuChoice {
    /// An action that a key is bound to.
    Action(KeyAction),
    /// An index, for the screen.
    Item(usize),
    /// The typed text, for the screen.
    Typed(String),
    /// A choice that is the same on every screen.
    Program(ProgramChoice),
    /// Nothing: the item only informs.
    Nothing,
}

/// Choices that the program carries out, for a screen or for the screen's session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ProgramChoice {
    /// Ends the program and runs a command in its place.
    Replace(Box<TuiCommand>),
    /// Gives the terminal to a command until it ends.
    HandOver(Box<TuiCommand>),
    /// Copies a text; `what` names it.
    Copy { text: String, what: &'static str },
    /// Resumes the session, after the person has confirmed how.
    Resume(ResumeWay),
    /// Exports the marked sessions, or the current one if none is marked.
    Export(ExportKind),
    /// Shows the files that the session changed.
    Files,
    /// Captures the mouse, or releases it.
    SwitchMouse,
    /// Closes the menu without an action.
    Close,
}

/// The effect of a press on a menu.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum MenuOutcome {
    /// The menu stays open.
    Open,
    /// The menu stays open: the chosen item only informs.
    Informed,
    /// The menu is closed.
    Closed,
    /// The menu is closed with this choice.
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
            takes_text: false,
        }
    }

    /// Accepts the typed text as a choice.
    pub(crate) fn with_typed(mut self) -> Self {
        self.takes_text = true;
        self
    }

    /// Lets digits choose items.
    pub(crate) fn with_numbers(mut self) -> Self {
        self.numbers = MenuNumbers::Shown;
        self
    }

    /// Lets the letters at the left choose items.
    pub(crate) fn with_letters(mut self) -> Self {
        self.numbers = MenuNumbers::Letters;
        self
    }

    /// Adds remarks above the items, wrapped.
    pub(crate) fn with_remarks(mut self, remarks: impl IntoIterator<Item = String>) -> Self {
        let lines = remarks.into_iter().flat_map(|remark| {
            let lines = unspool_text::wrap(&Line::of(remark, Role::Plain), REMARK_WIDTH);
            lines.into_iter().map(|line| line.plain())
        });
        self.remarks.extend(lines);
        self
    }

    /// Starts with this item selected.
    pub(crate) fn with_chosen(mut self, chosen: usize) -> Self {
        self.chosen = chosen.min(self.items.len().saturating_sub(1));
        self
    }

    /// Returns the items that match the typed text, and the typed text itself if the menu accepts it.
    fn shown(&self) -> Vec<Cow<'_, MenuItem>> {
        let typed = self.filter.text();
        let items = self.items.iter();
        let items = items.filter(|item| typed.is_empty() || item.fits(typed));
        let own = (self.takes_text && !typed.is_empty()).then(|| {
            MenuItem::labelled(format!("take `{typed}`"), MenuChoice::Typed(typed.into()))
        });
        items.map(Cow::Borrowed).chain(own.map(Cow::Owned)).collect()
    }

    /// Returns the largest number of items that can be shown at once.
    fn most(&self) -> usize {
        self.items.len() + usize::from(self.takes_text)
    }

    /// Takes pasted text.
    pub(crate) fn paste(&mut self, text: &str) {
        self.filter.insert(text);
        self.chosen = 0;
    }

    /// Takes a key press.
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
            KeyName::Char(digit @ '1'..='9')
                if self.numbers == MenuNumbers::Shown && self.filter.is_empty() =>
            {
                let number = digit as usize - '1' as usize;
                if number < count {
                    return self.choose(number);
                }
            }
            KeyName::Char(letter)
                if press.typed().is_some() && self.position_of(letter).is_some() =>
            {
                return self.choose(self.position_of(letter).unwrap_or(0));
            }
            KeyName::Char('u') if press.control => {
                self.filter.clear();
                self.chosen = 0;
            }
            _ => {
                if self.filter.press(press) == LineEdit::Changed {
                    self.chosen = 0;
                }
            }
        }
        MenuOutcome::Open
    }

    /// Takes a click on a cell.
    pub(crate) fn click(&mut self, area: Rect, at: Position) -> MenuOutcome {
        let layout = self.layout(area);
        if at.y < layout.frame.y || at.y >= layout.frame.bottom() {
            return MenuOutcome::Closed;
        }
        let count = self.shown().len();
        let numbers = layout.first..count;
        let clicked = numbers.into_iter().find(|number| {
            let cell = layout.cell(*number);
            cell.is_some_and(|cell| cell.contains(at))
        });
        clicked.map_or(MenuOutcome::Open, |number| self.choose(number))
    }

    /// Returns the item that a letter chooses, while nothing is typed.
    fn position_of(&self, letter: char) -> Option<usize> {
        let mut items = self.items.iter();
        let position = items.position(|item| item.key.chars().eq([letter]));
        position.filter(|_| self.numbers == MenuNumbers::Letters && self.filter.is_empty())
    }

    fn choose(&self, number: usize) -> MenuOutcome {
        match self.shown().get(number) {
            Some(item) if item.choice == MenuChoice::Nothing => MenuOutcome::Informed,
            Some(item) => MenuOutcome::Chosen(item.choice.clone()),
            None => MenuOutcome::Open,
        }
    }

    /// Returns the number of rows above the items: the remarks and the input line.
    fn head_rows(&self) -> u16 {
        self.remarks.len() as u16 + 1
    }

    fn layout(&self, area: Rect) -> MenuLayout {
        let label = |item: &MenuItem| {
            let texts = [&item.key, &item.label, &item.note];
            texts.iter().map(|text| width(text)).sum::<usize>()
        };
        let items = self.items.iter().map(|item| label(item) + 12);
        let remarks = self.remarks.iter().map(|it| width(it) + 4);
        let widest = items.chain(remarks).max().unwrap_or(0) as u16;
        let outside = self.head_rows() + 2;
        let room = usize::from(area.height.saturating_sub(1 + outside)).max(1);
        // A list that is too long for one column is shown in several, where they fit.
        let columns = self.most().div_ceil(room);
        let columns = columns.clamp(1, COLUMNS) as u16;
        let columns = columns.min(area.width.saturating_sub(2) / COLUMN_WIDTH).max(1);
        let wide = if columns > 1 {
            area.width - 2
        } else {
            widest.clamp(40, 78).min(area.width.saturating_sub(2))
        };
        let rows = self.most().div_ceil(usize::from(columns)).min(room);
        let frame = centered(area, wide, rows as u16 + outside);
        let shown = rows * usize::from(columns);
        MenuLayout {
            frame,
            head: self.head_rows(),
            columns,
            rows,
            first: (self.chosen + 1).saturating_sub(shown.max(1)),
        }
    }

    /// Paints the menu over an area.
    pub(crate) fn view(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let layout = self.layout(area);
        let title = Line::of(self.title.clone(), Role::Title);
        let below = Line::of(self.below(&layout), Role::Muted);
        let inside = canvas.frame(layout.frame, &title, &below);
        for (row, remark) in (0..).zip(&self.remarks) {
            let line = Line::of(format!(" {remark}"), Role::Plain);
            canvas.line(inside, row, &line.truncated(usize::from(inside.width)));
        }
        let typed_row = self.remarks.len() as u16;
        let mut typed = Line::of(" › ", Role::Muted);
        typed.add(self.filter.text().to_owned(), Role::Plain);
        canvas.line(inside, typed_row, &typed);
        let cursor = inside.x + 3 + self.filter.cursor_column() as u16;
        canvas.set_cursor(cursor.min(inside.right().saturating_sub(1)), inside.y + typed_row);
        self.view_items(canvas, &layout);
    }

    /// Returns the label of the lower edge: keys, and how many items are out of sight above and below.
    fn below(&self, layout: &MenuLayout) -> String {
        let after = layout.first + layout.rows * usize::from(layout.columns);
        let after = self.shown().len().saturating_sub(after);
        let out_of_sight = [(layout.first, "above"), (after, "below")];
        let mut more = String::new();
        for (count, place) in out_of_sight.into_iter().filter(|(count, _)| *count > 0) {
            // Writing to a string does not fail.
            let _ = write!(more, "{count} more {place} · ");
        }
        let room = usize::from(layout.frame.width).saturating_sub(6);
        let verb = if self.takes_text { "type it, or find" } else { "type to find" };
        let whole = format!("{more}{verb} · Enter does it · Esc closes");
        if width(&whole) <= room { whole } else { format!("{more}{verb} · Esc closes") }
    }

    fn view_items(&self, canvas: &mut Canvas<'_>, layout: &MenuLayout) {
        let keys = self.items.iter().map(|item| width(&item.key));
        let key_width = keys.max().unwrap_or(0).min(16);
        let shown = self.shown();
        let is_vain = shown.is_empty() && !self.takes_text;
        if let (true, Some(cell)) = (is_vain, layout.cell(layout.first)) {
            let words = " nothing here has these words · Ctrl-U clears them";
            canvas.line(cell, 0, &Line::of(words, Role::Muted));
        }
        for (number, item) in shown.into_iter().enumerate().skip(layout.first) {
            let Some(cell) = layout.cell(number) else {
                break;
            };
            let mut line = Line::of(" ", Role::Plain);
            if self.numbers == MenuNumbers::Shown && number < 9 {
                line.add(format!("{} ", number + 1), Role::Id);
            }
            if key_width > 0 {
                line.add(item.key.clone(), Role::Id);
                line.pad((key_width + 2).saturating_sub(width(&item.key)).max(2));
            }
            line.add(item.label.clone(), Role::Plain);
            let room = usize::from(cell.width);
            let note = Line::of(format!("{} ", item.note), Role::Muted);
            let has_room = line.width() + 1 + note.width() <= room;
            canvas.line(cell, 0, &line.truncated(room));
            if !item.note.is_empty() && has_room {
                canvas.line_at_end(cell, 0, &note);
            }
            if number == self.chosen {
                canvas.select(cell);
            }
        }
    }
}

/// The geometry of a menu.
struct MenuLayout {
    frame: Rect,
    /// The rows above the items.
    head: u16,
    columns: u16,
    /// The rows of items.
    rows: usize,
    /// The first visible item.
    first: usize,
}

impl MenuLayout {
    /// Returns the cell of an item; `None` if it is out of sight.
    fn cell(&self, number: usize) -> Option<Rect> {
        let at = number.checked_sub(self.first)?;
        let column = (at / self.rows.max(1)) as u16;
        let row = (at % self.rows.max(1)) as u16;
        let width = self.frame.width.saturating_sub(2) / self.columns;
        (column < self.columns).then(|| Rect {
            x: self.frame.x + 1 + column * width,
            y: self.frame.y + 1 + self.head + row,
            width: width.saturating_sub(u16::from(self.columns > 1)),
            height: 1,
        })
    }
}
