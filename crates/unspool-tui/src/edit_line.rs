//! A line editor: text, a cursor, and the editing keys of a shell.
//!
//! Cursor positions are between the units of `unspool_text::width`, so the cursor is never inside a
//! character. Presses that the line does not know are left to the screen.

use unspool_text::sanitize;
use unspool_text::width::{units, width};

use crate::press::{KeyName, KeyPress};

/// The effect of a press on a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineEdit {
    /// The text changed.
    Changed,
    /// The cursor moved, or is at an end already.
    Moved,
    /// The line does not know this press.
    Unknown,
}

/// A line of input.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct EditLine {
    text: String,
    /// The byte offset of the cursor.
    cursor: usize,
}

impl EditLine {
    /// Creates a line with a text and the cursor at its end.
    pub(crate) fn of(text: &str) -> Self {
        let mut line = Self::default();
        line.insert(text);
        line
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the width of the text before the cursor.
    pub(crate) fn cursor_column(&self) -> usize {
        width(&self.text[..self.cursor])
    }

    /// Returns the part of the text that is visible around the cursor in `room` columns, and the cursor's
    /// column in that part.
    pub(crate) fn window(&self, room: usize) -> (&str, usize) {
        let cursor = self.cursor_column();
        let hidden = (cursor + 1).saturating_sub(room.max(1));
        let (mut skipped, mut start) = (0, 0);
        for unit in units(&self.text) {
            if skipped >= hidden {
                break;
            }
            skipped += unit.width;
            start += unit.text.len();
        }
        (&self.text[start..], cursor - skipped.min(cursor))
    }

    /// Returns the text before the cursor.
    pub(crate) fn before_cursor(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// Cuts the line at the cursor and returns the rest, with the cursor at its start.
    pub(crate) fn split_off(&mut self) -> Self {
        Self { text: self.text.split_off(self.cursor), cursor: 0 }
    }

    /// Appends another line and leaves the cursor at the joint.
    pub(crate) fn append(&mut self, other: &Self) {
        self.cursor = self.text.len();
        self.text.push_str(&other.text);
    }

    /// Moves the cursor to a column, or to the end of a shorter line.
    pub(crate) fn set_column(&mut self, column: usize) {
        let (mut passed, mut at) = (0, 0);
        for unit in units(&self.text) {
            if passed + unit.width > column {
                break;
            }
            passed += unit.width;
            at += unit.text.len();
        }
        self.cursor = at;
    }

    /// Replaces the text from a byte offset to the cursor.
    pub(crate) fn replace_from(&mut self, start: usize, with: &str) {
        let start = start.min(self.cursor);
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
        self.insert(with);
    }

    /// Inserts a text at the cursor. Line breaks become spaces, control characters are dropped.
    pub(crate) fn insert(&mut self, text: &str) {
        let text = sanitize::inline(text);
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
    }

    /// Takes a key press.
    pub(crate) fn press(&mut self, press: KeyPress) -> LineEdit {
        if let Some(character) = press.typed() {
            self.insert(character.encode_utf8(&mut [0; 4]));
            return LineEdit::Changed;
        }
        match (press.key, press.control, press.alt) {
            (KeyName::Backspace, false, false) | (KeyName::Char('h'), true, false) => {
                self.delete(self.left(self.cursor), self.cursor)
            }
            (KeyName::Delete, false, false) => self.delete(self.cursor, self.right(self.cursor)),
            (KeyName::Char('w'), true, false) | (KeyName::Backspace, _, true) => {
                self.delete(self.word_left(), self.cursor)
            }
            (KeyName::Char('k'), true, false) => self.delete(self.cursor, self.text.len()),
            (KeyName::Left, false, false) | (KeyName::Char('b'), true, false) => {
                self.move_to(self.left(self.cursor))
            }
            (KeyName::Right, false, false) => self.move_to(self.right(self.cursor)),
            (KeyName::Left, true, false) | (KeyName::Char('b'), false, true) => {
                self.move_to(self.word_left())
            }
            (KeyName::Right, true, false) | (KeyName::Char('f'), false, true) => {
                self.move_to(self.word_right())
            }
            (KeyName::Home, false, false) | (KeyName::Char('a'), true, false) => self.move_to(0),
            (KeyName::End, false, false) | (KeyName::Char('e'), true, false) => {
                self.move_to(self.text.len())
            }
            _ => LineEdit::Unknown,
        }
    }

    fn move_to(&mut self, cursor: usize) -> LineEdit {
        self.cursor = cursor;
        LineEdit::Moved
    }

    fn delete(&mut self, start: usize, end: usize) -> LineEdit {
        if start == end {
            return LineEdit::Moved;
        }
        self.text.replace_range(start..end, "");
        self.cursor = start;
        LineEdit::Changed
    }

    fn left(&self, from: usize) -> usize {
        let last = units(&self.text[..from]).last();
        from - last.map_or(0, |unit| unit.text.len())
    }

    fn right(&self, from: usize) -> usize {
        let first = units(&self.text[from..]).next();
        from + first.map_or(0, |unit| unit.text.len())
    }

    fn word_left(&self) -> usize {
        let before = self.text[..self.cursor].trim_end();
        before.rfind(' ').map_or(0, |space| space + 1)
    }

    fn word_right(&self) -> usize {
        let rest = &self.text[self.cursor..];
        let word = rest.len() - rest.trim_start().len();
        let end = rest[word..].find(' ').unwrap_or(rest.len() - word);
        self.cursor + word + end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::script::presses;

    fn typed(keys: &str) -> (String, usize) {
        let mut line = EditLine::default();
        for press in presses(keys) {
            line.press(press);
        }
        (line.text.clone(), line.cursor_column())
    }

    #[test]
    fn keys_edit_as_in_a_shell() {
        for (keys, text, cursor) in [
            ("abc", "abc", 3),
            ("abc←X", "abXc", 3),
            ("abc⌫⌫", "a", 1),
            ("one␣two^w", "one ", 4),
            ("one␣two^w^w", "", 0),
            ("abc^aX", "Xabc", 1),
            ("abc^a^k", "", 0),
            ("漢字⌫", "漢", 2),
            ("漢字←←→a", "漢a字", 3),
        ] {
            assert_eq!(typed(keys), (text.to_owned(), cursor), "{keys}");
        }
    }

    #[test]
    fn pasted_text_stays_on_one_line() {
        let mut line = EditLine::of("a");
        line.insert("b\nc\u{1b}[31m");
        assert!(!line.text().contains(['\n', '\u{1b}']), "{:?}", line.text());
    }

    #[test]
    fn a_long_line_is_seen_around_its_cursor() {
        let mut line = EditLine::of("one two three");
        assert_eq!(line.window(20), ("one two three", 13));
        assert_eq!(line.window(6), ("three", 5));
        line.press(KeyPress::plain(KeyName::Home));
        assert_eq!(line.window(6), ("one two three", 0));
        // A wide character is not cut in the middle.
        assert_eq!(EditLine::of("漢字漢字").window(4), ("字", 2));
    }
}
