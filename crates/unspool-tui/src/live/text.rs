//! The text of a prompt: lines with the editing keys of a shell.

use unspool_text::style::{Line, Role};
use unspool_text::width::{units, width};

use crate::edit_line::{EditLine, LineEdit};
use crate::press::{KeyName, KeyPress};

/// A text of one or more lines, with a cursor in one of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PromptText {
    lines: Vec<EditLine>,
    at: usize,
}

impl Default for PromptText {
    fn default() -> Self {
        Self::of("")
    }
}

impl PromptText {
    /// Creates a text with the cursor at its end.
    pub(super) fn of(text: &str) -> Self {
        let lines: Vec<EditLine> = text.split('\n').map(EditLine::of).collect();
        let at = lines.len() - 1;
        Self { lines, at }
    }

    pub(super) fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(EditLine::text).collect();
        lines.join("\n")
    }

    /// Splits the line at the cursor.
    pub(super) fn new_line(&mut self) {
        let rest = self.lines[self.at].split_off();
        self.at += 1;
        self.lines.insert(self.at, rest);
    }

    /// Moves to the line above or below, at the same column.
    pub(super) fn move_line(&mut self, down: bool) {
        let to =
            if down { (self.at + 1).min(self.lines.len() - 1) } else { self.at.saturating_sub(1) };
        let column = self.lines[self.at].cursor_column();
        self.at = to;
        self.lines[to].set_column(column);
    }

    /// Inserts a text at the cursor; its line breaks start new lines.
    pub(super) fn insert(&mut self, text: &str) {
        for (number, line) in text.lines().enumerate() {
            if number > 0 {
                self.new_line();
            }
            self.lines[self.at].insert(line);
        }
    }

    /// Returns the text before the cursor in its line, and whether that is the first line.
    pub(super) fn before_cursor(&self) -> (&str, bool) {
        (self.lines[self.at].before_cursor(), self.at == 0)
    }

    /// Replaces the text of the line from a byte offset to the cursor.
    pub(super) fn replace_from(&mut self, start: usize, with: &str) {
        self.lines[self.at].replace_from(start, with);
    }

    /// Takes a key press.
    pub(super) fn press(&mut self, press: KeyPress) {
        let is_at_start = self.lines[self.at].before_cursor().is_empty();
        if press.key == KeyName::Backspace && is_at_start && self.at > 0 {
            let rest = self.lines.remove(self.at);
            self.at -= 1;
            self.lines[self.at].append(&rest);
            return;
        }
        let edit = self.lines[self.at].press(press);
        if edit == LineEdit::Unknown && press.control && press.key == KeyName::Char('u') {
            self.lines[self.at].clear();
        }
    }

    /// Wraps the text into rows of `room` columns, prefixed by a mark or spaces, and returns them with the
    /// row and the column of the cursor.
    pub(super) fn rows(&self, room: usize) -> (Vec<Line>, (usize, usize)) {
        let room = room.max(2);
        let (mut rows, mut cursor) = (Vec::new(), (0, 0));
        for (number, line) in self.lines.iter().enumerate() {
            let before = line.before_cursor().len();
            let starts = row_starts(line.text(), room, before);
            let ends = starts.iter().skip(1).copied().chain([line.text().len()]);
            for (&from, to) in starts.iter().zip(ends) {
                if number == self.at && from <= before {
                    cursor = (rows.len(), width(&line.text()[from..before.min(to)]));
                }
                let mark = if rows.is_empty() { " › " } else { "   " };
                let mut row = Line::of(mark, Role::Id);
                row.add(line.text()[from..to].to_owned(), Role::Plain);
                rows.push(row);
            }
        }
        (rows, cursor)
    }
}

/// Returns the byte offsets of a line's rows. A row ends after a space if it has one, and a cursor after a
/// full row is on the next row.
fn row_starts(text: &str, room: usize, cursor: usize) -> Vec<usize> {
    let mut starts = vec![0];
    let (mut at, mut used) = (0, 0);
    // The last possible end of the row, and the width after it.
    let mut space = None;
    for unit in units(text) {
        if used + unit.width > room {
            let (start, carried) = space.take().unwrap_or((at, 0));
            starts.push(start);
            used = carried;
        }
        at += unit.text.len();
        used += unit.width;
        space = match space {
            _ if unit.text == " " => Some((at, 0)),
            space => space.map(|(start, carried)| (start, carried + unit.width)),
        };
    }
    if used >= room && cursor == at {
        starts.push(at);
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::script::presses;

    fn typed(text: &str, keys: &str) -> (String, (usize, usize)) {
        let mut prompt = PromptText::of(text);
        for press in presses(keys) {
            match press.key {
                KeyName::Enter => prompt.new_line(),
                KeyName::Up => prompt.move_line(false),
                KeyName::Down => prompt.move_line(true),
                _ => prompt.press(press),
            }
        }
        let (rows, cursor) = prompt.rows(8);
        let rows: Vec<String> = rows.iter().map(Line::plain).collect();
        (rows.join("|"), cursor)
    }

    #[test]
    fn lines_are_split_joined_and_wrapped() {
        for (text, keys, rows, cursor) in [
            ("", "", " › ", (0, 0)),
            ("", "one⏎two", " › one|   two", (1, 3)),
            ("one\ntwo", "⌫⌫⌫⌫", " › one", (0, 3)),
            ("onetwo", "←←←⏎", " › one|   two", (1, 0)),
            ("one\ntwo", "^a⌫", " › onetwo", (0, 3)),
            ("one\ntwo", "↑X↓Y", " › oneX|   twoY", (1, 4)),
            ("one\ntwo", "^u", " › one|   ", (1, 0)),
            ("12345678", "", " › 12345678|   ", (1, 0)),
            ("123456789", "", " › 12345678|   9", (1, 1)),
            ("1234567漢字", "", " › 1234567|   漢字", (1, 4)),
            ("123456789", "^a", " › 12345678|   9", (0, 0)),
            ("one two three", "", " › one two |   three", (1, 5)),
            ("one twothree", "", " › one |   twothree|   ", (2, 0)),
            ("one two 漢字漢字x", "", " › one two |   漢字漢字|   x", (2, 1)),
        ] {
            let expected = (rows.to_owned(), cursor);
            assert_eq!(typed(text, keys), expected, "{text:?} {keys}");
        }
    }

    #[test]
    fn a_text_comes_back_as_it_was() {
        for text in ["", "a", "a\nb", "\n\na\n"] {
            assert_eq!(PromptText::of(text).text(), text);
        }
        let mut pasted = PromptText::of("ab");
        pasted.insert("x\ny");
        assert_eq!(pasted.text(), "abx\ny");
    }
}
