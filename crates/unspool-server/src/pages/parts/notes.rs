//! Notes of the library, as lines of a page.

use unspool_engine::library::{LibraryNote, NoteLevel};
use unspool_text::html::Html;

/// The maximum number of notes on a page; the page of checks shows all.
const SHOWN: usize = 3;

/// Paints the first notes as lines, the most severe first, and a link to the others.
pub(crate) fn note_lines(notes: &[LibraryNote], html: &mut Html) {
    let mut notes: Vec<&LibraryNote> = notes.iter().collect();
    notes.sort_by_key(|note| std::cmp::Reverse(note.level()));
    for note in notes.iter().take(SHOWN) {
        html.tag(match note.level() {
            NoteLevel::Note => "<p class=\"note-line\">",
            NoteLevel::Warning | NoteLevel::Error => "<p class=\"note-line warning\">",
        });
        html.text(&note.to_string()).tag("</p>\n");
    }
    if let Some(more @ 1..) = notes.len().checked_sub(SHOWN) {
        html.tag("<p class=\"note-line\"><a href=\"/check\">and ");
        html.number(more as u64).tag(" more</a></p>\n");
    }
}
