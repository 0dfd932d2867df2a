//! The completion list below a prompt: `/` at the start of the text completes commands of the client, `@`
//! files of its folder.
//!
//! The list stores the word and its completions; a worker finds the completions. An answer for an outdated
//! word is dropped.

use ratatui::layout::Rect;
use unspool_text::sanitize;
use unspool_text::style::{Line, Role};

use super::text::PromptText;
use crate::canvas::Canvas;
use crate::work::WorkTicket;
use crate::work::live::{PromptWord, WordCompletion};

/// The largest width of a completion.
const MOST_WORD: usize = 60;
/// The largest width of a description.
const MOST_ABOUT: usize = 120;

/// The word at the cursor, and its byte offset in its line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TypedWord {
    start: usize,
    pub(super) word: PromptWord,
}

impl TypedWord {
    /// Finds the word at the cursor.
    pub(super) fn of(text: &PromptText) -> Option<Self> {
        let (before, is_first_line) = text.before_cursor();
        let name = before.strip_prefix('/').filter(|_| is_first_line);
        let is_name = |c: char| c.is_alphanumeric() || "_:-.".contains(c);
        if let Some(name) = name.filter(|name| name.chars().all(is_name)) {
            let word = PromptWord::Command(name.to_owned());
            return Some(Self { start: 0, word });
        }
        let start = before.rfind(char::is_whitespace);
        let start =
            start.map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let path = before[start..].strip_prefix('@')?;
        let word = PromptWord::File(path.to_owned());
        (!path.contains('@')).then_some(Self { start, word })
    }

    /// Returns the word with its leading character.
    fn text(&self) -> String {
        match &self.word {
            PromptWord::Command(name) => format!("/{name}"),
            PromptWord::File(path) => format!("@{path}"),
        }
    }
}

/// The completions of the word at the cursor.
#[derive(Default, Debug)]
pub(super) struct CompletionList {
    word: Option<TypedWord>,
    items: Vec<WordCompletion>,
    chosen: usize,
    ticket: Option<WorkTicket>,
}

impl CompletionList {
    /// Updates the word; returns it if it changed.
    pub(super) fn update_word(&mut self, text: &PromptText) -> Option<PromptWord> {
        let word = TypedWord::of(text);
        if word == self.word {
            return None;
        }
        // Completions that still match stay until the answer arrives.
        let typed = word.as_ref().map(TypedWord::text);
        let fits =
            |it: &WordCompletion| typed.as_ref().is_some_and(|word| it.text.starts_with(word));
        self.items.retain(fits);
        self.chosen = 0;
        self.ticket = None;
        self.word = word;
        self.word.as_ref().map(|it| it.word.clone())
    }

    /// Stores the ticket of the request for the word.
    pub(super) fn set_ticket(&mut self, ticket: WorkTicket) {
        self.ticket = Some(ticket);
    }

    /// Takes an answer.
    pub(super) fn take(&mut self, ticket: WorkTicket, items: Vec<WordCompletion>) {
        if self.ticket == Some(ticket) {
            (self.items, self.chosen) = (items, 0);
        }
    }

    /// Closes the list until the word changes.
    pub(super) fn close(&mut self) {
        self.items.clear();
        self.ticket = None;
    }

    pub(super) fn is_open(&self) -> bool {
        !self.items.is_empty()
    }

    /// Tells whether the selected completion is typed already.
    pub(super) fn is_typed(&self) -> bool {
        let typed = self.word.as_ref().map(TypedWord::text);
        let chosen = self.items.get(self.chosen);
        chosen.is_some_and(|chosen| Some(&chosen.text) == typed.as_ref())
    }

    pub(super) fn choose_by(&mut self, by: isize) {
        let count = self.items.len().max(1) as isize;
        self.chosen = (self.chosen as isize + by).rem_euclid(count) as usize;
    }

    /// Inserts the selected completion; returns whether there is one. No space follows a folder, so its
    /// files can be completed next.
    pub(super) fn complete(&mut self, text: &mut PromptText) -> bool {
        let chosen = self.items.get(self.chosen);
        let Some((word, chosen)) = self.word.as_ref().zip(chosen) else {
            return false;
        };
        let space = if chosen.text.ends_with('/') { "" } else { " " };
        text.replace_from(word.start, &format!("{}{space}", chosen.text));
        self.close();
        true
    }

    /// Returns the height of the list.
    pub(super) fn height(&self) -> u16 {
        self.items.len() as u16
    }

    pub(super) fn view(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let words = self.items.iter();
        let words: Vec<String> = words.map(|it| sanitize::one_line(&it.text, MOST_WORD)).collect();
        let widths = words.iter().map(|it| unspool_text::width::width(it));
        let widest = widths.max().unwrap_or(0);
        let room = usize::from(area.height).max(1);
        let first = (self.chosen + 1).saturating_sub(room);
        let shown = words.iter().zip(&self.items).enumerate().skip(first);
        for (row, (number, (word, item))) in (0..area.height).zip(shown) {
            let mut line = Line::of(format!("   {word}"), Role::Id);
            let about = sanitize::one_line(&item.about, MOST_ABOUT);
            if !about.is_empty() {
                line.pad((widest + 5).saturating_sub(line.width()));
                line.add(about, Role::Muted);
            }
            canvas.line(area, row, &line.truncated(usize::from(area.width)));
            if number == self.chosen {
                canvas.select(Rect { y: area.y + row, height: 1, ..area });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_command_at_the_beginning_or_a_file_anywhere() {
        let command = |name: &str| Some((0, PromptWord::Command(name.to_owned())));
        let file = |start, path: &str| Some((start, PromptWord::File(path.to_owned())));
        for (text, found) in [
            ("/", command("")),
            ("/comp", command("comp")),
            ("/a:b-c_d", command("a:b-c_d")),
            ("/comp now", None),
            ("one /comp", None),
            ("one\n/comp", None),
            ("@", file(0, "")),
            ("look at @src/m", file(8, "src/m")),
            ("漢字\u{3000}@漢", file(9, "漢")),
            ("one\n@two", file(0, "two")),
            ("a@b", None),
            ("@a@b", None),
            ("@a b", None),
            ("", None),
        ] {
            let word = TypedWord::of(&PromptText::of(text));
            assert_eq!(word.map(|it| (it.start, it.word)), found, "{text:?}");
        }
    }
}
